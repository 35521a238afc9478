"""Clauses, and cues with scope over several statements: "except", "other", the whole examination, comparison of sides."""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.model import OTHER_SIDE
from kgscore.reading.composition.anatomy import names_in, sides_in, unsided
from kgscore.reading.composition.descriptors import side_beside
from kgscore.reading.composition.parsed_sentence import RELATIVE, ParsedSentence
from kgscore.reading.finding_draft import FindingDraft
from kgscore.reading.mentions import Mention

_STUDY = r"(?:study|examination|exam|scan|investigation|survey|imaging|radiographs?|films?|x-?rays?|CT|MRI|ultrasound|sonogram)"
_REST = r"(?:remaining|other)(?: visuali[sz]ed| imaged| included)? (?:structures|findings)"
_VERB = r"(?:\s+(?:is|are|was|appears?|otherwise|also|entirely|grossly))*"
_STUDY_BEFORE = re.compile(rf"(?:\A\W*elsewhere,?(?: there is)?|\b(?:{_STUDY}|{_REST})\b){_VERB}\s*\Z", re.IGNORECASE)
_STUDY_AFTER = re.compile(rf"\s+(?:[\w-]+\s+){{0,2}}{_STUDY}\b", re.IGNORECASE)
# "No abnormal enhancement" refers to the whole examination, "no enhancement" to the lesion.
_ABNORMAL = re.compile(r"\b(?:abnormal|pathologic(?:al)?)\b", re.IGNORECASE)
# "Pleural effusions, if any, are small."
_IF_ANY = re.compile(r"\b(?:if (?:any|present|at all)|at (?:the )?most)\b", re.IGNORECASE)
_OF_REST = frozenset(("prep", "stop", "sideword"))  # kinds of items between "remaining" and its noun
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


def apply_scope(scene: ParsedSentence, heads: list[FindingDraft]) -> list[FindingDraft]:
    """Return the heads with the effect of cues that have scope over several of them."""
    for at, item in enumerate(scene.items):
        if item.kind == "except":
            _except(heads, item)
        elif item.kind == "other" or (item.kind, item.id) == ("neg", "other"):
            _rest(scene, heads, item)
        elif _compares(scene, at):
            _compare(scene, heads, at)
    for head in _doubtful(scene, heads):
        head.certainty = "possible"
    for head in heads:
        head.whole = head.kind == NORMAL and not head.sites and _of_study(scene, head.item)
        head.overall = head.status == "absent" and bool(_ABNORMAL.search(scene.text, max(0, head.start - 40), head.end))
    return heads


def _compares(scene: ParsedSentence, at: int) -> bool:
    """Whether an item compares: "than" may ("worse in the right lung than in the left", not "rather than in the left")."""
    if (scene.kind(at), scene.said(at)) == ("rather", "than"):
        return not {"change", "greater"}.isdisjoint(scene.run(0, at))
    return scene.kind(at) in ("greater", "less")


def _of_study(scene: ParsedSentence, item: Mention) -> bool:
    before = scene.text[max(0, item.start - 45) : item.start]
    return bool(_STUDY_BEFORE.search(before) or _STUDY_AFTER.match(scene.text, item.end))


def _doubtful(scene: ParsedSentence, heads: list[FindingDraft]) -> list[FindingDraft]:
    """Return the findings that are present in a clause with "if any"."""
    items = _clauses_if_any(scene) if _IF_ANY.search(scene.text) else []
    return [head for head in heads if head.status == "present" and any(head.item is item for item in items)]


def _clauses_if_any(scene: ParsedSentence) -> list[Mention]:
    numbers = clauses(scene)
    cues = {number for at, number in enumerate(numbers) if _IF_ANY.search(scene.said(at))}
    return [item for item, number in zip(scene.items, numbers, strict=True) if number in cues]


def _except(heads: list[FindingDraft], cue: Mention) -> None:
    """Restrict the denials and normal statements before an exception, or all after one that opens a sentence."""
    before = [head for head in heads if head.item.start < cue.start]
    for head in before or heads:
        head.otherwise = head.otherwise or head.status != "present"


def _rest(scene: ParsedSentence, heads: list[FindingDraft], cue: Mention) -> None:
    """Restrict the denials of a clause to the rest ("Otherwise normal", "no other fracture", "not elsewhere")."""
    inside = [head for head in heads if _of_clause(scene, head, cue)]
    here = [head for head in inside if head.status != "present"]
    for head in [head for head in here if head.item.start > cue.start] or here:
        head.otherwise = True
    remains = scene.beyond(scene.items.index(cue), 1, _OF_REST)
    if scene.kind(remains) == ANATOMY:
        _rest_of(scene, inside, scene.items[remains].id)


def _rest_of(scene: ParsedSentence, inside: list[FindingDraft], name: str) -> None:
    """Restrict the abnormalities at the rest of a structure ("the remaining sinuses are not clear")."""
    for head in inside:
        if head.status == "present" and name in names_in(head.sites):
            head.otherwise = head.otherwise or _only_abnormal(scene, head)


def _only_abnormal(scene: ParsedSentence, head: FindingDraft) -> bool:
    """Whether a head is stated as an abnormality ("the remaining sinuses are not clear", "abnormal signal")."""
    deviates = head.kind == NORMAL or head.concept in {*scene.index.deviations(), scene.role("any_abnormality")}
    return deviates or _ABNORMAL.search(scene.text, head.start, head.end) is not None


