"""Comparison of runs, pair by pair: intervals, permutation tests, the largest changes and their causes.

Two runs that share no pair or no metric raise RunError, as does a missing cluster column.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import fsum
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.errors import RunError
from kgscore.results.coverage import Coverage, coverage, differences
from kgscore.results.resampling import holm_correction, mean_interval, permutation_p
from kgscore.results.scores import Floats, Scores
from kgscore.results.sql import ask
from kgscore.results.statistics import Sampling

_TIE = 1e-9
_Costs = list[dict[str, Any]]
_KEY = itemgetter("label", "concept", "report", "asserted")


@dataclass(frozen=True, slots=True)
class Paired:
    """The pairs of reports shared by two runs, by id, and those in only one. `at` holds the positions in both; `only_one` and
    `only_other` count ids of one run, `other_reference` ids whose reference report differs (they are not compared)."""

    one: Scores
    other: Scores
    at: Sequence[tuple[int, int]]
    only_one: int
    only_other: int
    other_reference: int

    def notes(self) -> list[str]:
        """Return notes on the comparison: differences between the runs other than the candidates, and differences in
        coverage."""
        told = []
        for key in ("kgscore", "knowledge", "profile_hash", "reader"):
            first, second = self.one.signature.get(key), self.other.signature.get(key)
            if first != second:
                told.append(f"{self.one.name.name} and {self.other.name.name} were scored with another {key} ({first}, {second})")
        if self.other_reference:
            told.append(f"{self.other_reference} pairs have different reference reports in the two runs; they are excluded")
        return told + differences(*self.coverage())

    def coverage(self) -> tuple[Coverage, Coverage]:
        """Return the coverage of the shared pairs in each run."""
        return coverage(self.one, [at for at, _ in self.at]), coverage(self.other, [at for _, at in self.at])


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric in two runs. `difference` is the mean of `other` minus `one`, with its bootstrap interval.

    `pairs` are scored in both; `unscored` are shared but lack a score in one of them; `only_one` and `only_other` count ids in
    one run only. `p` is of the permutation test, `p_corrected` after Holm over all comparisons of the metric. `effect` is
    Cohen's d of paired differences (mean over standard deviation; None without variation). `wins` counts the pairs on which
    `other` is better."""

    metric: str
    one: str
    other: str
    pairs: int
    unscored: int
    only_one: int
    only_other: int
    mean_one: float | None
    mean_other: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None
    effect: float | None
    wins: int
    ties: int
    losses: int
    better: str


@dataclass(frozen=True, slots=True)
class MovedFinding:
    """A finding that changed scores: its cost in each run, summed over `cases`. `change` is the cost in `other` minus `one`."""

    label: str
    concept: str | None
    report: str
    asserted: bool | None
    cases: int
    cost_one: float
    cost_other: float
    change: float


@dataclass(frozen=True, slots=True)
class MovedCase:
    """A pair whose score differs, with the findings that changed it, largest first."""

    id: str
    one: float
    other: float
    difference: float
    findings: tuple[MovedFinding, ...] = ()


def pair_up(one: Scores, other: Scores) -> Paired:
    """Return the pairs of reports shared by two runs."""
    first, second = _positions_by_id(one), _positions_by_id(other)
    shared = [id for id in first if id in second]
    same = [id for id in shared if one.references[first[id]] == other.references[second[id]]]
    if not same:
        raise RunError(
            f"{one.name.name}, {other.name.name}: no pair is in both (ids and reference reports must match); score the same"
            " references in both"
        )
    at = [(first[id], second[id]) for id in same]
    return Paired(one, other, at, len(first) - len(shared), len(second) - len(shared), len(shared) - len(same))


def _positions_by_id(scores: Scores) -> dict[str, int]:
    """Return the position of each id; for a duplicate id, the record that was used."""
    found: dict[str, int] = {}
    for at, id in enumerate(scores.ids):
        if id is not None:
            found.setdefault(id, at)
    return found


def compare(
    runs: Sequence[Scores], *, higher_is_better: Mapping[str, bool], sampling: Sampling | None = None
) -> tuple[list[Comparison], list[Paired]]:
    """Return every two runs compared by every metric that both have, and the pairings."""
    how = sampling or Sampling()
    paired = [pair_up(one, other) for one, other in combinations(runs, 2)]
    found: list[Comparison] = []
    for pairs in paired:
        metrics = [metric for metric in pairs.one.metrics if metric in pairs.other.metrics]
        if not metrics:
            names = f"{pairs.one.name.name}, {pairs.other.name.name}"
            raise RunError(f"{names}: no metric in common; score both with the same metrics")
        found += [_compare_metric(pairs, metric, higher_is_better.get(metric, True), how) for metric in metrics]
    return _correct_p(found), paired


