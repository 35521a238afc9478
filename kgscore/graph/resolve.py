"""Resolves a user's name for a concept or a run to a node of the graph.

A folder without a graph raises RunError; a failing endpoint, or a name that means nothing or several things, raises QueryError.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from pyoxigraph import Literal, NamedNode

from kgscore.errors import QueryError, did_you_mean
from kgscore.graph import endpoint
from kgscore.graph.queries import OF_NO_CASE, Source, make_ready
from kgscore.graph.store import shared_store
from kgscore.graph.vocabulary import PREFIXES

_SECONDS = 30.0
_BY_KEY = "SELECT DISTINCT ?c { ?c kgs:key %s }"
_BY_LABEL = "SELECT DISTINCT ?c { VALUES ?p { skos:prefLabel skos:altLabel skos:hiddenLabel } ?c ?p %s ; kgs:key ?key }"
_KEYS = "SELECT ?key { ?c kgs:key ?key }"
_RUNS = "SELECT ?run ?number { ?run a kgr:Run ; kgr:number ?number } ORDER BY DESC(?number)"


def rows(source: Source, text: str, sees: str = "") -> Iterator[Any]:
    """Yield the solutions of an internal query, without a time limit: in this process, or by the endpoint. The graph is built
    with the part used by the query, or by `sees`."""
    if endpoint.is_endpoint(source):
        with endpoint.ask(str(source), text, _SECONDS) as found:
            yield from found
    else:
        make_ready(source, sparql=sees or text)
        # Evaluated at once and not stored: pyoxigraph objects must be dropped by the thread that created them.
        yield from tuple(cast(Iterable[Any], shared_store(Path(source)).query(text, prefixes=dict(PREFIXES))))


def concept_node(source: Source, word: str) -> NamedNode:
    """Return the node of a concept given by id, label, synonym, prefixed name or IRI."""
    bare = word.strip().removeprefix("<").removesuffix(">")
    prefix, colon, local = bare.partition(":")
    if bare.startswith(("http://", "https://")):
        return NamedNode(bare)
    if colon and prefix in PREFIXES:
        return NamedNode(PREFIXES[prefix] + local)
    for query, term in ((_BY_KEY, Literal(bare)), (_BY_LABEL, Literal(bare, language="en"))):
        found = sorted(row[0].value for row in rows(source, query % term, OF_NO_CASE))
        if len(found) > 1:
            raise QueryError(f"concept '{word}': may be {' or '.join(found)}; give one of them")
        if found:
            return NamedNode(found[0])
    hint = did_you_mean(bare.lower().replace(" ", "_"), [row[0].value for row in rows(source, _KEYS, OF_NO_CASE)])
    raise QueryError(f"concept '{word}': not in the ontology; {hint or 'give an id or a label'}")


def run_node(source: Source, word: str) -> NamedNode:
    """Return the node of a run given by number, or of the last one with `latest`."""
    known = [(row["run"], int(row["number"].value)) for row in rows(source, _RUNS, OF_NO_CASE)]
    for node, number in known:
        if word in ("latest", str(number)):
            return NamedNode(node.value)
    there = ", ".join(str(number) for _, number in known) or "none; score again with this version"
    raise QueryError(f"run '{word}': not in the graph; it holds {there}")
