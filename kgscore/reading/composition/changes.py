"""What is said to have changed of a structure or a quality of it: "the spleen has become smaller", "aeration has improved"."""

from __future__ import annotations

import re

from kgscore.reading.composition.scene import PHRASE, Scene
from kgscore.reading.structure.values import Place, Statement, Structure

# How a word is said that tells what has happened since before, and not how large something is.
_SINCE = re.compile(r"(?:has|have|had|interval)\b|.*\bthan (?:before|previously|on)\b|.*(?:worse|improv|deteriorat)")
# What is better or worse is no longer, or not yet, as it should be ("aeration has improved").
GRADED = re.compile(r"(?:(?:has|have|is|interval|slightly|better|further) )*(?:worse|improv|deteriorat)")
# How a change is denied with a noun, after which its structure stands or may stand.
_DENIED = re.compile(r"(?:no|without)\b.*\b(?:change|difference|alteration)\b")
_MOVING = ("increased", "decreased")
_ENDING = ("stop", "past", "comma", "semi", "but")
_TOLD = (*_MOVING, "stable")


def tells_of_time(scene: Scene, at: int) -> str | None:
    """Return the change since before that an item tells of, "increased" or "decreased", or None."""
    item, after = scene.items[at], scene.items[at + 1 : at + 2]
    if item.kind == "change" and item.id in _MOVING:
        then = _SINCE.match(scene.said(at)) or (after and after[0].kind == "past")
        return item.id if then else None
    if item.kind == "F" and item.adjective and after and after[0].kind == "past" and at and scene.items[at - 1].kind == "have":
        return "increased" if item.id in scene.knowledge.index.deviations("up") else None  # "has widened since"
    if item.kind in ("greater", "less") and after and after[0].kind == "past":
        return _MOVING[item.kind == "less"]
    return None


def newly(scene: Scene, at: int) -> str | None:
    """Return "new" where a finding is said to be there now ("there is now a small effusion"), or None."""
    before = at - 1
    while before > 0 and (scene.items[before].kind in ("M", "meas", "num") or scene.items[before].adjective):
        before -= 1
    told = before > 0 and scene.said(before) == "now" and scene.items[before - 1].kind == "seen"
    return "new" if told and scene.said(before - 1).startswith("there ") else None


def way_since(scene: Scene, at: int, way: str) -> str | None:
    """Return which way a quality of a structure departs from normal by a word of change: what is less than before may still be
    too much, so that only the word itself tells (None), and what got worse or better is, or was, too little."""
    if GRADED.match(scene.said(at)):
        return "down"
    return None if tells_of_time(scene, at) == "decreased" else way


def structures_changed(scene: Scene, structure: Structure) -> Structure:
    """Return a structure with the changes that it leaves out whose subject is nothing but a structure or a quality of one, and
    with those of a quality as their heads ("ventricular size is unchanged")."""
    structure = tuple(_of_quality(scene, one) for one in structure)
    used = {at for one in structure for at in (one.head, *one.modifiers)}
    out = list(structure)
    for at in range(len(scene.items)):
        after = scene.items[at + 1].kind if at + 1 < len(scene.items) else "stop"
        stable = scene.items[at].kind == "change" and scene.items[at].id == "stable"
        stable = stable and (after in _ENDING or _DENIED.match(scene.said(at)) is not None)  # not "remains large"
        if at in used or not (stable or tells_of_time(scene, at)):
            continue
        subject = _subject(scene, at) or (_object(scene, at) if stable else [])
        sites = tuple(n for n in subject if scene.items[n].kind == "A")
        qualities = tuple(n for n in subject if scene.items[n].kind in ("Q", "M"))
        side = next((n for n in subject if scene.items[n].kind == "sideword"), None)
        if sites or any(scene.items[n].kind == "Q" for n in qualities):
            out.append(Statement(at, "normal" if stable else "present", (Place(sites, side),) if sites else (), qualities))
    return tuple(sorted(out, key=lambda one: one.head))


def _of_quality(scene: Scene, one: Statement) -> Statement:
    """Return what is said of a quality, if that is only how it has changed, as a statement of the change."""
    told = [at for at in one.modifiers if scene.items[at].kind == "change" and scene.items[at].id in _TOLD]
    if scene.items[one.head].kind != "Q" or one.status != "present" or len(told) != 1 or len(one.modifiers) != 1:
        return one
    status = "normal" if scene.items[told[0]].id == "stable" else "present"
    return Statement(told[0], status, one.places or (Place((one.head,), None),), (one.head,) if one.places else ())


def _subject(scene: Scene, verb: int) -> list[int]:
    """Return the items of the noun phrase before a verb, if it opens its clause and holds no finding."""
    found: list[int] = []
    for at in range(verb - 1, -1, -1):
        kind = scene.items[at].kind
        if kind in ("semi", "but", "colon", "where"):
            break
        if kind not in PHRASE and kind not in ("Q", "prep", "cop", "have"):
            return []
        found.append(at)
    return found[::-1]


def _object(scene: Scene, noun: int) -> list[int]:
    """Return the items of the noun phrase after a denied change, if nothing else follows ("no interval change in the spleen")."""
    found: list[int] = []
    for at in range(noun + 1, len(scene.items)):
        kind = scene.items[at].kind
        if kind in _ENDING:
            break
        if kind not in PHRASE and kind not in ("Q", "prep", "and"):
            return []
        found.append(at)
    return found if _DENIED.match(scene.said(noun)) else []
