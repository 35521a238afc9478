"""SPARQL over the graph of a run: reading only, nothing from elsewhere, within limits of time and rows."""

from __future__ import annotations

import multiprocessing
import re
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kgscore.errors import QueryError, RunError
from kgscore.graph.vocabulary import PREFIXES

_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_QUOTED = re.compile(
    r"<[^<>\"{}|^`\\\s]*>"  # IRIs first: they may hold '#'
    r"|\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*\"\"\"|'''(?:[^'\\]|\\.|'(?!''))*'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
    r"|#[^\n]*",
    re.DOTALL,
)
_NAME = re.compile(r"[?$][\w]+|[\w.-]*:[\w.:%-]*|[A-Za-z]+")
_FORMS = ("SELECT", "ASK", "CONSTRUCT", "DESCRIBE")
_START_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query gave: `columns` and `rows` of text (SELECT), `truth` (ASK) or `triples` in N-Triples (CONSTRUCT, DESCRIBE).

    `more` is True if the row limit cut the answer.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()
    truth: bool | None = None
    triples: tuple[str, ...] | None = None
    more: bool = False


def check(sparql: str) -> str:
    """Return the query with its code-point escapes resolved, if it may run: a reading form, and no SERVICE.

    Raises:
        QueryError: it is an update, or asks another server.

    >>> check("ASK { ?s ?p ?o }")
    'ASK { ?s ?p ?o }'
    """
    text = _ESCAPE.sub(lambda found: chr(min(int(found[1] or found[2], 16), 0x10FFFF)), sparql)
    words = [word.upper() for word in _NAME.findall(_QUOTED.sub(" ", text)) if word[0] not in "?$" and ":" not in word]
    # An apostrophe or a lone quote can hide a word from the scan above; the plain text has the last word.
    if "SERVICE" in words or re.search(r"(?<![?$:\w])SERVICE(\s*[<?$]|\s+SILENT\b|\s+[\w.-]*:)", text, re.IGNORECASE):
        raise QueryError("the query asks another server (SERVICE); ask the run's own graph only")
    form = next((word for word in words if word not in ("PREFIX", "BASE")), "")
    if form not in _FORMS:
        raise QueryError(f"the query has no form that reads; begin with {', '.join(_FORMS)}")
    return text


def query(folder: Path, sparql: str, *, limit: int, seconds: float) -> Answer:
    """Answer a SPARQL query over the graph of a run folder, in a process of its own that is ended when time is up.

    The default graph is the union of all graphs; the prefixes of `vocabulary.PREFIXES` need no declaration.

    Raises:
        QueryError: the query is wrong, not allowed, or takes longer than `seconds`.
        RunError: the folder has no graph, or it cannot be opened.
    """
    text = check(sparql)
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(str(folder), text, limit, there), daemon=True)
    worker.start()
    there.close()
    try:
        ready = here.poll(_START_SECONDS + seconds) and here.recv()
        if ready is not True:
            raise ready if isinstance(ready, RunError) else QueryError("the query process did not start; try again")
        if not here.poll(seconds):
            raise QueryError(f"the query took longer than {seconds:g} s; narrow it, or raise --timeout")
        answer = here.recv()
    except EOFError:
        raise QueryError("the query ended without an answer, perhaps for lack of memory; narrow it") from None
    finally:
        worker.kill()
        worker.join()
        here.close()
    if isinstance(answer, Answer):
        return answer
    raise QueryError(answer)


def _work(folder: str, text: str, limit: int, out: Connection) -> None:
    """Open the store, say so, answer, and end. Runs in the query process."""
    from kgscore.graph.store import open_for_reading

    try:
        store = open_for_reading(Path(folder))
    except RunError as error:
        out.send(error)
        return
    out.send(True)
    try:
        out.send(_answer(store.query(text, prefixes=dict(PREFIXES), use_default_graph_as_union=True), limit))
    except SyntaxError as error:
        out.send(f"the query is not SPARQL: {error.msg}")
    except (OSError, ValueError, RuntimeError) as error:
        out.send(f"the query cannot be answered: {error}")


def _answer(found: Any, limit: int) -> Answer:
    from pyoxigraph import QueryBoolean, QuerySolutions

    if isinstance(found, QueryBoolean):
        return Answer(truth=bool(found))
    items: list[Any] = []
    more = False
    for item in found:
        if len(items) == limit:
            more = True
            break
        items.append(item)
    if isinstance(found, QuerySolutions):
        columns = tuple(variable.value for variable in found.variables)
        rows = tuple(tuple(None if cell is None else _text(cell) for cell in solution) for solution in items)
        return Answer(columns=columns, rows=rows, more=more)
    return Answer(triples=tuple(f"{triple} ." for triple in items), more=more)


def _text(term: Any) -> str:
    value = getattr(term, "value", None)
    return value if isinstance(value, str) else str(term)
