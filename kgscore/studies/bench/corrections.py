"""Corrections: is every line treated as a person would treat it, with the severity and the categories of a person?

File form: JSON lines with `candidate` (a list of lines), `reference` (a text) and `expected` (corrections with `line`, `action`,
`new_text`, `severity`, `categories`). Metrics and baselines are asked something else of it: do they score the corrected report
above the report as it was, and do their scores fall with the severity of what is wrong?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kgscore.engine import Scorer
from kgscore.metrics.lines import joined
from kgscore.model import Correction
from kgscore.results.correlation import correlate
from kgscore.results.statistics import Sampling
from kgscore.studies.bench._ask import CONTEST, Ask, benchmark, must
from kgscore.studies.bench._contest import Contest, Grid, Scores, coefficients, rows_of, shares

ACTIONS = ("none", "delete", "substitute", "insert", "no_insert")
_AGREE = ("equivalent", "part_whole")


COLUMNS = ("corrected above as it was", "kendall", "spearman")


@benchmark(*CONTEST, "show")
def run(ask: Ask) -> dict[str, Any]:
    """Return the figures of kgscore's corrections, and of each contender how often it scores the corrected report above the
    report as it was, and how its scores agree with the sum of severities, with intervals by case."""
    rows = ask.records("reference")
    for field in ("candidate", "expected"):
        must(ask.path, rows, field, list)
    figures = {**_corrections(ask, rows), "contenders": [], "signatures": {}}
    if ask.metrics or ask.baselines:
        contest = Contest(ask, ("fineradscore",))
        found = contest.table([(row["reference"], joined(text)[0]) for text in (row["candidate"], _applied(row))] for row in rows)
        figures |= contest.figures(lambda name: _contender(found, name, rows, ask.sampling))
    return figures


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return how lines were treated, and what contenders make of the same reports."""
    own = Grid("Lines treated as a person would (kgscore correct)", ("accuracy",), figures["actions"])
    rows = rows_of(figures)
    return [own, *([Grid("Scores: corrected report, and severity of what is wrong", COLUMNS, rows)] if rows else [])]


def _applied(row: Mapping[str, Any]) -> list[str]:
    """Return the lines of a candidate with the corrections due."""
    due = {one["line"]: one for one in row["expected"] if one["line"] is not None}
    lines = [due[at]["new_text"] if at in due else line for at, line in enumerate(row["candidate"])]
    return [line for line in (*lines, *(one["new_text"] for one in row["expected"] if one["line"] is None)) if line]


def _contender(found: Scores, name: str, rows: Sequence[Mapping[str, Any]], sampling: Sampling) -> dict[str, Any]:
    before, after = found.ranks(name).T
    better = np.where([bool(row["expected"]) for row in rows], after > before, np.nan)
    severity = np.asarray([-float(sum(one["severity"] for one in row["expected"])) for row in rows])
    rated = correlate(
        found.upward(name)[:, 0], severity, metric=name, human="severity", sampling=sampling, measures=COLUMNS[1:]
    )
    above, agree = shares({COLUMNS[0]: better}, sampling, label="corrections"), coefficients(rated)
    unscored = int(np.isnan(found.values[name]).sum())
    return {**above, **agree, "intervals": above["intervals"] | agree["intervals"], "without a score": unscored}


def _corrections(ask: Ask, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the share of lines of each kind that were treated right (FineRadScore table 1), and of those where a correction
    was due the mean absolute error of its severity and how often its categories were the very same.

    An insertion is right if one given says what the one expected says; `no_insert` counts reports where none is due.
    `spurious` is the mean number of corrections of reports that need none.
    """
    scorer = ask.scorer()
    seen: Counter[str] = Counter()
    right: Counter[str] = Counter()
    gaps: list[int] = []
    same: list[bool] = []
    instead: Counter[str] = Counter()
    by_category: dict[int, Counter[str]] = {}
    clean: list[int] = []
    unscored = 0
    for record in rows:
        result = scorer.correct(reference=record["reference"], candidate=record["candidate"], id=str(record.get("id", "")))
        unscored += result.status != "scored"
        given, due = result.corrections, record["expected"]
        treated = [*_lines(given, due, len(record["candidate"])), *_insertions(scorer, given, due)]
        for kind, made, wanted in treated:
            seen[kind] += 1
            hit = made is not None or (wanted is None and kind in ("none", "no_insert"))
            right[kind] += hit
            if hit and made is not None and wanted is not None:
                gaps.append(abs(made.severity - wanted["severity"]))
                same.append(set(made.categories) == set(wanted["categories"]))
            for category in wanted["categories"] if wanted else ():
                by_category.setdefault(category, Counter()).update({"right": hit, "cases": 1})
            if not hit and wanted and wanted["line"] is not None:
                got = next((one.action for one in given if one.line == wanted["line"]), "none")
                instead[f"{got} for {kind}"] += 1
            if ask.show and not hit:
                print(record.get("id"), kind, "due", wanted, "given", [(one.line, one.action, one.comment) for one in given])
        if not due:
            clean.append(len(given))
    return {
        "actions": {kind: {"accuracy": _share(right[kind], seen[kind]), "cases": seen[kind]} for kind in ACTIONS},
        "instead": dict(sorted(instead.items())),
        "by_category": {
            category: {"accuracy": _share(count["right"], count["cases"]), "cases": count["cases"]}
            for category, count in sorted(by_category.items())
        },
        "severity_mae": _share(sum(gaps), len(gaps)),
        "categories": _share(sum(same), len(same)),
        "right_corrections": len(gaps),
        "spurious": _share(sum(clean), len(clean)),
        "clean_reports": len(clean),
        "not_scored": unscored,
    }


_Treated = tuple[str, Correction | None, Mapping[str, Any] | None]


def _lines(given: Sequence[Correction], due: Sequence[Mapping[str, Any]], count: int) -> list[_Treated]:
    """Return each line of the candidate: what was due, the correction given if its action is right, and the one due.

    A line left alone where nothing was due has neither; one wrongly corrected is told from it by a mapping that is empty.
    """
    made = {one.line: one for one in given if one.line is not None}
    wanted = {one["line"]: one for one in due if one["line"] is not None}
    found: list[_Treated] = []
    for number in range(count):
        one, other = made.get(number), wanted.get(number)
        if other is None:
            found.append(("none", None, None if one is None else {}))
        else:
            found.append((other["action"], one if one and one.action == other["action"] else None, other))
    return found


def _insertions(scorer: Scorer, given: Sequence[Correction], due: Sequence[Mapping[str, Any]]) -> list[_Treated]:
    """Return each insertion due with the one given that says the same, if any; or whether none was given where none is due."""
    left = [one for one in given if one.action == "insert"]
    wanted = [one for one in due if one["action"] == "insert"]
    if not wanted:
        return [("no_insert", None, {} if left else None)]
    found: list[_Treated] = []
    for one in wanted:
        hit = next((k for k in left if scorer.relate(one["new_text"], k.new_text).relation in _AGREE), None)
        if hit is not None:
            left.remove(hit)
        found.append(("insert", hit, one))
    return found


def _share(part: float, whole: int) -> float | None:
    return round(part / whole, 3) if whole else None
