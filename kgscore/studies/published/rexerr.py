"""ReXErr: which of the errors that were put into reports and sentences does a metric find?

An error is found where the text with it scores below the text against itself; a tie is not found, nor is what has no score. Of
reports, each holds several errors, so a category's share is that of the reports that hold one of it. A sentence is put
back into its report, so each error stands alone. `auroc` and `auprc` tell reports with errors from those without, as the
stress test of RadOT-Eval (section VI-B) does. An error is `named` where the clinical verdict names one of its category."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.records import BadRecord, clean
from kgscore.results.figure import Figure
from kgscore.runs.batch import scorer_for
from kgscore.studies.published.base import Floats, Found, Request, parted, rows_of, scores_of, share
from kgscore.studies.published.categories import named
from kgscore.studies.published.downloads import LONGEST, Table, cell, layout_named, number, tables_in

LAYOUT = "rexerr"
_CUT = re.compile(r"[,;|\n]")
_NONE = ("none", "nan", "no error")
_ALL, _FREE = "all errors", "no error, other words"
_SAID = {"true": 1, "yes": 1, "false": 0, "no": 0}


@dataclass(frozen=True, slots=True)
class Injected:
    """A text before and after errors were put in. Of a `report`, `kinds` are the categories of all its errors; of a `sentence`
    (with the whole report around it, before and after), those of this one, and none where it was left as it was."""

    where: str
    id: str
    study: str
    level: str
    original: str
    changed: str
    kinds: tuple[str, ...]


def read_errors(source: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[Injected | BadRecord]:
    """Yield every report and sentence of the files given, or what is wrong with a row. A table with a column that says whether
    an error is present is one of sentences.

    A sentence is put back into the report that its study's sentences make, so that additions and omissions are texts to
    score too. Rows marked as neither with nor without an error are left out.

    Raises:
        InputError: a column is missing, or a file as a whole cannot be read.
    """
    seen: set[str] = set()
    for table in tables_in(source, LAYOUT, columns):
        yield from _sentences(table) if table.has("present") else _reports(table, seen)


def _reports(table: Table, seen: set[str]) -> Iterator[Injected | BadRecord]:
    """Yield the reports of a table. Their ids are those of the studies, numbered where a study comes again."""
    bad: list[BadRecord] = []
    original, changed, kinds = (table.column(name) for name in ("original", "changed", "kinds"))
    for where, row in table.good(bad):
        before, after, said = cell(row, original), cell(row, changed), _kinds(cell(row, kinds))
        study = _study(table, row)
        id = f"report {study or len(seen) + 1}"
        id = f"{id} ({len(seen) + 1})" if id in seen else id
        seen.add(id)
        wrong = "" if said else f"field '{kinds}' names no error"
        if not before or not after:
            wrong = f"field '{changed if before else original}' is empty; leave the row out"
        yield BadRecord(where, id, wrong) if wrong else Injected(where, id, study, "report", before, after, said)
    yield from bad


_Row = tuple[str, str, str, int | None, str]


def _sentences(table: Table) -> Iterator[Injected | BadRecord]:
    bad: list[BadRecord] = []
    original, changed, present = (table.column(name) for name in ("original", "changed", "present"))
    kinds = table.has("kinds")
    table.column("study")
    reports: dict[str, list[_Row]] = {}
    for where, row in table.good(bad):
        study, said = _study(table, row), cell(row, present).lower()
        flag = _SAID.get(said, number(said))
        if flag not in (0, 1, 2):
            bad.append(BadRecord(where, study, f"field '{present}' must be 0, 1, or 2 for neither"))
        reports.setdefault(study, []).append(
            (where, cell(row, original), cell(row, changed), int(flag) if flag in (0, 1, 2) else None, cell(row, kinds))
        )
    for study, rows in reports.items():
        yield from _in_context(study, rows)
    yield from bad


def _in_context(study: str, rows: Sequence[_Row]) -> Iterator[Injected]:
    """Yield each sentence of a study inside the report that its sentences make."""
    before = [original for _, original, _, _, _ in rows]
    for place, (where, original, changed, present, kinds) in enumerate(rows):
        if present not in (0, 1) or (present == 0 and original == changed):
            continue
        after = [*before[:place], changed, *before[place + 1 :]]
        whole, erred = (" ".join(part for part in parts if part) for parts in (before, after))
        told = (_kinds(kinds) or ("error",)) if present else ()
        yield Injected(where, f"sentence {study} {place + 1}", study, "sentence", whole, erred, told)


def _study(table: Table, row: Mapping[str, Any]) -> str:
    return cell(row, table.has("study"))


def _kinds(said: str) -> tuple[str, ...]:
    """Return the categories in a cell: one, several with commas between, or a list as Python or JSON writes it.

    >>> _kinds("['Change Location', 'Add Typo']")
    ('change location', 'add typo')
    """
    parts = (" ".join(part.strip(" []'\"()").replace("_", " ").lower().split()) for part in _CUT.split(clean(said)))
    return tuple(dict.fromkeys(part for part in parts if part and len(part) <= LONGEST and part not in _NONE))


def run(name: str, request: Request) -> Found:
    """Return by metric the share of errors found, of all and by category, for reports and for sentences, and how often a sentence
    that was changed without an error is taken for one."""
    found, bad = parted(read_errors(request.source, request.columns))
    values = scores_of(
        [(one.original, text) for one in found for text in (one.original, one.changed)], request
    )  # fmt: skip
    figures: list[Figure] = []
    for level in ("report", "sentence"):
        at = [place for place, one in enumerate(found) if one.level == level]
        for metric, scores in values.items():
            figures += _level(f"{level}s", [found[place] for place in at], metric, scores.reshape(-1, 2)[at], request)
        figures += _named(f"{level}s", [found[place] for place in at], request)
    return Found(figures, bad)


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield the pairs of a text and the same with errors, with the categories."""
    def row(one: Injected) -> list[dict[str, Any]]:
        texts = {"id": one.id, "reference": one.original, "candidate": one.changed, "study": one.study}
        return [texts | {"level": one.level, "errors": list(one.kinds)}]

    return rows_of(read_errors(request.source, request.columns), row)


