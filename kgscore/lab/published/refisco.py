"""ReFiSco: are lines corrected as by a radiologist, with the same severity?

As in FineRadScore's evaluation (sections 5 and 6): the candidate is the original report, the reference the report after the
reader's corrections. Types of correction (table 1), severities of lines and of reports (section 6.4, the maximum of its lines),
and how far several readers of one report differ; every metric with the severity of the whole report; and the errors of the
clinical verdict, whose tiers are the paper's severities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from kgscore.io.records import BadRecord
from kgscore.lab.correlation import Figure
from kgscore.lab.published.base import Found, Request, agreement, agreement_by_name, by_category, error_tiers, share
from kgscore.lab.published.counted import correlations
from kgscore.lab.published.counted import pairs as rated_pairs_of
from kgscore.lab.published.downloads import Layout, RatedPair, Row, Table, any_number, map_usable, split_errors, tables_of
from kgscore.metrics.lines import join_lines
from kgscore.model import TIERS, Correction
from kgscore.results.resampling import Floats
from kgscore.runs.batch import scorer_for

_KEPT, _DELETED = "noedit", "delete"


@dataclass(frozen=True, slots=True)
class Annotated:
    """One reader's annotation of a report, with the expected corrections; several readers may have the same `report`."""

    where: str
    id: str
    study: str
    report: str
    lines: tuple[str, ...]
    due: tuple[Correction, ...]
    corrected: tuple[str, ...]

    @property
    def worst(self) -> int:
        """The highest severity of a correction or insertion; 0 if there is none."""
        return max((one.severity for one in self.due), default=0)

    @property
    def reference(self) -> str:
        """The report after the corrections."""
        return join_lines(self.corrected)[0].strip()

    @property
    def candidate(self) -> str:
        """The original report."""
        return join_lines(self.lines)[0].strip()


def read_annotations(table: Table) -> Iterator[Annotated | BadRecord]:
    """Yield every annotation of every report, or its error."""
    rows, bad = split_errors(table.rows("study", "annotator", "source", "original", "edited", "severity"))
    reports: dict[tuple[str, str, str], list[Row]] = {}
    for row in rows:
        reports.setdefault((row.text("study"), row.text("annotator"), row.text("source")), []).append(row)
    for (study, annotator, source), lines in reports.items():
        report = f"{study} {source}".strip()
        yield _annotation((f"{report} {annotator}".strip(), study, report), lines, table)
    yield from bad


def _annotation(named: tuple[str, str, str], rows: Sequence[Row], table: Table) -> Annotated | BadRecord:
    lines: list[str] = []
    corrected: list[str] = []
    due: list[Correction] = []
    for row in rows:
        original, edited = row.text("original"), row.text("edited")
        action = "".join(letter for letter in edited.lower() if letter.isalpha())
        if original:
            lines.append(original)
        if action in (_KEPT, "") or (action == _DELETED and not original):
            corrected += [original] if original else []
            continue
        severity = _severity(row.text("severity"), table.layout)
        if severity is None:
            said = f"is not a severity; it must be 0 to 4 or one of {', '.join(table.layout.severities)}"
            return BadRecord(row.where, named[0], f"field '{table.column('severity')}' {said}")
        kept = action != _DELETED
        if kept:
            corrected.append(edited)
        kind: Literal["delete", "substitute", "insert"] = "insert" if not original else "substitute" if kept else "delete"
        due.append(Correction(len(lines) - 1 if original else None, kind, edited if kept else "", severity, (), ""))
    return Annotated(rows[0].where, *named, tuple(lines), tuple(due), tuple(corrected))


