"""Compiles the compact tables to OWL 2 in Turtle: one text per module, deterministic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from kgscore.errors import OntologyError
from kgscore.ontology.tables import FINDINGS, Definition, Form, Term, read_tables
from kgscore.resources import resource

KGS = "https://w3id.org/kgscore/"
FMA = "http://purl.org/sig/ont/fma/fma"
ONTOLOGY = KGS + "ontology/"
MARK = "# Generated from ontologies/tables by `kgscore ontology build`; do not edit."

FORMS = {
    "synonyms": "skos:altLabel", "hidden": "skos:hiddenLabel", "adjectives": "kgs:adjective",
    "narrower": "oboInOwl:hasNarrowSynonym", "broader": "oboInOwl:hasBroadSynonym", "signs": "oboInOwl:hasRelatedSynonym",
}
LINKS = {
    "overlaps": "kgs:overlaps", "opposites": "kgs:opposite", "implies": "kgs:implies", "tips": "kgs:usualTip",
    "chief": "kgs:chiefDeviation", "made": "kgs:madeOf",
}
VALUE_LINKS = {
    "dev": "kgs:deviation", "up": "kgs:deviationUp", "down": "kgs:deviationDown", "off": "kgs:deviationOff",
    "lost": "kgs:deviationLost",
}
VALUE_TEXTS = {"kind": "kgs:deviceKind", "lay": "kgs:layRole", "side": "kgs:fixedSide"}

PREFIXES = {
    "kgs": KGS, "fma": FMA, "owl": "http://www.w3.org/2002/07/owl#", "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#", "dcterms": "http://purl.org/dc/terms/",
    "oboInOwl": "http://www.geneontology.org/formats/oboInOwl#",
}
LICENCE = "https://creativecommons.org/licenses/by/4.0/"
TOPS = {
    "anatomy": "kgs:Anatomy", "findings": "kgs:Finding", "devices": "kgs:Finding", "descriptors": "kgs:Descriptor",
    "qualities": "kgs:Quality", "normals": "kgs:NormalStatement",
}
_RESERVED = {
    "part_of", "located_in", "on_side", "inheres_in", "has_laterality", "has_value", "has_polarity", "has_certainty",
    "has_change", "has_severity", "key", "kind", "module", "adjective", "definition", "denies", "opposite", "implies", "overlaps",
    "deviation", "flag", "role",
}
SIDES = ("left", "right")
_IS = "rdfs:subClassOf"
_WIDTH = 116
_Row = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The terms by id, with the data that their axioms need about each other.

    `names` gives the prefixed name of every class (`lung` and its sided classes `lung_left`, `lung_right`), `sides` the side of
    every structure that exists on one side only.
    """

    terms: dict[str, Term]
    names: dict[str, str]
    sides: dict[str, str]

    def name(self, user: Term, key: str) -> str:
        """Return the prefixed name of `key`. Raises OntologyError, naming the user's line, if there is none."""
        if key not in self.names:
            raise OntologyError(f"{user.where}: {user.id}: unknown id '{key}'; add the term or correct the id")
        return self.names[key]


def is_sided(term: Term) -> bool:
    """Return whether a structure exists left and right, so that it has a class for each side."""
    return term.kind == "anatomy" and bool(term.flags & {"paired", "sided"})


def file_of(term: Term) -> str:
    """Return the relative path of the Turtle file that holds the term."""
    if term.kind == "descriptors":
        return "descriptors.ttl"
    if term.module == "core":
        return "core.ttl"
    return f"{'anatomy' if term.kind == 'anatomy' else 'findings'}/{term.module}.ttl"


def class_name(term: Term, side: str = "") -> str:
    """Return the prefixed name of a term's class, or of its `left` or `right` class."""
    if term.kind == "anatomy" and side in term.fma:
        return f"fma:{term.fma[side]}"
    return f"kgs:{term.id}_{side}" if side else f"kgs:{term.id}"


def full_iri(name: str) -> str:
    """Return the IRI of a prefixed name.

    >>> full_iri("fma:7195")
    'http://purl.org/sig/ont/fma/fma7195'
    """
    prefix, _, local = name.partition(":")
    return PREFIXES[prefix] + local


