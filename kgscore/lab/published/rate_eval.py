"""RaTE-Eval: sentences with errors counted, paragraphs rated 0 to 5, and reports rewritten with the same or the reverse meaning.

As its paper reports them (section 4.3): correlation with the normalised error count of a sentence and with the rating of a
paragraph; and how often the synonymous rewriting scores above the antonymous one, a tie being wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kgscore.io.records import BadRecord, Record
from kgscore.lab.correlation import Figure
from kgscore.lab.published.base import Found, Request, scores_of, share
from kgscore.lab.published.counted import correlations
from kgscore.lab.published.downloads import TEXTS, RatedPair, Row, Table, any_number, map_usable, split_errors, tables_in

_TRIPLET = ("original", "synonym", "antonym")


def run(name: str, request: Request) -> Found:
    """Return the figures of every table; the task is determined by its columns."""
    figures: list[Figure] = []
    problems: list[BadRecord] = []
    for table, task in _tasks(name, request):
        if task == "rewritten":
            triplets, bad = split_errors(_triplets(table))
            figures += _rewriting_figures(f"rewritten reports ({table.path.name})", triplets, request)
        else:
            pairs, bad = split_errors(rated({"table": table}))
            of = "errors, normalised" if task == "sentences" else "rating"
            figures += correlations(f"{task} ({table.path.name})", {"human": of}, pairs, request)
        problems += bad
    return Found(figures, problems)


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield the pairs of every table, with `task`; of triplets, the original with each rewriting."""
    tasks = list(_tasks(name, request))
    for table, task in tasks:
        prefix = f"{table.path.stem} " if len(tasks) > 1 else ""
        for one in _triplets(table) if task == "rewritten" else rated({"table": table}):
            if isinstance(one, BadRecord):
                yield one
            elif isinstance(one, Record):
                for kind in ("synonym", "antonym"):
                    texts = {"reference": one.fields["original"], "candidate": one.fields[kind]}
                    yield {"id": f"{prefix}{one.id} {kind}", **texts, "task": task, "kind": kind}
            else:
                yield one.as_row() | {"id": prefix + one.id, "task": task}


def _tasks(name: str, request: Request) -> Iterator[tuple[Table, str]]:
    """Yield each table with its task, determined by a column."""
    for table in tables_in(request.source, name, request.columns):
        if table.has("synonym") and table.has("antonym"):
            yield table, "rewritten"
        else:
            yield table, "sentences" if table.has("human") is None and table.has("errors") is not None else "paragraphs"


def _triplets(table: Table) -> Iterator[Record | BadRecord]:
    seen: dict[str, str] = {}
    return map_usable(table.rows(*_TRIPLET, numbered=True), lambda row: row.record(_TRIPLET, seen))


def _rewriting_figures(task: str, triplets: Sequence[Record], request: Request) -> list[Figure]:
    texts = [[one.fields[name] for name in _TRIPLET] for one in triplets]
    values = scores_of([(original, text) for original, *both in texts for text in both], request)
    figures = []
    for metric, scores in values.items():
        both = scores.reshape(-1, 2)
        unscored = int((~np.isfinite(both)).any(axis=1).sum())
        figures.append(share(task, "all", metric, "accuracy", np.greater(both[:, 0], both[:, 1]), request, unscored=unscored))
    return figures


def rated(tables: Mapping[str, Table]) -> Iterator[RatedPair | BadRecord]:
    """Yield the pairs of a rated task of RaTE-Eval: a rating, or errors as a share of those possible (1: none)."""
    table, seen = tables["table"], dict[str, str]()
    human, errors, possible = (table.has(name) for name in ("human", "errors", "possible"))
    needed = ("human",) if human is None and (errors is None or possible is None) else ()

    def pair_of(row: Row) -> RatedPair | BadRecord:
        if human is not None:
            value, wrong = any_number(row.cells.get("human")), f"field '{human}' must be a number"
        else:
            made, most = row.number("errors"), row.number("possible")
            value = 1.0 - made / most if made is not None and most and made <= most else None
            wrong = f"'{errors}' must be a number between 0 and '{possible}', which is above 0"
        return row.pair(seen, row.text("study"), {"human": value or 0.0}, "" if value is not None else wrong)

    yield from map_usable(table.rows(*TEXTS, *needed, numbered=True), pair_of)
