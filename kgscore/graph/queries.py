"""SPARQL over the graph of a run: with limits on time and rows; read-only and local by default.

A query that is invalid, not allowed or takes too long, or a failing endpoint, raises QueryError; a folder that has neither
graph nor results, or cannot be opened, raises RunError.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from kgscore.errors import QueryError
from kgscore.graph.hints import check_prefixes, tag_english_labels
from kgscore.graph.vocabulary import PREFIXES
from kgscore.graph.wanted import Properties
from kgscore.limited_process import ask_once

Cell = str | int | float | bool | None
Source = Path | str
OF_NO_CASE = "ASK { }"  # uses only the schema and the runs themselves, which every graph holds
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
_CHANGES = ("INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD")
_XSD = PREFIXES["xsd"]
_WHOLE = ("integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger", "unsignedInt", "unsignedLong")
_TYPED: dict[str, Callable[[str], Cell]] = {
    **{_XSD + name: int for name in _WHOLE},
    **{_XSD + name: float for name in ("decimal", "double", "float")},
    _XSD + "boolean": lambda text: text in ("true", "1"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a query: `columns` and `rows` (SELECT: numbers and booleans as such, all else as text), `truth` (ASK) or
    `triples` in N-Triples (CONSTRUCT, DESCRIBE). `more` is True if the row limit truncated the answer."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    truth: bool | None = None
    triples: tuple[str, ...] | None = None
    more: bool = False


@dataclass(frozen=True, slots=True)
class SparqlTask:
    """A checked query (see `prepare_query`) or an update over an existing graph, to be run in a process."""

    source: Source
    text: str
    limit: int
    seconds: float
    update: bool = False

    def open_task(self) -> Callable[[], Answer]:
        """Open the store, which stays open for the next query, and return the object that runs the query."""
        from kgscore.graph import endpoint

        if endpoint.is_endpoint(self.source):
            return partial(_run_remotely, self)
        from kgscore.graph.store import open_for_writing, shared_store

        return partial(_run_locally, self, (open_for_writing if self.update else shared_store)(Path(self.source)))


def check(sparql: str, *, service: bool = False) -> str:
    """Return the query with its code-point escapes resolved, if it is allowed: read-only, and without SERVICE unless enabled.

    >>> check("ASK { ?s ?p ?o }")
    'ASK { ?s ?p ?o }'
    """
    text, _, form = _scan(sparql, service)
    if form in _CHANGES:
        raise QueryError("the text is an update; use --update to allow changes")
    if form not in _FORMS:
        raise QueryError(f"the query is not a read query; begin with {', '.join(_FORMS)}")
    return text


def check_update(sparql: str, *, service: bool = False) -> str:
    """Return the update with its code-point escapes resolved, if it is allowed: without loading from elsewhere unless enabled."""
    text, words, form = _scan(sparql, service)
    if not service and "LOAD" in words:
        raise QueryError("the update loads from elsewhere (LOAD); use --service to allow it")
    if form not in _CHANGES:
        raise QueryError(f"the text is not an update; omit --update, or begin with {', '.join(_CHANGES)}")
    return text


def blank_out(text: str) -> str:
    """Return a query of the same length with IRIs, texts and comments replaced by blanks.

    >>> blank_out("ASK { ?s ?p '}' } # {")
    'ASK { ?s ?p     }    '
    """
    return _QUOTED.sub(lambda found: " " * len(found[0]), text)


def _scan(sparql: str, service: bool) -> tuple[str, list[str], str]:
    """Return a query with its code-point escapes resolved, its words, and its form; reject SERVICE unless enabled."""
    text = _ESCAPE.sub(lambda found: chr(min(int(found[1] or found[2], 16), 0x10FFFF)), sparql)
    words = [w.upper() for w in _NAME.findall(blank_out(text)) if w[0] not in "?$" and ":" not in w]
    # An apostrophe or a lone quote can hide a word from the scan, so the plain text is checked as well.
    asks = "SERVICE" in words or re.search(r"(?<![?$:\w])SERVICE(\s*[<?$]|\s+SILENT\b|\s+[\w.-]*:)", text, re.IGNORECASE)
    if asks and not service:
        raise QueryError("the query contacts another server (SERVICE); query the run's own graph only, or use --service")
    return text, words, next((word for word in words if word not in ("PREFIX", "BASE")), "")


def query(source: Source, sparql: str, *, limit: int, seconds: float, service: bool = False, memory: int | None = None) -> Answer:
    """Answer a SPARQL query over the graph of a run folder, or an endpoint (a URL), in a separate process that is ended
    after the time limit; it may use `memory` bytes.

    The prefixes of `vocabulary.PREFIXES` need no declaration, and a label without a language is English."""
    text = prepare_query(source, sparql, service=service)
    make_ready(source, sparql=text)
    answer: Answer = ask_once(SparqlTask(source, text, limit, seconds), memory)
    return answer


def prepare_query(source: Source, sparql: str, *, service: bool = False) -> str:
    """Return a query ready to run: allowed, labels without a language tag in English, and its prefixes known."""
    from kgscore.graph import endpoint

    text = tag_english_labels(check(sparql, service=service))
    if not endpoint.is_endpoint(source):
        check_prefixes(blank_out(text))
    return text


def update(source: Source, sparql: str, *, seconds: float, service: bool = False) -> None:
    """Run a SPARQL update on the graph of a run folder, or through an update endpoint (a URL), atomically."""
    text = check_update(sparql, service=service)
    make_ready(source)
    ask_once(SparqlTask(source, text, 0, seconds, update=True))


def make_ready(source: Source, progress: Callable[[int], None] = lambda done: None, sparql: str | None = None) -> None:
    """Build the graph of a run folder, or update it, so that a query's time limit does not include it: the part used by the
    query `sparql`, or all of it. An endpoint needs no preparation."""
    from kgscore.graph import endpoint
    from kgscore.graph.building import build

    if not endpoint.is_endpoint(source):
        build(Path(source), progress, _wanted_properties(Path(source), sparql))


def is_ready(folder: Path, sparql: str) -> bool:
    """Return whether the graph of a run folder holds the part that a query uses, so that `make_ready` would do nothing."""
    from kgscore.graph.building import is_made

    return is_made(folder, _wanted_properties(folder, sparql))


def _wanted_properties(folder: Path, sparql: str | None) -> Properties | None:
    from kgscore.graph.building import is_whole
    from kgscore.graph.wanted import properties_of

    return None if sparql is None or is_whole(folder) else properties_of(sparql)


def _syntax_error(said: str) -> str:
    """Return the location of a syntax error, in one line: the parser's list of alternatives can fill a screen."""
    where, _, wanted = " ".join(said.split()).partition(": expected ")
    return f"{where}: expected {wanted}" if len(wanted) < 80 else f"{where}: a different symbol or word is expected"


