"""Loads terms from the compiled Turtle and from users' modules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kgscore.errors import OntologyError
from kgscore.ontology.files import reader_files, turtle_files
from kgscore.ontology.tables import KINDS, Form, Placement, Term, definition_of, differentia_of, read_module, read_tables
from kgscore.ontology.turtle import FMA, FORMS, KGS, LINKS, VALUE_LINKS, VALUE_TEXTS, catalogue, full_iri

_SUBCLASS = full_iri("rdfs:subClassOf")
_PROPERTY, _FILLER = full_iri("owl:onProperty"), full_iri("owl:someValuesFrom")
_TEXTS = {full_iri(name): key for key, name in VALUE_TEXTS.items()}
_VALUES = {full_iri(name): key for key, name in VALUE_LINKS.items()}
_SOFT_SITE = KGS + "softSite"
_LINKS = {full_iri(name): key for key, name in LINKS.items()} | {_SUBCLASS: "parents", _SOFT_SITE: "sites"}
_RESTRICTIONS = {KGS + "located_in": "sites", KGS + "has_value": "features", KGS + "part_of": "parts"}
_FORMS = {full_iri(name).removeprefix(KGS): key for key, name in FORMS.items()}

_Rows = list[tuple[str, ox.NamedNode | ox.BlankNode | ox.Literal]]


@dataclass(frozen=True, slots=True)
class _File:
    """The statements of one file by subject, in file order."""

    name: str
    classes: dict[str, _Rows] = field(default_factory=dict)
    nodes: dict[str, dict[str, str]] = field(default_factory=dict)


def load_turtle(folder: Path) -> list[Term]:
    """Return the terms of the compiled ontologies in `folder`.

    They equal those from `tables.read_tables`, in the same order (core first, then module by module); only `where` is
    the file's name. The order of forms, parents and sites is their order in the file.

    Raises:
        OntologyError: there is no ontology, a file is not Turtle, or a class lacks a key, kind or label.
    """
    paths = turtle_files(folder)
    if not paths:
        raise OntologyError(f"{folder}: no .ttl file here; run `kgscore ontology build`")
    terms = _terms([_parse(path, path.relative_to(folder).as_posix()) for path in paths], {})
    order = {kind: number for number, kind in enumerate(KINDS)}
    return sorted(terms, key=lambda term: (term.module != "core", term.module, order[term.kind]))


def load_module(path: Path, known: Iterable[Term] = ()) -> list[Term]:
    """Return the terms of a user's own module: a Turtle file like the compiled ones, or a folder of `.tbl` tables.

    The folder is one module (`findings.tbl` or Turtle files in it; the module has the folder's name) or has one folder per
    module. `known` gives the terms that a Turtle module may refer to by IRI and may extend.

    Raises:
        OntologyError: the path is neither, contains no term, or a file is malformed.
    """
    if not path.exists():
        raise OntologyError(f"{path}: no such file or folder")
    if path.is_file() and path.suffix == ".ttl":
        terms = _own_turtle([path], known)
    elif path.is_dir():
        terms = list(read_module(path, path.resolve().name))
        terms += _own_turtle(sorted(path.glob("*.ttl")), [*known, *(term for term in terms if not term.extends)])
        terms = terms or read_tables(path)
    else:
        raise OntologyError(f"{path}: a module is a .ttl file or a folder of .tbl tables")
    if not terms and not (path.is_dir() and reader_files(path)):
        raise OntologyError(f"{path}: no term in it; tables are named {', '.join(f'{kind}.tbl' for kind in KINDS)}")
    return terms


def _own_turtle(paths: Sequence[Path], known: Iterable[Term]) -> list[Term]:
    if not paths:
        return []
    by_id = {term.id: term for term in known}
    names = catalogue(by_id.values()).names
    return _terms([_parse(path, path.name) for path in paths], {full_iri(name): key for key, name in names.items()}, by_id)


def _parse(path: Path, name: str) -> _File:
    found = _File(name)
    try:
        for statement in ox.parse(path=path, format=ox.RdfFormat.TURTLE):
            subject, predicate, value = statement.subject, statement.predicate.value, statement.object
            if isinstance(subject, ox.NamedNode):
                if not isinstance(value, ox.Triple):
                    found.classes.setdefault(subject.value, []).append((predicate, value))
            elif isinstance(subject, ox.BlankNode) and isinstance(value, ox.NamedNode):
                found.nodes.setdefault(subject.value, {})[predicate] = value.value
    except (SyntaxError, OSError) as error:
        raise OntologyError(f"{name}: no readable Turtle: {error}") from error
    return found


def _terms(files: list[_File], ids: dict[str, str], known: Mapping[str, Term] | None = None) -> list[Term]:
    """Return the terms of files. Statements about one of the `known` terms, without a key of its own, extend it."""
    ids, sided, subjects = dict(ids), set(), []
    for file in files:
        for iri, rows in file.classes.items():
            texts = {predicate: value.value for predicate, value in rows if isinstance(value, ox.Literal)}
            if KGS + "key" not in texts:
                base = (known or {}).get(ids.get(iri, ""))
                if base is not None:
                    subjects.append((iri, file, {KGS + "kind": base.kind, full_iri("skos:prefLabel"): base.label, **texts}))
                continue
            ids[iri] = texts[KGS + "key"]
            if any(predicate == KGS + "sideOf" for predicate, _ in rows):
                sided.add(iri)
            else:
                subjects.append((iri, file, texts))
    return [_term(iri, file, texts, ids, sided) for iri, file, texts in subjects]


def _id(iri: str, ids: dict[str, str], where: str) -> str:
    if iri in ids:
        return ids[iri]
    if iri.startswith(FMA):
        raise OntologyError(f"{where}: no term has the class {iri}; add one, or correct the IRI")
    return iri.removeprefix(KGS)


def _term(iri: str, file: _File, texts: dict[str, str], ids: dict[str, str], sided: set[str]) -> Term:
    where, key, extends = file.name, ids[iri], KGS + "key" not in texts
    kind, label = texts.get(KGS + "kind", ""), texts.get(full_iri("skos:prefLabel"), "")
    if kind not in KINDS or not label:
        raise OntologyError(f"{where}: {key}: needs kgs:kind (one of {', '.join(KINDS)}) and skos:prefLabel")
    rows = file.classes[iri]
    said = _literals(rows)
    sides = dict(_split(text) for text in said["sidedForm"])
    tier = texts.get(KGS + "clinicalSeverity")
    fields: dict[str, Any] = {name: tuple(members) for name, members in _references(rows, file, ids, sided).items()}
    fields |= {name: tuple(Form(text, sides.get(text)) for text in said[key]) for key, name in _FORMS.items()}
    return Term(
        key, "" if extends else label, kind, texts.get(KGS + "module", Path(where).stem), where,
        definitions=tuple(definition_of(text, where) for text in said["definition"]),
        differentiae=tuple(differentia_of(text, where) for text in said["differentia"]),
        values=_values(rows, ids, where), fma=dict(_split(text, " ") for text in said["fmaId"]),
        denies=tuple(definition_of(text, where) for text in texts.get(KGS + "denies", "").split("; ") if text),
        tier=int(tier) if tier else None, source=texts.get(KGS + "severitySource", ""),
        flags=frozenset(said["flag"]), roles=tuple(said["role"]), extends=extends, **fields,
    )


def _literals(rows: _Rows) -> dict[str, list[str]]:
    """Return the texts of a term by predicate, in file order."""
    found: dict[str, list[str]] = defaultdict(list)
    for predicate, value in rows:
        if isinstance(value, ox.Literal):
            found[predicate.removeprefix(KGS)].append(value.value)
    return found


def _references(rows: _Rows, file: _File, ids: dict[str, str], sided: set[str]) -> dict[str, list[Any]]:
    """Return the references of a term, by field: parents, parts, features, sites and the other links, and its nouns."""
    defined = {value.value for predicate, value in rows if predicate == KGS + "definedParent"}
    found: dict[str, list[Any]] = defaultdict(list)
    for predicate, value in rows:
        if predicate == KGS + "qualityNoun" and isinstance(value, ox.Literal):
            found["nouns"].append(value.value)
        elif predicate == _SUBCLASS and isinstance(value, ox.BlankNode):
            node = file.nodes.get(value.value, {})
            field, filler = _RESTRICTIONS.get(node.get(_PROPERTY, ""), ""), node.get(_FILLER, "")
            if field and not (field == "parts" and filler in sided):
                name = _id(filler, ids, file.name)
                found[field].append(Placement(name, hard=True) if field == "sites" else name)
        elif isinstance(value, ox.NamedNode) and _is_reference(predicate, value.value, defined):
            name = _id(value.value, ids, file.name)
            found[_LINKS[predicate]].append(Placement(name, hard=False) if predicate == _SOFT_SITE else name)
    return found


def _is_reference(predicate: str, iri: str, defined: Collection[str]) -> bool:
    """Whether a statement links a term to another: not to a class of the schema, nor to a parent by definition."""
    schema = iri in defined or iri.removeprefix(KGS)[:1].isupper()
    return predicate in _LINKS and not (predicate == _SUBCLASS and schema)


def _values(rows: _Rows, ids: dict[str, str], where: str) -> dict[str, str]:
    """Return the single-valued fields of a term by key."""
    named = {_VALUES[p]: _id(v.value, ids, where) for p, v in rows if p in _VALUES and isinstance(v, ox.NamedNode)}
    return named | {_TEXTS[p]: v.value for p, v in rows if p in _TEXTS and isinstance(v, ox.Literal)}


def _split(text: str, by: str = "=") -> tuple[str, str]:
    """Split at the last `by`: 'RLL=right' into form and side, 'left 7310' into side and number."""
    first, _, last = text.rpartition(by)
    return first, last
