"""Places that a finding only reaches, and statements about one side of a finding that is on both."""

from __future__ import annotations

import re

from kgscore.reading.composition.places import Where
from kgscore.reading.composition.scene import Scene
from kgscore.reading.head import Place
from kgscore.reading.structure.values import Place as Said
from kgscore.reading.structure.values import Statement, Structure

_REACHING = re.compile(
    r"\b(?:exten(?:d|sion)\w*|spread\w*|track(?:s|ing)|reach\w*|into)\b(?![^,;]*\bfrom\b)[^,;]*\Z", re.IGNORECASE
)
_OTHER = {"left": "right", "right": "left"}


def extended(scene: Scene, structure: Structure) -> tuple[Structure, dict[int, list[str]]]:
    """Return the structure without the places that findings only extend to, and those, as sites, by the head: "a mass in the
    angle, extending into the canal" is in the angle."""
    out: list[Statement] = []
    reached: dict[int, list[str]] = {}
    for one in structure:
        item = scene.items[one.head]
        placed = any(other.head == one.head for other in out)
        kept: list[Said] = []
        for place in one.places:
            if item.kind == "F" and not item.adjective and (kept or placed) and _reaches(scene, one, place):
                sites = [scene.items[at].id for at in place.items if scene.items[at].kind == "A"]
                reached.setdefault(one.head, []).extend(sites)
            else:
                kept.append(place)
        if kept or not one.places or not placed:
            out.append(one._replace(places=tuple(kept)))
    return tuple(out), reached


def _reaches(scene: Scene, one: Statement, place: Said) -> bool:
    """Whether words such as "extending into" stand between a head or what places it and one more place."""
    if not place.items or place.items[0] < one.head or not any(scene.items[at].kind == "A" for at in place.items):
        return False
    start, end = scene.items[one.head].end, scene.items[place.items[0]].start
    return one.status not in ("absent", "unlikely") and _REACHING.search(scene.text, start, end) is not None


def on_sides(structure: Structure, places: dict[int, Where]) -> dict[int, Where]:
    """Return the places, where a statement of one side takes that side from an earlier one of both ("in both lower lobes,
    larger on the left")."""
    out = dict(places)
    for number, one in enumerate(structure):
        side = out[number].side
        if out[number].sites or side not in _OTHER:
            continue
        for earlier in range(number):
            before = out[earlier]
            same = structure[earlier].head == one.head and structure[earlier].status == one.status
            if same and before.sites and all(_both(site) for site in before.sites):
                out[number] = before._replace(sites=tuple(_on(site, side) for site in before.sites))
                out[earlier] = before._replace(sites=tuple(_on(site, _OTHER[side]) for site in before.sites))
            elif same and not before.sites and before.side == "both":
                out[earlier] = before._replace(side=_OTHER[side])
    return out


def _both(site: tuple[Place, ...]) -> bool:
    return any(side == "both" for _, side in site)


def _on(site: tuple[Place, ...], side: str) -> tuple[Place, ...]:
    return tuple((name, side if found == "both" else found) for name, found in site)
