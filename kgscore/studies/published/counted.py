"""ReXVal and RadEvalX: do scores fall as the errors that radiologists counted rise?

ReXVal (Yu et al. 2023): Kendall's τ_b with total and with clinically significant errors, the mean over six readers, 200 pairs.
RadEvalX (Calamida et al. 2024): the same with significant and insignificant errors of eight categories, 100 pairs. Scores that
the download brings for each pair stand beside kgscore's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from kgscore.errors import InputError
from kgscore.records import BadRecord
from kgscore.results.figure import Figure
from kgscore.runs.batch import scorer_for
from kgscore.studies.published.base import Floats, Found, Request, agreement, f1_figures, parted, rows_of, scores_of
from kgscore.studies.published.categories import counted
from kgscore.studies.published.downloads import RatedPair, Table, any_number, cell, checked, number, quality, read_pairs

TARGETS = ("total", "significant", "insignificant")
# The categories of errors (RadEvalX; ReXVal has the first six).
CATEGORIES = (
    "false finding", "omission", "wrong location", "wrong severity", "unsupported comparison", "omitted comparison",
    "unsupported uncertainty", "omitted uncertainty",
)  # fmt: skip
_COUNT = {"rexval": 6, "radevalx": 8}


def run(name: str, request: Request) -> Found:
    """Return the agreement of every metric with every count of errors, and that of kgscore's corrections (FineRadScore, appendix
    D) and of the errors of its clinical verdict with the categories in which a reader counted an error."""
    found, bad = parted(read_pairs(request.source, name, request.columns))
    figures = correlated("errors counted", TARGETS, found, request)
    return Found([*figures, *_categories(name, found, request)], bad)


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield the pairs with study and ratings."""
    return rows_of(read_pairs(request.source, name, request.columns), lambda one: [one.as_row()])


def correlated(task: str, targets: Sequence[str], found: Sequence[RatedPair], request: Request) -> list[Figure]:
    """Return the agreement of all metrics, and of the scores in the download, with each of the ratings that are there."""
    values = scores_of([(pair.reference, pair.candidate) for pair in found], request)
    for other in dict.fromkeys(name for pair in found for name in pair.given):
        values[f"{other} (in the download)"] = np.asarray([pair.given.get(other, np.nan) for pair in found])
    studies = [pair.study for pair in found]
    figures = []
    for target in targets:
        rated = _ratings(found, target)
        if np.isfinite(rated).any():
            for metric, scores in values.items():
                figures += agreement(task, target, metric, scores, rated, request, studies)
    return figures


def _ratings(found: Sequence[RatedPair], target: str) -> Floats:
    """Return a rating turned so that higher is better, NaN where a pair has none."""
    values = (quality(pair, target) for pair in found)
    return np.asarray([np.nan if value is None else value for value in values])


def _categories(name: str, found: Sequence[RatedPair], request: Request) -> list[Figure]:
    """Return how well the categories of the corrections, and those of the errors of the clinical verdict, meet those in which
    people counted an error; and how the numbers of the verdict's errors agree with theirs."""
    count = _COUNT[name]
    scorer = scorer_for(replace(request.settings, metrics=("clinical", "fineradscore")))
    corrections: list[list[list[bool]]] = []
    errors: list[list[list[bool]]] = []
    numbers, rated, studies = list[float](), list[float](), list[str]()
    for pair in found:
        due = {n for n in range(1, count + 1) if pair.ratings.get(f"category_{n}", 0) > 0}
        made = scorer.correct(reference=pair.reference, candidate=pair.candidate)
        result = scorer.score(reference=pair.reference, candidate=pair.candidate)
        if made.status != "scored" or result.verdict is None:
            continue
        said = {n for one in made.corrections for n in (one.categories if name == "rexval" else one.radevalx)}
        named = counted(result)
        corrections.append(sides(said, due, count))
        errors.append(sides(set(named), due, count))
        numbers.append(-float(sum(named[n] for n in range(1, count + 1))))
        rated.append(-pair.ratings["total"])
        studies.append(pair.study)
    names = [f"{n} {category}" for n, category in enumerate(CATEGORIES, start=1)]
    figures = by_category("categories of corrections", "corrections", names, corrections, request)
    figures += by_category("categories of the verdict", "clinical", names, errors, request)
    if numbers:
        counts = np.asarray(numbers), np.asarray(rated)
        figures += agreement("errors of the verdict", "total", "clinical", *counts, request, studies)
    return figures


