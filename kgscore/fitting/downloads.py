"""The layouts of published sets that take more than naming columns: ReXVal, RadEvalX and ReFiSco as they are downloaded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgscore.errors import InputError
from kgscore.fitting.tables import Layout, RatedPair, Table, checked, number
from kgscore.records import BadRecord

_YES = {"true": True, "1": True, "1.0": True, "yes": True, "false": False, "0": False, "0.0": False, "no": False}
_RADEVALX = range(1, 9)
# From this severity on an error is one to act upon (FineRadScore, appendix A).
ACTIONABLE = 2


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
        study, kind, rater, category, significance, made = (_cell(row, name) for name in names)
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
    seen: dict[str, str] = {}
    there: set[str] = set()
    for where, row in holder.good(bad):
        key = _whole(_cell(row, names["key"]))
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
        yield checked(where, given, seen, key, ratings)
    for key in sorted((found["significant"].keys() | found["insignificant"].keys()) - there):
        bad.append(BadRecord(str(holder.path), key, "has annotations and no reports"))
    yield from bad


def _annotated(table: Table, bad: list[BadRecord]) -> dict[str, dict[int, float]]:
    """Return the counts of the eight categories by key."""
    key = table.column("key")
    names = {n: table.column(f"category_{n}") for n in _RADEVALX}
    found: dict[str, dict[int, float]] = {}
    for where, row in table.good(bad):
        name = _whole(_cell(row, key))
        counts = {n: number(row.get(column), blank=0.0) for n, column in names.items()}
        wrong = next((names[n] for n, count in counts.items() if count is None), None)
        if wrong is not None or name in found:
            bad.append(BadRecord(where, name, f"field '{wrong}' must be a count" if wrong else "the report is annotated twice"))
        else:
            found[name] = {n: count for n, count in counts.items() if count is not None}
    return found


def refisco(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the reports of ReFiSco: the candidate is the report as it was, the reference what a reader's corrections make of it.

    `total` counts the lines corrected, `significant` those to act upon; `severity` adds up their severities (1 to 4).
    """
    table = tables["lines"]
    bad: list[BadRecord] = []
    names = {name: table.column(name) for name in ("study", "annotator", "source", "original", "edited", "severity")}
    reports: dict[tuple[str, str, str], list[tuple[str, Mapping[str, Any]]]] = {}
    for where, row in table.good(bad):
        group = (_cell(row, names["study"]), _cell(row, names["annotator"]), _cell(row, names["source"]))
        reports.setdefault(group, []).append((where, row))
    seen: dict[str, str] = {}
    for (study, annotator, source), lines in reports.items():
        yield _corrected(f"{study} {source} {annotator}", study, lines, names, table.layout, seen)
    yield from bad


def _corrected(
    id: str, study: str, lines: Sequence[tuple[str, Mapping[str, Any]]], names: Mapping[str, str], layout: Layout,
    seen: dict[str, str],
) -> RatedPair | BadRecord:  # fmt: skip
    """Return one annotation of one report: its lines joined, before and after the corrections."""
    before, after, graded = [], [], []
    for where, row in lines:
        original, edited = _cell(row, names["original"]), _cell(row, names["edited"])
        action = "".join(letter for letter in edited.lower() if letter.isalpha())
        if original:
            before.append(original)
        if action in ("noedit", "") and original:
            after.append(original)
            continue
        severity = _severity(_cell(row, names["severity"]), layout)
        if severity is None:
            known = ", ".join(layout.severities)
            return BadRecord(where, id, f"field '{names['severity']}' is no severity; it is 0 to 4 or one of {known}")
        graded.append(severity)
        if action not in ("delete", "noedit"):
            after.append(edited)
    ratings = {
        "total": float(len(graded)), "significant": float(sum(s >= ACTIONABLE for s in graded)), "severity": float(sum(graded)),
        "max_severity": float(max(graded, default=0)),
    }  # fmt: skip
    ratings["insignificant"] = ratings["total"] - ratings["significant"]
    return checked(lines[0][0], {"id": id, "reference": _joined(after), "candidate": _joined(before)}, seen, study, ratings)


def _severity(said: str, layout: Layout) -> int | None:
    words = " ".join(said.lower().replace("-", "").replace("error", " ").split())
    if words in ("", "no"):
        return 0
    if words in layout.severities:
        return layout.severities[words]
    value = number(said)
    return int(value) if value is not None and value in (0, 1, 2, 3, 4) else None


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(line if line.endswith((".", "!", "?", ":")) else f"{line}." for line in lines)


def _mean(readers: Any) -> dict[str, float]:
    """Return the mean of the readers' counts; what a reader does not count is 0."""
    every = list(readers)
    names = {"total": None, "significant": None, "insignificant": None, **{n: None for own in every for n in own}}
    return {name: sum(own.get(name, 0.0) for own in every) / len(every) for name in names}


def _cell(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else " ".join(str(value).split())


def _whole(said: str) -> str:
    """Return a whole number as it is written without a point ("3.0": "3"), anything else as it is."""
    return said[:-2] if said.endswith(".0") and said[:-2].isdigit() else said
