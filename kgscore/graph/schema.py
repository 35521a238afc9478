"""The part of every graph that is independent of runs: the vocabulary of runs, the ontologies and inferences from them."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

from pyoxigraph import Literal, NamedNode, Quad, RdfFormat, Store, Triple

from kgscore.graph.triples import TYPE, term
from kgscore.graph.vocabulary import SCHEMA
from kgscore.ontology import alike
from kgscore.ontology.compile import build_index
from kgscore.ontology.files import turtle_files
from kgscore.ontology.load import load_turtle
from kgscore.ontology.tables import FINDINGS, Term
from kgscore.ontology.turtle import TOPS, catalogue, full_iri
from kgscore.private_files import OWNER_ONLY, read_sealed, temporary_folder, write_sealed
from kgscore.resources import cache_folder, resource

_SEAL = "checksum"  # of the schema in the cache
_LAYOUT = b"4"  # version of the conversion of files and tables
_IS_A, _WITHIN, _ALIKE, _SEVERITY, _REGION = map(term, ("isA", "within", "alike", "severity", "region"))


def schema_files() -> list[Path]:
    """Return the Turtle files of the schema: the vocabulary of runs, then the ontologies."""
    return [resource("ontologies", "run.ttl"), *turtle_files(resource("ontologies"))]


@cache
def schema_hash() -> str:
    """Return the hash of all sources of the schema."""
    sources = (*schema_files(), resource("mappings", alike.FILE))
    return hashlib.sha256(b"\0".join((_LAYOUT, *(path.read_bytes() for path in sources)))).hexdigest()


def _load_schema(store: Store) -> None:
    for path in schema_files():
        store.bulk_load(path=str(path), format=RdfFormat.TURTLE)
    store.bulk_extend(Quad(*triple) for triple in _inferences(load_turtle(resource("ontologies"))))
    store.add(Quad(NamedNode(SCHEMA), term("contentHash"), Literal(schema_hash())))
    store.add(Quad(NamedNode(SCHEMA), TYPE, NamedNode("http://www.w3.org/ns/prov#Entity")))
    store.flush()


def _inferences(terms: Iterable[Term]) -> Iterator[Triple]:
    """Yield what follows from the ontologies, so that queries need not follow the OWL restrictions used for parts: `isA`
    (reflexive, transitive, with the definitions' parents and the top class), `within` (is-a and part-of composed, from
    structures), `alike` (what reports use for one another), the clinical severity and the region of every concept."""
    terms = list(terms)
    index = build_index(terms)
    nodes = {key: NamedNode(full_iri(name)) for key, name in catalogue(terms).names.items()}
    like = alike.alike_of(index)
    for key, concept in index.concepts.items():
        node = nodes[key]
        yield Triple(node, _IS_A, NamedNode(full_iri(TOPS[concept.kind])))
        for above in index.ancestors[key]:
            yield Triple(node, _IS_A, nodes[above])
        for whole in index.within.get(key, ()):
            yield Triple(node, _WITHIN, nodes[whole])
        for other in (*like.places.get(key, ()), *like.named.get(key, ())):
            yield Triple(node, _ALIKE, nodes[other])
        if concept.kind in FINDINGS:
            yield Triple(node, _SEVERITY, Literal(concept.severity))
        yield Triple(node, _REGION, Literal(concept.module))


def copy_schema(target: Path) -> None:
    """Create a store with the schema from a cached one, since loading takes seconds. Its table files, which are immutable,
    are hard-linked and not copied if cache and target share a file system. If the cache is not writable,
    only those seconds are lost; a damaged cache is rebuilt."""
    template = cache_folder() / f"schema-{schema_hash()[:16]}"
    try:
        with OWNER_ONLY:
            if read_sealed(template / _SEAL) != _checksum(template):
                shutil.rmtree(template, ignore_errors=True)
                template.parent.mkdir(parents=True, exist_ok=True)
                with temporary_folder(template.parent) as folder:
                    _make_template(folder)
                    # Atomic; if another process was faster, its copy is equivalent.
                    with suppress(OSError):
                        (folder / "copy").rename(template)
            shutil.copytree(template, target, copy_function=_link, ignore=shutil.ignore_patterns(_SEAL))
        Store.read_only(str(target))
    except (OSError, RuntimeError):
        shutil.rmtree(target, ignore_errors=True)
        with OWNER_ONLY:
            _load_schema(Store(str(target)))


def _link(source: str, target: str) -> None:
    if source.endswith(".sst"):
        with suppress(OSError):  # another file system, or no support for links
            os.link(source, target)
            return
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
