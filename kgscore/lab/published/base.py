"""Shared by the programs: the request, the scores of pairs, and figures with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from kgscore.errors import InputError
from kgscore.io.records import BadRecord, Record
from kgscore.lab import peers
from kgscore.lab.bootstrap import intervals
from kgscore.lab.correlation import Figure, correlate
from kgscore.lab.peers import Pairs
from kgscore.metrics import metric
from kgscore.results.resampling import mean_interval
from kgscore.results.statistics import Sampling
from kgscore.runs.batch import Settings, score_records

Floats = NDArray[np.float64]
_T = TypeVar("_T")
# The ends of a scale of preference: "A is clearly better", "B is clearly better".
SCALE = (1.0, 5.0)


@dataclass(frozen=True, slots=True)
class Request:
    """A request: the download, the metrics, and the settings of intervals.

    `columns` maps columns unknown to the layout; `scale` gives the ends of a preference scale. With `whole_studies`, the
    bootstrap draws all the cases of a study together. `others` are third-party scores, by name, computed with the metrics:
    functions from pairs (reference, candidate) to scores, higher is better, None if there is none.
    """

    source: Path
    settings: Settings = field(default_factory=Settings)
    jobs: int = 1
    sampling: Sampling = field(default_factory=lambda: Sampling(resamples=2_000))
    columns: Mapping[str, str] = field(default_factory=dict)
    scale: tuple[float, float] = SCALE
    whole_studies: bool = False
    others: Mapping[str, Callable[[Pairs], Sequence[float | None]]] = field(default_factory=dict)
    tell: Callable[[int], None] = lambda done: None


@dataclass(frozen=True, slots=True)
class Found:
    """The figures of a benchmark, the unusable records, and notes, one line each."""

    figures: list[Figure]
    problems: list[BadRecord]
    notes: list[str] = field(default_factory=list)


def signed_peers(wanted: Sequence[str]) -> dict[str, Callable[[Pairs], list[float | None]]]:
    """Return peers by name in the form of `Request.others`.

    Raises:
        ProfileError: a peer is unknown. MissingExtraError: its library is not installed.
    """

    def signed_scores(name: str, made: peers.Peer, pairs: Pairs) -> list[float | None]:
        sign = 1 if peers.peer(name).higher_is_better else -1
        return [None if value is None else sign * value for value in peers.scores(name, made, pairs)]

    return {name: partial(signed_scores, name, made) for name, made in peers.build(wanted).items()}


def scores_of(pairs: Sequence[tuple[str, str]], request: Request) -> dict[str, Floats]:
    """Return the scores of pairs (reference, candidate) by metric, signed so that higher is better, NaN if there is none.
    Identical pairs are scored once."""
    distinct = {pair: number for number, pair in enumerate(dict.fromkeys(pairs))}
    records = (
        Record(f"pair {number}", str(number), {"reference": reference, "candidate": candidate})
        for (reference, candidate), number in distinct.items()
    )
    found: dict[str, Floats] = {}
    for case in score_records(records, request.settings, request.jobs, slim=True):
        for name, value in case.outcome.scores.items():
            if name not in found:
                found[name] = np.full(len(distinct), np.nan)
            if value is not None:
                found[name][case.position] = value if metric(name).higher_is_better else -value
        request.tell(case.position + 1)
    for name, score in request.others.items():
        given = score(list(distinct))
        if len(given) != len(distinct):
            raise InputError(f"metric '{name}': gave {len(given)} scores for {len(distinct)} pairs")
        found[name] = np.asarray([np.nan if value is None else value for value in given], dtype=np.float64)
    at = np.asarray([distinct[pair] for pair in pairs], dtype=np.int64)
    return {name: values[at] for name, values in found.items()}


def agreement(
    task: str, of: str, name: str, values: Floats, rated: Floats, request: Request, studies: Sequence[str] | None = None
) -> list[Figure]:
    """Return Kendall's τ_b, Pearson's r and Spearman's ρ of scores with ratings, higher better in both."""
    rows = correlate(
        values, rated, metric=name, human=of, sampling=request.sampling, clusters=studies if request.whole_studies else None,
        measures=("kendall", "pearson", "spearman"),
    )  # fmt: skip
    return [
        Figure(task, of, name, row.measure, row.value, row.low, row.high, row.pairs + row.unscored, row.unscored) for row in rows
    ]


