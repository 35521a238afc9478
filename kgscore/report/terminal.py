"""Statistics as tables for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kgscore.model import TIERS
from kgscore.report.grid import Column, Grid
from kgscore.report.words import interval, number, probability
from kgscore.results.comparison import Comparison, MovedCase, MovedFinding
from kgscore.results.coverage import Coverage
from kgscore.results.outcome import Means
from kgscore.results.resampling import mean_interval
from kgscore.results.statistics import ALL, Summary
from kgscore.verdict import CATEGORIES

_SHOWN = 8
_RATES = ("triage_recall", "triage_precision", "actionable_recall", "actionable_precision")


def means(found: Means, higher_is_better: Mapping[str, bool]) -> Grid:
    """Return the final table of `kgscore score`, a row per metric, in the order of the run: scored pairs, mean, 95 % interval (as
    in `kgscore summary`) and coverage. Metrics where lower is better are marked."""
    lower = {name for name in found.values if not higher_is_better.get(name, True)}
    words = 1 - found.unlinked / found.words if found.words else None
    rows = []
    for name, given in found.values.items():
        values = np.asarray(given)
        share = len(values) / found.pairs if found.pairs else None
        told = [f"{100 * part:.1f} %" if part is not None else "–" for part in (share, words)]
        mean = number(float(values.mean()) if len(values) else None)
        ends = interval(*(mean_interval(values, label=f"{name}||{ALL}") or (None, None)))
        rows.append((f"{name} ↓" if name in lower else name, f"{len(values):,}", mean, ends, *told))
    notes = ("↓ lower is better",) if lower else ()
    return Grid("", columns_of(["metric"], "pairs", "mean", "95 % interval", "of pairs", "of words"), rows, notes)


def summaries(rows: Sequence[Summary], level: float, covered: Sequence[Coverage] = ()) -> Grid:
    """Return summaries as one table: a row per run, metric and group, and the coverage of each run as notes."""
    runs, columns = list(dict.fromkeys(row.run for row in rows)), list(dict.fromkeys(row.by for row in rows if row.by))
    cells = []
    for row in rows:
        group = row.group if not row.by else f"{row.by}: " * (len(columns) > 1) + (row.group or "(none)")
        words = [*cells_if(len(runs) > 1, row.run), row.metric, *cells_if(columns, group)]
        figures = [number(row.mean), interval(row.low, row.high), number(row.median), number(row.sd)]
        cells.append((*words, f"{row.scored:,} of {row.pairs:,}", *figures))
    heads = [*cells_if(len(runs) > 1, "run"), "metric", *(columns if len(columns) < 2 else ["group"])]
    named = columns_of(heads, "scored", "mean", interval_heading(level), "median", "sd")
    title = runs[0] if len(runs) == 1 else ""
    notes = [f"coverage{f' of {one.run}' if len(runs) > 1 else ''}: {one}" for one in covered]
    return Grid(title, named, cells, notes)


def zeros(rows: Sequence[Mapping[str, Any]]) -> list[Grid]:
    """Return the baselines of a normal report and another patient's with each mean (`kgscore.results.zeros.rows_with_baselines`)
    as a table; None if they are unknown."""
    rows = [row for row in rows if row["references"]]
    several = len({row["run"] for row in rows}) > 1
    keys = ("mean", "all_normal", "another_patient", "rescaled")
    cells = [
        (*cells_if(several, row["run"]), row["metric"], *(number(row[key]) for key in keys), f"{row['references']:,}")
        for row in rows
    ]
    heads = [*cells_if(several, "run"), "metric"]
    notes = ("rescaled: 0 is the better of a normal report and another patient's, 1 the best score",)
    names = columns_of(heads, "mean", "all normal", "another patient", "rescaled", "references")
    return [Grid("", names, cells, notes)] if rows else []


def comparisons(rows: Sequence[Comparison], level: float, covered: Sequence[Coverage] = ()) -> Grid:
    """Return comparisons as one table: a row per metric and pair of runs, green if the second is better and the interval excludes
    0, red if it is worse; the notes map letters to runs and give their coverage."""
    names = dict.fromkeys(name for row in rows for name in (row.one, row.other))
    letters = {name: chr(ord("A") + at) if at < 26 else str(at + 1) for at, name in enumerate(names)}
    several = len(letters) > 2
    cells = []
    for row in rows:
        chances = [probability(row.p), *cells_if(several, probability(row.p_corrected))]
        means = f"{number(row.mean_one)} → {number(row.mean_other)}"
        cells.append(
            (row.metric, f"{letters[row.other]} − {letters[row.one]}", f"{row.pairs:,}", means, delta(row.difference),
             interval(row.low, row.high), *chances, number(row.effect, 2), f"{row.wins:,}/{row.ties:,}/{row.losses:,}")
        )  # fmt: skip
    figures = ("pairs", "means", "change", interval_heading(level), "p", *cells_if(several, "Holm"), "d", "w/t/l")
    notes = [f"{letter} = {name}" for name, letter in letters.items()]
    notes += list(dict.fromkeys(line for row in rows for line in _unpaired_note(row, letters)))
    notes += [f"coverage of {letters.get(one.run, one.run)}: {one}" for one in covered]
    return Grid("", columns_of(["metric", "runs"], *figures), cells, notes, [_verdict(row) for row in rows], "change")


def _verdict(row: Comparison) -> bool | None:
    """Return whether the second run is better; None if the interval contains 0."""
    if row.low is None or row.high is None or row.low <= 0 <= row.high:
        return None
    return row.better == row.other


def _unpaired_note(row: Comparison, letters: Mapping[str, str]) -> list[str]:
    one, other = letters[row.one], letters[row.other]
    told = [f"{row.unscored:,} pairs of both have no score in {one} or in {other} ({row.metric})"] if row.unscored else []
    return told + [f"{n:,} pairs are only in {name}" for name, n in ((one, row.only_one), (other, row.only_other)) if n]


def largest_changes(metric: str, cases: Sequence[MovedCase], findings: Sequence[MovedFinding]) -> list[Grid]:
    """Return the largest changes between two runs: the pairs, and the findings over all pairs."""
    grids = []
    if cases:
        told = [", ".join(f"{_finding(one)} {delta(one.change)}" for one in case.findings[:4]) for case in cases]
        columns = (Column("pair", words=True), *map(Column, ("A", "B", "B − A")), Column("change of cost by finding", words=True))
        shown = [(c.id, number(c.one), number(c.other), delta(c.difference), why) for c, why in zip(cases, told, strict=True)]
        grids.append(Grid(f"Largest changes by pair ({metric})", columns, shown))
    if findings:
        columns = columns_of(["finding", "said in"], "cost A", "cost B", "change")
        lines = [(_finding(f), f.report or "both", number(f.cost_one), number(f.cost_other), delta(f.change)) for f in findings]
        grids.append(Grid(f"Largest changes by finding ({metric}; cost summed over pairs)", columns, lines))
    return grids


def _finding(one: MovedFinding) -> str:
    return f"no {one.label}" if one.asserted is False else one.label


def delta(value: float | None) -> str:
    """Return a difference formatted with its sign.

    >>> delta(0.25), delta(-0.1), delta(None)
    ('+0.250', '-0.100', '–')
    """
    return "–" if value is None else f"{value:+.3f}"


def interval_heading(level: float) -> str:
    """Return the heading of a column of intervals."""
    return f"{level * 100:g} % interval"


def cells_if(shown: object, *cells: str) -> tuple[str, ...]:
    """Return the cells of columns that a table has only in some cases."""
    return cells if shown else ()


def columns_of(words: Sequence[str], *figures: str) -> tuple[Column, ...]:
    """Return the columns of a table: those of words, then those of figures."""
    return (*(Column(name, words=True) for name in words), *map(Column, figures))


def system_table(figures: Mapping[str, Any]) -> RenderableType:
    """Return the figures of a system, from `kgscore.cli.statistics`, as tables below its means."""
    low, high = figures["interval"] or (None, None)
    ends = "" if low is None else f"  [{low:.2f}, {high:.2f}]"
    every, sure = figures["actionable_errors"], figures["sure_errors"]
    doubtful = None if every is None else every - sure
    lines = [
        Text(f"  actionable errors per report {number(every, 2)}{ends}  ({figures['reports']} reports)"),
        Text(f"  sure {number(sure, 2)}, doubtful {number(doubtful, 2)}", style="dim"),
        Text("  " + "   ".join(f"{name.replace('_', ' ')} {_rate(figures[name])}" for name in _RATES), style="dim"),
    ]
    parts: list[RenderableType] = [*lines, Text()]
    grades = ("major", "minor", "clean")
    counted = ((name, *(counts[grade] for grade in grades)) for name, counts in figures["dimensions"].items())
    parts += _figures_table("errors by dimension", ("dimension", *grades), [row for row in counted if row[1] or row[2]])
    tiers = [(TIERS[int(tier)], *counts.values()) for tier, counts in figures["tiers"].items() if any(counts.values())]
    parts += _figures_table("findings by tier", ("tier", *CATEGORIES), tiers)
    for group, name in (("finding", "findings"), ("region", "regions"), ("modality", "modalities")):
        rows = [(one["name"], one["missed"], one["wrong"], one["invented"]) for one in figures[name][:_SHOWN]]
        parts += _figures_table(f"actionable errors by {group}", ("", "missed", "wrong", "invented"), rows)
    return Group(*parts)


def _rate(rate: Mapping[str, Any]) -> str:
    return "–" if rate["share"] is None else f"{rate['share'] * 100:.0f} % ({rate['right']}/{rate['of']})"


def _figures_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[RenderableType]:
    if not rows:
        return []
    grid = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 2))
    for at, column in enumerate(columns):
        grid.add_column(column, justify="right" if at else "left")
    for row in rows:
        grid.add_row(*map(str, row))
    return [grid, Text()]
