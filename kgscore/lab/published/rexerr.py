"""ReXErr: which of the errors inserted into reports and sentences does a metric detect?

An error is detected if the text with it scores below the text against itself; a tie is not detected, nor is a missing score.
Each report has several errors, so a category's share is over the reports with an error of it. A sentence is put
back into its report, so each error occurs alone. `auroc` and `auprc` separate reports with errors from those without, as in
the stress test of RadOT-Eval (section VI-B). An error is `named` if the clinical verdict has one of its category."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.io.records import BadRecord, clean
from kgscore.lab.correlation import Figure
from kgscore.lab.published.base import Found, Request, error_names, scores_of, share
from kgscore.lab.published.downloads import LONGEST, Row, Table, get_layout, map_usable, split_errors, tables_in
from kgscore.results.resampling import Floats
from kgscore.runs.batch import scorer_for

LAYOUT = "rexerr"
_CUT = re.compile(r"[,;|\n]")
_NONE = ("none", "nan", "no error")
_ALL, _FREE = "all errors", "no error, other words"


@dataclass(frozen=True, slots=True)
class Injected:
    """A text before and after errors were inserted. For a `report`, `kinds` are the categories of its errors; for a `sentence`
    (with the whole report around it, before and after), those of this one, empty if it was unchanged."""

    where: str
    id: str
    study: str
    level: str
    original: str
    changed: str
    kinds: tuple[str, ...]


def read_errors(source: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[Injected | BadRecord]:
    """Yield every report and sentence of the given files, or the error of a row. A table with a column for the presence
    of an error is one of sentences.

    A sentence is put back into the report that its study's sentences make, so that additions and omissions are texts to
    score too. Rows marked as neither with nor without an error are skipped.
    """
    seen: set[str] = set()
    for table in tables_in(source, LAYOUT, columns):
        yield from _sentences(table) if table.has("present") else _reports(table, seen)


def _reports(table: Table, seen: set[str]) -> Iterator[Injected | BadRecord]:
    """Yield the reports of a table. Their ids are those of the studies, numbered if repeated."""

    def report(row: Row) -> Injected | BadRecord:
        before, after, said, study = row.text("original"), row.text("changed"), _kinds(row.text("kinds")), row.text("study")
        id = f"report {study or len(seen) + 1}"
        id = f"{id} ({len(seen) + 1})" if id in seen else id
        seen.add(id)
        if before and after and said:
            return Injected(row.where, id, study, "report", before, after, said)
        lacking = "original" if not before else "changed" if not after else "kinds"
        wrong = "names no error" if lacking == "kinds" else "is empty; remove the row"
        return BadRecord(row.where, id, f"field '{table.column(lacking)}' {wrong}")

    return map_usable(table.rows("original", "changed", "kinds"), report)


def _sentences(table: Table) -> Iterator[Injected | BadRecord]:
    reports: dict[str, list[Row]] = {}
    rows, bad = split_errors(table.rows("original", "changed", "present", "study"))
    for row in rows:
        if row.truth("present") not in (0, 1, 2):
            said = f"field '{table.column('present')}' must be 0, 1, or 2 for neither"
            bad.append(BadRecord(row.where, row.text("study"), said))
        reports.setdefault(row.text("study"), []).append(row)
    for study, sentences in reports.items():
        yield from _in_context(study, sentences)
    yield from bad


def _in_context(study: str, rows: Sequence[Row]) -> Iterator[Injected]:
    """Yield each sentence of a study inside the report made from its sentences."""
    before = [row.text("original") for row in rows]
    for place, row in enumerate(rows):
        present, original, changed = row.truth("present"), before[place], row.text("changed")
        if present not in (0, 1) or (present == 0 and original == changed):
            continue
        after = [*before[:place], changed, *before[place + 1 :]]
        whole, erred = (" ".join(part for part in parts if part) for parts in (before, after))
        told = (_kinds(row.text("kinds")) or ("error",)) if present else ()
        yield Injected(row.where, f"sentence {study} {place + 1}", study, "sentence", whole, erred, told)


def _kinds(said: str) -> tuple[str, ...]:
    """Return the categories in a cell: one, several separated by commas, or a list in Python or JSON syntax.

    >>> _kinds("['Change Location', 'Add Typo']")
    ('change location', 'add typo')
    """
    parts = (" ".join(part.strip(" []'\"()").replace("_", " ").lower().split()) for part in _CUT.split(clean(said)))
    return tuple(dict.fromkeys(part for part in parts if part and len(part) <= LONGEST and part not in _NONE))


def run(name: str, request: Request) -> Found:
    """Return by metric the share of errors detected, of all and by category, and how often a mere change is taken for one."""
    found, bad = split_errors(read_errors(request.source, request.columns))
    values = scores_of([(one.original, text) for one in found for text in (one.original, one.changed)], request)
    figures: list[Figure] = []
    for level in ("report", "sentence"):
        at = [place for place, one in enumerate(found) if one.level == level]
        mine = [found[place] for place in at]
        for metric, scores in values.items():
            figures += _level(f"{level}s", mine, metric, scores.reshape(-1, 2)[at], request)
        figures += _category_figures(f"{level}s", mine, request)
    return Found(figures, bad)


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield the pairs of a text and the same with errors, with the categories."""
    def row(one: Injected) -> dict[str, Any]:
        texts = {"id": one.id, "reference": one.original, "candidate": one.changed, "study": one.study}
        return texts | {"level": one.level, "errors": list(one.kinds)}

    return map_usable(read_errors(request.source, request.columns), row)