def fixed_sides(terms: dict[str, Term]) -> dict[str, str]:
    """Return the side of each structure that exists on one side only: its own, or that of a whole or a parent."""
    sides: dict[str, str] = {}
    for term in (term for term in terms.values() if term.kind == "anatomy"):
        around = [term.id]  # the nearest first; grows while it is read
        for above in (terms[key] for key in around if key in terms):
            if "side" in above.values:
                sides[term.id] = above.values["side"]
                break
            around += [key for key in dict.fromkeys(above.parents + above.parts) if key not in around]
    return sides


def catalogue(terms: Iterable[Term]) -> Catalogue:
    """Return the catalogue of the terms.

    Raises:
        OntologyError: an id or an IRI is ambiguous, or an id is a word of the schema.
    """
    known = _checked(terms)
    names: dict[str, str] = {}
    owners: dict[str, str] = {}
    for side, term in ((side, term) for side in ("", *SIDES) for term in known.values() if not side or is_sided(term)):
        key, name = f"{term.id}_{side}" if side else term.id, class_name(term, side)
        if side and key in known:
            raise OntologyError(f"{known[key].where}: '{key}' is already generated from '{term.id}'; drop the line")
        if side and owners.get(name) in known:
            name = f"kgs:{key}"
        if name in owners:
            raise OntologyError(f"{term.where}: {key} and {owners[name]} share {name}; drop one FMA id")
        names[key], owners[name] = name, key
    return Catalogue(known, names, fixed_sides(known))


def _checked(terms: Iterable[Term]) -> dict[str, Term]:
    known: dict[str, Term] = {}
    for term in terms:
        if known.setdefault(term.id, term) is not term:
            raise OntologyError(f"{term.where}: id '{term.id}' is also at {known[term.id].where}; rename one")
        if term.id in _RESERVED:
            raise OntologyError(f"{term.where}: id '{term.id}' is a word of the schema; rename it")
        if term.values.get("side", "left") not in SIDES:
            raise OntologyError(f"{term.where}: side is left or right, not '{term.values['side']}'")
    return known


def compile_tables(tables: Path) -> dict[str, str]:
    """Return the Turtle texts of all modules, by path relative to the `ontologies` folder.

    Raises:
        OntologyError: a table is malformed, or an id is duplicate or unknown; one line with file, line and remedy.
    """
    schema = tables / "core" / "schema.ttl"
    return compile_terms(read_tables(tables), schema if schema.exists() else None)


def compile_terms(terms: Iterable[Term], schema: Path | None = None) -> dict[str, str]:
    """Return the Turtle texts of terms, by relative path; `schema` replaces the shipped head of `core.ttl`.

    Raises:
        OntologyError: an id is duplicate or unknown.
    """
    known = catalogue(terms)
    by_file: dict[str, list[Term]] = {"core.ttl": []}
    for term in known.terms.values():
        by_file.setdefault(file_of(term), []).append(term)
    lines = (schema or resource("ontologies", "tables", "core", "schema.ttl")).read_text(encoding="utf-8").splitlines()
    core = "\n".join(line for line in lines if not line.startswith("@prefix")).strip() + "\n"
    texts = {}
    for path, members in sorted(by_file.items()):
        named = {key for term in members for key, _, what in references_of(term) if what != "denies"}
        imports = {"core.ttl", *(file_of(known.terms[key]) for key in named if key in known.terms)} - {path}
        blocks = ("\n".join(_blocks(term, known)) for term in members)
        texts[path] = "\n".join([_head(path, imports), *([core] if path == "core.ttl" else []), *blocks])
    texts["kgscore.ttl"] = _head("kgscore.ttl", set(texts))
    return texts


