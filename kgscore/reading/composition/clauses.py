"""Clauses of a sentence, each with its own verb, and places that a structure assigns to findings of another clause."""

from __future__ import annotations

from itertools import accumulate, pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.reading.composition.parsed_sentence import RELATIVE, ParsedSentence

# First words of finite verbs.
_FINITE = frozenset((
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "may", "might", "can", "cannot", "could", "there",
    "appears", "appear", "seems", "seem", "remains", "remain", "shows", "show", "demonstrates", "demonstrate", "contains",
    "contain", "lies", "lie", "persists", "persist", "exhibits", "exhibit", "measures", "measure", "reveals", "reveal",
    "displays", "display",
))  # fmt: skip
_VERBAL = frozenset(("cop", "have", "seen", "with", "neg", "negpost", "change", "hedge", "prep"))
_JOINTS = frozenset(("and", "but", "comma", "semi"))
# Kinds of items in the subject of a clause.
_SUBJECT = frozenset((
    ANATOMY, FINDING, DESCRIPTOR, QUALITY, UNKNOWN, NORMAL, "sideword", "num", "meas", "stop", "prep", "seq", "dash", "slash",
    "hedge", "neg",
))  # fmt: skip
_SUBJECTS = frozenset((ANATOMY, FINDING, QUALITY))


def clauses(scene: ParsedSentence) -> list[int]:
    """Return the number of the clause of each item; a conjunction belongs to the clause that it opens."""
    starts = {*_starts(scene)}
    return [*accumulate(at in starts for at in range(len(scene.items)))]


def _starts(scene: ParsedSentence) -> list[int]:
    verbs = [at for at, item in enumerate(scene.items) if _finite(scene, at) and item.kind in _VERBAL]
    found = [joint for one, other in pairwise(verbs) if (joint := _joint(scene, one, other)) >= 0]
    if verbs and (joint := _joint(scene, -1, verbs[0])) >= 0 and _verbless_before(scene, joint, verbs[0]):
        found.append(joint)
    return found + [at for at, item in enumerate(scene.items) if item.kind in ("but", "semi") and _opposes(scene, at)]


def _opposes(scene: ParsedSentence, at: int) -> bool:
    """Whether a conjunction opens a contrasting clause with a finding at a structure ("but a cyst in the spleen")."""
    after = scene.items[at + 1 : scene.next_of(at, 1, _JOINTS)]
    kinds = {item.kind for item in after if not item.is_adjective}
    return {FINDING, ANATOMY} <= kinds and not {FINDING, NORMAL}.isdisjoint(scene.run(0, at))


def _finite(scene: ParsedSentence, at: int) -> bool:
    relative = at > 0 and scene.said(at - 1).split()[-1] in RELATIVE
    return not relative and scene.said(at).partition(" ")[0] in _FINITE


def _joint(scene: ParsedSentence, one: int, verb: int) -> int:
    """Return the conjunction between two verbs that opens the clause of the second, or -1 if that is ambiguous."""
    joints = [at for at in range(one + 1, verb) if scene.items[at].kind in _JOINTS and _opens(scene, at, verb)]
    # In "X, and Y" the comma opens the second clause.
    joints = [at for at in joints if at - 1 not in joints]
    strong = [at for at in joints if _is_strong(scene, at)]
    return (strong or joints)[-1] if strong or len(joints) == 1 else -1


def _opens(scene: ParsedSentence, joint: int, verb: int) -> bool:
    """Whether the items between a conjunction and a verb are its subject, or the verb needs none ("there is")."""
    kinds = {*scene.run(joint + 1, verb)} - _JOINTS
    if any(scene.said(at).split()[-1] in RELATIVE for at in range(joint + 1, verb)):
        return False
    return (bool(kinds & _SUBJECTS) and kinds <= _SUBJECT) or (scene.said(verb).startswith("there") and kinds <= {"stop"})


def _verbless_before(scene: ParsedSentence, joint: int, verb: int) -> bool:
    """Whether the items before a conjunction are a clause without a verb ("no mass in the axilla and the breast is normal")."""
    if {FINDING, NORMAL}.isdisjoint(scene.run(0, joint)):
        return False
    after = scene.kind(verb + 1)
    normal = after == NORMAL or (after == "neg" and scene.said(verb + 1).endswith(" of"))
    denied = scene.items[0].kind == "neg" and scene.items[verb].kind in ("have", "with", "neg")
    return _is_strong(scene, joint) or (FINDING not in scene.run(joint + 1, verb) and (normal or denied))


def _is_strong(scene: ParsedSentence, joint: int) -> bool:
    """Whether a conjunction is adversative, or one of two."""
    return scene.items[joint].kind in ("but", "semi") or scene.items[joint + 1].kind in _JOINTS
