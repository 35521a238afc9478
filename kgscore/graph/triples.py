"""Cases as triples: N-Triples that the database of a run writes from its tables (`triples.sql`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pyoxigraph import NamedNode, Store

from kgscore.graph.vocabulary import BASE, RUN, iri

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TYPE, LABEL = NamedNode(iri("rdf:type")), NamedNode(iri("rdfs:label"))
_ROWS = 5_000
Told = Collection[str] | None  # IRIs of properties; None: all


def term(name: str) -> NamedNode:
    """Return a class or property of the vocabulary of runs.

    >>> term("Match")
    <NamedNode value=https://w3id.org/kgscore/run#Match>
    """
    return NamedNode(RUN + name)


@dataclass(frozen=True, slots=True)
class Named:
    """The concepts of the schema: the IRI of each, by id, and its superclasses (pairs of IRIs)."""

    nodes: Mapping[str, str]
    kinds: Sequence[tuple[str, str]]

    @classmethod
    def of(cls, store: Store) -> Named:
        """Return the concepts of a store that holds the schema."""
        keys = store.quads_for_pattern(None, NamedNode(BASE + "key"), None)
        kinds = store.quads_for_pattern(None, term("isA"), None)
        return cls(
            {quad.object.value: quad.subject.value for quad in keys},  # type: ignore[union-attr]
            [(quad.subject.value, quad.object.value) for quad in kinds],  # type: ignore[union-attr]
        )


def prepare(connection: DuckDBPyConnection, named: Named, told: Told = None, untold: Collection[str] = ()) -> None:
    """Prepare a connection to the tables of a run for `case_lines` and `tally_lines`, with the properties in `told`
    (None: all) except those in `untold`."""
    for name, properties in (("told", told), ("untold", untold)):
        given = None if properties is None else [f"<{one}>" for one in sorted(properties)]
        connection.execute(f"SET VARIABLE {name} = $1::VARCHAR[]", [given])
    connection.execute("CREATE OR REPLACE TEMP TABLE nodes (id VARCHAR, iri VARCHAR)")
    connection.execute("INSERT INTO nodes SELECT unnest($1), unnest($2)", [list(named.nodes), list(named.nodes.values())])
    connection.execute("CREATE OR REPLACE TEMP TABLE kinds (iri VARCHAR, above VARCHAR)")
    pairs = [[pair[at] for pair in named.kinds] for at in (0, 1)]
    connection.execute("INSERT INTO kinds SELECT unnest($1), unnest($2)", pairs)
    for statement in _statements("macros.sql"):
        connection.execute(statement)


def case_lines(connection: DuckDBPyConnection, run: int, first: int, last: int, told: Told = None) -> Iterator[str]:
    """Yield all triples about the cases of a run from position `first` up to but not including `last`, as
    texts of whole lines of N-Triples. The same cases give the same triples, so loading them twice is harmless."""
    yield from _lines(connection, "triples.sql", {"run": run, "first": first, "last": last}, told)


def tally_lines(connection: DuckDBPyConnection, run: int, told: Told = None) -> Iterator[str]:
    """Yield the sums over all cases of a run, like `case_lines`."""
    yield from _lines(connection, "tallies.sql", {"run": run}, told)


def _lines(connection: DuckDBPyConnection, script: str, values: Mapping[str, int], told: Told) -> Iterator[str]:
    names = None if told is None else {re.split("[#/]", one)[-1] for one in told}
    for statement in _statements(script):
        if names is None or names & _property_names(statement):
            answer = connection.execute(statement, dict(values))
            while rows := answer.fetchmany(_ROWS):
                yield "".join(row[0] for row in rows)


@cache
def _property_names(statement: str) -> frozenset[str]:
    """Return the names of the properties in a statement, and its other quoted words."""
    relations = ("modifies", "locatedAt", "suggestiveOf", "associatedWith") if "entity_relation(" in statement else ()
    return frozenset((*re.findall(r"'(\w+)'", statement), *relations, *(["type"] if "a()" in statement else ())))


@cache
def _statements(script: str) -> tuple[str, ...]:
    text = Path(__file__).with_name(script).read_text(encoding="utf-8")
    return tuple(one for one in re.split(r";\s*\n", text) if one.strip())