def _run_locally(task: SparqlTask, store: Any) -> Answer:
    try:
        if not task.update:
            return _answer(store.query(task.text, prefixes=dict(PREFIXES)), task.limit)
        store.update(task.text, prefixes=dict(PREFIXES))
        store.flush()
        return Answer()
    except SyntaxError as error:
        raise QueryError(f"the query is not SPARQL: {_syntax_error(str(error.msg))}") from None


def _run_remotely(task: SparqlTask) -> Answer:
    from kgscore.graph import endpoint

    if task.update:
        endpoint.update(str(task.source), task.text, task.seconds)
        return Answer()
    with endpoint.ask(str(task.source), task.text, task.seconds) as found:
        return _answer(found, task.limit)


def _answer(found: Any, limit: int) -> Answer:
    from pyoxigraph import QueryBoolean, QuerySolutions

    if isinstance(found, QueryBoolean):
        return Answer(truth=bool(found))
    items = list(islice(found, limit + 1))
    more = len(items) > limit
    if isinstance(found, QuerySolutions):
        columns = tuple(variable.value for variable in found.variables)
        return Answer(columns, tuple(tuple(map(_value, solution)) for solution in items[:limit]), more=more)
    return Answer(triples=tuple(f"{triple} ." for triple in items[:limit]), more=more)


def _value(term: Any) -> Cell:
    """Return a literal's value, if its type is a number or a boolean and it is well-formed; else the text."""
    if term is None:
        return None
    value = getattr(term, "value", None)
    if not isinstance(value, str):
        return str(term)
    datatype = getattr(getattr(term, "datatype", None), "value", "")
    try:
        found = _TYPED.get(datatype, str)(value)
    except ValueError:
        return value
    return value if isinstance(found, float) and not isfinite(found) else found
