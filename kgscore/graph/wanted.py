"""Determines which properties a SPARQL query can use: the graph of a run is built with these only, or with all if unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

from kgscore.graph.vocabulary import PREFIXES

Properties = frozenset[str]
_PARSING = Lock()  # the parser's cache is shared by threads


def properties_of(sparql: str) -> Properties | None:
    """Return the IRIs of the properties in the patterns of a query; None if it may use every property: one is a variable or is
    excluded, a node is described, a path may be empty and its ends are otherwise unbound, or the query cannot be parsed.

    >>> sorted(one.rpartition("#")[2] for one in properties_of("SELECT ?c { ?s kgr:asserts ?c MINUS { ?s kgr:tip ?t } }"))
    ['asserts', 'tip']
    >>> properties_of("SELECT * { ?s ?p 3 }") is None
    True
    """
    from rdflib import URIRef

    algebra = _algebra(sparql)
    if algebra is None or algebra.name == "DescribeQuery":
        return None
    patterns = list(_patterns(algebra))
    found: set[str] = set()
    for subject, path, object in patterns:
        steps = list(_steps(path))
        if not all(isinstance(step, URIRef) for step in steps):
            return None
        others = [end for one in patterns if one[1] is not path for end in (one[0], one[2])]
        if not isinstance(path, URIRef) and not any(isinstance(end, URIRef) or end in others for end in (subject, object)):
            return None
        found |= {str(step) for step in steps}
    return frozenset(found)


def _algebra(sparql: str) -> Any:
    from rdflib.plugins.sparql.algebra import translateQuery
    from rdflib.plugins.sparql.parser import QueryUnit, parseQuery

    with _PARSING:
        try:
            return translateQuery(parseQuery(sparql), initNs=dict(PREFIXES)).algebra
        except Exception:  # rdflib's parser raises various errors; the store itself reports errors in a query
            return None
        finally:
            # The parser keeps the errors it raised, and with them the variables of all callers.
            QueryUnit.reset_cache()


def _patterns(part: Any) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the triple patterns of a query, including those in filters and subqueries."""
    if isinstance(part, Mapping):
        for name, value in part.items():
            if name == "triples":  # some are flat lists of nodes, three per pattern
                for nodes in value:
                    yield from zip(nodes[::3], nodes[1::3], nodes[2::3], strict=True)
            elif name != "template":
                yield from _patterns(value)
    elif isinstance(part, (list, tuple, set)):
        for value in part:
            yield from _patterns(value)


def _steps(path: Any) -> Iterator[Any]:
    """Yield the properties of a path, and None for one with a wildcard."""
    from rdflib.paths import AlternativePath, InvPath, MulPath, SequencePath

    if isinstance(path, (AlternativePath, SequencePath)):
        for part in path.args:
            yield from _steps(part)
    elif isinstance(path, InvPath):
        yield from _steps(path.arg)
    elif isinstance(path, MulPath):
        yield from _steps(path.path)
    else:
        yield path
