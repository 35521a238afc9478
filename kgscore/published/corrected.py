"""ReFiSco: are lines corrected as a radiologist corrected them, and as severe as they are?

As FineRadScore evaluates it (sections 5 and 6): the candidate is the report as it was, the reference what the reader's
corrections make of it. Types of correction (table 1), severities of lines and of reports (section 6.4, the maximum of its lines),
and how far several readers of one report differ; and every metric with the severity of the whole report.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from kgscore.batch import Settings, scorer_for
from kgscore.layouts.pairs import read_pairs
from kgscore.layouts.refisco import Annotated, annotated
from kgscore.layouts.tables import Table, check_names, files_of, layout_named
from kgscore.model import Correction
from kgscore.published import rated
from kgscore.published.base import Floats, Found, Request, agreement, parted, share
from kgscore.results.figure import Figure

pairs = rated.pairs
_TYPES = {"none": "no change", "delete": "delete", "substitute": "rewrite", "insert": "insert", "no_insert": "no insert"}
_MADE = "corrections"


def run(name: str, request: Request) -> Found:
    """Return accuracy by type of correction, agreement and errors of severities, and the correlation of metrics with them."""
    layout = layout_named(name)
    check_names(layout, request.columns)
    found, bad = parted(annotated(Table(files_of(request.source, name)["lines"], layout, request.columns)))
    scorer = scorer_for(Settings(request.settings.profile, ("fineradscore",), request.settings.modules))
    made: list[tuple[Annotated, tuple[Correction, ...]]] = []
    notes: list[str] = []
    unscored = 0
    for one in found:
        result = scorer.correct(reference=one.reference, candidate=one.lines, id=one.id)
        unscored += result.status != "scored"
        if result.status == "scored":
            made.append((one, result.corrections))
    if unscored:
        notes.append(f"{unscored} reports hold nothing to correct on one side and are left out of all but the correlations")
    figures = [*_types(made, request), *_severities(made, request), *_readers(found, request)]
    rows, _ = parted(read_pairs(request.source, name, request.columns))
    figures += rated.correlated("reports", ("severity", "max_severity", "total"), rows, request)
    return Found(figures, bad, notes)


def _types(made: Sequence[tuple[Annotated, tuple[Correction, ...]]], request: Request) -> list[Figure]:
    """Return the share of lines treated as the reader did; of insertions, the share of reports with one, or without one."""
    right: dict[str, list[bool]] = {kind: [] for kind in _TYPES}
    studies: dict[str, list[str]] = {kind: [] for kind in _TYPES}
    for one, given in made:
        got = {each.line: each.action for each in given if each.line is not None}
        due = {each.line: each.action for each in one.due if each.line is not None}
        treated = [(due.get(line, "none"), got.get(line, "none") == due.get(line, "none")) for line in range(len(one.lines))]
        inserted, wanted = (any(each.line is None for each in some) for some in (given, one.due))
        for kind, hit in (*treated, ("insert" if wanted else "no_insert", inserted == wanted)):
            right[kind].append(hit)
            studies[kind].append(one.study)
    return [
        share("type of correction", _TYPES[kind], _MADE, "accuracy", hits, request, studies[kind])
        for kind, hits in right.items()
        if hits
    ]


def _severities(made: Sequence[tuple[Annotated, tuple[Correction, ...]]], request: Request) -> list[Figure]:
    """Return how severities of lines and of reports (0: no correction) go with the reader's, and how far they are from them."""
    lines: list[tuple[int, int, str]] = []
    reports: list[tuple[int, int, str]] = []
    for one, given in made:
        got = {each.line: each.severity for each in given}
        lines += [(got.get(line, 0), wanted, one.study) for line, wanted in enumerate(one.severities)]
        reports.append((max((each.severity for each in given), default=0), one.worst, one.study))
    figures: list[Figure] = []
    for task, rows in (("severity of lines", lines), ("severity of reports", reports)):
        mine, theirs = (np.asarray([row[side] for row in rows], dtype=np.float64) for side in (0, 1))
        studies = [row[2] for row in rows]
        figures += agreement(task, "all", _MADE, mine, theirs, replace(request, whole_studies=True), studies)
        figures += _distances(task, _MADE, mine - theirs, studies, request)
    return figures


def _distances(task: str, name: str, off: Floats, studies: Sequence[str], request: Request) -> list[Figure]:
    measures = (("mean absolute error", np.abs(off)), ("the same", off == 0), ("within one", np.abs(off) <= 1))
    return [share(task, "all", name, measure, values, request, studies) for measure, values in measures]


def _readers(found: Sequence[Annotated], request: Request) -> list[Figure]:
    """Return how far the severities that several readers gave one report differ: what can be reached."""
    several: dict[str, list[Annotated]] = {}
    for one in found:
        several.setdefault(one.report, []).append(one)
    off, studies = [], []
    for same in several.values():
        for one, other in combinations(same, 2):
            off.append(one.worst - other.worst)
            studies.append(one.study)
    if not off:
        return []
    return _distances("severity of reports", "another reader", np.asarray(off, dtype=np.float64), studies, request)