def _level(task: str, found: Sequence[Injected], metric: str, scores: Floats, request: Request) -> list[Figure]:
    """Return the figures of one metric for reports or sentences; `scores` holds that of the text itself, then with errors."""
    lower: NDArray[np.bool_] = np.asarray(np.less(scores[:, 1], scores[:, 0]))
    unscored: NDArray[np.bool_] = np.asarray(np.logical_not(np.isfinite(scores).all(axis=1)))
    wrong: NDArray[np.bool_] = np.asarray([bool(one.kinds) for one in found], dtype=np.bool_)
    kinds = sorted({kind for one in found for kind in one.kinds})
    groups: list[tuple[str, NDArray[np.bool_]]] = [(_ALL, wrong), *((kind, _of_kind(found, kind)) for kind in kinds)]
    figures = [_found(task, of, metric, "found", mine, lower, unscored, found, request) for of, mine in groups if mine.any()]
    right = np.logical_not(wrong)
    if right.any():
        figures.append(_found(task, _FREE, metric, "false alarms", right, lower, unscored, found, request))
    both = scores[wrong & ~unscored]
    if task == "reports" and len(both):
        for measure, value in (("auroc", auroc(both[:, 0], both[:, 1])), ("auprc", auprc(both[:, 0], both[:, 1]))):
            figures.append(Figure(task, _ALL, metric, measure, value, None, None, 2 * len(both), int(unscored.sum())))
    return figures


def _named(task: str, found: Sequence[Injected], request: Request) -> list[Figure]:
    """Return the share of errors of which the clinical verdict names the category, and that of texts without an error in which it
    names a major one."""
    called = layout_named(LAYOUT).categories
    scorer = scorer_for(replace(request.settings, metrics=("clinical",)))
    hits: dict[str, list[bool]] = {}
    studies: dict[str, list[str]] = {}
    for one in found:
        result = scorer.score(reference=one.original, candidate=one.changed)
        for kind in [kind for kind in one.kinds if kind in called] or ([] if one.kinds else [_FREE]):
            hit = not named(result).isdisjoint(called[kind]) if one.kinds else bool(named(result, minor=False))
            for of in (_ALL, kind) if one.kinds else (kind,):
                hits.setdefault(of, []).append(hit)
                studies.setdefault(of, []).append(one.study or one.id)
    return [
        share(task, of, "clinical", "named wrongly" if of == _FREE else "named", mine, request, studies[of])
        for of, mine in sorted(hits.items(), key=lambda item: (item[0] != _ALL, item[0]))
    ]


def _of_kind(found: Sequence[Injected], kind: str) -> NDArray[np.bool_]:
    return np.asarray([kind in one.kinds for one in found], dtype=np.bool_)


def _found(
    task: str, of: str, metric: str, measure: str, mine: NDArray[np.bool_], lower: NDArray[np.bool_],
    unscored: NDArray[np.bool_], found: Sequence[Injected], request: Request,
) -> Figure:  # fmt: skip
    studies = [one.study or one.id for one, this in zip(found, mine, strict=True) if this]
    return share(task, of, metric, measure, lower[mine], request, studies, int(unscored[mine].sum()))


def auroc(good: Floats, bad: Floats) -> float:
    """Return how often a good text scores above a bad one, over all pairs of them; a tie counts a half."""
    ordered = np.sort(bad)
    below, up_to = np.searchsorted(ordered, good, "left"), np.searchsorted(ordered, good, "right")
    return float((below + up_to).sum() / (2 * len(good) * len(bad)))


def auprc(good: Floats, bad: Floats) -> float:
    """Return the average precision of finding bad texts from the lowest score up; texts of one score come together."""
    levels = np.unique(np.concatenate([good, bad]))
    hits = np.searchsorted(np.sort(bad), levels, "right")
    precision = hits / (hits + np.searchsorted(np.sort(good), levels, "right"))
    return float((np.diff(hits, prepend=0) * precision).sum() / len(bad))