def _of_clause(scene: ParsedSentence, head: FindingDraft, cue: Mention) -> bool:
    """Whether a head is in the clause of a cue, or at a site named there ("otherwise clear, and there is no pneumothorax")."""
    if "semi" in scene.between(*sorted((cue.start, head.item.start))):
        return False
    numbers = dict(zip([item.start for item in scene.items], clauses(scene), strict=True))
    own = numbers[cue.start]
    inside = {item.id for item in scene.items if numbers[item.start] == own}
    return numbers.get(head.item.start, own) == own or not inside.isdisjoint(names_in(head.sites))


def _on_both(scene: ParsedSentence, heads: list[FindingDraft], at: int, larger: str) -> None:
    """Set the side of findings that are worse on one side to both ("Atelectasis, worse on the left")."""
    if {*scene.ids(scene.all_of("sideword"))} != {larger}:
        return
    for head in (head for head in heads if head.item.start < scene.items[at].start and head.status == "present"):
        names = names_in(head.sites) or scene.index.sites_implied(head.concept) & scene.vocabulary.lateral
        if names and names <= scene.vocabulary.lateral:
            head.side, head.sites = "both", unsided(head.sites)


def _compare(scene: ParsedSentence, heads: list[FindingDraft], at: int) -> None:
    """Record which side of a bilateral finding is larger ("Right greater than left")."""
    before, after = _sides_compared(scene, at)
    larger, smaller = (before, after) if before else (after, None)
    if scene.kind(at) == "less":
        larger, smaller = smaller or OTHER_SIDE.get(larger or ""), larger
    if larger not in OTHER_SIDE:
        return
    if not before and smaller is None and not scene.said(at).endswith("than") and scene.said(at)[:1].isalpha():
        _on_both(scene, heads, at, larger)
    for head in (head for head in heads if head.status == "present" and _is_bilateral(heads, head)):
        head.compare = (larger, smaller or OTHER_SIDE[larger])


def _is_bilateral(heads: list[FindingDraft], head: FindingDraft) -> bool:
    sides = {side for one in heads if one.item is head.item for side in (one.side, *sides_in(one.sites))}
    return "both" in sides or {"left", "right"} <= sides


def _sides_compared(scene: ParsedSentence, at: int) -> tuple[str | None, str | None]:
    """Return the sides before and after a comparison ("the right effusion is larger than the left")."""
    before, after = side_beside(scene, at, -1), side_beside(scene, at, 1)
    if before is None and after and scene.said(at).endswith("than"):
        before = next(reversed(scene.ids(scene.of_kind("sideword", range(at)))), None)
    return before, after


def clauses(scene: ParsedSentence) -> list[int]:
    """Return the number of the clause of each item; a conjunction belongs to the clause that it opens."""
    starts = {*_starts(scene)}
    return [*accumulate(at in starts for at in range(len(scene.items)))]


def _starts(scene: ParsedSentence) -> list[int]:
    verbs = [at for at, item in enumerate(scene.items) if item.kind in _VERBAL and _finite(scene, at)]
    found = [_joint(scene, one, other) for one, other in pairwise(verbs)]
    found += [joint for verb in verbs[:1] if _verbless_before(scene, joint := _joint(scene, -1, verb), verb)]
    return found + [at for at, item in enumerate(scene.items) if item.kind in ("but", "semi") and _opposes(scene, at)]


def _opposes(scene: ParsedSentence, at: int) -> bool:
    """Whether a conjunction opens a contrasting clause with a finding at a structure ("but a cyst in the spleen")."""
    after = scene.items[at + 1 : scene.next_of(at, 1, _JOINTS)]
    opposed = {FINDING, ANATOMY} <= {item.kind for item in after if not item.is_adjective}
    return opposed and not {FINDING, NORMAL}.isdisjoint(scene.run(0, at))


def _finite(scene: ParsedSentence, at: int) -> bool:
    relative = at > 0 and scene.said(at - 1).split()[-1] in RELATIVE
    return not relative and scene.said(at).partition(" ")[0] in _FINITE


def _joint(scene: ParsedSentence, one: int, verb: int) -> int:
    """Return the conjunction between two verbs that opens the clause of the second, or -1 if that is ambiguous."""
    joints = [at for at in range(one + 1, verb) if scene.kind(at) in _JOINTS and _opens(scene, at, verb)]
    # In "X, and Y" the comma opens the second clause.
    joints = [at for at in joints if at - 1 not in joints]
    strong = [at for at in joints if _is_strong(scene, at)] or (joints if len(joints) == 1 else [-1])
    return strong[-1]


def _opens(scene: ParsedSentence, joint: int, verb: int) -> bool:
    """Whether the items between a conjunction and a verb are its subject, or the verb needs none ("there is")."""
    kinds = {*scene.run(joint + 1, verb)} - _JOINTS
    if any(scene.said(at).split()[-1] in RELATIVE for at in range(joint + 1, verb)):
        return False
    return kinds <= _SUBJECT if kinds & _SUBJECTS else kinds <= {"stop"} and scene.said(verb).startswith("there")


def _verbless_before(scene: ParsedSentence, joint: int, verb: int) -> bool:
    """Whether the items before a conjunction are a clause without a verb ("no mass in the axilla and the breast is normal")."""
    if joint < 0 or {FINDING, NORMAL}.isdisjoint(scene.run(0, joint)):
        return False
    if _is_strong(scene, joint) or FINDING in scene.run(joint + 1, verb):
        return _is_strong(scene, joint)
    after = scene.kind(verb + 1)
    normal = after == NORMAL or (after == "neg" and scene.said(verb + 1).endswith(" of"))
    return normal or (scene.kind(0) == "neg" and scene.kind(verb) in ("have", "with", "neg"))


def _is_strong(scene: ParsedSentence, joint: int) -> bool:
    """Whether a conjunction is adversative, or one of two."""
    return scene.kind(joint) in ("but", "semi") or scene.kind(joint + 1) in _JOINTS