def _head(path: str, imports: set[str]) -> str:
    lines = ["# kgscore ontologies, licensed under CC BY 4.0.", MARK, ""]
    lines += [f"@prefix {prefix}: <{iri}> ." for prefix, iri in PREFIXES.items()]
    lines += ["", f"<{ONTOLOGY}{path.removesuffix('.ttl')}> a owl:Ontology ;"]
    lines += [f"    owl:imports <{ONTOLOGY}{other.removesuffix('.ttl')}> ;" for other in sorted(imports)]
    lines += [f'    dcterms:title "kgscore: {path.removesuffix(".ttl")}"@en ;', f"    dcterms:license <{LICENCE}> ."]
    return "\n".join(lines) + "\n"


def references_of(term: Term) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """Yield the ids that a term refers to, each with the allowed kinds and the key of the cell."""
    own, anatomy = same_kind(term), ("anatomy",)
    for what, kinds, keys in (
        ("is", own, term.parents), ("part", anatomy, term.parts), ("overlaps", anatomy, term.overlaps),
        ("opp", own, term.opposites), ("implies", FINDINGS, term.implies), ("tip", anatomy, term.tips),
        ("site", anatomy, [site.structure for site in term.sites]),
        ("def", FINDINGS, [row.genus for row in term.definitions]),
        ("def", anatomy, [row.site for row in term.definitions if row.site != "*"]),
        ("with", FINDINGS, [row.genus for row in term.differentiae]),
        ("with", ("descriptors", "findings"), [row.value for row in term.differentiae]),
        ("has", ("descriptors",), term.features), ("chief", FINDINGS, term.chief), ("made", anatomy, term.made),
        ("denies", FINDINGS, [row.genus for row in term.denies]),
        ("denies", anatomy, [row.site for row in term.denies if row.site != "*"]),
        *((key, FINDINGS, [term.values[key]]) for key in VALUE_LINKS if key in term.values),
    ):
        yield from ((key, kinds, what) for key in keys)


def same_kind(term: Term) -> tuple[str, ...]:
    """Return the allowed kinds of a term's parents: a device is a finding."""
    return FINDINGS if term.kind in FINDINGS else (term.kind,)


def _blocks(term: Term, known: Catalogue) -> Iterator[str]:
    yield _block(term, term.id, known.names[term.id], _class_rows(term, known))
    sufficient = [_meaning(term, row, known) for row in term.definitions if row.site != "*" and len(term.definitions) > 1]
    for row in term.differentiae:
        sufficient.append(_intersect(known.name(term, row.genus), _some("has_value", known.name(term, row.value))))
    yield from (f"{meaning} rdfs:subClassOf {known.names[term.id]} .\n" for meaning in sufficient)
    for key, side in ((f"{term.id}_{side}", side) for side in SIDES if is_sided(term)):
        yield _block(term, key, known.names[key], _sided_rows(term, side, known))


def _block(term: Term, key: str, name: str, rows: Iterable[_Row]) -> str:
    """Format one class: one line per predicate, or one line per value if there are many."""
    lines = [f"{name} a owl:Class ; kgs:key {_text(key)} ; kgs:kind {_text(term.kind)} ; kgs:module {_text(term.module)}"]
    for predicate, group in groupby(rows, key=lambda row: row[0]):
        values = [value for _, value in group]
        joint = f"{predicate} {' , '.join(values)}"
        lines.append(joint if len(joint) <= _WIDTH else f"{predicate} " + " ,\n        ".join(values))
    return " ;\n    ".join(lines) + " .\n"


def _class_rows(term: Term, known: Catalogue) -> Iterator[_Row]:
    yield from _form_rows(term)
    yield from _place_rows(term, known)
    yield from ((_IS, _some("has_value", known.name(term, key))) for key in term.features)
    yield from _definition_rows(term, known)
    yield from (("kgs:differentia", _text(f"{row.genus} + {row.value}")) for row in term.differentiae)
    if term.denies:
        yield "kgs:denies", _text("; ".join(f"{row.genus} @ {row.site}" for row in term.denies))
    for field, predicate in LINKS.items():
        yield from ((predicate, known.name(term, key)) for key in getattr(term, field))
    yield from (("kgs:qualityNoun", f"{_text(noun)}@en") for noun in term.nouns)
    yield from ((VALUE_LINKS[key], known.name(term, term.values[key])) for key in VALUE_LINKS if key in term.values)
    yield from ((VALUE_TEXTS[key], _text(term.values[key])) for key in VALUE_TEXTS if key in term.values)
    if term.kind == "anatomy" and "side" in term.values:
        yield _IS, _some("has_laterality", f"kgs:{term.values['side'].capitalize()}")
    yield from _mark_rows(term)


