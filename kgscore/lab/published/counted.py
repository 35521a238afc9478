"""ReXVal and RadEvalX: do scores fall as the number of errors counted by radiologists rises?

ReXVal (Yu et al. 2023): Kendall's τ_b with total and with clinically significant errors, the mean over six readers, 200 pairs.
RadEvalX (Calamida et al. 2024): the same with significant and insignificant errors of eight categories, 100 pairs. Scores
of the download for each pair are reported with kgscore's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kgscore.errors import InputError
from kgscore.io.records import BadRecord
from kgscore.lab.correlation import Figure
from kgscore.lab.published.base import Found, Request, agreement, agreement_by_name, by_category, category_counts, scores_of
from kgscore.lab.published.downloads import RatedPair, Row, Table, map_usable, quality, read_pairs, split_errors
from kgscore.runs.batch import scorer_for

TARGETS = ("total", "significant", "insignificant")
# The categories of errors (RadEvalX; ReXVal has the first six).
CATEGORIES = (
    "false finding", "omission", "wrong location", "wrong severity", "unsupported comparison", "omitted comparison",
    "unsupported uncertainty", "omitted uncertainty",
)  # fmt: skip
_COUNT = {"rexval": 6, "radevalx": 8}
_SIDES = ("significant", "insignificant")


def run(name: str, request: Request) -> Found:
    """Return the agreement of every metric with every count of errors, and that of kgscore's corrections (FineRadScore, appendix
    D) and of the errors of its clinical verdict with the categories of errors that readers counted."""
    found, bad = split_errors(read_pairs(request.source, name, request.columns))
    figures = correlations("errors counted", {name: name for name in TARGETS}, found, request)
    return Found([*figures, *_categories(name, found, request)], bad)


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield the pairs with study and ratings."""
    return map_usable(read_pairs(request.source, name, request.columns), RatedPair.as_row)


def correlations(task: str, targets: Mapping[str, str], found: Sequence[RatedPair], request: Request) -> list[Figure]:
    """Return the agreement of all metrics, and of the scores in the download, with each rating named in `targets`."""
    values = scores_of([(pair.reference, pair.candidate) for pair in found], request)
    for other in dict.fromkeys(name for pair in found for name in pair.given):
        values[f"{other} (in the download)"] = np.asarray([pair.given.get(other, np.nan) for pair in found])
    studies = [pair.study for pair in found]
    figures = []
    for target, of in targets.items():
        rated = np.asarray([np.nan if (value := quality(pair, target)) is None else value for pair in found])
        for metric, scores in values.items() if np.isfinite(rated).any() else ():
            figures += agreement(task, of, metric, scores, rated, request, studies)
    return figures


def _categories(name: str, found: Sequence[RatedPair], request: Request) -> list[Figure]:
    """Return the agreement of the categories of corrections and of the verdict's errors with those that people counted."""
    kinds = range(1, _COUNT[name] + 1)
    scorer = scorer_for(replace(request.settings, metrics=("clinical", "fineradscore")))
    corrections: list[list[list[bool]]] = []
    errors: list[list[list[bool]]] = []
    numbers: list[tuple[float, float]] = []
    studies: list[str] = []
    for pair in found:
        due = {n for n in kinds if pair.ratings.get(f"category_{n}", 0) > 0}
        made = scorer.correct(reference=pair.reference, candidate=pair.candidate)
        result = scorer.score(reference=pair.reference, candidate=pair.candidate)
        if made.status != "scored" or result.verdict is None:
            continue
        named = category_counts(result)
        said = {n for one in made.corrections for n in (one.categories if name == "rexval" else one.radevalx)}
        corrections.append(agreement_by_name(said, due, kinds))
        errors.append(agreement_by_name(set(named), due, kinds))
        numbers.append((-float(sum(named[n] for n in kinds)), -pair.ratings["total"]))
        studies.append(pair.study)
    names = [f"{n} {category}" for n, category in enumerate(CATEGORIES, start=1)]
    figures = by_category("categories of corrections", "corrections", names, corrections, request)
    figures += by_category("categories of the verdict", "clinical", names, errors, request)
    if numbers:
        mine, theirs = np.asarray(numbers).T
        figures += agreement("errors of the verdict", "total", "clinical", mine, theirs, request, studies)
    return figures


# ---- ReXVal ----------------------------------------------------------------------------------------------------------
_Ratings = dict[tuple[str, str], dict[str, float]]


