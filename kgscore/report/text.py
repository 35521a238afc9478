"""Explanations and tables for a terminal: in colour, or as plain text elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from types import MappingProxyType

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from kgscore.escaping import escape_controls
from kgscore.model import FORMER_OUTCOMES, TIERS, Contribution, Finding, Link, PairResult, Reading, Score
from kgscore.report.breakdown import breakdown_lines
from kgscore.report.items import MARKS
from kgscore.report.words import Label, agreement, describe, number
from kgscore.results.outcome import Means, Outcome
from kgscore.verdict import Aligned

WIDTH, _BAR = 100, 12
_GOOD, _PART, _BAD, _LOST, _QUIET = "green", "yellow", "bold red", "magenta", "dim"
_STYLES = {"missed": _LOST, "invented": _LOST, "wrong": _BAD, "minor": _PART, "correct": _GOOD}
_EPSILON = 1e-9
_CLINICAL = "clinical"


@dataclass(frozen=True, slots=True)
class _Keep:
    """A renderable with the same width for the pager and `to_plain`: at most `WIDTH`."""

    body: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self.body, options.update(width=min(options.max_width, WIDTH)))


def explain(
    result: PairResult, label: Label, *, reference: str = "", candidate: str = "",
    made_of: Mapping[str, Sequence[Contribution]] = MappingProxyType({}),
) -> RenderableType:
    """Return one pair explained: the two reports with their findings marked, every credit and penalty, and the sums.

    `label` maps a concept or structure to its label; `made_of` holds the contributions of each metric (`Scorer.contributions`).
    Print the result with rich, or convert it to text with `to_plain`.
    """
    marks = _marks(result)
    parts: list[RenderableType] = [_title(result)]
    for name, text, reading, letter in (
        ("Reference", reference, result.reference, "R"), ("Candidate", candidate, result.candidate, "C")
    ):
        parts += [_heading(name), _indent(_marked_text(text, reading, letter, marks))]
    parts += _verdict(result)
    if result.reference is not None and result.candidate is not None and set(result.scores) != {_CLINICAL}:
        parts += _links(result, label)
        parts += _lost_rows(result, label)
    for name, score in result.scores.items():
        parts += _breakdown(score)
        if name in made_of and name not in ("radsem", _CLINICAL):
            parts.append(_indent(_contributions(made_of[name])))
    if result.reason and not any(score.reason == result.reason for score in result.scores.values()):
        parts.append(_indent(Text(result.reason, style=_PART)))
    return _Keep(Group(*parts, Text()))


def table(outcomes: Iterable[Outcome]) -> RenderableType:
    """Return a table of pairs: status, scores (three decimals), reason; then the number of each status, and the means."""
    rows, found = list(outcomes), Means()
    for row in rows:
        found.see(row)
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("pair", style="bold", overflow="fold")
    grid.add_column("status")
    for name in found.values:
        grid.add_column(name, justify="right")
    grid.add_column("")
    grid.add_column("reason", overflow="fold")
    styles = {"scored": _GOOD, "empty": _PART, "failed": _BAD}
    for row in rows:
        values = [row.scores.get(name) for name in found.values]
        cells = [Text(number(value), style=_score_colour(value)) for value in values]
        status, reason = Text(row.status, style=styles.get(row.status, "")), Text(row.reason, style=_QUIET)
        grid.add_row(row.id or "?", status, *cells, _bar(next(iter(values), None)), reason)
    means = [
        Text(f"mean {name} of the {len(values)} pairs with a score: {number(fsum(values) / len(values))}")
        for name, values in found.values.items() if values
    ]  # fmt: skip
    return _Keep(Group(grid, Text(), Text(str(found), style="bold"), *means, Text()))


@dataclass(frozen=True, slots=True)
class Harmless:
    """A renderable that acts on a terminal only by its styles; control characters in its words are escaped."""

    renderable: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for piece in console.render(self.renderable, options):
            yield piece if piece.control else Segment(escape_controls(piece.text), piece.style)


def to_plain(renderable: RenderableType, width: int = WIDTH) -> str:
    """Return a renderable as plain text, without colour."""
    console = Console(width=width, color_system=None, force_terminal=False, legacy_windows=False, markup=False, emoji=False)
    with console.capture() as capture:
        console.print(Harmless(renderable))
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _title(result: PairResult) -> RenderableType:
    scores = "   ".join(f"{name} {number(score.value)}" for name, score in result.scores.items())
    title = Text.assemble((f" {result.id or 'pair'} ", "bold"), "  ", (scores or result.status, "bold cyan"), " ")
    return Group(Text(), Rule(title, align="left", style="cyan", characters="━"))


def _heading(text: str, style: str = "cyan") -> RenderableType:
    return Group(Text(), Text(text, style=f"bold {style}"))


def _indent(body: RenderableType) -> RenderableType:
    return Padding(body, (0, 0, 0, 2))


def _score_colour(value: float | None) -> str:
    if value is None:
        return _QUIET
    return _GOOD if value >= 0.8 else _PART if value >= 0.4 else "red"


def _bar(value: float | None) -> Text:
    if value is None:
        return Text("·" * _BAR, style=_QUIET)
    full = round(max(0.0, min(1.0, value)) * _BAR)
    return Text.assemble(("█" * full, _score_colour(value)), ("░" * (_BAR - full), _QUIET))


def _marks(result: PairResult) -> dict[tuple[str, int], str]:
    """Return the colour of each finding, by its outcome."""
    marks: dict[tuple[str, int], str] = {}
    for link in result.links:
        if link.flow > _EPSILON:
            style = _GOOD if link.relation.weight >= 1 - _EPSILON else _PART
            marks.setdefault(("R", link.reference), style)
            marks.setdefault(("C", link.candidate), style)
    marks |= {("R", at): _LOST for at in result.unmatched_reference} | {("C", at): _LOST for at in result.unmatched_candidate}
    for link in result.contradictions:
        marks[("R", link.reference)] = marks[("C", link.candidate)] = _BAD
    return marks


def _marked_text(text: str, reading: Reading | None, letter: str, marks: dict[tuple[str, int], str]) -> RenderableType:
    if not text.strip():
        return Text("(no text)", style=_QUIET)
    if reading is None:
        return Text(text.strip())
    body = Text()
    # Several findings may share a span ("no effusion or pneumothorax"): each span is shown once, with all its tags.
    tags: dict[int, list[tuple[str, str]]] = {}
    styles: list[tuple[int, int, str]] = []
    for index, finding in enumerate(reading.findings):
        style = marks.get((letter, index), "")
        styles.append((finding.start, finding.end, style))
        tags.setdefault(min(finding.end, len(text)), []).append((f"[{letter}{index + 1}]", style))
    at = 0
    for end in [*sorted(tags), len(text)]:
        piece = Text(text[at:end])
        for start, stop, style in styles:
            if style and start < end and stop > at:
                piece.stylize(style, max(0, start - at), min(end, stop) - at)
        body.append_text(piece)
        for tag, style in tags.pop(end, []):
            body.append(tag, style=f"dim {style}".strip())
        at = end
    return body


def _verdict(result: PairResult) -> list[RenderableType]:
    """Return the sentence of the clinical verdict and its findings, the correct ones in one line; nothing if there is none."""
    verdict = result.verdict
    if verdict is None:
        return []
    grid = _grid(8)
    for one in verdict.findings:
        if one.category != "correct":
            _add_finding_rows(grid, one, *result.findings)
    right = ", ".join(f"{one.what} [R{one.reference[0] + 1}]" for one in verdict.findings if one.category == "correct")
    parts = [_heading("Verdict"), _indent(Text(verdict.sentence, style="bold"))]
    if grid.row_count:
        parts += [Text(), _indent(grid)]
    if right:
        parts += [Text(), _indent(Text.assemble(("✓ correct ", _GOOD), right))]
    return parts


def _add_finding_rows(grid: Table, one: Aligned, reference: Sequence[Finding], candidate: Sequence[Finding]) -> None:
    style = _STYLES[one.category]
    head = Text.assemble((one.what, style), (f"  {TIERS[one.tier]}", "bold" if one.tier > 1 else _QUIET))
    grid.add_row(Text(MARKS[one.category], style=style), Text(one.category, style=style), head)
    for letter, numbers, findings in (("R", one.reference, reference), ("C", one.candidate, candidate)):
        for at in numbers:
            grid.add_row("", Text(f"{letter}{at + 1}", style="bold"), _quote(findings[at]))
    for error in one.errors:
        grade = "major" if error.major else "minor"
        grid.add_row("", "", Text.assemble((f"{error.dimension}, {grade}: ", _QUIET), error.because))
    _proof_rows(grid, one.because)


def _links(result: PairResult, label: Label) -> list[RenderableType]:
    credited = sorted((link for link in result.links if link.flow > _EPSILON), key=lambda link: (-link.flow, link.reference))
    idle = [link for link in result.links if link.flow <= _EPSILON]
    parts: list[RenderableType] = []
    full, part = ([link for link in credited if (link.relation.weight >= 1 - _EPSILON) == whole] for whole in (True, False))
    for title, style, mark, links in (
        ("Agrees", _GOOD, MARKS["correct"], full),
        ("Agrees in part", _PART, MARKS["minor"], part),
        ("Contradicts", _BAD, MARKS["wrong"], result.contradictions),
        ("Related, but the credit went elsewhere", _QUIET, "·", idle),
    ):
        if links:
            parts.append(_heading(f"{title} ({len(links)})", style.replace("bold ", "")))
            parts += [_link(link, result, label, mark, style) for link in links]
    return parts


def _link(link: Link, result: PairResult, label: Label, mark: str, style: str) -> RenderableType:
    grid, (reference, candidate) = _grid(), result.findings
    _finding_row(grid, f"R{link.reference + 1}", reference[link.reference], label, mark, style)
    _finding_row(grid, f"C{link.candidate + 1}", candidate[link.candidate], label, "", style)
    if link.relation.relation == "contradiction":
        grid.add_row("", "", Text("no credit — both cannot be true", style=style))
    else:
        shared = abs(link.flow - link.relation.weight) > _EPSILON
        rest = f" of {number(link.relation.weight)} (shared with another finding)" if shared else ""
        words = agreement(link.relation)
        grid.add_row("", "", Text.assemble((f"credit {number(link.flow)}{rest}", style), f" — {words}" if words else ""))
    _proof_rows(grid, link.relation.proof)
    return _indent(grid)


def _lost_rows(result: PairResult, label: Label) -> list[RenderableType]:
    parts: list[RenderableType] = []
    for title, mark, name, findings in (
        ("Missed: the reference says it, the candidate does not", MARKS["missed"], "reference", result.findings[0]),
        ("Invented: the candidate says it, the reference does not", MARKS["invented"], "candidate", result.findings[1]),
    ):
        numbers, clashing = getattr(result, f"unmatched_{name}"), {getattr(link, name) for link in result.contradictions}
        if numbers:
            parts.append(_heading(f"{title} ({len(numbers)})", _LOST))
        for index in numbers:
            grid, tag, finding = _grid(), f"{name[0].upper()}{index + 1}", findings[index]
            if index in clashing:
                said = Text(f"“{' '.join(finding.text.split())}”, contradicted above", style=_QUIET)
                grid.add_row(Text(mark, style=_LOST), Text(tag, style="bold"), said)
            else:
                _finding_row(grid, tag, finding, label, mark, _LOST)
            parts.append(_indent(grid))
    return parts


def _grid(width: int = 4) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(width=width)
    grid.add_column(overflow="fold")
    return grid


def _finding_row(grid: Table, tag: str, finding: Finding, label: Label, mark: str, style: str) -> None:
    grid.add_row(Text(mark, style=style), Text(tag, style="bold"), _quote(finding, style))
    concept = f"  [{finding.concept}]" if finding.concept else ""
    grid.add_row("", "", Text.assemble((describe(finding, label), "italic"), (concept, _QUIET)))


def _quote(finding: Finding, style: str = "") -> Text:
    words = " ".join(finding.text.split())
    return Text.assemble((f"“{words}”", style), (f"  characters {finding.start}–{finding.end}", _QUIET))


def _proof_rows(grid: Table, proof: Sequence[str]) -> None:
    for index, step in enumerate(proof):
        grid.add_row("", "", Text.assemble(("because " if index == 0 else "    and ", _QUIET), step))


def _contributions(made_of: Sequence[Contribution]) -> RenderableType:
    """Every component of a score with its credit and cost, the most costly first."""
    grid = Table(box=None, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("", width=12)
    grid.add_column("credit", justify="right")
    grid.add_column("cost", justify="right")
    grid.add_column("", overflow="fold")
    for piece in sorted(made_of, key=lambda c: (-c.cost, -c.credit)):
        said = Text(" ".join(piece.what.split()))
        for letter, span in (("R", piece.reference), ("C", piece.candidate)):
            if span is not None:
                said.append(f"  {letter} {span[0]}–{span[1]}", style=_QUIET)
        for step in piece.because:
            said.append(f"\n  {step}", style=_QUIET)
        cells = [f"{amount:.3f}" if amount else "" for amount in (piece.credit, piece.cost)]
        kind = FORMER_OUTCOMES.get(piece.kind, piece.kind)
        grid.add_row(Text(kind, style=_STYLES.get(kind, "")), *cells, said)
    return grid


def _breakdown(score: Score) -> list[RenderableType]:
    title = f"How {score.metric} adds up"
    if score.value is None:
        return [_heading(title), _indent(Text(f"no score ({score.status}): {score.reason}", style=_PART))]
    *before, last = breakdown_lines(score)
    total = Text(last, style="bold")
    total.highlight_words([number(score.value)], style=_score_colour(score.value))
    return [_heading(title), *(_indent(Text(line)) for line in before), _indent(total)]
