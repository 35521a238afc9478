"""What an operation has left where it was."""

from __future__ import annotations

import re

from kgscore.reading.composition.scene import PHRASE, Scene
from kgscore.reading.structure.values import Place, Statement, Structure

# What opens what was operated on ("of", "after", "related to"), and what an operation has left.
_OF = frozenset(("of", "for", "after", "following", "from"))
_OPENING = frozenset(("prep", "past", "cause"))
# A procedure named between them ("changes after surgery for a hernia"), or said of the changes ("changes are noted from …").
_BETWEEN = frozenset(("stop", "seen", "W"))
_SPOKEN_OF = frozenset(("present", "presupposed", "past"))
# An operation that is named by what it was for.
SURGERY = re.compile(r"(?:surgery|operation)\Z", re.IGNORECASE)


def left_behind(scene: Scene, structure: Structure) -> Structure:
    """Return a structure in which the changes that an operation on a finding has left are where that was, and no longer the
    finding itself."""
    words = scene.knowledge.words
    heads = {one.head: one for one in structure if one.status in _SPOKEN_OF}
    out = list(structure)
    for at, item in enumerate(scene.items):
        of = _operand(scene, at, heads) if item.id == words.role("operated") else -1
        if item.kind == "stop" and SURGERY.match(scene.said(at)) and _named(scene, at - 1, heads):
            of = at - 1  # "after renal tumour surgery"
        if of >= 0:
            places = tuple(p if p.items else Place((of,), p.side) for p in heads[of].places) or (Place((of,), None),)
            out = [one._replace(status="none") if one.head == of else one for one in out if one.head != at]
            out.append(Statement(at, "present", places))
    return tuple(out)


def _named(scene: Scene, at: int, heads: dict[int, Statement]) -> bool:
    """Whether an item heads a statement of a finding by its noun, which is no operation itself."""
    words = scene.knowledge.words
    noun = at in heads and scene.items[at].kind == "F" and not scene.items[at].adjective
    return noun and scene.items[at].id not in words.states and scene.items[at].id not in words.devices


def _operand(scene: Scene, at: int, heads: dict[int, Statement]) -> int:
    """Return the finding that was operated on, or -1."""
    words, of = scene.knowledge.words, at + 1
    while of < len(scene.items) and scene.items[of].kind in _BETWEEN:
        of += 1
    opens = of < len(scene.items) and scene.items[of].kind in _OPENING
    if not opens or (scene.items[of].kind == "prep" and scene.said(of) not in _OF):
        return -1
    of += 1
    while of < len(scene.items) and (scene.items[of].kind in PHRASE - {"comma", "and"} or _adjective(scene, of)):
        of += 1
    if of >= len(scene.items) or of not in heads or scene.items[of].kind != "F":
        return -1
    return -1 if scene.items[of].id in words.states or scene.items[of].id in words.devices else of


def _adjective(scene: Scene, at: int) -> bool:
    return scene.items[at].kind == "F" and scene.items[at].adjective
