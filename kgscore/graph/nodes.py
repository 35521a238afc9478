"""The node that the schema gives to each concept: an FMA IRI for a structure of FMA's, say."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

import pyoxigraph
from pyoxigraph import NamedNode, RdfFormat

from kgscore.graph.vocabulary import BASE
from kgscore.ontology.load import turtle_files
from kgscore.resources import cache_folder, resource

_LAYOUT = b"1"  # of what is made of the files: the closure
_KEY = NamedNode(BASE + "key")


def schema_files() -> list[Path]:
    """Return the Turtle files that make the schema graph: the vocabulary of runs, then the ontologies."""
    return [resource("ontologies", "run.ttl"), *turtle_files(resource("ontologies"))]


def schema_hash() -> str:
    """Return the hash of what the schema and closure graphs are made of."""
    return hashlib.sha256(b"\0".join((_LAYOUT, *(path.read_bytes() for path in schema_files())))).hexdigest()


def concept_node(id: str) -> NamedNode | None:
    """Return the node of a concept or structure by its id, or None where the schema has none."""
    return _nodes().get(id)


@cache
def _nodes() -> Mapping[str, NamedNode]:
    """Return the nodes by id. Parsing the schema takes a second, so they are kept in the cache."""
    cached = cache_folder() / f"nodes-{schema_hash()[:16]}.json"
    try:
        found: dict[str, str] = json.loads(cached.read_bytes())
    except (OSError, ValueError):
        quads = (quad for path in schema_files() for quad in pyoxigraph.parse(path=str(path), format=RdfFormat.TURTLE))
        found = {quad.object.value: quad.subject.value for quad in quads if quad.predicate == _KEY}
        _write(cached, found)
    return {id: NamedNode(node) for id, node in found.items()}


def _write(path: Path, found: Mapping[str, str]) -> None:
    """Write the file whole or not at all; a cache that cannot be written only costs time."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as handle:
            json.dump(found, handle)
        os.replace(handle.name, path)
