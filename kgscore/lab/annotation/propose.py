"""Proposed marks for a report from a reader, as a starting point for annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from kgscore.knowledge import Knowledge
from kgscore.lab.annotation import marks
from kgscore.lab.annotation.marks import Mark, Marked
from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.model import Finding
from kgscore.ontology.index import Index
from kgscore.reading.mentions import Mention
from kgscore.reading.protocol import Reader, Traced
from kgscore.reading.remarks import FINDINGS, HEADING, NOT_COMPOSED
from kgscore.reading.sections import sentences
from kgscore.reading.structure.typed import typed_sentence
from kgscore.reading.structure.values import Parse, Place, Statement, mentioned_items
from kgscore.reading.trace import Step

# The mark kind of an item that heads a statement, and of one attached to a head; the others are findings and modifiers.
_HEADS: Mapping[str, str] = {NORMAL: "n", "up": "w", "down": "w", "lost": "w", "abnormal": "w"}
_SAID: Mapping[str, str] = {"change": "c", QUALITY: "q"}
_HEADING = (FINDING, NORMAL, "up", "down", "lost", "abnormal", QUALITY, UNKNOWN)
_SHORT = 2  # letters of insignificant words
_ROOM = str.maketrans("{}\r\n\t", "()   ")  # the format has one sentence per line, and braces are syntax


def propose_marks(text: Marked, reader: Reader, knowledge: Knowledge, *, sure: bool = False) -> list[Marked]:
    """Return the sentences of a report, with marks derived from a reader's result; with `sure` only sentences that it composed,
    remarks, and findings without unknown words. A reader without a structure gives findings: concept, place, side, modifiers."""
    report, index = text.text, knowledge.index
    steps = reader.trace(report) if isinstance(reader, Traced) else _untold(report)
    steps = [step for step in steps if _is_sure(step)] if sure else steps
    findings = () if any(step.structure for step in steps) else reader.read(report).findings
    made = []
    for step in steps:
        items, said = step.items, step.structure
        if not said and step.sentence.strip():
            items = typed_sentence(step.text, knowledge.lexicon, index, None, step.begin).items
            said = _structure(findings, step, items, index)
        made.append(_mark_sentence(step, items, said, _kinds(items, said, index), text))
    return made


def _is_sure(step: Step) -> bool:
    told = mentioned_items(step.structure)
    rest = (item for at, item in enumerate(step.items) if at not in told)
    unknown = step.fate == FINDINGS and any(one.kind == UNKNOWN and one.end - one.start > _SHORT for one in rest)
    return bool(step.items) and not unknown and not step.fate.startswith((NOT_COMPOSED, HEADING))


def _untold(report: str) -> list[Step]:
    return [Step(report[: one.end], 0, one.label[0] if one.label else one.start, "") for one in sentences(report)]


def _structure(findings: Sequence[Finding], step: Step, items: Sequence[Mention], index: Index) -> Parse:
    begin, end = step.offset + step.begin, step.offset + len(step.text)
    made = (_statement(one, items, step.offset, index) for one in findings if begin <= one.start < end)
    return tuple(dict.fromkeys(one for one in made if one is not None))


def _statement(finding: Finding, items: Sequence[Mention], offset: int, index: Index) -> Statement | None:
    """Return a finding over the items of its sentence, whose text starts at `offset` in that of the finding; or None."""
    start, end = finding.start - offset, finding.end - offset
    inside = [at for at, item in enumerate(items) if item.start < end and start < item.end]
    head = _head(finding, inside, items, index)
    if head is None:
        return None
    nearest = partial(_nearest, items, inside, head)
    sites = nearest(ANATOMY, lambda id: any(index.inside(site, id) for site in finding.sites))
    sides = nearest("sideword", (finding.side, "both").__contains__) if finding.side else ()
    change = nearest("change") if finding.change else ()
    words = {word for one in finding.details for word in (one.value, one.text)}
    how = {at for at in inside if items[at].kind in (DESCRIPTOR, "meas", "num") and items[at].id in words}
    placed = (Place(sites, next(iter(sides), None)),) if sites or sides else ()
    return Statement(head, _status(finding), placed, tuple(sorted(how.union(change) - {head})))


def _nearest(
    items: Sequence[Mention], inside: Sequence[int], head: int, kind: str, fits: Callable[[str], bool] = lambda id: True
) -> tuple[int, ...]:
    """Return the item of a kind nearest to the head, preferably one in the words of the finding."""
    wanted = [at for at, item in enumerate(items) if item.kind == kind and fits(item.id)]
    return tuple(sorted(wanted, key=lambda at: (at not in inside, abs(at - head)))[:1])


def _head(finding: Finding, inside: Sequence[int], items: Sequence[Mention], index: Index) -> int | None:
    """Return the item that names a finding, or else the first of the best kind in its words."""
    other = finding.concept
    for at in inside if other is not None else ():
        if items[at].kind == FINDING and (index.is_a(other, items[at].id) or index.is_a(items[at].id, other)):
            return at
    return next((at for kind in _HEADING for at in inside if items[at].kind == kind), None)


def _status(finding: Finding) -> str:
    if finding.certainty == "definite" or finding.status == "normal":
        return finding.status
    return "unlikely" if finding.status == "absent" else finding.certainty


def _kinds(items: Sequence[Mention], said: Parse, index: Index) -> dict[int, str]:
    """Return the mark kinds of the items of a structure: an item that heads a statement has no other role."""
    kinds = {one.head: _head_kind(items[one.head], index) for one in said}
    for place in (place for one in said for place in one.places):
        for at, kind in (*((at, "s") for at in place.items), (place.side, "d")):
            if at is not None:
                kinds.setdefault(at, kind)
    for one in said:
        for at, kind in (*((at, _SAID.get(items[at].kind, "m")) for at in one.modifiers), *((at, "m") for at in one.names)):
            kinds.setdefault(at, kind)
    return kinds


def _head_kind(item: Mention, index: Index) -> str:
    if item.kind == FINDING:
        return {"procedure": "p", "device_present": "v"}.get(index.observation_type(item.id, True), "f")
    return _HEADS.get(item.kind, "f")


def _mark_sentence(step: Step, items: Sequence[Mention], said: Parse, kinds: Mapping[int, str], whole: Marked) -> Marked:
    names: dict[int, str] = {}
    count: Counter[str] = Counter()
    for at in sorted(kinds, key=lambda at: items[at].start):
        if items[at].start < items[at].end:  # a shared noun is marked at its own place
            count[kinds[at]] += 1
            names[at] = f"{kinds[at]}{count[kinds[at]]}"
    found = tuple(Mark(name, items[at].start - step.begin, items[at].end - step.begin) for at, name in names.items())
    told = dict.fromkeys(_marked_statement(one, names) for one in said if one.head in names)
    return Marked(step.sentence.translate(_ROOM), whole.modality, whole.register, found, tuple(told), whole.where)


def _marked_statement(one: Statement, names: Mapping[int, str]) -> marks.Statement:
    sides = {place: None if place.side is None else names.get(place.side) for place in one.places}
    made = (marks.Place(_mark_ids(place.items, names), side) for place, side in sides.items())
    places = dict.fromkeys(place for place in made if place.sites or place.side)
    return marks.Statement(
        names[one.head], one.status, tuple(places), _mark_ids(one.modifiers, names), _mark_ids(one.names, names)
    )


def _mark_ids(positions: Sequence[int], names: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(names[at] for at in positions if at in names)
