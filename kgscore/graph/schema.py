"""The part of every graph that no run changes: the vocabulary of runs, the ontologies and what follows from them."""

from __future__ import annotations

import hashlib
import os
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store

from kgscore.graph.closure import closure_triples
from kgscore.graph.triples import TYPE, term
from kgscore.graph.vocabulary import SCHEMA
from kgscore.ontology.files import turtle_files
from kgscore.ontology.load import load_turtle
from kgscore.private_files import OWNER_ONLY, read_sealed, scratch, write_sealed
from kgscore.resources import cache_folder, resource

_SEAL = "checksum"  # of the schema in the cache
_LAYOUT = b"3"  # of what is made of the files and the tables


def schema_files() -> list[Path]:
    """Return the Turtle files that make the schema: the vocabulary of runs, then the ontologies."""
    return [resource("ontologies", "run.ttl"), *turtle_files(resource("ontologies"))]


@cache
def schema_hash() -> str:
    """Return the hash of everything that the schema is made of."""
    return hashlib.sha256(b"\0".join((_LAYOUT, *(path.read_bytes() for path in schema_files())))).hexdigest()


def _load_schema(store: Store) -> None:
    for path in schema_files():
        store.bulk_load(path=str(path), format=RdfFormat.TURTLE)
    store.bulk_extend(Quad(*triple) for triple in closure_triples(load_turtle(resource("ontologies"))))
    store.add(Quad(NamedNode(SCHEMA), term("contentHash"), Literal(schema_hash())))
    store.add(Quad(NamedNode(SCHEMA), TYPE, NamedNode("http://www.w3.org/ns/prov#Entity")))
    store.flush()


def copy_schema(target: Path) -> None:
    """Make a store that holds the schema from one that is kept in the cache, since loading takes seconds. Its tables, which no
    store ever changes, are linked and not copied where cache and target share a file system. A cache that cannot be written
    costs those seconds and nothing else; one that is damaged is made again.
    """
    template = cache_folder() / f"schema-{schema_hash()[:16]}"
    try:
        with OWNER_ONLY:
            if read_sealed(template / _SEAL) != _checksum(template):
                shutil.rmtree(template, ignore_errors=True)
                template.parent.mkdir(parents=True, exist_ok=True)
                with scratch(template.parent) as folder:
                    _make_template(folder)
                    # Whole or not at all; if another process was quicker, its copy is as good.
                    with suppress(OSError):
                        (folder / "copy").rename(template)
            shutil.copytree(template, target, copy_function=_link, ignore=shutil.ignore_patterns(_SEAL))
        Store.read_only(str(target))
    except (OSError, RuntimeError):
        shutil.rmtree(target, ignore_errors=True)
        with OWNER_ONLY:
            _load_schema(Store(str(target)))


def _link(source: str, target: str) -> None:
    try:
        if source.endswith(".sst"):
            os.link(source, target)
            return
    except OSError:  # another file system, or one without links
        pass
    shutil.copyfile(source, target)


def _checksum(template: Path) -> bytes:
    sha = hashlib.sha256()
    for path in sorted(template.glob("*")):
        if path.name != _SEAL:
            sha.update(path.name.encode() + b"\0" + path.read_bytes())
    return sha.hexdigest().encode()


def _make_template(folder: Path) -> None:
    store, copy = Store(str(folder / "store")), folder / "copy"
    _load_schema(store)
    store.optimize()
    store.backup(str(copy))
    write_sealed(copy / _SEAL, _checksum(copy))