def _level(task: str, found: Sequence[Injected], metric: str, scores: Floats, request: Request) -> list[Figure]:
    """Return the figures of one metric for reports or sentences; `scores` holds that of the text itself, then with errors."""
    studies = np.asarray([one.study or one.id for one in found], dtype=object)
    lower, unscored = np.less(scores[:, 1], scores[:, 0]), np.logical_not(np.isfinite(scores).all(axis=1))
    wrong = np.asarray([bool(one.kinds) for one in found], dtype=np.bool_)
    kinds = sorted({kind for one in found for kind in one.kinds})
    of_kind = {kind: np.asarray([kind in one.kinds for one in found], dtype=np.bool_) for kind in kinds}
    groups = {_ALL: wrong, **of_kind, _FREE: np.logical_not(wrong)}
    figures = [
        share(
            task, of, metric, "false alarms" if of == _FREE else "found", lower[mine], request, studies[mine].tolist(),
            int(unscored[mine].sum()),
        )
        for of, mine in groups.items() if mine.any()
    ]  # fmt: skip
    both = scores[wrong & ~unscored]
    for measure, area in (("auroc", auroc), ("auprc", auprc)) if task == "reports" and len(both) else ():
        value = area(both[:, 0], both[:, 1])
        figures.append(Figure(task, _ALL, metric, measure, value, None, None, 2 * len(both), int(unscored.sum())))
    return figures


def _category_figures(task: str, found: Sequence[Injected], request: Request) -> list[Figure]:
    """Return the share of errors whose category the verdict names, and of texts without an error with a major one."""
    called = get_layout(LAYOUT).categories
    scorer = scorer_for(replace(request.settings, metrics=("clinical",)))
    hits: dict[str, list[tuple[bool, str]]] = {}
    for one in found:
        result, study = scorer.score(reference=one.original, candidate=one.changed), one.study or one.id
        if not one.kinds:
            hits.setdefault(_FREE, []).append((bool(error_names(result, minor=False)), study))
        for kind in one.kinds:
            if kind in called:
                hit = (not error_names(result).isdisjoint(called[kind]), study)
                hits.setdefault(_ALL, []).append(hit)
                hits.setdefault(kind, []).append(hit)
    return [
        share(
            task, of, "clinical", "named wrongly" if of == _FREE else "named", [hit for hit, _ in mine], request,
            [study for _, study in mine],
        )
        for of, mine in sorted(hits.items(), key=lambda item: (item[0] != _ALL, item[0]))
    ]  # fmt: skip


def auroc(good: Floats, bad: Floats) -> float:
    """Return how often a good text scores above a bad one, over all such pairs; a tie counts a half."""
    ordered = np.sort(bad)
    below, up_to = np.searchsorted(ordered, good, "left"), np.searchsorted(ordered, good, "right")
    return float((below + up_to).sum() / (2 * len(good) * len(bad)))


def auprc(good: Floats, bad: Floats) -> float:
    """Return the average precision of detecting bad texts from the lowest score up; texts with equal scores rank together."""
    levels = np.unique(np.concatenate([good, bad]))
    hits = np.searchsorted(np.sort(bad), levels, "right")
    precision = hits / (hits + np.searchsorted(np.sort(good), levels, "right"))
    return float((np.diff(hits, prepend=0) * precision).sum() / len(bad))
