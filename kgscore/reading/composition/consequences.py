"""What a finding causes or comes with: findings of their own, at their own places where they cannot be at those of the other."""

from __future__ import annotations

import re

from kgscore.ontology.index import level_of
from kgscore.reading.composition.scene import LISTING, Scene
from kgscore.reading.structure.values import Place, Statement, Structure

_JOINTS = ("with", "cause")
_PASSED = LISTING | {"M", "meas", "num", "stop", "F", "sideword"}
# Of what stands between a cause and what comes of it, the words after which the latter is said.
_EFFECT = re.compile(r"(?:which |that )?(?:caus(?:es|ing)|lead|result(?:s|ing) in|produc|giv(?:es|ing) rise)", re.IGNORECASE)


def apart(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which what a finding causes is no other name of it ("a mass causing biliary dilatation"), and what it
    causes or comes with is not where that is, but in its own organ ("a stone at the junction with hydronephrosis")."""
    return tuple(_apart(scene, one) for one in structure)


def _apart(scene: Scene, one: Statement) -> Statement:
    joint = one.head - 1
    while joint > 0 and scene.items[joint].kind in _PASSED:
        joint -= 1
    if joint <= 0 or scene.items[joint].kind not in _JOINTS or scene.items[one.head].kind != "F":
        return one
    if scene.items[joint].kind == "cause" and _EFFECT.match(scene.said(joint)):
        one = one._replace(names=tuple(at for at in one.names if at > joint))
    places = (_own(scene, one.head, joint, place) for place in one.places)
    return one._replace(places=tuple(place for place in places if place.items or place.side is not None))


def _own(scene: Scene, head: int, joint: int, place: Place) -> Place:
    """Return a place said before a joint, or no more than its side where the finding after it has an organ that is elsewhere."""
    index, items = scene.knowledge.index, scene.items
    sites = [items[at].id for at in place.items]
    homes = index.hard_sites.get(items[head].id, frozenset()) & set(index.soft_sites.get(items[head].id, ()))
    before = bool(sites) and max(place.items) < joint and all(items[at].kind == "A" for at in place.items)
    told = any(item.kind == "F" and not item.adjective for item in items[:joint])
    vague = homes & index.local or any(map(scene.knowledge.fitting.of_regions, homes)) or any(level_of(site) for site in sites)
    sided = items[joint].kind == "with" and any(items[at].side for at in place.items)  # which only the place says
    if not before or not told or not homes or vague or sided:
        return place
    meets = any(index.inside(one, two) or index.inside(two, one) for one in sites for two in homes)
    return place if meets else Place((), place.side)
