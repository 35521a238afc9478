"""Cues with scope over several statements: "otherwise", "except", "other", the whole examination, and comparison of sides."""

from __future__ import annotations

import re

from kgscore.linking.lexicon import ANATOMY, NORMAL
from kgscore.model import OTHER_SIDE
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
            _except(scene, heads, at)
        elif item.kind == "other" or (item.kind == "neg" and item.id == "other"):
            _rest(scene, heads, item)
        elif item.kind in ("greater", "less") or (item.kind == "rather" and scene.said(at) == "than"):
            _compare(scene, heads, at)
    number = clauses(scene) if _IF_ANY.search(scene.text) else []
    doubtful = {number[at] for at, item in enumerate(scene.items) if number and _IF_ANY.search(scene.said(at))}
    for at, item in enumerate(scene.items if doubtful else ()):
        for head in (head for head in heads if head.item is item and number[at] in doubtful and head.status == "present"):
            head.certainty = "possible"
    for head in heads:
        if head.kind == NORMAL and not head.sites:
            before = scene.text[max(0, head.item.start - 45) : head.item.start]
            head.whole = bool(_STUDY_BEFORE.search(before) or _STUDY_AFTER.match(scene.text, head.item.end))
        if head.status == "absent" and _ABNORMAL.search(scene.text, max(0, head.start - 40), head.end):
            head.overall = True
    return heads


def _except(scene: ParsedSentence, heads: list[FindingDraft], at: int) -> None:
    """Restrict the denials and normal statements before an exception to "otherwise"; an exception that opens a sentence
    restricts all its denials."""
    cue = scene.items[at]
    before = [head for head in heads if head.item.start < cue.start]
    for head in before or heads:
        if head.status != "present":
            head.otherwise = True


def _rest(scene: ParsedSentence, heads: list[FindingDraft], cue: Mention) -> None:
    """Restrict the denials of a clause to the rest ("Otherwise normal", "no other fracture", "not elsewhere")."""
    ends = [item.start for item in scene.items if item.kind == "semi"]
    start = max((end for end in ends if end < cue.start), default=-1)
    end = min((end for end in ends if end > cue.start), default=len(scene.text) + 1)
    inside = [head for head in heads if start < head.item.start < end and _of_clause(scene, head, cue)]
    here = [head for head in inside if head.status != "present"]
    for head in [head for head in here if head.item.start > cue.start] or here:
        head.otherwise = True
    remains = next((item for item in scene.items if item.start > cue.start and item.kind not in _OF_REST), None)
    if remains is None or remains.kind != ANATOMY:
        return
    for head in inside:
        there = {name for one in head.sites for name, _ in one}
        if head.status == "present" and remains.id in there and _only_abnormal(scene, head):
            head.otherwise = True


def _of_clause(scene: ParsedSentence, head: FindingDraft, cue: Mention) -> bool:
    """Whether a head is in the clause of a cue, or at a site named there ("otherwise clear, and there is no pneumothorax")."""
    number = clauses(scene)
    items = {item.start: at for at, item in enumerate(scene.items)}
    if number[items[cue.start]] == number[items.get(head.item.start, items[cue.start])]:
        return True
    there = {name for place in head.sites for name, _ in place}
    return any(item.id in there for at, item in enumerate(scene.items) if number[at] == number[items[cue.start]])


def _only_abnormal(scene: ParsedSentence, head: FindingDraft) -> bool:
    """Whether a head only states an abnormality ("the remaining sinuses are not clear", "abnormal signal")."""
    words = scene.knowledge.words
    deviates = head.concept in scene.knowledge.index.deviations()
    told = _ABNORMAL.search(scene.text, head.start, head.end) is not None
    return head.kind == NORMAL or deviates or told or head.concept == words.role("any_abnormality")


def _on_both(scene: ParsedSentence, heads: list[FindingDraft], at: int, larger: str) -> None:
    """Set the side of findings that are worse on one side to both ("Atelectasis, worse on the left")."""
    told = {item.id for item in scene.items if item.kind == "sideword"}
    for head in (head for head in heads if head.status == "present" and head.item.start < scene.items[at].start):
        paired = head.sites and all(name in scene.knowledge.words.lateral for one in head.sites for name, _ in one)
        own = scene.knowledge.index.sites_implied(head.concept)
        if told == {larger} and (paired or (not head.sites and not own.isdisjoint(scene.knowledge.words.lateral))):
            head.side, head.sites = "both", [tuple((name, None) for name, _ in one) for one in head.sites]


def _compare(scene: ParsedSentence, heads: list[FindingDraft], at: int) -> None:
    """Record which side of a bilateral finding is larger ("Right greater than left")."""
    before, after = (side_beside(scene, at, step) for step in (-1, 1))
    if scene.items[at].kind == "rather" and not any(one.kind in ("change", "greater") for one in scene.items[:at]):
        return  # "in the right lung rather than in the left", not "worse in the right lung than in the left"
    if before is None and after is not None and scene.said(at).endswith("than"):
        subject = (item.side or item.id for item in reversed(scene.items[:at]) if item.kind == "sideword" or item.side)
        before = next(subject, None)  # "the right effusion is larger than the left"
    larger, smaller = (before, after) if before else (after, None)
    if scene.items[at].kind == "less":
        larger, smaller = smaller or OTHER_SIDE.get(larger or ""), larger
    if larger not in OTHER_SIDE:
        return
    compare = (larger, smaller or OTHER_SIDE[larger])
    if before is None and smaller is None and not scene.said(at).endswith("than") and scene.said(at)[:1].isalpha():
        _on_both(scene, heads, at, larger)
    for head in heads:
        alike = (one for one in heads if one.item is head.item and one.status == head.status)
        sides = {side for one in alike for side in (one.side, *(side for places in one.sites for _, side in places))}
        if head.status == "present" and ("both" in sides or {"left", "right"} <= sides):
            head.compare = compare
