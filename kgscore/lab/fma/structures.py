"""Streaming reader of the FMA (Foundational Model of Anatomy) OWL file: names, kinds and parts.

The format is that of the releases since 4 as RDF/XML: classes `…/fma/fma7088` with `preferred_name`, `synonym` and `FMAID`,
`rdfs:subClassOf`, and restrictions `someValuesFrom` on `part_of` and its subproperties or, from the whole, on `part` and its.
Property names are matched by their last part, so that older namespaces are read as well.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import pyoxigraph as ox

from kgscore.errors import OntologyError
from kgscore.io.streams import decompress
from kgscore.ontology.compile import reachable

PART_OF = frozenset(
    ("part_of", "regional_part_of", "constitutional_part_of", "systemic_part_of", "member_of", "custom_partonomy_of")
)
HAS_PART = frozenset(("part", "regional_part", "constitutional_part", "systemic_part", "member", "custom_partonomy"))
_FORMATS = {
    ".owl": ox.RdfFormat.RDF_XML, ".rdf": ox.RdfFormat.RDF_XML, ".xml": ox.RdfFormat.RDF_XML, ".ttl": ox.RdfFormat.TURTLE,
    ".nt": ox.RdfFormat.N_TRIPLES,
}
_NUMBER = re.compile(r"(?:^|[/#:])(?:fma|FMA)[_:]?(\d+)\Z")
_WAITING = 10_000  # maximum number of open restrictions
_HEAD = 1_000_000  # bytes at the beginning, where entities are declared


@dataclass(slots=True)
class Structure:
    """A class of the FMA, by its number: its names (the preferred one first), and the numbers of its parents and wholes."""

    number: int
    name: str = ""
    label: str = ""
    synonyms: list[str] = field(default_factory=list)
    parents: set[int] = field(default_factory=set)
    wholes: set[int] = field(default_factory=set)

    @property
    def title(self) -> str:
        """The preferred name, or the label."""
        return self.name or self.label


Found = dict[int, Structure]
Waiting = dict[str, dict[str, Any]]  # restrictions that were read in part, by their node


def read_fma(path: Path) -> Found:
    """Return the classes of an FMA file by number; only the data used is kept in memory."""
    found, waiting = Found(), Waiting()
    try:
        with decompress(path) if path.suffix == ".gz" else path.open("rb") as stream:
            _refuse_nested(path, stream)
            for quad in ox.parse(stream, format=_format(path)):
                _add_statement(quad, found, waiting)
                if len(waiting) > _WAITING:
                    waiting.pop(next(iter(waiting)))
    except (SyntaxError, OSError, EOFError) as error:
        raise OntologyError(f"{path.name}: cannot be read as OWL in RDF ({error}); give the FMA's .owl file (RDF/XML)") from None
    named = {number: one for number, one in found.items() if one.title}
    if not named:
        raise OntologyError(f"{path.name}: no class of the FMA in it (an IRI ends in fma and a number); give the FMA's .owl file")
    return named


def _refuse_nested(path: Path, stream: BinaryIO) -> None:
    """Reject nested entities: a few of them can expand to more text than there is memory."""
    head = stream.read(_HEAD).replace(b"\0", b"")
    stream.seek(0)
    if re.search(rb"<!ENTITY\s[^>]*[&%]", head):
        raise OntologyError(f"{path.name}: declares nested entities, which are not allowed; write the file without them")


def _format(path: Path) -> ox.RdfFormat:
    suffix = (path.with_suffix("") if path.suffix == ".gz" else path).suffix.lower()
    if suffix not in _FORMATS:
        raise OntologyError(f"{path.name}: not a supported format; use one of {', '.join(_FORMATS)} is, also with .gz")
    return _FORMATS[suffix]


def _add_statement(quad: ox.Quad, found: Found, waiting: Waiting) -> None:
    subject, value, relation = quad.subject, quad.object, _local_name(quad.predicate)
    number = _number(subject)
    if isinstance(subject, ox.BlankNode):
        if relation in _PARTS and isinstance(value, ox.NamedNode):
            _restrict(subject.value, relation, _PARTS[relation](value), found, waiting)
    elif number is not None:
        structure = found.setdefault(number, Structure(number))
        if isinstance(value, ox.Literal):
            _name(structure, relation, value)
        elif isinstance(value, ox.NamedNode):
            _add_link(number, relation, _number(value), found)
        elif isinstance(value, ox.BlankNode) and relation in ("subClassOf", "equivalentClass"):
            _restrict(value.value, "owner", number, found, waiting)


def _restrict(node: str, part: str, value: Any, found: Found, waiting: Waiting) -> None:
    """Note a part of a restriction, and record it once all three were read."""
    known = waiting.setdefault(node, {})
    known[part] = value
    owner, relation, filler = map(known.get, ("owner", *_PARTS))
    if owner is not None and relation and filler is not None:
        _add_link(owner, relation, filler, found)
        del waiting[node]


def _add_link(number: int, relation: str, other: int | None, found: Found) -> None:
    if other is None or number == other:
        return
    if relation == "subClassOf":
        found.setdefault(number, Structure(number)).parents.add(other)
    elif relation in PART_OF:
        found.setdefault(number, Structure(number)).wholes.add(other)
    elif relation in HAS_PART:
        found.setdefault(other, Structure(other)).wholes.add(number)


def _name(structure: Structure, relation: str, value: ox.Literal) -> None:
    text = " ".join(value.value.split())
    if not text or (value.language or "en").partition("-")[0].lower() != "en":
        return
    if relation == "preferred_name":
        structure.name = text
    elif relation == "label":
        structure.label = structure.label or text
    elif relation in ("synonym", "altLabel", "hasExactSynonym"):
        structure.synonyms.append(text)


def _local_name(node: ox.NamedNode) -> str:
    return re.split(r"[/#]", node.value)[-1]


def _number(node: object) -> int | None:
    match = _NUMBER.search(node.value) if isinstance(node, ox.NamedNode) else None
    return int(match[1]) if match else None


# The parts of a restriction besides its owner, and how each is read.
_PARTS: Mapping[str, Callable[[ox.NamedNode], Any]] = {"onProperty": _local_name, "someValuesFrom": _number}


def descendants_of(structures: dict[int, Structure], roots: set[int]) -> set[int]:
    """Return the numbers of the roots and of all their direct and indirect kinds and parts."""
    below: dict[int, list[int]] = {}
    for one in structures.values():
        for above in one.parents | one.wholes:
            below.setdefault(above, []).append(one.number)
    return reachable(roots & structures.keys(), below)