def shared_scores(pairs: Paired, metric: str) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Return which of the shared pairs are scored in both runs, and their scores."""
    at = np.asarray(pairs.at, dtype=np.int64).reshape(-1, 2)
    one, other = pairs.one.values[metric][at[:, 0]], pairs.other.values[metric][at[:, 1]]
    there = np.isfinite(one) & np.isfinite(other)
    return np.flatnonzero(there), one[there], other[there]


def _compare_metric(pairs: Paired, metric: str, higher: bool, how: Sampling) -> Comparison:
    there, one, other = shared_scores(pairs, metric)
    names = pairs.one.name.name, pairs.other.name.name
    counts = (len(there), len(pairs.at) - len(there), pairs.only_one, pairs.only_other)
    if not len(there):
        return Comparison(metric, *names, *counts, None, None, None, None, None, None, None, None, 0, 0, 0, "")
    difference = other - one
    gain = difference if higher else -difference
    column = None if how.cluster is None else pairs.one.column(how.cluster)
    drawn: dict[str, Any] = {
        "clusters": column and [column[pairs.at[i][0]] for i in there.tolist()], "resamples": how.resamples, "seed": how.seed,
        "label": f"{metric}|{names[0]}|{names[1]}",
    }  # fmt: skip
    low, high = mean_interval(difference, level=how.level, **drawn) or (None, None)
    p = permutation_p(difference, **drawn)
    spread = float(difference.std(ddof=1)) if len(difference) > 1 else 0.0
    mean = float(difference.mean())
    wins, losses = int((gain > _TIE).sum()), int((gain < -_TIE).sum())
    better = "" if abs(mean) <= _TIE else names[1] if (mean > 0) == higher else names[0]
    return Comparison(
        metric, *names, *counts, float(one.mean()), float(other.mean()), mean, low, high, p, p,
        mean / spread if spread > _TIE else None, wins, len(gain) - wins - losses, losses, better,
    )  # fmt: skip


def _correct_p(found: Sequence[Comparison]) -> list[Comparison]:
    corrected = list(found)
    for metric in dict.fromkeys(one.metric for one in found):
        at = [i for i, one in enumerate(found) if one.metric == metric and one.p is not None]
        for i, p in zip(at, holm_correction([found[i].p or 0.0 for i in at]), strict=True):
            corrected[i] = replace(found[i], p_corrected=p)
    return corrected


def changed_cases(pairs: Paired, metric: str, most: int = 10) -> list[MovedCase]:
    """Return the pairs whose score differs most, each with the findings that changed it."""
    there, one, other = shared_scores(pairs, metric)
    ids = [str(pairs.one.ids[pairs.at[i][0]]) for i in there.tolist()]
    order = sorted(range(len(there)), key=lambda i: (-abs(other[i] - one[i]), ids[i]))
    chosen = [i for i in order[:most] if abs(other[i] - one[i]) > _TIE]
    costs = [_costs(scores, metric, [ids[i] for i in chosen]) for scores in (pairs.one, pairs.other)]
    found = []
    for i in chosen:
        changes = _changes(*([row for row in rows if row["id"] == ids[i]] for rows in costs))
        found.append(MovedCase(ids[i], float(one[i]), float(other[i]), float(other[i] - one[i]), tuple(changes)))
    return found


def changed_findings(pairs: Paired, metric: str, most: int = 20) -> list[MovedFinding]:
    """Return the findings whose cost differs most between the runs, summed over the pairs scored in both.

    Costs are in units of the score: over all findings, the changes add up to the change in the sum of the scores, as far as the
    metric's costs do."""
    there, _, _ = shared_scores(pairs, metric)
    ids = [str(pairs.one.ids[pairs.at[i][0]]) for i in there.tolist()]
    return _changes(*(_costs(scores, metric, ids) for scores in (pairs.one, pairs.other)))[:most]


def _costs(scores: Scores, metric: str, ids: Sequence[str]) -> _Costs:
    sql = (
        "SELECT id, coalesce(label, what) AS label, concept, coalesce(report, '') AS report, asserted, sum(cost) AS cost"
        f" FROM case_costs JOIN (SELECT unnest($ids) AS id) USING (id) WHERE run = {scores.name.run} AND metric = $metric"
        " GROUP BY ALL"
    )
    return ask(scores.name.folder, sql, values={"metric": metric, "ids": list(ids)}).rows()


def _changes(one: _Costs, other: _Costs) -> list[MovedFinding]:
    first, second = _sum_costs(one), _sum_costs(other)
    found = []
    for key in first.keys() | second.keys():
        (cost_one, cases_one), (cost_other, cases_other) = first.get(key, (0.0, 0)), second.get(key, (0.0, 0))
        if abs(cost_other - cost_one) > _TIE:
            label, concept, report, asserted = key
            cases = max(cases_one, cases_other)
            found.append(MovedFinding(label, concept, report, asserted, cases, cost_one, cost_other, cost_other - cost_one))
    return sorted(found, key=lambda f: (-abs(f.change), f.label, f.report, str(f.asserted)))


def _sum_costs(costs: _Costs) -> dict[tuple[Any, ...], tuple[float, int]]:
    grouped: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for row in costs:
        grouped[_KEY(row)].append(row["cost"])
    return {key: (fsum(found), len(found)) for key, found in grouped.items()}