def rexval(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of ReXVal: each study with its candidates, and the errors that the readers counted, averaged."""
    reports, errors = tables["reports"], tables["errors"]
    means, bad = _means(errors)
    numbers = list(dict.fromkeys(study for study, _ in means))
    kinds = list(dict.fromkeys(kind for _, kind in means))
    for kind in kinds:
        if kind not in reports.header:
            raise InputError(f"{reports.path}: layout rexval: no column '{kind}', which {errors.path.name} has errors of")
    rows, unread = split_errors(reports.rows("study", "reference", also=kinds))
    positions = _positions(reports, numbers, [str(row.cells.get("study")) for row in rows])
    by_row = {positions[name]: name for name in numbers}
    seen: dict[str, str] = {}
    for place, row in enumerate(rows):
        for kind in kinds:
            ratings = means.get((by_row.get(place, ""), kind))
            id = f"{place} {kind}"
            if ratings:
                one = Row(row.where, {"id": id, "reference": row.cells.get("reference"), "candidate": row.cells.get(kind)})
                yield one.pair(seen, str(row.cells.get("study")), ratings)
            else:
                bad.append(BadRecord(row.where, id, f"no reader counted errors in {errors.path.name}"))
    yield from (*bad, *unread)


def _means(table: Table) -> tuple[_Ratings, list[BadRecord]]:
    """Return the means of the readers' counts by study and candidate (a count omitted is 0), and the errors of rows."""
    sums: _Ratings = {}
    readers: dict[tuple[str, str], set[str]] = {}
    rows, bad = split_errors(table.rows("number", "kind", "rater", "category", "significance", "errors"))
    for row in rows:
        significant, count = row.truth("significance"), row.number("errors")
        if significant not in (0, 1) or count is None:
            wrong, form = ("significance", "true or false") if significant not in (0, 1) else ("errors", "a count")
            bad.append(BadRecord(row.where, None, f"field '{table.column(wrong)}' must be {form}"))
            continue
        key = (_integer_text(row.text("number")), row.text("kind"))
        readers.setdefault(key, set()).add(row.text("rater"))
        own = sums.setdefault(key, dict.fromkeys(TARGETS, 0.0))
        for name in ("total", _SIDES[not significant], f"category_{_integer_text(row.text('category'))}"):
            own[name] = own.get(name, 0.0) + count
    return {key: {name: value / len(readers[key]) for name, value in own.items()} for key, own in sums.items()}, bad


def _positions(reports: Table, numbers: Sequence[str], studies: Sequence[str]) -> dict[str, int]:
    """Return the row of each study number: counted from 0, from 1 if 0 does not occur and the last does, or its id."""
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


# ---- RadEvalX --------------------------------------------------------------------------------------------------------
def radevalx(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the annotated pairs of RadEvalX: eight counts of significant and of insignificant errors; an empty cell is 0."""
    bad: list[BadRecord] = []
    found = {name: _annotation_counts(tables[name], bad) for name in _SIDES}
    holder = next((t for t in tables.values() if t.has("reference") and t.has("candidate")), tables["reports"])
    others = holder.scores()
    rows, unread = split_errors(holder.rows("key", "reference", "candidate", also=others))
    seen: dict[str, str] = {}
    there: set[str] = set()
    for row in rows:
        key = _integer_text(row.text("key"))
        counts = {name: found[name][key] for name in _SIDES if key in found[name]}
        if key in there or not counts:
            continue
        there.add(key)
        if len(counts) < len(_SIDES):
            missing = next(tables[name].path.name for name in _SIDES if name not in counts)
            bad.append(BadRecord(row.where, key, f"is not annotated in {missing}; it must be in both files of errors"))
            continue
        pair = replace(row, cells={**row.cells, "id": key}).pair(seen, key, _sums(counts))
        yield replace(pair, given=row.signed(others)) if isinstance(pair, RatedPair) else pair
    for key in sorted((found[_SIDES[0]].keys() | found[_SIDES[1]].keys()) - there):
        bad.append(BadRecord(str(holder.path), key, "has annotations and no reports"))
    yield from (*bad, *unread)


def _sums(counts: Mapping[str, Mapping[int, float]]) -> dict[str, float]:
    sums = {name: sum(counts[name].values()) for name in _SIDES}
    by_category = {f"category_{n}": sum(counts[name][n] for name in _SIDES) for n in counts[_SIDES[0]]}
    return {**by_category, **sums, "total": sum(sums.values())}


def _annotation_counts(table: Table, bad: list[BadRecord]) -> dict[str, dict[int, float]]:
    """Return the counts of the eight categories by key."""
    found: dict[str, dict[int, float]] = {}
    rows, unread = split_errors(table.rows("key", *(f"category_{n}" for n in range(1, 9))))
    bad += unread
    for row in rows:
        name = _integer_text(row.text("key"))
        given = {n: row.number(f"category_{n}", blank=0.0) for n in range(1, 9)}
        counts = {n: count for n, count in given.items() if count is not None}
        if wrong := next((n for n in given if n not in counts), None):
            bad.append(BadRecord(row.where, name, f"field '{table.column(f'category_{wrong}')}' must be a count"))
        elif name in found:
            bad.append(BadRecord(row.where, name, "the report is annotated twice"))
        else:
            found[name] = counts
    return found


def _integer_text(said: str) -> str:
    """Return an integer without a decimal point ("3.0": "3"), anything else unchanged."""
    return said[:-2] if said.endswith(".0") and said[:-2].isdigit() else said
