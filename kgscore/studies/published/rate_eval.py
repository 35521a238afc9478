"""RaTE-Eval: sentences with errors counted, paragraphs rated 0 to 5, and reports rewritten with the same or the reverse meaning.

As its paper reports them (section 4.3): correlation with the normalised error count of a sentence and with the rating of a
paragraph; and how often the synonymous rewriting scores above the antonymous one, a tie being wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kgscore.errors import InputError
from kgscore.records import BadRecord, check_row
from kgscore.results.figure import Figure
from kgscore.studies.published.base import Found, Request, agreement, parted, scores_of, share
from kgscore.studies.published.downloads import (
    TEXTS,
    RatedPair,
    Table,
    any_number,
    cell,
    checked,
    layout_named,
    layouts,
    number,
    read_pairs,
    tables_in,
)

_TRIPLET = ("original", "synonym", "antonym")


class Triplet(NamedTuple):
    """A report with a rewriting that means the same and one that means the reverse."""

    where: str
    id: str
    original: str
    synonym: str
    antonym: str


def run(name: str, request: Request) -> Found:
    """Return the figures of every table: each is of the task that its columns are of."""
    figures: list[Figure] = []
    problems: list[BadRecord] = []
    for path, task, columns in _tasks(name, request):
        if task == "rewritten":
            triplets, bad = parted(_triplets(path, columns))
            figures += _rewritten(f"rewritten reports ({path.name})", triplets, request)
        else:
            rated, bad = parted(read_pairs(path, name, columns))
            values = scores_of([(one.reference, one.candidate) for one in rated], request)
            human = np.asarray([one.ratings["human"] for one in rated])
            for metric, scores in values.items():
                label, of = f"{task} ({path.name})", "errors, normalised" if task == "sentences" else "rating"
                figures += agreement(label, of, metric, scores, human, request, [one.study for one in rated])
        problems += bad
    return Found(figures, problems)


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield the pairs of every table, with `task`; of triplets, the original with each rewriting."""
    tasks = list(_tasks(name, request))
    for path, task, columns in tasks:
        prefix = f"{path.stem} " if len(tasks) > 1 else ""
        for one in _triplets(path, columns) if task == "rewritten" else read_pairs(path, name, columns):
            if isinstance(one, BadRecord):
                yield one
            elif isinstance(one, Triplet):
                for kind, text in (("synonym", one.synonym), ("antonym", one.antonym)):
                    id = f"{prefix}{one.id} {kind}"
                    yield {"id": id, "reference": one.original, "candidate": text, "task": task, "kind": kind}
            else:
                yield one.as_row() | {"id": prefix + one.id, "task": task}


def _tasks(name: str, request: Request) -> Iterator[tuple[Path, str, Mapping[str, str]]]:
    """Yield each table with its task and the columns that were named for it."""
    known = layouts()
    for given in request.columns:
        if given not in known[name].columns and given not in known["triplets"].columns:
            names = ", ".join(dict.fromkeys((*known[name].columns, *known["triplets"].columns)))
            raise InputError(f"layout {name}: '{given}' is no column of it; its columns: {names}")
    mine = {key: value for key, value in request.columns.items() if key in known[name].columns}
    for table in tables_in(request.source, name, mine):
        here = {key: value for key, value in request.columns.items() if value in table.header}
        triplet = Table(table.path, layout_named("triplets"), here)
        if triplet.has("synonym") and triplet.has("antonym"):
            yield table.path, "rewritten", {key: value for key, value in here.items() if key in known["triplets"].columns}
        else:
            counts = table.has("human") is None and table.has("errors") is not None
            yield table.path, "sentences" if counts else "paragraphs", {k: v for k, v in here.items() if k in mine}


def _triplets(path: Path, columns: Mapping[str, str]) -> Iterator[Triplet | BadRecord]:
    table, bad = Table(path, layout_named("triplets"), columns), list[BadRecord]()
    names = {name: table.column(name) for name in _TRIPLET}
    id, seen = table.has("id"), dict[str, str]()
    for place, (where, row) in enumerate(table.good(bad), 1):
        given = {name: row[there] for name, there in names.items() if there in row}
        record = check_row(where, {"id": row.get(id, place) if id else place, **given}, (_TRIPLET,), seen)
        if isinstance(record, BadRecord):
            bad.append(record)
        else:
            yield Triplet(where, record.id, *(record.fields[name] for name in _TRIPLET))
    yield from bad


def _rewritten(task: str, triplets: list[Triplet], request: Request) -> list[Figure]:
    values = scores_of([(one.original, text) for one in triplets for text in (one.synonym, one.antonym)], request)
    figures = []
    for metric, scores in values.items():
        both = scores.reshape(-1, 2)
        unscored = int((~np.isfinite(both)).any(axis=1).sum())
        figures.append(share(task, "all", metric, "accuracy", np.greater(both[:, 0], both[:, 1]), request, unscored=unscored))
    return figures


def rated(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of a rated task of RaTE-Eval: a rating, or errors as a share of those possible (1: none)."""
    table, bad = tables["table"], list[BadRecord]()
    names = {name: table.column(name) for name in TEXTS}
    human, errors, possible = (table.has(name) for name in ("human", "errors", "possible"))
    if human is None and (errors is None or possible is None):
        table.column("human")
    id, study, seen = table.has("id"), table.has("study"), dict[str, str]()
    for place, (where, row) in enumerate(table.good(bad), 1):
        given = {name: row[there] for name, there in names.items() if there in row}
        pair = checked(where, {"id": row.get(id, place) if id else place, **given}, seen, cell(row, study), {})
        if isinstance(pair, BadRecord):
            yield pair
            continue
        if human is not None:
            value, wrong = any_number(row.get(human)), f"field '{human}' must be a number"
        else:
            made, most = number(row.get(errors or "")), number(row.get(possible or ""))
            value = 1.0 - made / most if made is not None and most and made <= most else None
            wrong = f"'{errors}' must be a number between 0 and '{possible}', which is above 0"
        yield (
            BadRecord(where, pair.id, wrong)
            if value is None
            else RatedPair(where, pair.id, pair.study, pair.reference, pair.candidate, {"human": value})
        )
    yield from bad
