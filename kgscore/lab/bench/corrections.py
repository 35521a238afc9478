"""Corrections: agreement of the treatment of each line, with its severity and categories, with a person's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from kgscore.engine import Scorer
from kgscore.lab.bench._ask import CONTEST, Ask, Figures, benchmark
from kgscore.lab.bench._contest import Contest, Grid, Scores, coefficients, share, shares, tables
from kgscore.lab.bench.pairs import AGREE
from kgscore.lab.correlation import correlate
from kgscore.metrics.lines import join_lines
from kgscore.model import Correction
from kgscore.results.statistics import Sampling

ACTIONS = ("none", "delete", "substitute", "insert", "no_insert")
COLUMNS = ("corrected above as it was", "kendall", "spearman")


class _Treated(NamedTuple):
    """A line, or an expected insertion: expected action, action taken if correct, expected correction, correction made."""

    kind: str
    right: bool
    made: Correction | None = None
    due: Mapping[str, Any] = {}
    instead: str = ""


def _grids(figures: Figures) -> list[Grid]:
    own = Grid("Lines treated as by a person (kgscore correct)", ("accuracy",), figures["actions"])
    title = "Scores: corrected report, and severity of errors"
    return [own, *tables((title, COLUMNS))(figures)]


@benchmark(*CONTEST, "show", grids=_grids)
def corrections(ask: Ask) -> dict[str, Any]:
    """Return the figures of kgscore's corrections, and for each contender how often it scores the corrected report above the
    original, and how its scores agree with the sum of severities, with intervals by case.

    File form: `candidate` (a list of lines), `reference` (a text) and `expected` (corrections with `line`, `action`, `new_text`,
    `severity`, `categories`).
    """
    rows = ask.records("reference", candidate=list, expected=list)
    figures = {**_corrections(ask, rows), "contenders": [], "signatures": {}}
    if ask.metrics or ask.baselines:
        contest = Contest(ask, ("fineradscore",))
        found = contest.table(
            [(row["reference"], join_lines(text)[0]) for text in (row["candidate"], _corrected_lines(row))] for row in rows
        )
        figures |= contest.figures(found, lambda one: _contender(one, rows, ask.sampling))
    return figures


def _corrected_lines(row: Mapping[str, Any]) -> list[str]:
    due = {one["line"]: one for one in row["expected"] if one["line"] is not None}
    lines = [due[at]["new_text"] if at in due else line for at, line in enumerate(row["candidate"])]
    return [line for line in (*lines, *(one["new_text"] for one in row["expected"] if one["line"] is None)) if line]


def _contender(scores: Scores, rows: Sequence[Mapping[str, Any]], sampling: Sampling) -> dict[str, Any]:
    before, after = scores.ranks.T
    better = np.where([bool(row["expected"]) for row in rows], after > before, np.nan)
    severity = np.asarray([-float(sum(one["severity"] for one in row["expected"])) for row in rows])
    rated = correlate(
        scores.signed_values[:, 0], severity, metric=scores.name, human="severity", sampling=sampling, measures=COLUMNS[1:]
    )
    above, agree = shares({COLUMNS[0]: better}, sampling, label="corrections"), coefficients(rated)
    unscored = int(np.isnan(scores.values).sum())
    return {**above, **agree, "intervals": above["intervals"] | agree["intervals"], "without a score": unscored}


def _corrections(ask: Ask, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the share of lines of each kind treated correctly (FineRadScore table 1), and errors of severities."""
    scorer = ask.scorer()
    every: list[_Treated] = []
    clean: list[int] = []
    unscored = 0
    for record in rows:
        result = scorer.correct(reference=record["reference"], candidate=record["candidate"], id=str(record.get("id", "")))
        unscored += result.status != "scored"
        given, due = result.corrections, record["expected"]
        treated = [*_lines(given, due, len(record["candidate"])), *_insertions(scorer, given, due)]
        every += treated
        for one in treated if ask.show else ():
            if not one.right:
                print(record.get("id"), one.kind, "due", one.due, "given", [(c.line, c.action, c.comment) for c in given])
        if not due:
            clean.append(len(given))
    spurious = round(fmean(clean), 3) if clean else None
    return {**_figures(every), "spurious": spurious, "clean_reports": len(clean), "not_scored": unscored}


def _figures(every: Sequence[_Treated]) -> dict[str, Any]:
    both = [(one.made, one.due) for one in every if one.made is not None]
    categories = sorted({category for one in every for category in one.due.get("categories", ())})
    return {
        "actions": {kind: _accuracy(one for one in every if one.kind == kind) for kind in ACTIONS},
        "instead": dict(sorted(Counter(f"{one.instead} for {one.kind}" for one in every if one.instead).items())),
        "by_category": {c: _accuracy(one for one in every if c in one.due.get("categories", ())) for c in categories},
        "severity_mae": share(sum(abs(made.severity - due["severity"]) for made, due in both), len(both)),
        "categories": share(sum(set(made.categories) == set(due["categories"]) for made, due in both), len(both)),
        "right_corrections": len(both),
    }


def _accuracy(treated: Iterator[_Treated]) -> dict[str, Any]:
    right = [one.right for one in treated]
    return {"accuracy": share(sum(right), len(right)), "cases": len(right)}


def _lines(given: Sequence[Correction], due: Sequence[Mapping[str, Any]], count: int) -> Iterator[_Treated]:
    """Yield how each line of the candidate was treated: correctly if unchanged as expected, or by the expected action."""
    made = {one.line: one for one in given if one.action != "insert"}
    wanted = {one["line"]: one for one in due if one["line"] is not None}
    for number in range(count):
        one, other = made.get(number), wanted.get(number)
        if other is None:
            yield _Treated("none", one is None)
        elif one is not None and one.action == other["action"]:
            yield _Treated(other["action"], True, one, other)
        else:
            yield _Treated(other["action"], False, due=other, instead=one.action if one else "none")


def _insertions(scorer: Scorer, given: Sequence[Correction], due: Sequence[Mapping[str, Any]]) -> Iterator[_Treated]:
    """Yield each expected insertion with the equivalent one given, if any; or whether none was given if none is expected."""
    left = [one for one in given if one.action == "insert"]
    wanted = [one for one in due if one["action"] == "insert"]
    if not wanted:
        yield _Treated("no_insert", not left)
    for one in wanted:
        hit = next((k for k in left if scorer.relate(one["new_text"], k.new_text).relation in AGREE), None)
        if hit is not None:
            left.remove(hit)
        yield _Treated("insert", hit is not None, hit, one)