def _form_rows(term: Term) -> Iterator[_Row]:
    yield "rdfs:label", f"{_text(term.label)}@en"
    yield "skos:prefLabel", f"{_text(term.label)}@en"
    for field, predicate in FORMS.items():
        forms: tuple[Form, ...] = getattr(term, field)
        for form in forms:
            yield predicate, f"{_text(form.text)}@en"
            if form.side:
                yield "kgs:sidedForm", _text(f"{form.text}={form.side}")


def _place_rows(term: Term, known: Catalogue) -> Iterator[_Row]:
    """Return the parents of a term, the wholes that it is a part of, and its sites."""
    parents = [known.name(term, key) for key in term.parents]
    yield from ((_IS, parent) for parent in parents or [TOPS[term.kind]])
    yield from ((_IS, _some("part_of", known.name(term, key))) for key in term.parts)
    if own_side := known.sides.get(term.id):
        yield from ((_IS, _some("part_of", whole)) for whole in _sided_wholes(term, own_side, known))
    for placement in term.sites:
        site = known.name(term, placement.structure)
        yield (_IS, _some("located_in", site)) if placement.hard else ("kgs:softSite", site)


def _mark_rows(term: Term) -> Iterator[_Row]:
    """Return the tier of a term, its FMA ids, flags and roles."""
    if term.tier is not None:
        yield "kgs:clinicalSeverity", str(term.tier)
    if term.source:
        yield "kgs:severitySource", _text(term.source)
    yield from (("kgs:fmaId", _text(f"{side} {number}".strip())) for side, number in term.fma.items())
    yield from (("kgs:flag", _text(flag)) for flag in sorted(term.flags))
    yield from (("kgs:role", _text(role)) for role in term.roles)


def _definition_rows(term: Term, known: Catalogue) -> Iterator[_Row]:
    """Return the axioms of the definitions: one is necessary and sufficient, several are each sufficient (see `_blocks`)."""
    yield from (("kgs:definition", _text(str(row))) for row in term.definitions)
    for only in term.definitions if len(term.definitions) == 1 else ():
        genus = known.name(term, only.genus)
        if only.site != "*":
            yield "owl:equivalentClass", _meaning(term, only, known)
        elif only.genus not in term.parents:
            yield from ((_IS, genus), ("kgs:definedParent", genus))


def _meaning(term: Term, row: Definition, known: Catalogue) -> str:
    """Return the class that a definition describes: the structure itself must bear a `whole` genus, others may lie in a part."""
    genus, site = known.name(term, row.genus), known.name(term, row.site)
    borne = row.whole or "whole" in known.terms[row.genus].flags
    return _intersect(genus, _some("inheres_in" if borne else "located_in", site))


def _sided_rows(term: Term, side: str, known: Catalogue) -> Iterator[_Row]:
    name = known.names[term.id]
    yield "rdfs:label", f"{_text(f'{side} {term.label}')}@en"
    yield "kgs:sideOf", name
    yield "owl:equivalentClass", _intersect(name, _some("has_laterality", f"kgs:{side.capitalize()}"))
    yield from ((_IS, _some("part_of", whole)) for whole in _sided_wholes(term, side, known))


def _sided_wholes(term: Term, side: str, known: Catalogue) -> Iterator[str]:
    wholes = (known.terms[key] for key in term.parts if key in known.terms)
    return (known.names[f"{whole.id}_{side}"] for whole in wholes if is_sided(whole))


def _some(relation: str, filler: str) -> str:
    return f"[ a owl:Restriction ; owl:onProperty kgs:{relation} ; owl:someValuesFrom {filler} ]"


def _intersect(first: str, second: str) -> str:
    return f"[ a owl:Class ; owl:intersectionOf ( {first} {second} ) ]"


def _text(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