def share(
    task: str, of: str, name: str, measure: str, hits: Sequence[float] | NDArray[Any], request: Request,
    studies: Sequence[str] | None = None, unscored: int = 0,
) -> Figure:
    """Return the mean of hits (0 to 1), or of differences, with its BCa bootstrap interval; over whole studies if these are
    given."""
    values = np.asarray(hits, dtype=np.float64)
    how = request.sampling
    label = f"{task}|{of}|{name}|{measure}"
    ends = mean_interval(values, clusters=studies, level=how.level, resamples=how.resamples, seed=how.seed, label=label)
    low, high = ends or (None, None)
    return Figure(task, of, name, measure, float(values.mean()) if len(values) else None, low, high, len(values), unscored)


def agreement_by_name(said: Set[_T], due: Set[_T], names: Iterable[_T]) -> list[list[bool]]:
    """Return for each name whether both have it, only kgscore, or only people."""
    return [[n in said and n in due, n in said and n not in due, n in due and n not in said] for n in names]


def f1_figures(
    task: str, of: str, name: str, counts: NDArray[np.int64], request: Request, *, macro: bool = False
) -> list[Figure]:
    """Return precision, recall and F1 of counts with percentile bootstrap intervals over the first axis: (units, labels, 3), of
    of which the last axis holds true positives, invented, and missed. With `macro`, micro and macro F1 as well.

    Macro F1 is the mean over labels given by either side.
    """
    units, labels, _ = counts.shape
    total = counts.sum(axis=0, keepdims=True).astype(np.float64)
    names = ("precision", "recall", *(("micro f1", "macro f1") if macro else ("f1",)))
    value = _rates(total, macro)[0]
    flat = counts.reshape(units, labels * 3).astype(np.float64)

    def resampled(rows: NDArray[Any]) -> Floats:
        times = np.stack([np.bincount(row, minlength=units) for row in rows]).astype(np.float64)  # how often each was drawn
        return _rates((times @ flat).reshape(-1, labels, 3), macro)

    ends = intervals(names, units, resampled, request.sampling, f"{task}|{of}|{name}|f1")
    found = []
    for measure, one in zip(names, value.tolist(), strict=True):
        low, high = ends.get(measure, (None, None))
        there = one if isfinite(one) else None
        found.append(Figure(task, of, name, measure, there, low, high, int(total[0, :, [0, 2]].sum())))
    return found


def by_category(
    task: str, name: str, names: Sequence[str], rows: Sequence[list[list[bool]]], request: Request, *, of: str = "all",
    macro: bool = False,
) -> list[Figure]:  # fmt: skip
    """Return precision, recall and F1 of all categories (`of` describes them) and of each given by either side,
    from `agreement_by_name` of each report."""
    if not rows:
        return []
    counts = np.asarray(rows, dtype=np.int64)
    figures = f1_figures(task, of, name, counts, request, macro=macro)
    for n in range(counts.shape[1]):
        if counts[:, n].any():
            figures += f1_figures(task, names[n], name, counts[:, n : n + 1], request)
    return figures


def _rates(counts: Floats, macro: bool) -> Floats:
    """Return precision, recall, F1 over all labels (and the mean of the labels' F1) for each of several (labels, 3) counts."""
    with np.errstate(invalid="ignore", divide="ignore"):
        both, invented, missed = (counts[:, :, at] for at in range(3))
        sums = [one.sum(axis=1) for one in (both, invented, missed)]
        rates = [sums[0] / (sums[0] + sums[1]), sums[0] / (sums[0] + sums[2]), 2 * sums[0] / (2 * sums[0] + sums[1] + sums[2])]
        if macro:
            each = 2 * both / (2 * both + invented + missed)
            there = np.isfinite(each)
            rates.append(np.where(there, each, 0.0).sum(axis=1) / there.sum(axis=1))
    return np.stack(rates, axis=1)
