"""How a report was read, sentence by sentence: its items, the structure over them, and the findings composed of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgscore.model import Finding
from kgscore.reading.items import Item
from kgscore.reading.sentence import Composed, Cut
from kgscore.reading.structure.values import Place, Statement

# What people call the kinds of items that stand in a structure; the others are cues and connecting words.
_KINDS: Mapping[str, str] = {
    "A": "site", "F": "finding", "M": "descriptor", "N": "normal", "Q": "quality", "W": "unknown", "meas": "size",
    "num": "number", "sideword": "side", "seq": "sequence", "up": "increased", "down": "decreased",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """One sentence: the text that it was read from and where that begins in the report, how it was cut, what it was composed
    to, and its findings before those that are said twice were dropped."""

    text: str
    offset: int
    cut: Cut
    composed: Composed
    findings: tuple[Finding, ...]


def shown(step: Step) -> str:
    """Return a step as text: the sentence with its offsets, its items, an arc a line, and its findings."""
    begin = step.cut.span[0] if step.cut.label_tokens else step.cut.start
    lines = [f"{step.offset + begin}-{step.offset + len(step.text)}  {step.text[begin:]}"]
    lines += ["  items", *(f"    {at:2}  {line}" for at, line in enumerate(_items(step)))]
    if step.composed.structure:
        lines += ["  structure", *(f"    {line}" for one in step.composed.structure for line in _arcs(step, one))]
    lines += ["  findings", *(f"    {_finding(one)}" for one in step.findings)] if step.findings else ["  no finding"]
    return "\n".join(lines)


def _items(step: Step) -> Iterator[str]:
    for item in step.composed.items:
        named = item.id if item.id and item.kind != "W" else ""
        side = f" ({item.side})" if item.side and item.kind != "sideword" else ""
        words = step.text[item.start : item.end].replace("\n", " ")
        yield f"{words:<28} {_KINDS.get(item.kind, item.kind):<11} {named}{side}".rstrip()


def _arcs(step: Step, one: Statement) -> Iterator[str]:
    """Yield a statement as its head and arcs from it: where, what of it, and what it is another name for."""
    items = step.composed.items
    yield f"{_words(step, items, (one.head,))}  {one.status}"
    for place in one.places:
        yield f"  --where--> {_place(step, items, place)}"
    for at in one.modifiers:
        yield f"  --how----> {_words(step, items, (at,))}"
    for at in one.names:
        yield f"  --names--> {_words(step, items, (at,))}"


def _place(step: Step, items: Sequence[Item], place: Place) -> str:
    side = f" on side {_words(step, items, (place.side,))}" if place.side is not None else ""
    return f"{_words(step, items, place.items)}{side}".strip()


def _words(step: Step, items: Sequence[Item], positions: Sequence[int]) -> str:
    return " + ".join(f"{step.text[items[at].start : items[at].end]} [{at}]" for at in positions)


def _finding(finding: Finding) -> str:
    """Return a finding as one line: status, label, sites with side, certainty, change and details."""
    sites = ", ".join(finding.sites)
    where = f" @ {sites}{f' ({finding.side})' if finding.side else ''}" if sites or finding.side else ""
    more = [
        finding.certainty if finding.certainty != "definite" else "",
        finding.change or "",
        *(d.text for d in finding.details),
    ]
    told = "; ".join(one for one in more if one)
    return f"{finding.status} {finding.label}{where}{f'; {told}' if told else ''}"
