"""Errors named by the clinical verdict if the number of true errors is known: none, one finding, two findings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kgscore.config import HEADLINE
from kgscore.engine import Scorer
from kgscore.lab.bench._ask import REMEMBERED, Ask, benchmark, regions
from kgscore.lab.bench._contest import Grid, figures_by_group, share, shares_by_part
from kgscore.model import TIERS
from kgscore.verdict import Aligned, Verdict

REWRITTEN = ("actionable", "clean", "urgent or critical", "sure", "sure urgent or critical", "minor", "routine")
PLANTED = {"L2": 1, "L3": 2}
WRONG = ("missed", "invented", "wrong")
_FIGURES = ("errors", "actionable", "as many as planted", "urgent or critical", "sure", "sure in all")
_URGENT = 3


def major_errors(verdict: Verdict) -> list[Aligned]:
    """Return the errors of a verdict that are not minor: missed, invented or wrong, of any tier."""
    return [one for one in verdict.findings if one.category in WRONG]


def kind(one: Aligned) -> str:
    """Return the kind of error: "missed: denied", "missed: left out", "invented", or its gravest dimension ("wrong: side")."""
    if one.category == "missed":
        return "missed: denied" if one.candidate else "missed: left out"
    if one.category == "invented":
        return one.category
    gravest = min(one.errors, key=lambda error: (not error.major, -error.share), default=None)
    return f"{one.category}: {gravest.dimension if gravest else 'presence'}"


def _verdicts(ask: Ask, levels: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Iterator[list[Verdict | None]]:
    """Yield the verdicts on each of some levels."""
    scorer = Scorer(ask.profile, (HEADLINE,), remember=REMEMBERED, reader=ask.reader)
    for level in levels:
        yield [scorer.score(reference=row["reference"], candidate=row[level]).verdict for row in rows]


def _is_urgent(errors: Sequence[Aligned]) -> bool:
    return any(one.tier >= _URGENT for one in errors)


def _print(row: Mapping[str, Any], level: str, verdict: Verdict, errors: Sequence[Aligned]) -> None:
    listed = [
        {"kind": kind(one), "what": one.what, "tier": TIERS[one.tier], "because": [error.because for error in one.errors]}
        for one in errors
    ]
    line = {"case": row.get("case"), "level": level, "sentence": verdict.sentence, "errors": listed}
    print(json.dumps(line, ensure_ascii=False))


@benchmark(
    "reader", "sampling", "sample", "show",
    grids=lambda figures: [
        Grid("Faithful rewrites: errors that the clinical verdict names, all false", REWRITTEN, figures_by_group(figures)),
        Grid("Errors by kind, a report", ("errors", *TIERS.values()),
             {name: {"cases": figures["cases"], **row} for name, row in figures["kinds"].items()}),
    ],
)  # fmt: skip
def rewrites(ask: Ask) -> dict[str, Any]:
    """Return the errors that `clinical` finds in L1, which has the same meaning as the reference: errors per report that are
    `actionable` (missed, invented or wrong, of tier notable or above), `routine` (the same of tier routine) and `minor`; the
    share of reports that are `clean` (no actionable error), and with an `urgent or critical` error; the same of `sure` errors
    (not doubtful); with intervals by case, by modality and region; and under `kinds` the errors per report of each kind, in
    all and by tier. A report that is not clean is printed as a JSON line.

    File form: that of `ssree`; only `reference` and `L1` are needed.
    """
    rows = ask.records("reference", "L1")
    (found,) = _verdicts(ask, ("L1",), rows)
    made: list[tuple[float, ...]] = []
    kinds: Counter[tuple[str, int]] = Counter()
    for row, verdict in zip(rows, found, strict=True):
        if verdict is None:
            made.append((np.nan,) * len(REWRITTEN))
            continue
        errors = major_errors(verdict)
        actionable = [one for one in errors if one.actionable]
        minor = [one for one in verdict.findings if one.category == "minor"]
        sure = [one for one in actionable if not one.doubts]
        counts = (len(minor), len(errors) - len(actionable))
        made.append((len(actionable), not actionable, _is_urgent(errors), len(sure), _is_urgent(sure), *counts))
        kinds.update((kind(one), one.tier) for one in (*errors, *minor))
        if ask.show and actionable:
            _print(row, "L1", verdict, actionable)
    scored = sum(verdict is not None for verdict in found)
    columns = dict(zip(REWRITTEN, zip(*made, strict=True), strict=True))
    return {
        **shares_by_part(columns, regions(rows), ask.sampling, label="rewrites"),
        "without a score": len(rows) - scored,
        "kinds": dict(_by_kind(kinds, scored)),
    }


def _by_kind(kinds: Counter[tuple[str, int]], scored: int) -> Iterator[tuple[str, dict[str, float | None]]]:
    """Yield each kind of error with its number per report, in all and by tier, the most frequent first."""
    totals: Counter[str] = Counter()
    for (name, _), count in kinds.items():
        totals[name] += count
    for name, count in totals.most_common():
        by_tier = {word: share(kinds[name, tier], scored) for tier, word in TIERS.items()}
        yield name, {"errors": share(count, scored), **by_tier}


@benchmark(
    "reader", "sampling", "sample", "show",
    grids=lambda figures: [
        Grid(f"Planted errors, {number} a report: what the clinical verdict names at {level} and not at L1",
             [f"{level} {name}" for name in _FIGURES], figures_by_group(figures)) for level, number in PLANTED.items()
    ],
)  # fmt: skip
def planted(ask: Ask) -> dict[str, Any]:
    """Return how many errors `clinical` finds at L2, where one finding of the reference is changed, and at L3 (two), but
    not at L1 (missed, invented or wrong, of any tier): their mean, the mean of those that are actionable, the share of
    reports with at least as many as were planted, and with one that is urgent or critical; the mean of actionable errors that are
    `sure` (not doubtful), and of all such errors, including those found at L1 (`sure in all`); with intervals by case, by
    modality and region. Reports with fewer errors than planted are printed as JSON lines.

    File form: that of `ssree`; `reference` and `L1` to `L3` are needed. Which finding was changed need not be given.
    """
    rows = ask.records("reference", "L1", *PLANTED)
    base, *levels = _verdicts(ask, ("L1", *PLANTED), rows)
    columns: dict[str, Sequence[float]] = {}
    for (level, number), verdicts in zip(PLANTED.items(), levels, strict=True):
        made: list[tuple[float, ...]] = []
        for row, before, after in zip(rows, base, verdicts, strict=True):
            if before is None or after is None:
                made.append((np.nan,) * len(_FIGURES))
                continue
            new = _new_errors(before, after)
            sure = [sum(one.actionable and not one.doubts for one in errors) for errors in (new, after.findings)]
            made.append((len(new), sum(one.actionable for one in new), len(new) >= number, _is_urgent(new), *sure))
            if ask.show and len(new) < number:
                _print(row, level, after, new)
        columns |= {f"{level} {name}": values for name, values in zip(_FIGURES, zip(*made, strict=True), strict=True)}
    return shares_by_part(columns, regions(rows), ask.sampling, label="planted")


def _new_errors(before: Verdict, after: Verdict) -> list[Aligned]:
    """Return the errors of a verdict that another on the same reference lacks, by position and outcome, or by content."""
    known = Counter(map(_identity, major_errors(before)))
    fresh = []
    for one in major_errors(after):
        key = _identity(one)
        if known[key]:
            known[key] -= 1
        else:
            fresh.append(one)
    return fresh


def _identity(one: Aligned) -> tuple[object, ...]:
    return (one.category, bool(one.candidate), one.reference[:1]) if one.reference else (one.category, one.what)