def rated(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the reports of ReFiSco: the candidate is the original report, the reference the report after a reader's corrections.

    `total` counts the corrected lines, `significant` the actionable ones; `severity` sums their severities (1 to 4).
    """
    seen: dict[str, str] = {}

    def pair_of(one: Annotated) -> RatedPair | BadRecord:
        graded = [due.severity for due in one.due]
        significant = sum(due.significant for due in one.due)
        ratings = {
            "total": float(len(graded)), "significant": float(significant), "severity": float(sum(graded)),
            "max_severity": float(one.worst), "insignificant": float(len(graded) - significant),
        }  # fmt: skip
        row = Row(one.where, {"id": one.id, "reference": one.reference, "candidate": one.candidate})
        return row.pair(seen, one.study, ratings)

    yield from map_usable(read_annotations(tables["lines"]), pair_of)


def _severity(said: str, layout: Layout) -> int | None:
    words = " ".join(said.lower().replace("-", "").replace("error", " ").split())
    if words in ("", "no"):
        return 0
    if words in layout.severities:
        return layout.severities[words]
    value = any_number(said)
    return int(value) if value is not None and value in (0, 1, 2, 3, 4) else None


pairs = rated_pairs_of
_TYPES = {"none": "no change", "delete": "delete", "substitute": "rewrite", "insert": "insert", "no_insert": "no insert"}
_MADE, _VERDICT = "corrections", "clinical"


def run(name: str, request: Request) -> Found:
    """Return accuracy by type of correction, agreement and errors of severities, and the correlation of metrics with them."""
    tables = tables_of(request.source, name, request.columns)
    found, bad = split_errors(read_annotations(tables["lines"]))
    scorer = scorer_for(replace(request.settings, metrics=("fineradscore",)))
    results = [(one, scorer.correct(reference=one.reference, candidate=one.lines, id=one.id)) for one in found]
    made = [(one, result.corrections) for one, result in results if result.status == "scored"]
    unscored = len(found) - len(made)
    said = f"{unscored} reports have no lines on one side and are excluded from all but the correlations"
    whole = replace(request, whole_studies=True)
    figures = [*_types(made, request), *_severities(made, whole), *_readers(found, request), *_verdicts(found, whole)]
    rows, _ = split_errors(rated(tables))
    figures += correlations("reports", {of: of for of in ("severity", "max_severity", "total")}, rows, request)
    return Found(figures, bad, [said] if unscored else [])


_Made = Sequence[tuple[Annotated, tuple[Correction, ...]]]


def _types(made: _Made, request: Request) -> list[Figure]:
    """Return the share of lines treated as the reader did; of insertions, the share of reports with one, or without one."""
    treated: dict[str, list[tuple[bool, str]]] = {kind: [] for kind in _TYPES}
    for one, given in made:
        got, due = ({each.line: each.action for each in some if each.action != "insert"} for some in (given, one.due))
        for line in range(len(one.lines)):
            treated[due.get(line, "none")].append((got.get(line, "none") == due.get(line, "none"), one.study))
        inserted, wanted = (any(each.action == "insert" for each in some) for some in (given, one.due))
        treated["insert" if wanted else "no_insert"].append((inserted == wanted, one.study))
    return [
        share("type of correction", _TYPES[kind], _MADE, "accuracy", [r for r, _ in rows], request, [study for _, study in rows])
        for kind, rows in treated.items()
        if rows
    ]


def _severities(made: _Made, request: Request) -> list[Figure]:
    """Return the correlation of severities of lines and of reports (0: no correction) with the reader's, and their distance."""
    lines: list[tuple[int, int, str]] = []
    reports: list[tuple[int, int, str]] = []
    for one, given in made:
        got, due = ({each.line: each.severity for each in some if each.action != "insert"} for some in (given, one.due))
        lines += [(got.get(line, 0), due.get(line, 0), one.study) for line in range(len(one.lines))]
        reports.append((max((each.severity for each in given), default=0), one.worst, one.study))
    return [*_compare("severity of lines", _MADE, lines, request), *_compare("severity of reports", _MADE, reports, request)]


def _compare(task: str, name: str, rows: Sequence[tuple[int, int, str]], request: Request) -> list[Figure]:
    """Return the agreement and the errors of severities given, compared with those expected; each with its study."""
    mine, theirs = (np.asarray([row[side] for row in rows], dtype=np.float64) for side in (0, 1))
    studies = [row[2] for row in rows]
    figures = agreement(task, "all", name, mine, theirs, request, studies)
    return figures + _distances(task, name, mine - theirs, studies, request)


def _distances(task: str, name: str, off: Floats, studies: Sequence[str], request: Request) -> list[Figure]:
    measures = (("mean absolute error", np.abs(off)), ("the same", off == 0), ("within one", np.abs(off) <= 1))
    return [share(task, "all", name, measure, values, request, studies) for measure, values in measures]


def _verdicts(found: Sequence[Annotated], request: Request) -> list[Figure]:
    """Return the agreement of the verdict's errors with those a reader corrected: by severity, the worst, and their number."""
    scorer = scorer_for(replace(request.settings, metrics=("clinical",)))
    kept = []
    for one in found:
        result = scorer.score(reference=one.reference, candidate=one.candidate)
        if result.verdict is not None:
            kept.append((one, error_tiers(result)))
    if not kept:
        return []
    rows = [agreement_by_name(set(given), {each.severity for each in one.due}, sorted(TIERS)) for one, given in kept]
    names = [f"{tier} {word}" for tier, word in sorted(TIERS.items())]
    worst = [(max(given, default=0), one.worst, one.study) for one, given in kept]
    mine, theirs = np.asarray([(len(given), len(one.due)) for one, given in kept], dtype=np.float64).T
    return [
        *by_category("severities of the verdict", _VERDICT, names, rows, request),
        *_compare("severity of reports", _VERDICT, worst, request),
        *agreement("errors of the verdict", "total", _VERDICT, mine, theirs, request, [one.study for one, _ in kept]),
    ]


def _readers(found: Sequence[Annotated], request: Request) -> list[Figure]:
    """Return how far the severities of several readers for one report differ: the attainable agreement."""
    several: dict[str, list[Annotated]] = {}
    for one in found:
        several.setdefault(one.report, []).append(one)
    pairs = [pair for same in several.values() for pair in combinations(same, 2)]
    off = np.asarray([one.worst - other.worst for one, other in pairs], dtype=np.float64)
    return _distances("severity of reports", "another reader", off, [one.study for one, _ in pairs], request) if pairs else []
