"""The trace of a report, sentence by sentence: its items, the structure over them, and the findings composed from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.model import Finding
from kgscore.reading.mentions import Mention
from kgscore.reading.structure.values import Parse, Statement

# Display names of the kinds of items that can be part of a structure; the others are cues and function words.
_KINDS: Mapping[str, str] = {
    ANATOMY: "site", FINDING: "finding", DESCRIPTOR: "descriptor", NORMAL: "normal", QUALITY: "quality", UNKNOWN: "unknown",
    "meas": "size", "num": "number", "sideword": "side", "seq": "sequence", "up": "increased", "down": "decreased",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One sentence: the text it was read from, the offset of that text in the report and of the sentence in it, its fate
    (`findings`, `heading`, a kind of remark, or `not composed`; `kgscore.reading.remarks`), its items, the structure over them
    if the reader has one, its findings before deduplication, and the ids of the rules that changed the structure
    (`kgscore.reading.composition.rules`)."""

    text: str
    offset: int
    begin: int
    fate: str
    items: Sequence[Mention] = ()
    structure: Parse = ()
    findings: tuple[Finding, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The words of the sentence, with its label."""
        return self.text[self.begin :]


def step_text(step: Step) -> str:
    """Return a step as text: the sentence with its offsets, its items, one arc per line, and its findings."""
    lines = [f"{step.offset + step.begin}-{step.offset + len(step.text)}  {step.sentence}"]
    if step.items:
        lines += ["  items"]
    for at, item in enumerate(step.items):
        words = step.text[item.start : item.end].replace("\n", " ")
        lines.append(f"    {at:2}  {words:<28} {kind_of(item):<11} {concept_text(item)}".rstrip())
    if step.structure:
        lines += ["  structure", *(f"    {line}" for one in step.structure for line in _arcs(step, one))]
    lines += [f"  corrected by {', '.join(step.rules)}"] if step.rules else []
    found = ["  findings", *(f"    {finding_text(one)}" for one in step.findings)]
    return "\n".join([*lines, *(found if step.findings else [f"  no finding: {step.fate}"])])


def kind_of(item: Mention) -> str:
    """Return the display name of the kind of an item."""
    return _KINDS.get(item.kind, item.kind)


def concept_text(item: Mention) -> str:
    """Return the concept of an item, with its own side; empty for unknown words."""
    side = f" ({item.side})" if item.side and item.kind != "sideword" else ""
    return f"{item.id if item.id and item.kind != 'W' else ''}{side}"


def _arcs(step: Step, one: Statement) -> Iterator[str]:
    """Yield a statement as its head and the arcs from it: its sites, its modifiers, and the findings it is another name for."""
    yield f"{_words(step, one.head)}  {one.status}"
    for place in one.places:
        side = f" on side {_words(step, place.side)}" if place.side is not None else ""
        where = f"{_words(step, *place.items)}{side}".strip()
        yield f"  --where--> {where}"
    yield from (f"  --how----> {_words(step, at)}" for at in one.modifiers)
    yield from (f"  --names--> {_words(step, at)}" for at in one.names)


def _words(step: Step, *positions: int) -> str:
    return " + ".join(f"{step.text[step.items[at].start : step.items[at].end]} [{at}]" for at in positions)


def finding_text(finding: Finding) -> str:
    """Return a finding as one line: status, label, sites with side, certainty, change and details."""
    sites = ", ".join(finding.sites)
    where = f" @ {sites}{f' ({finding.side})' if finding.side else ''}" if sites or finding.side else ""
    certainty = finding.certainty if finding.certainty != "definite" else ""
    more = (certainty, finding.change or "", *(detail.text for detail in finding.details))
    return "; ".join(one for one in (f"{finding.status} {finding.label}{where}", *more) if one)
