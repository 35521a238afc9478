"""Mappings to other vocabularies in SSSOM/TSV (https://w3id.org/sssom/): reading, writing, checking.

The metadata of a set is YAML in comment lines above the table. Subjects are concepts of kgscore (`kgs:KEY`). If one
concept alone is too broad, the slots `ext_located_in` and `ext_detail` (declared as extensions) narrow it: `kgs:calcification`
located in `kgs:liver`. The predicate always refers to `subject_id` alone.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import takewhile
from pathlib import Path
from typing import Any

from kgscore.errors import OntologyError
from kgscore.ontology.check import Problem
from kgscore.ontology.tables import Term
from kgscore.ontology.turtle import FMA, KGS, LICENCE, PREFIXES, is_sided

EXACT, CLOSE = "skos:exactMatch", "skos:closeMatch"
BROAD, NARROW, RELATED = "skos:broadMatch", "skos:narrowMatch", "skos:relatedMatch"
PREDICATES = (EXACT, CLOSE, BROAD, NARROW, RELATED)
MANUAL, LEXICAL = "semapv:ManualMappingCuration", "semapv:LexicalMatching"
COMPOSED, TABLE = "semapv:CompositeMatching", "semapv:UnspecifiedMatching"
JUSTIFICATIONS = (MANUAL, LEXICAL, COMPOSED, TABLE, "semapv:LogicalReasoning", "semapv:MappingReview")
_NEEDED = ("subject_id", "predicate_id", "object_id", "mapping_justification")
_PREFIXES = {
    "kgs": KGS, "skos": PREFIXES["skos"], "semapv": "https://w3id.org/semapv/vocab/", "xsd": "http://www.w3.org/2001/XMLSchema#",
}  # fmt: skip
_EXTENSIONS = [
    {"slot_name": f"ext_{name}", "property": f"{KGS}{name}", "type_hint": "xsd:anyURI"} for name in ("located_in", "detail")
]


@dataclass(frozen=True, slots=True, order=True)
class Mapping:
    """One mapping: the subject has the relation `predicate_id` to the object ("broadMatch": the object is broader).

    `predicate_modifier` is "Not" if a reviewer found that it does not. `ext_located_in` and `ext_detail` hold CURIEs of
    structures and descriptors, separated by "|". `where` is the line of the file ("" if it was generated).
    """

    subject_id: str
    subject_label: str = ""
    predicate_modifier: str = ""
    predicate_id: str = EXACT
    object_id: str = ""
    object_label: str = ""
    mapping_justification: str = MANUAL
    ext_located_in: str = ""
    ext_detail: str = ""
    comment: str = ""
    where: str = ""

    @property
    def key(self) -> str:
        """The id of the subject in the ontology."""
        return self.subject_id.partition(":")[2]

    @property
    def loose(self) -> bool:
        """Whether the object is narrower than the subject, or only related to it, and nothing narrows the subject."""
        return self.predicate_id in (NARROW, RELATED) and not (self.ext_located_in or self.ext_detail)

    @property
    def identity(self) -> tuple[str, ...]:
        """The identity of a mapping."""
        return (self.subject_id, self.predicate_id, self.object_id, self.ext_located_in, self.ext_detail)


_COLUMNS = tuple(field.name for field in fields(Mapping) if field.name != "where")


@dataclass(frozen=True, slots=True)
class MappingSet:
    """A set of mappings with its metadata (the slots of an SSSOM mapping set)."""

    name: str
    metadata: dict[str, Any]
    mappings: tuple[Mapping, ...]


def metadata_of(name: str, title: str, description: str, prefixes: dict[str, str], **slots: str) -> dict[str, Any]:
    """Return the metadata of a kgscore set."""
    return {
        "mapping_set_id": f"{KGS}mappings/{name}",
        "mapping_set_title": title,
        "mapping_set_description": description,
        "license": LICENCE,
        "subject_source": f"{KGS}ontology/kgscore",
        **slots,
        "mapping_tool": "kgscore",
        "curie_map": {**_PREFIXES, **prefixes},
    }


def read_sssom(path: Path) -> MappingSet:
    """Return the mappings of an SSSOM/TSV file.

    Raises:
        OntologyError: it cannot be read, its metadata is not YAML, or a required SSSOM column is missing.
    """
    import yaml

    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OntologyError(f"{path.name}: cannot be read ({type(error).__name__}); check the path") from None
    head = [line[1:] for line in takewhile(lambda line: line.startswith("#"), lines)]
    try:
        metadata = yaml.safe_load("\n".join(head)) or {}
    except yaml.YAMLError as error:
        raise OntologyError(f"{path.name}: the metadata is not YAML ({' '.join(str(error).split())})") from None
    if not isinstance(metadata, dict):
        raise OntologyError(f"{path.name}: the metadata is not a mapping of slots; write `#slot: value` lines")
    table = csv.DictReader(lines[len(head) :], delimiter="\t", quoting=csv.QUOTE_MINIMAL)
    missing = [name for name in _NEEDED if name not in (table.fieldnames or ())]
    if missing:
        raise OntologyError(f"{path.name}: no column '{missing[0]}'; SSSOM needs {', '.join(_NEEDED)}")
    rows = tuple(
        Mapping(**{name: row.get(name) or "" for name in _COLUMNS}, where=f"{path.name}:{number}")
        for number, row in enumerate(table, len(head) + 2)
    )
    return MappingSet(path.name.partition(".")[0], metadata, rows)


def write_sssom(found: MappingSet) -> str:
    """Return the text of a set: deterministic, in the order of objects and subjects."""
    import yaml

    rows = sorted(found.mappings, key=lambda row: (row.object_id, row.predicate_modifier, *row.identity))
    names = [name for name in _COLUMNS if name in _NEEDED or any(getattr(row, name) for row in rows)]
    metadata = dict(found.metadata)
    if any(name.startswith("ext_") for name in names):
        metadata["extension_definitions"] = _EXTENSIONS
    head = yaml.safe_dump(metadata, sort_keys=False, allow_unicode=True, width=200)
    out = io.StringIO()
    table = csv.writer(out, delimiter="\t", lineterminator="\n")
    table.writerow(names)
    table.writerows([getattr(row, name) for name in names] for row in rows)
    return "".join(f"#{line}\n" for line in head.splitlines()) + out.getvalue()


def check_sssom(found: MappingSet, known: Collection[str]) -> list[Problem]:
    """Return the problems of a set: metadata, prefixes, unknown subjects, predicates, justifications, duplicate mappings."""
    return [*_metadata(found), *_rows(found, known)]


def _metadata(found: MappingSet) -> Iterator[Problem]:
    for slot in ("mapping_set_id", "license", "curie_map"):
        if not found.metadata.get(slot):
            yield Problem("error", f"{found.name}.sssom.tsv", found.name, f"no '{slot}' in the metadata; add `#{slot}: …`")
    if not isinstance(found.metadata.get("curie_map", {}), dict):
        yield Problem("error", f"{found.name}.sssom.tsv", found.name, "'curie_map' is not a mapping of prefixes to IRIs")


def _rows(found: MappingSet, known: Collection[str]) -> Iterator[Problem]:
    prefixes = found.metadata.get("curie_map") or {}
    seen: dict[tuple[str, ...], str] = {}
    for row in found.mappings:
        where, name = row.where or f"{found.name}.sssom.tsv", row.object_id or row.subject_id
        yield from (Problem("error", where, name, message) for message in _faults(row, known, prefixes))
        first = seen.setdefault(row.identity, row.where)
        if first != row.where:
            yield Problem("error", where, name, f"is duplicated (first at {first}); keep one")


def _faults(row: Mapping, known: Collection[str], prefixes: Collection[str]) -> Iterator[str]:
    for curie in (row.subject_id, *(c for cell in (row.ext_located_in, row.ext_detail) for c in cell.split("|") if c)):
        prefix, _, key = curie.partition(":")
        if prefix != "kgs" or key not in known:
            yield f"'{curie}' is not an id of the ontology; correct it (kgs:ID)"
    for curie in (row.object_id, row.predicate_id, row.mapping_justification):
        if curie.partition(":")[0] not in prefixes:
            yield f"'{curie}' has a prefix that is not in the curie_map; add it"
    if row.predicate_id not in PREDICATES:
        yield f"'{row.predicate_id}' is not a mapping predicate; use one of {', '.join(PREDICATES)}"
    if row.mapping_justification not in JUSTIFICATIONS:
        yield f"'{row.mapping_justification}' is not a justification; use one of {', '.join(JUSTIFICATIONS)}"
    if row.predicate_modifier not in ("", "Not"):
        yield f"the modifier is 'Not' or nothing, not '{row.predicate_modifier}'"


def fma_mappings(terms: Iterable[Term]) -> MappingSet:
    """Return the mappings of structures to the FMA in the tables; a class of one side is `kgs:ID_left` or `kgs:ID_right`."""
    rows = []
    for term in terms:
        for side, number in sorted(term.fma.items()) if term.kind == "anatomy" else ():
            if side and not is_sided(term):
                continue
            key, label = (f"{term.id}_{side}", f"{side} {term.label}") if side else (term.id, term.label)
            rows.append(Mapping(f"kgs:{key}", label, object_id=f"FMA:{number}", mapping_justification=MANUAL))
    told = "Generated from the 'fma' cells of ontologies/tables; FMA identifiers are used under CC BY (see NOTICE)."
    slots = metadata_of(
        "fma", "kgscore to the Foundational Model of Anatomy", told, {"FMA": FMA}, object_source="http://purl.org/sig/ont/fma.owl"
    )
    return MappingSet("fma", slots, tuple(rows))


def known_ids(terms: Iterable[Term]) -> set[str]:
    """Return the valid subject ids of a mapping: those of the terms, and those of sided structures with a side."""
    return {f"{term.id}{side}" for term in terms for side in (("", "_left", "_right") if is_sided(term) else ("",))}


def check_mappings(folder: Path, terms: Sequence[Term]) -> list[Problem]:
    """Return the problems of the mapping files in a folder."""
    problems: list[Problem] = []
    known = known_ids(terms)
    for path in sorted(folder.glob("*.sssom.tsv")):
        try:
            problems += check_sssom(read_sssom(path), known)
        except OntologyError as error:
            problems.append(Problem("error", path.name, path.name, str(error)))
    return problems
