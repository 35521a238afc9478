"""Figures of benchmarks as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kgscore.lab.correlation import Correlation, Figure
from kgscore.report.grid import Column, Grid
from kgscore.report.terminal import cells_if, columns_of, interval_heading
from kgscore.report.words import interval, number
from kgscore.results.coverage import Coverage

_UNSCORED = "without a score"


def correlations(rows: Sequence[Correlation], level: float, covered: Coverage | None = None) -> Grid:
    """Return agreement with ratings as one table: a row per rating column, metric and measure, with the coverage as notes."""
    several = len({row.human for row in rows}) > 1
    compared = any(row.compared is not None for row in rows)
    cells = []
    for row in rows:
        pairs = [f"{row.pairs:,}", *cells_if(compared, "" if row.compared is None else f"{row.compared:,}")]
        cells.append(
            (*cells_if(several, row.human), row.metric, row.measure, *pairs, number(row.value), interval(row.low, row.high))
        )
    heads = [*cells_if(several, "figure"), "metric", "measure"]
    figures = ("pairs", *cells_if(compared, "compared"), "value", interval_heading(level))
    notes = [
        f"{row.metric}: {row.unscored:,} rated without a score, {row.unrated:,} scored without a rating"
        for row in rows
        if row.unscored or row.unrated
    ]
    notes = [*dict.fromkeys(notes), *cells_if(covered, f"coverage: {covered}")]
    return Grid("" if several or not rows else rows[0].human, columns_of(heads, *figures), cells, notes)


def benchmark_table(title: str, columns: Sequence[str], rows: Mapping[str, Mapping[str, Any]], level: float) -> Grid:
    """Return a benchmark as a table: a row for each metric or peer. A row holds `cases`, the figures by column (None if
    there is none), under `intervals` their bounds by column, and the number of pairs without a score."""
    counts = ("cases", *cells_if(any(row.get(_UNSCORED) for row in rows.values()), _UNSCORED))
    cells = []
    for name, row in rows.items():
        ends = row.get("intervals", {})
        figures = [_with_interval(row.get(column), ends.get(column)) for column in columns]
        cells.append((name, *figures, *(f"{row.get(count, 0):,}" for count in counts)))
    told = any(row.get("intervals") for row in rows.values())
    note = f"in brackets: {level * 100:g} % percentile bootstrap interval, cases drawn with replacement"
    return Grid(title, columns_of([""], *columns, *counts), cells, (note,) if told else ())


def _with_interval(value: float | None, ends: Sequence[float] | None) -> str:
    return number(value) if value is None or ends is None else f"{number(value)} [{ends[0]:.2f}, {ends[1]:.2f}]"


def figures(rows: Sequence[Figure], level: float) -> list[Grid]:
    """Return the figures of a benchmark as one table per task: a row each, with its subset, its value, its interval and its
    sample size."""
    columns = columns_of(["of", "metric", "measure"], "value", interval_heading(level), "cases", "unscored")
    tasks: dict[str, list[tuple[str, ...]]] = {}
    for row in rows:
        counts = f"{row.cases:,}", f"{row.unscored:,}" if row.unscored else ""
        cells = (row.of, row.metric, row.measure, number(row.value), interval(row.low, row.high), *counts)
        tasks.setdefault(row.task, []).append(cells)
    return [Grid(task, columns, cells) for task, cells in tasks.items()]


def scoreboard(rows: Sequence[Mapping[str, Any]], halves: Sequence[str], goals: Sequence[str]) -> Grid:
    """Return one table. A row holds `what`, a figure by half (a number, a text, or None if there is none), under `to reach` a
    text by goal, and under `by` what else measures it."""
    cells = []
    for row in rows:
        first, *others = [figure_text(row[half]) for half in halves]
        cells.append([row["what"], row["by"] or first, *others, *(row["to reach"].get(goal, "") for goal in goals)])
    named = (*halves, *(f"to reach: {goal}" for goal in goals))
    return Grid("", (Column("", words=True), *map(Column, named)), cells)


def figure_text(value: Any) -> str:
    """Return a formatted figure: a share with three decimals, a larger number with one.

    >>> figure_text(0.75), figure_text(112.83), figure_text("180/180"), figure_text(None)
    ('0.750', '112.8', '180/180', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


def floors(rows: Sequence[Mapping[str, Any]]) -> Grid:
    """Return one table of figures with the values that they may not fall below, or rise above."""
    cells = []
    for row in rows:
        sample = f" ({row['sample']} records)" if row["sample"] else ""
        floor = f"{'≥' if row['bounds'] == 'not below' else '≤'} {figure_text(row['floor'])}"
        cells.append([f"{row['set']}{sample}", row["figure"], floor, figure_text(row["now"]), "" if row["holds"] else "fallen"])
    columns = (Column("set", words=True), Column("figure", words=True), Column("floor"), Column("now"), Column("", words=True))
    return Grid("", columns, cells, better=[None if row["holds"] else False for row in rows])
