"""Cues with scope over several statements: "otherwise", "except", "other", the whole examination, and comparison of sides."""

from __future__ import annotations

import re

from kgscore.linking.lexicon import ANATOMY, NORMAL
from kgscore.model import OTHER_SIDE
from kgscore.reading.composition.anatomy import names_in, sides_in, unsided
from kgscore.reading.composition.clauses import clauses
from kgscore.reading.composition.descriptors import side_beside
from kgscore.reading.composition.parsed_sentence import ParsedSentence
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
# Kinds of items between "remaining" and its noun.
_OF_REST = frozenset(("prep", "stop", "sideword"))


def apply_scope(scene: ParsedSentence, heads: list[FindingDraft]) -> list[FindingDraft]:
    """Return the heads with the effect of cues that have scope over several of them."""
    for at, item in enumerate(scene.items):
        if item.kind == "except":
            _except(heads, item)
        elif item.kind == "other" or (item.kind == "neg" and item.id == "other"):
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
    kind, than = scene.items[at].kind, scene.said(at) == "than"
    return kind in ("greater", "less") or (kind == "rather" and than and not {"change", "greater"}.isdisjoint(scene.run(0, at)))


def _of_study(scene: ParsedSentence, item: Mention) -> bool:
    """Whether a normal word is about the whole examination."""
    before = scene.text[max(0, item.start - 45) : item.start]
    return bool(_STUDY_BEFORE.search(before) or _STUDY_AFTER.match(scene.text, item.end))


def _doubtful(scene: ParsedSentence, heads: list[FindingDraft]) -> list[FindingDraft]:
    """Return the findings that are present in a clause with "if any"."""
    if not _IF_ANY.search(scene.text):
        return []
    number = clauses(scene)
    cues = {number[at] for at in range(len(scene.items)) if _IF_ANY.search(scene.said(at))}
    items = [item for at, item in enumerate(scene.items) if number[at] in cues]
    return [head for head in heads if head.status == "present" and any(head.item is item for item in items)]


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


def _of_clause(scene: ParsedSentence, head: FindingDraft, cue: Mention) -> bool:
    """Whether a head is in the clause of a cue, or at a site named there ("otherwise clear, and there is no pneumothorax")."""
    start, end = sorted((cue.start, head.item.start))
    if any(start < item.start < end for item in scene.items if item.kind == "semi"):
        return False
    number = clauses(scene)
    items = {item.start: at for at, item in enumerate(scene.items)}
    own = number[items[cue.start]]
    inside = {item.id for at, item in enumerate(scene.items) if number[at] == own}
    return number[items.get(head.item.start, items[cue.start])] == own or not inside.isdisjoint(names_in(head.sites))


def _only_abnormal(scene: ParsedSentence, head: FindingDraft) -> bool:
    """Whether a head only states an abnormality ("the remaining sinuses are not clear", "abnormal signal")."""
    words = scene.knowledge.words
    deviates = head.concept in scene.knowledge.index.deviations()
    told = _ABNORMAL.search(scene.text, head.start, head.end) is not None
    return head.kind == NORMAL or deviates or told or head.concept == words.role("any_abnormality")


def _on_both(scene: ParsedSentence, heads: list[FindingDraft], at: int, larger: str) -> None:
    """Set the side of findings that are worse on one side to both ("Atelectasis, worse on the left")."""
    lateral = scene.knowledge.words.lateral
    if {item.id for item in scene.items if item.kind == "sideword"} != {larger}:
        return
    for head in heads:
        names, before = names_in(head.sites), head.item.start < scene.items[at].start
        implied = scene.knowledge.index.sites_implied(head.concept) & lateral
        if before and head.status == "present" and (names <= lateral if names else implied):
            head.side, head.sites = "both", unsided(head.sites)


def _compare(scene: ParsedSentence, heads: list[FindingDraft], at: int) -> None:
    """Record which side of a bilateral finding is larger ("Right greater than left")."""
    before, after = _sides_compared(scene, at)
    larger, smaller = (before, after) if before else (after, None)
    if scene.items[at].kind == "less":
        larger, smaller = smaller or OTHER_SIDE.get(larger or ""), larger
    if larger not in OTHER_SIDE:
        return
    if not before and smaller is None and not scene.said(at).endswith("than") and scene.said(at)[:1].isalpha():
        _on_both(scene, heads, at, larger)
    for head in heads:
        if head.status == "present" and _is_bilateral(heads, head):
            head.compare = (larger, smaller or OTHER_SIDE[larger])


def _is_bilateral(heads: list[FindingDraft], head: FindingDraft) -> bool:
    alike = [one for one in heads if one.item is head.item and one.status == head.status]
    sides = {side for one in alike for side in (one.side, *sides_in(one.sites))}
    return "both" in sides or {"left", "right"} <= sides


def _sides_compared(scene: ParsedSentence, at: int) -> tuple[str | None, str | None]:
    """Return the sides before and after a comparison ("the right effusion is larger than the left")."""
    before, after = side_beside(scene, at, -1), side_beside(scene, at, 1)
    if before is None and after is not None and scene.said(at).endswith("than"):
        before = next((item.side or item.id for item in reversed(scene.items[:at]) if item.kind == "sideword" or item.side), None)
    return before, after
