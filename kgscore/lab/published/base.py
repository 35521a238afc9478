"""Shared by the programs: the request, the scores of pairs, and figures with their intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from kgscore.errors import InputError
from kgscore.io.formats import MAX_DOCUMENT_BYTES
from kgscore.io.records import BadRecord, Record
from kgscore.io.streams import error_reason
from kgscore.lab import peers
from kgscore.lab.correlation import Figure, correlate
from kgscore.lab.peers import Pairs
from kgscore.metrics import metric
from kgscore.model import PairResult
from kgscore.results.resampling import Floats, draws, generator, mean_interval, percentile
from kgscore.results.statistics import Sampling
from kgscore.runs.batch import Settings, score_records

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
    """Return peers by name in the form of `Request.others`."""

    def signed_scores(name: str, made: peers.Peer, pairs: Pairs) -> list[float | None]:
        sign = 1 if peers.peer(name).higher_is_better else -1
        return [None if value is None else sign * value for value in peers.scores(name, made, pairs)]

    return {name: partial(signed_scores, name, made) for name, made in peers.build(wanted).items()}


def scores_of(pairs: Sequence[tuple[str, str]], request: Request) -> dict[str, Floats]:
    """Return the scores of pairs by metric, signed so that higher is better, NaN if there is none; equal pairs count once."""
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
    """Return the mean of hits (0 to 1), or of differences, with its BCa bootstrap interval; over whole studies if given."""
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
    """Return precision, recall and F1 of all categories and of each given by either side, from `agreement_by_name`."""
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
        (both, invented, missed), sums = np.moveaxis(counts, 2, 0), counts.sum(axis=1).T
        rates = [sums[0] / (sums[0] + sums[1]), sums[0] / (sums[0] + sums[2]), 2 * sums[0] / (2 * sums[0] + sums[1] + sums[2])]
        if macro:
            each = 2 * both / (2 * both + invented + missed)
            there = np.isfinite(each)
            rates.append(np.where(there, each, 0.0).sum(axis=1) / there.sum(axis=1))
    return np.stack(rates, axis=1)


# ---- the errors of a clinical verdict in the categories counted by public sets ---------------------------------------------
FALSE, OMITTED, LOCATION, SEVERITY, COMPARED, UNCOMPARED, UNCERTAIN, CERTAIN = range(1, 9)
# The category of an error by its dimension; for change and certainty it depends on which report states more.
_DIMENSIONS = {"side": LOCATION, "place": LOCATION, "device": LOCATION, "severity": SEVERITY, "size": SEVERITY}


def category_counts(result: PairResult) -> Counter[int]:
    """Return the number of errors of each category in the verdict of a result: an invented finding is a false one, a missed or
    negated one an omission, one with another place or side, degree or size, course or certainty an error of that kind.
    Vaguer or narrower words and other qualities belong to none of the papers' categories."""
    found: Counter[int] = Counter()
    for one in result.verdict.findings if result.verdict is not None else ():
        if one.category in ("invented", "missed"):
            found[FALSE if one.category == "invented" else OMITTED] += 1
        elif one.reference and one.candidate and result.candidate is not None:
            said = result.candidate.findings[one.candidate[0]]
            change = COMPARED if said.change else UNCOMPARED
            certainty = CERTAIN if said.certainty == "definite" else UNCERTAIN
            categories = {**_DIMENSIONS, "change": change, "certainty": certainty}
            found.update({categories[error.dimension] for error in one.errors if error.dimension in categories})
    return found


def error_names(result: PairResult, *, minor: bool = True) -> frozenset[str]:
    """Return the names of errors in a verdict: missed, invented, dimensions of errors (with `minor` ones) in matched findings."""
    found: set[str] = set()
    for one in result.verdict.findings if result.verdict is not None else ():
        if one.category in ("missed", "invented"):
            found.add(one.category)
        elif one.category != "correct":
            found |= {error.dimension for error in one.errors if minor or error.major}
    return frozenset(found)


def error_tiers(result: PairResult) -> list[int]:
    """Return the tiers of the errors of a verdict, 1 for minor ones only: the severities of FineRadScore."""
    found = result.verdict.findings if result.verdict is not None else ()
    return [1 if one.category == "minor" else one.tier for one in found if one.category != "correct"]


def intervals(
    names: Iterable[str], units: int, figures: Callable[[NDArray[np.int32]], Floats], how: Sampling, label: str
) -> dict[str, tuple[float, float]]:
    """Return the interval of each figure defined in at least two resamples. Units are drawn with replacement, the same for all:
    `figures` takes resamples, one per row, and returns a column for each name."""
    if units < 2:
        return {}
    columns = np.concatenate([figures(rows) for rows in draws(units, how.resamples, generator(how.seed, label))]).T
    there = {name: column[np.isfinite(column)] for name, column in zip(names, columns, strict=True)}
    return {name: percentile(known, how.level) for name, known in there.items() if len(known) > 1}


# ---- users' XML files: one at a time, with a size limit and without entity declarations ------------------------------------
Element = ElementTree.Element


def parse(path: Path) -> Element:
    """Return the root of an XML file."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_DOCUMENT_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error_reason(error)}); check the path") from None
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(f"{path}: is larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB; split it")
    # In UTF-16 every second byte is zero, so the declaration would not be found.
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise InputError(f"{path}: declares entities, which are not allowed; write the file without them")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        line = getattr(error, "position", (0,))[0]
        raise InputError(f"{path}: cannot be parsed as XML (line {line}); take the file as it was downloaded") from None


def words(element: Element | None) -> str:
    """Return the text of an element with single blanks, "" if there is none."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
