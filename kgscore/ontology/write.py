"""Writes the compiled ontologies to disk, or those in use as one OWL file, for tools that do not follow imports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO

import pyoxigraph as ox

from kgscore.errors import OntologyError
from kgscore.ontology.files import turtle_files
from kgscore.ontology.modules import Module, load_terms
from kgscore.ontology.turtle import LICENCE, MARK, ONTOLOGY, PREFIXES, compile_tables, compile_terms, full_iri
from kgscore.version import __version__

FORMATS: Mapping[str, ox.RdfFormat] = {
    "rdfxml": ox.RdfFormat.RDF_XML, "ntriples": ox.RdfFormat.N_TRIPLES, "turtle": ox.RdfFormat.TURTLE,
}  # fmt: skip
_A = ox.NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_ONTOLOGY = ox.NamedNode(full_iri("owl:Ontology"))


def build(tables: Path, out: Path) -> list[Path]:
    """Compile the tables into Turtle files below `out` and return the files that changed.

    Unchanged files are not written. A generated file without a source (its module was removed) is
    deleted and is among the paths returned; files that are not generated are never changed.

    Raises:
        OntologyError: a table is malformed, or an id is duplicate or unknown.
    """
    texts = compile_tables(tables)
    changed = []
    for name, text in sorted(texts.items()):
        path = out / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        changed.append(path)
    for path in turtle_files(out):
        if path.relative_to(out).as_posix() not in texts and MARK in path.read_text(encoding="utf-8")[:500]:
            path.unlink()
            changed.append(path)
    return changed


def write_merged(modules: Sequence[Module], output: IO[bytes], format: str) -> int:
    """Write the shipped ontologies with the user's modules, or a `whole` module instead, as one ontology without imports; return
    its number of triples. Own Turtle files are included unchanged, tables as compiled; the same modules give the same bytes.

    Raises:
        OntologyError: a module is invalid.
    """
    terms, _ = load_terms(modules)
    own = [file for module in modules if not module.whole for file in module.files if file.suffix == ".ttl"]
    texts = compile_terms(term for term in terms if term.where not in {file.name for file in own})
    texts |= {str(file): file.read_text(encoding="utf-8-sig") for file in own}
    found = dict.fromkeys(_head([module.name for module in modules]))
    for name, text in texts.items():
        found |= dict.fromkeys(_statements(name, text, f"n{len(found)}x"))
    prefixes = None if format == "ntriples" else dict(PREFIXES)
    ox.serialize(found, output, format=FORMATS[format], prefixes=prefixes)
    return len(found)


def _head(modules: Sequence[str]) -> Iterator[ox.Triple]:
    here = ox.NamedNode(f"{ONTOLOGY}merged")
    yield ox.Triple(here, _A, _ONTOLOGY)
    title = ", ".join(("kgscore: all modules", *modules))
    yield ox.Triple(here, ox.NamedNode(full_iri("dcterms:title")), ox.Literal(title, language="en"))
    yield ox.Triple(here, ox.NamedNode(full_iri("owl:versionInfo")), ox.Literal(__version__))
    if not modules:  # the licence of a user's module is not ours to state
        yield ox.Triple(here, ox.NamedNode(full_iri("dcterms:license")), ox.NamedNode(LICENCE))


def _statements(name: str, text: str, prefix: str) -> Iterator[ox.Triple]:
    """Yield the statements of a Turtle text except those about the ontology itself, with blank nodes numbered in order."""
    nodes: dict[ox.BlankNode, ox.BlankNode] = {}
    try:
        triples = [quad.triple for quad in ox.parse(text, format=ox.RdfFormat.TURTLE)]
    except SyntaxError as error:
        raise OntologyError(f"{name}: no readable Turtle: {error}") from error
    heads = {one.subject for one in triples if one.predicate == _A and one.object == _ONTOLOGY}
    for one in triples:
        if one.subject not in heads:
            ends = (nodes.setdefault(end, ox.BlankNode(f"{prefix}{len(nodes)}")) if isinstance(end, ox.BlankNode) else end
                    for end in (one.subject, one.object))  # fmt: skip
            subject, value = ends
            yield ox.Triple(subject, one.predicate, value)