def sides(said: Set[int], due: Set[int], count: int) -> list[list[bool]]:
    """Return for each category, from 1, whether both say it, only kgscore does, only people do."""
    return [[n in said and n in due, n in said and n not in due, n in due and n not in said] for n in range(1, count + 1)]


def by_category(
    task: str, name: str, names: Sequence[str], rows: Sequence[list[list[bool]]], request: Request
) -> list[Figure]:
    """Return precision, recall and F1 of all categories and of each that is said on either side, from `sides` of each report."""
    if not rows:
        return []
    counts = np.asarray(rows, dtype=np.int64)
    figures = f1_figures(task, "all", name, counts, request)
    for n in range(counts.shape[1]):
        if counts[:, n].any():
            figures += f1_figures(task, names[n], name, counts[:, n : n + 1], request)
    return figures


_YES = {"true": True, "1": True, "1.0": True, "yes": True, "false": False, "0": False, "0.0": False, "no": False}
_RADEVALX = range(1, 9)


def rexval(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of ReXVal: each study with its candidates, and the errors that the readers counted, averaged."""
    reports, errors = tables["reports"], tables["errors"]
    bad: list[BadRecord] = []
    counts, numbers = _counts_by_reader(errors, bad)
    rows = list(reports.good(bad))
    study, reference = reports.column("study"), reports.column("reference")
    positions = _positions(reports, numbers, [str(row.get(study)) for _, row in rows])
    kinds = list(dict.fromkeys(kind for _, kind in counts))
    for kind in kinds:
        if kind not in reports.header:
            raise InputError(f"{reports.path}: layout rexval: no column '{kind}', which {errors.path.name} has errors of")
    seen: dict[str, str] = {}
    by_row = {positions[name]: name for name in numbers}
    for place, (where, row) in enumerate(rows):
        name = by_row.get(place)
        for kind in kinds:
            readers = counts.get((name, kind)) if name is not None else None
            if not readers:
                bad.append(BadRecord(where, f"{place} {kind}", f"no reader counted errors in {errors.path.name}"))
                continue
            given = {"id": f"{place} {kind}", "reference": row.get(reference), "candidate": row.get(kind)}
            yield checked(where, given, seen, str(row.get(study)), _mean(readers.values()))
    yield from bad


_Counts = dict[tuple[str, str], dict[str, dict[str, float]]]


def _counts_by_reader(table: Table, bad: list[BadRecord]) -> tuple[_Counts, list[str]]:
    """Return the counts by study and candidate, then reader, and the numbers of the studies."""
    names = [table.column(name) for name in ("number", "kind", "rater", "category", "significance", "errors")]
    counts: _Counts = {}
    numbers: dict[str, None] = {}
    for where, row in table.good(bad):
        study, kind, rater, category, significance, made = (cell(row, name) for name in names)
        significant, count = _YES.get(significance.lower()), number(made)
        if significant is None or count is None:
            wrong = names[4] if significant is None else names[5]
            bad.append(BadRecord(where, None, f"field '{wrong}' must be {'true or false' if significant is None else 'a count'}"))
            continue
        numbers[_whole(study)] = None
        own = counts.setdefault((_whole(study), kind), {}).setdefault(rater, defaultdict(float))
        for name in ("total", "significant" if significant else "insignificant", f"category_{_whole(category)}"):
            own[name] += count
    return counts, list(numbers)


def _positions(reports: Table, numbers: Sequence[str], studies: Sequence[str]) -> dict[str, int]:
    """Return the row of each study number: counted from 0, from 1 where 0 does not occur and the last does, or its id."""
    if set(numbers) <= set(studies):
        return {name: studies.index(name) for name in numbers}
    try:
        whole = {name: int(name) for name in numbers}
    except ValueError:
        raise InputError(f"{reports.path}: layout rexval: a study number of the errors is neither a row nor a study") from None
    first = 1 if whole and 0 not in whole.values() and max(whole.values()) == len(studies) else 0
    for name, value in whole.items():
        if not 0 <= value - first < len(studies):
            said = f"the errors have study number {name}, the reports {len(studies)} rows"
            raise InputError(f"{reports.path}: layout rexval: {said}; take both files from one download")
    return {name: value - first for name, value in whole.items()}


def radevalx(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of RadEvalX: eight counts of significant and eight of insignificant errors; an empty cell counts 0.

    Reports that were not annotated are no pairs.
    """
    bad: list[BadRecord] = []
    found = {name: _annotated(tables[name], bad) for name in ("significant", "insignificant")}
    holder = next((t for t in tables.values() if t.has("reference") and t.has("candidate")), tables["reports"])
    names = {name: holder.column(name) for name in ("key", "reference", "candidate")}
    others = holder.scores()
    seen: dict[str, str] = {}
    there: set[str] = set()
    for where, row in holder.good(bad):
        key = _whole(cell(row, names["key"]))
        sides = [found[name].get(key) for name in ("significant", "insignificant")]
        if key in there or not any(sides):
            continue
        there.add(key)
        if not sides[0] or not sides[1]:
            missing = tables["significant" if not sides[0] else "insignificant"].path.name
            bad.append(BadRecord(where, key, f"is not annotated in {missing}; it must be in both files of errors"))
            continue
        ratings = {f"category_{n}": sides[0][n] + sides[1][n] for n in _RADEVALX}
        ratings |= {"significant": sum(sides[0].values()), "insignificant": sum(sides[1].values())}
        ratings["total"] = ratings["significant"] + ratings["insignificant"]
        given = {"id": key, "reference": row.get(names["reference"]), "candidate": row.get(names["candidate"])}
        pair = checked(where, given, seen, key, ratings)
        if isinstance(pair, RatedPair):
            values = {name: (any_number(row.get(name)), sign) for name, sign in others.items()}
            pair = replace(pair, given={name: sign * value for name, (value, sign) in values.items() if value is not None})
        yield pair
    for key in sorted((found["significant"].keys() | found["insignificant"].keys()) - there):
        bad.append(BadRecord(str(holder.path), key, "has annotations and no reports"))
    yield from bad


def _annotated(table: Table, bad: list[BadRecord]) -> dict[str, dict[int, float]]:
    """Return the counts of the eight categories by key."""
    key = table.column("key")
    names = {n: table.column(f"category_{n}") for n in _RADEVALX}
    found: dict[str, dict[int, float]] = {}
    for where, row in table.good(bad):
        name = _whole(cell(row, key))
        counts = {n: number(row.get(column), blank=0.0) for n, column in names.items()}
        wrong = next((names[n] for n, count in counts.items() if count is None), None)
        if wrong is not None or name in found:
            bad.append(BadRecord(where, name, f"field '{wrong}' must be a count" if wrong else "the report is annotated twice"))
        else:
            found[name] = {n: count for n, count in counts.items() if count is not None}
    return found


def _mean(readers: Any) -> dict[str, float]:
    """Return the mean of the readers' counts; what a reader does not count is 0."""
    every = list(readers)
    names = {"total": None, "significant": None, "insignificant": None, **{n: None for own in every for n in own}}
    return {name: sum(own.get(name, 0.0) for own in every) / len(every) for name in names}


def _whole(said: str) -> str:
    """Return a whole number as it is written without a point ("3.0": "3"), anything else as it is."""
    return said[:-2] if said.endswith(".0") and said[:-2].isdigit() else said
