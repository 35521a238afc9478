"""The OWL reasoner (HermiT, included in owlready2): for checks and tests only, never for scoring."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kgscore.errors import OntologyError
from kgscore.ontology.files import turtle_files
from kgscore.ontology.turtle import KGS, full_iri

NOTHING = full_iri("owl:Nothing")
_JAVA = "Java not found: install a Java runtime (11 or later) and put `java` on the PATH"
_OWLREADY2 = "owlready2 not found (it includes the HermiT reasoner): pip install 'kgscore[reasoner]'"
AXIOMS = f"{KGS}axioms#"
_TYPE, _CHAIN = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", full_iri("owl:propertyChainAxiom")
_LISTS = ("http://www.w3.org/1999/02/22-rdf-syntax-ns#first", "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest")
_LOGICAL = {
    _TYPE, _CHAIN, *_LISTS,
    *(full_iri(f"rdfs:{name}") for name in ("subClassOf", "subPropertyOf", "domain", "range")),
    *(full_iri(f"owl:{name}") for name in (
        "equivalentClass", "disjointWith", "members", "intersectionOf", "unionOf", "complementOf", "onProperty",
        "someValuesFrom", "allValuesFrom", "inverseOf", "disjointUnionOf", "equivalentProperty",
    )),
}


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A classified ontology: the direct superclasses and the equivalent classes of every class, by IRI."""

    parents: dict[str, frozenset[str]]
    equals: dict[str, frozenset[str]]

    def unsatisfiable(self) -> frozenset[str]:
        """Return the unsatisfiable classes."""
        return self.equals.get(NOTHING, frozenset()) - {NOTHING}


def missing_requirement() -> str:
    """Return which requirement of HermiT is missing, with the remedy; "" if none is."""
    if shutil.which("java") is None:
        return _JAVA
    return "" if find_spec("owlready2") else _OWLREADY2


def logical_triples(paths: Iterable[Path]) -> bytes:
    """Return the axioms of Turtle files as N-Triples, without annotations and imports, which the reasoner does not need."""
    kept = (quad.triple for path in paths for quad in _statements(path) if quad.predicate.value in _LOGICAL)
    return ox.serialize(kept, format=ox.RdfFormat.N_TRIPLES) or b""


def _statements(path: Path) -> Iterator[ox.Quad]:
    try:
        yield from ox.parse(path=path, format=ox.RdfFormat.TURTLE, rename_blank_nodes=True)
    except (SyntaxError, OSError) as error:
        raise OntologyError(f"{path.name}: no readable Turtle: {error}") from error


def classify(triples: bytes) -> Taxonomy:
    """Return the taxonomy inferred by HermiT from axioms in N-Triples, loaded and run by owlready2.

    Raises:
        OntologyError: Java or owlready2 is missing, the axioms are inconsistent, or HermiT fails.
    """
    if lack := missing_requirement():
        raise OntologyError(lack)
    import owlready2

    # A separate world, so that nothing stays in owlready2's default one.
    world = owlready2.World()
    try:
        world.get_ontology(AXIOMS).load(fileobj=BytesIO(triples))
        owlready2.sync_reasoner_hermit(world, infer_property_values=False, debug=0)
        return _taxonomy(world.classes(), owlready2.ThingClass)
    except owlready2.OwlReadyInconsistentOntologyError:
        raise OntologyError("the ontology is inconsistent: nothing can satisfy all its axioms at once") from None
    except owlready2.OwlReadyJavaError as error:
        raise OntologyError(f"HermiT failed: {_error_line(str(error))}") from None
    except owlready2.OwlReadyOntologyParsingError as error:
        raise OntologyError(f"owlready2 cannot load the axioms: {_error_line(str(error))}") from None
    finally:
        world.close()


def _error_line(message: str) -> str:
    """Return the informative line of a Java error."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return next((line for line in lines if "Exception" in line), lines[0] if lines else "no reason given")


def _taxonomy(classes: Iterable[Any], named: Any) -> Taxonomy:
    """Return the inferred superclasses; only `named` classes count, not class expressions."""
    parents: dict[str, frozenset[str]] = {}
    equals: dict[str, set[str]] = {}
    for one in classes:
        parents[one.iri] = frozenset(other.iri for other in one.is_a if isinstance(other, named))
        same = {one.iri, *(other.iri for other in one.equivalent_to if isinstance(other, named))}
        for iri in same if len(same) > 1 else ():
            equals.setdefault(iri, set()).update(same)
    return Taxonomy(parents, {iri: frozenset(same) for iri, same in equals.items()})


def class_iris(folder: Path) -> dict[str, str]:
    """Return the IRI of every class of the compiled ontologies by its key (sided classes too: `lung_left`).

    Raises:
        OntologyError: no compiled ontology in `folder`, or a file is not Turtle.
    """
    iris = {
        quad.object.value: quad.subject.value
        for path in turtle_files(folder) for quad in _statements(path)
        if quad.predicate.value == KGS + "key" and isinstance(quad.subject, ox.NamedNode) and isinstance(quad.object, ox.Literal)
    }
    if not iris:
        raise OntologyError(f"{folder}: no compiled ontology here; run `kgscore ontology build`")
    return iris
