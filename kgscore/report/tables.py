"""Statistics as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kgscore.report.words import number
from kgscore.results.comparison import Comparison, MovedCase, MovedFinding
from kgscore.results.correlation import Correlation
from kgscore.results.coverage import Coverage
from kgscore.results.statistics import Summary


def interval(low: float | None, high: float | None) -> str:
    """Return an interval as people read it."""
    return "–" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def probability(p: float | None) -> str:
    """Return a p-value as people read it; never 0."""
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def summaries(rows: Sequence[Summary], level: float, covered: Sequence[Coverage] = ()) -> RenderableType:
    """Return summaries as a table a run, each with its coverage below."""
    below = {one.run: one for one in covered}
    parts: list[RenderableType] = []
    columns = list(dict.fromkeys(row.by for row in rows if row.by))
    for run in dict.fromkeys(row.run for row in rows):
        grid = _grid(run)
        _columns(grid, "metric", columns[0] if len(columns) == 1 else "group")
        _columns(
            grid, "pairs", "scored", "empty", "failed", "mean", f"{level * 100:g} % interval", "median", "sd", justify="right"
        )  # fmt: skip
        for row in (row for row in rows if row.run == run):
            group = row.group if not row.by else f"{row.by}: " * (len(columns) > 1) + (row.group or "(none)")
            counts = [f"{count:,}" for count in (row.pairs, row.scored, row.empty, row.failed)]
            spread = [number(row.mean), interval(row.low, row.high), number(row.median), number(row.sd)]
            grid.add_row(row.metric, group, *counts, *spread)
        parts += [grid, *([Text(f"  coverage: {below[run]}", style="dim")] if run in below else []), Text()]
    return Group(*parts)


def comparisons(rows: Sequence[Comparison], level: float, covered: Sequence[Coverage] = ()) -> RenderableType:
    """Return comparisons as a table a metric, and below them the coverage of the runs."""
    names = list(dict.fromkeys(name for row in rows for name in (row.one, row.other)))
    letters = {name: chr(ord("A") + at) if at < 26 else str(at + 1) for at, name in enumerate(names)}
    parts: list[RenderableType] = [Text("   ".join(f"{letters[name]} = {name}" for name in names)), Text()]
    several = len(names) > 2
    for metric in dict.fromkeys(row.metric for row in rows):
        grid = _grid(metric)
        _columns(grid, "runs")
        _columns(
            grid, "pairs", "means", "difference", f"{level * 100:g} % interval", "p", *(("Holm",) if several else ()), "d",
            "wins", "ties", "losses", justify="right",
        )  # fmt: skip
        for row in (row for row in rows if row.metric == metric):
            chances = [probability(row.p), *([probability(row.p_corrected)] if several else [])]
            means = f"{number(row.mean_one)} → {number(row.mean_other)}"
            grid.add_row(
                f"{letters[row.other]} − {letters[row.one]}", f"{row.pairs:,}", means, number(row.difference),
                interval(row.low, row.high), *chances, number(row.effect, 2), f"{row.wins:,}", f"{row.ties:,}", f"{row.losses:,}",
            )  # fmt: skip
        parts.append(grid)
        parts += [Text(f"  {line}", style="dim") for row in rows if row.metric == metric for line in _unpaired(row, letters)]
        parts.append(Text())
    parts += [Text(f"  coverage of {letters.get(one.run, one.run)}: {one}", style="dim") for one in covered]
    return Group(*parts, *([Text()] if covered else []))


def _unpaired(row: Comparison, letters: Mapping[str, str]) -> list[str]:
    one, other = letters[row.one], letters[row.other]
    told = [f"{row.unscored:,} pairs of both have no score in {one} or in {other}"] if row.unscored else []
    return told + [f"{n:,} pairs are only in {name}" for name, n in ((one, row.only_one), (other, row.only_other)) if n]


def moved(metric: str, cases: Sequence[MovedCase], findings: Sequence[MovedFinding]) -> RenderableType:
    """Return what moved most between two runs: the pairs, and the findings over all pairs."""
    parts: list[RenderableType] = []
    if cases:
        grid = _grid(f"Pairs that moved most ({metric})")
        for name in ("pair", "A", "B", "B − A", "findings that moved it (change of their cost)"):
            grid.add_column(name, justify="right" if name in ("A", "B", "B − A") else "left", overflow="fold")
        for case in cases:
            told = ", ".join(f"{_finding(one)} {one.change:+.3f}" for one in case.findings[:4])
            grid.add_row(case.id, number(case.one), number(case.other), f"{case.difference:+.3f}", told)
        parts += [grid, Text()]
    if findings:
        grid = _grid(f"Findings that moved scores ({metric}; cost summed over pairs)")
        for name in ("finding", "said in", "cost A", "cost B", "change"):
            grid.add_column(name, justify="left" if name in ("finding", "said in") else "right", overflow="fold")
        for one in findings:
            grid.add_row(_finding(one), one.report or "both", number(one.cost_one), number(one.cost_other), f"{one.change:+.3f}")
        parts.append(grid)
    return Group(*parts)


def _finding(one: MovedFinding) -> str:
    return f"no {one.label}" if one.asserted is False else one.label


def correlations(rows: Sequence[Correlation], level: float, covered: Coverage | None = None) -> RenderableType:
    """Return agreement with people as a table a column of figures, and below them the coverage of the run."""
    parts: list[RenderableType] = []
    for human in dict.fromkeys(row.human for row in rows):
        grid = _grid(human)
        for name in ("metric", "measure", "pairs", "value", f"{level * 100:g} % interval", "compared"):
            grid.add_column(name, justify="left" if name in ("metric", "measure") else "right")
        mine = [row for row in rows if row.human == human]
        for row in mine:
            compared = "" if row.compared is None else f"{row.compared:,}"
            grid.add_row(row.metric, row.measure, f"{row.pairs:,}", number(row.value), interval(row.low, row.high), compared)
        parts.append(grid)
        for metric in dict.fromkeys(row.metric for row in mine):
            row = next(row for row in mine if row.metric == metric)
            if row.unscored or row.unrated:
                told = f"  {metric}: {row.unscored:,} rated without a score, {row.unrated:,} scored without a rating"
                parts.append(Text(told, style="dim"))
        parts.append(Text())
    parts += [Text(f"  coverage: {covered}", style="dim"), Text()] if covered else []
    return Group(*parts)


def _grid(title: str) -> Table:
    look = {"box": box.SIMPLE_HEAD, "show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)}
    return Table(title=title, title_justify="left", title_style="bold", **look)  # type: ignore[arg-type]


def _columns(grid: Table, *names: str, justify: Literal["left", "right"] = "left") -> None:
    for name in names:
        grid.add_column(name, justify=justify, overflow="fold", no_wrap=True)
