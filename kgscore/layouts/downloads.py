"""ReXVal and RadEvalX as they are downloaded: counts of errors, by reader or by category."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kgscore.errors import InputError
from kgscore.layouts.tables import RatedPair, Table, any_number, cell, checked, number
from kgscore.records import BadRecord

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
