"""Proposed marks for a report from a reader, as a starting point for annotators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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
    """Return the sentences of a report, with marks derived from a reader's result; with `sure`
    only sentences that it composed, remarks, and findings without unknown words.

    If the reader has a structure, that is used; for another one the statements are made from its findings: concept, place,
    side, and modifiers.
    """
    report = text.text
    steps = reader.trace(report) if isinstance(reader, Traced) else _untold(report)
    steps = [step for step in steps if _is_sure(step)] if sure else steps
    findings = () if steps and any(step.structure for step in steps) else reader.read(report).findings
    made = []
    for step in steps:
        items, said = step.items, step.structure
        if not said and step.sentence.strip():
            items = typed_sentence(step.text, knowledge.lexicon, knowledge.index, None, step.begin).items
            said = structure_of(_findings_in_step(step, findings), items, step.offset, knowledge.index)
        kinds = _kinds(items, said, knowledge.index)
        made.append(_mark_sentence(step, items, said, kinds, text))
    return made


def _is_sure(step: Step) -> bool:
    told = mentioned_items(step.structure)
    unknown = any(
        item.kind == UNKNOWN and at not in told and item.end - item.start > _SHORT for at, item in enumerate(step.items)
    )
    return bool(step.items) and not (unknown and step.fate == FINDINGS) and not step.fate.startswith((NOT_COMPOSED, HEADING))


def _untold(report: str) -> list[Step]:
    return [Step(report[: one.end], 0, one.label[0] if one.label else one.start, "") for one in sentences(report)]


def _findings_in_step(step: Step, findings: Sequence[Finding]) -> list[Finding]:
    begin, end = step.offset + step.begin, step.offset + len(step.text)
    return [finding for finding in findings if begin <= finding.start < end]


def structure_of(findings: Sequence[Finding], items: Sequence[Mention], offset: int, index: Index) -> Parse:
    """Return the structure of findings over the items of their sentence; `offset` is the start of the items' text in
    that of the findings. A finding without items has none."""
    made = (_statement(finding, items, offset, index) for finding in findings)
    return tuple(dict.fromkeys(one for one in made if one is not None))


def _statement(finding: Finding, items: Sequence[Mention], offset: int, index: Index) -> Statement | None:
    start, end = finding.start - offset, finding.end - offset
    inside = [at for at, item in enumerate(items) if item.start < end and start < item.end]
    head = _head(finding, inside, items, index)
    if head is None:
        return None

    def nearest(kind: str, fits: Callable[[str], bool] = lambda id: True) -> tuple[int, ...]:
        """Return the item of a kind nearest to the head, preferably one in the words of the finding."""
        wanted = [at for at, item in enumerate(items) if item.kind == kind and fits(item.id)]
        return tuple(sorted(wanted, key=lambda at: (at not in inside, abs(at - head)))[:1])

    sites = nearest(ANATOMY, lambda id: any(index.inside(site, id) for site in finding.sites))
    sides = nearest("sideword", (finding.side, "both").__contains__) if finding.side else ()
    change = nearest("change") if finding.change else ()
    words = {word for one in finding.details for word in (one.value, one.text)}
    how = [at for at in inside if items[at].kind in (DESCRIPTOR, "meas", "num") and items[at].id in words]
    placed = (Place(sites, next(iter(sides), None)),) if sites or sides else ()
    return Statement(head, _status(finding), placed, tuple(sorted({*how, *change} - {head})))


def _head(finding: Finding, inside: Sequence[int], items: Sequence[Mention], index: Index) -> int | None:
    """Return the item that names a finding, or else the first of the best kind in its words."""
    for at in inside:
        other, one = finding.concept, items[at].id
        if items[at].kind == FINDING and other is not None and (index.is_a(other, one) or index.is_a(one, other)):
            return at
    return next((at for kind in _HEADING for at in inside if items[at].kind == kind), None)


def _status(finding: Finding) -> str:
    if finding.certainty == "definite" or finding.status == "normal":
        return finding.status
    return "unlikely" if finding.status == "absent" else finding.certainty


def _kinds(items: Sequence[Mention], said: Parse, index: Index) -> dict[int, str]:
    """Return the mark kinds of the items of a structure: an item that heads a statement has no other role."""
    kinds: dict[int, str] = {}
    for one in said:
        kinds[one.head] = _head_kind(items[one.head], index)
    for one in said:
        for place in one.places:
            for at in place.items:
                kinds.setdefault(at, "s")
            if place.side is not None:
                kinds.setdefault(place.side, "d")
    for one in said:
        for at in one.modifiers:
            kinds.setdefault(at, _SAID.get(items[at].kind, "m"))
        for at in one.names:
            kinds.setdefault(at, "m")
    return kinds


def _head_kind(item: Mention, index: Index) -> str:
    if item.kind == FINDING:
        return {"procedure": "p", "device_present": "v"}.get(index.observation_type(item.id, True), "f")
    return _HEADS.get(item.kind, "f")


def _mark_sentence(step: Step, items: Sequence[Mention], said: Parse, kinds: Mapping[int, str], whole: Marked) -> Marked:
    names: dict[int, str] = {}
    count: dict[str, int] = {}
    for at in sorted(kinds, key=lambda at: items[at].start):
        if items[at].start < items[at].end:  # a shared noun is marked at its own place
            count[kinds[at]] = count.get(kinds[at], 0) + 1
            names[at] = f"{kinds[at]}{count[kinds[at]]}"
    found = tuple(Mark(name, items[at].start - step.begin, items[at].end - step.begin) for at, name in names.items())
    told = tuple(_marked_statement(one, names) for one in said if one.head in names)
    sentence = step.sentence.translate(_ROOM)
    return Marked(sentence, whole.modality, whole.register, found, tuple(dict.fromkeys(told)), whole.where)


def _marked_statement(one: Statement, names: Mapping[int, str]) -> marks.Statement:
    """Return a statement in terms of marks."""
    places = tuple(dict.fromkeys(place for one_place in one.places if (place := _place(one_place, names)) is not None))
    return marks.Statement(names[one.head], one.status, places, _mark_ids(one.modifiers, names), _mark_ids(one.names, names))


def _place(place: Place, names: Mapping[int, str]) -> marks.Place | None:
    sites, side = _mark_ids(place.items, names), names.get(place.side) if place.side is not None else None
    return marks.Place(sites, side) if sites or side else None


def _mark_ids(positions: Sequence[int], names: Mapping[int, str]) -> tuple[str, ...]:
    """Return the marks of some items."""
    return tuple(names[at] for at in positions if at in names)
