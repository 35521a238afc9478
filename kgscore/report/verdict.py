"""The clinical verdict of a pair in a terminal: the sentence, and every error with its proof, the gravest first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kgscore.judged import Aligned
from kgscore.model import TIERS, Finding, PairResult

_STYLES = {"missed": "magenta", "invented": "magenta", "wrong": "bold red", "minor": "yellow", "correct": "green"}
_MARKS = {"missed": "−", "invented": "+", "wrong": "✗", "minor": "≈", "correct": "✓"}
_QUIET = "dim"


def verdict_lines(result: PairResult) -> list[RenderableType]:
    """Return the sentence of a verdict and its findings, those that are right in one line; nothing where there is no verdict."""
    verdict = result.verdict
    if verdict is None or result.reference is None or result.candidate is None:
        return []
    parts: list[RenderableType] = [Text(), Text("Verdict", style="bold cyan"), _indent(Text(verdict.sentence, style="bold"))]
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=1)
    grid.add_column(width=8)
    grid.add_column(overflow="fold")
    right = [one for one in verdict.findings if one.category == "correct"]
    for one in verdict.findings:
        if one.category != "correct":
            _rows(grid, one, result.reference.findings, result.candidate.findings)
    if grid.row_count:
        parts += [Text(), _indent(grid)]
    if right:
        names = ", ".join(f"{one.what} [R{one.reference[0] + 1}]" for one in right)
        parts += [Text(), _indent(Text.assemble(("✓ correct ", _STYLES["correct"]), names))]
    return parts


def _rows(grid: Table, one: Aligned, reference: Sequence[Finding], candidate: Sequence[Finding]) -> None:
    style = _STYLES[one.category]
    head = Text.assemble((one.what, style), (f"  {TIERS[one.tier]}", "bold" if one.tier > 1 else _QUIET))
    grid.add_row(Text(_MARKS[one.category], style=style), Text(one.category, style=style), head)
    for letter, numbers, findings in (("R", one.reference, reference), ("C", one.candidate, candidate)):
        for number in numbers:
            finding = findings[number]
            words = " ".join(finding.text.split())
            span = f"  characters {finding.start}–{finding.end}"
            grid.add_row("", Text(f"{letter}{number + 1}", style="bold"), Text.assemble(f"“{words}”", (span, _QUIET)))
    for error in one.errors:
        grade = "major" if error.major else "minor"
        grid.add_row("", "", Text.assemble((f"{error.dimension}, {grade}: ", _QUIET), error.because))
    for at, step in enumerate((*one.proof, *one.reasons)):
        grid.add_row("", "", Text.assemble(("because " if at == 0 else "    and ", _QUIET), step))


def _indent(body: RenderableType) -> RenderableType:
    return Padding(body, (0, 0, 0, 2))
