"""Reads the compact tables in which the ontologies are written (format: `ontologies/tables/FORMAT.md`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgscore.errors import OntologyError, did_you_mean
from kgscore.model import TIERS
from kgscore.ontology.files import roles, table_lines
from kgscore.ontology.frames import wordings
from kgscore.resources import resource

KINDS = ("anatomy", "findings", "devices", "descriptors", "qualities", "normals")
FINDINGS = ("findings", "devices")  # the kinds whose terms a report asserts or negates

_LIST_KEYS = {
    "is": "parents", "part": "parts", "overlaps": "overlaps", "opp": "opposites", "implies": "implies",
    "tip": "tips", "noun": "nouns", "has": "features", "chief": "chief", "made": "made",
}
_SINGLE_KEYS = {"up", "down", "off", "lost", "dev", "kind", "lay", "side"}
_FLAGS = {"paired", "sided", "group", "empty", "variant", "status", "unique", "whole", "local", "bare", "anywhere", "borderline"}
_ID = re.compile(r"[a-z][a-z0-9_]*\Z")
_SIDES = ("left", "right", "both")
_NUMERALS = {
    "ordinal": ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
                "eleventh", "twelfth"],
    "roman": ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"],
}


@dataclass(frozen=True, slots=True)
class Form:
    """A surface form, with the side that it implies (`RLL` implies right)."""

    text: str
    side: str | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """A default site of a finding; a hard one always holds, a soft one is replaced by a stated site."""

    structure: str
    hard: bool


@dataclass(frozen=True, slots=True)
class Definition:
    """A sufficient condition: the genus located in the site (`*`: any bearer); if `whole`, borne by the site itself."""

    genus: str
    site: str
    whole: bool = False

    def __str__(self) -> str:
        """The definition as written in tables and annotations."""
        return f"{self.genus} @ {'=' if self.whole else ''}{self.site}"


@dataclass(frozen=True, slots=True)
class Differentia:
    """A sufficient condition: the genus with a descriptor (a rib fracture that is healed)."""

    genus: str
    value: str


@dataclass(frozen=True, slots=True)
class Term:
    """One line of a table: a concept with its place in the hierarchy and its names.

    One that `extends` is added to the concept with that id in another module (`kgscore.ontology.modules.merged`).
    """

    id: str
    label: str
    kind: str
    module: str
    where: str
    parents: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    overlaps: tuple[str, ...] = ()
    opposites: tuple[str, ...] = ()
    implies: tuple[str, ...] = ()
    tips: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    synonyms: tuple[Form, ...] = ()
    hidden: tuple[Form, ...] = ()
    adjectives: tuple[Form, ...] = ()
    narrower: tuple[Form, ...] = ()
    broader: tuple[Form, ...] = ()
    signs: tuple[Form, ...] = ()
    sites: tuple[Placement, ...] = ()
    definitions: tuple[Definition, ...] = ()
    differentiae: tuple[Differentia, ...] = ()
    features: tuple[str, ...] = ()
    chief: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    denies: tuple[Definition, ...] = ()
    tier: int | None = None
    source: str = ""
    fma: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    roles: tuple[str, ...] = ()
    extends: bool = False

    @property
    def forms(self) -> tuple[Form, ...]:
        """Every wording but the label."""
        return (*self.synonyms, *self.hidden, *self.adjectives, *self.narrower, *self.broader, *self.signs)

    @property
    def texts(self) -> list[str]:
        """The label and every other wording."""
        return [self.label, *(form.text for form in self.forms)]


def read_tables(folder: Path) -> list[Term]:
    """Return the terms of every module folder below `folder`, in file order.

    Raises:
        OntologyError: a line does not follow the format; the message names file, line and remedy.
    """
    modules = sorted((path for path in folder.iterdir() if path.is_dir()), key=lambda path: (path.name != "core", path))
    return [term for module in modules for term in read_module(module, module.name)]


def read_module(folder: Path, module: str) -> Iterator[Term]:
    """Yield the terms of the tables in one folder, in the order of `KINDS`.

    Raises:
        OntologyError: a file is not text, or a line does not follow the format.
    """
    for path, kind in module_tables(folder):
        for where, line in table_lines(path):
            yield from line_terms(line, kind, module, where)


def module_tables(folder: Path) -> list[tuple[Path, str]]:
    """Return the tables of a module folder, each with its kind."""
    return [(path, kind) for kind in KINDS if (path := folder / f"{kind}.tbl").exists()]


def fold(form: str) -> str:
    """Return a surface form normalised for comparison: lower case, hyphens as blanks.

    >>> fold("Air-fluid  level")
    'air fluid level'
    """
    return re.sub(r"[-\s]+", " ", form.lower()).strip()


def sources() -> dict[str, str]:
    """Return the sources of tiers and of the rules that change them, by key (`ontologies/tables/sources.tbl`)."""
    rows = (line.split("|", 1) for _, line in table_lines(resource("ontologies", "tables", "sources.tbl")))
    return {key.strip(): told.strip() for key, told in rows}


def line_terms(line: str, kind: str, module: str, where: str) -> Iterator[Term]:
    """Yield the terms of one line: one, or one per value of `each`.

    Raises:
        OntologyError: the line does not follow the format.
    """
    for expanded in _expand(line, where):
        yield _term(expanded, kind, module, where)


def _expand(line: str, where: str) -> Iterator[str]:
    if not line.startswith("each "):
        yield line
        return
    head, _, body = line.partition("|")
    match = re.fullmatch(r"each (\w+)=(\S+)\s*", head)
    if not match or not body:
        raise OntologyError(f"{where}: write 'each n=1..12 | …' or 'each v=C1,C2 | …'")
    name, spec = match.groups()

    def written(value: str, how: str | None) -> str:
        if (words := _NUMERALS.get(how or "")) is None:
            return value.lower() if how == "lower" else value
        if not value.isdigit() or int(value) >= len(words):
            raise OntologyError(f"{where}: '{value}' has no {how}; only numbers from 0 to {len(words) - 1} do")
        return words[int(value)]

    for value in (value for piece in spec.split(",") for value in _values_of(piece)):
        yield re.sub(rf"\{{{name}(?::(\w+))?\}}", lambda found, value=value: written(value, found[1]), body.strip())  # type: ignore[misc]


def _values_of(piece: str) -> list[str]:
    """Return the values of a span ("C1..C7"), or the piece itself."""
    span = re.fullmatch(r"([A-Z]?)(\d+)\.\.\1(\d+)", piece)
    return [f"{span[1]}{n}" for n in range(int(span[2]), int(span[3]) + 1)] if span else [piece]


def _term(line: str, kind: str, module: str, where: str) -> Term:
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) < 2:
        raise OntologyError(f"{where}: a line needs at least 'id | label'")
    extends, name = cells[0].startswith("+"), cells[0].removeprefix("+").strip()
    if not _ID.match(name):
        raise OntologyError(f"{where}: '{name}' is not an id; use lower-case snake_case")
    found: dict[str, Any] = {}
    values: dict[str, str] = {}
    flags = set()
    for cell in filter(None, cells[2:]):
        key, colon, rest = (part.strip() for part in cell.partition(":"))
        if colon and key in _SINGLE_KEYS:
            values[key] = rest
        elif colon:
            found |= _cell(key, rest, where)
        elif key in _FLAGS:
            flags.add(key)
        else:
            hint = did_you_mean(key, (*_FLAGS, *(f"{known}:" for known in KEYS)))
            raise OntologyError(f"{where}: unknown flag '{key}'; {hint or '(known: ' + ', '.join(sorted(_FLAGS)) + ')'}")
    return Term(name, cells[1], kind, module, where, values=values, flags=frozenset(flags), extends=extends, **found)


def _cell(key: str, rest: str, where: str) -> dict[str, object]:
    """Return the fields of a term given by a cell, with their values."""
    items = [item.strip() for item in rest.split(";") if item.strip()]
    if key == "tier":
        return _tier(rest, where)
    if key == "fma":
        return {"fma": dict(_fma(item, where) for item in items)}
    if key in _LIST_KEYS:
        return {_LIST_KEYS[key]: tuple(items)}
    if key in _PARSED_KEYS:
        field, parse = _PARSED_KEYS[key]
        if parse is _form:
            items = [wording for item in items for wording in wordings(item, where)]
        return {field: tuple(parse(item, where) for item in items)}
    hint = did_you_mean(key, KEYS) or f"known keys: {', '.join(KEYS)}"
    raise OntologyError(f"{where}: unknown key '{key}'; {hint}")


def _tier(text: str, where: str) -> dict[str, object]:
    """Return the number of a tier and the key of its source."""
    word, _, source = text.partition(" ")
    for number, known in TIERS.items():
        if known == word:
            return {"tier": number, "source": source.strip()}
    raise OntologyError(f"{where}: tier is {', '.join(TIERS.values())}, and its source; not '{text}'")


def _role(item: str, where: str) -> str:
    if item not in roles():
        hint = did_you_mean(item, roles()) or f"known roles: {', '.join(roles())}"
        raise OntologyError(f"{where}: no role '{item}'; {hint}")
    return item


def _form(item: str, where: str) -> Form:
    text, equals, side = item.rpartition("=")
    if not equals:
        return Form(item)
    if side.strip() not in _SIDES:
        raise OntologyError(f"{where}: '{item}': the side after '=' is left, right or both")
    return Form(text.strip(), side.strip())


def _placement(item: str, where: str) -> Placement:
    structure = item.rstrip("!? ").strip()
    return Placement(structure, item.endswith("!"))


def definition_of(item: str, where: str) -> Definition:
    """Return a definition from its text in tables and annotations."""
    genus, at, site = item.partition("@")
    if not at:
        raise OntologyError(f"{where}: '{item}': write 'finding @ site' ('*' for any site)")
    site = site.strip()
    return Definition(genus.strip(), site.removeprefix("=").strip(), site.startswith("="))


def differentia_of(item: str, where: str) -> Differentia:
    """Return a differentia from its text in tables and annotations."""
    genus, plus, value = item.partition("+")
    if not plus:
        raise OntologyError(f"{where}: '{item}': write 'finding + descriptor'")
    return Differentia(genus.strip(), value.strip())


def _fma(item: str, where: str) -> tuple[str, str]:
    match = re.fullmatch(r"(?:(left|right) )?(?:FMA:)?(\d+)", item)
    if not match:
        raise OntologyError(f"{where}: '{item}' is not an FMA id; write '7195' or 'left 7310'")
    return match[1] or "", match[2]


_PARSED_KEYS: dict[str, tuple[str, Callable[[str, str], object]]] = {
    "syn": ("synonyms", _form), "abbr": ("hidden", _form), "adj": ("adjectives", _form),
    "narrow": ("narrower", _form), "broad": ("broader", _form), "sign": ("signs", _form), "site": ("sites", _placement),
    "def": ("definitions", definition_of), "denies": ("denies", definition_of), "with": ("differentiae", differentia_of),
    "role": ("roles", _role),
}  # fmt: skip
KEYS = tuple(sorted({*_LIST_KEYS, *_PARSED_KEYS, *_SINGLE_KEYS, "tier", "fma"}))
# The field of a term for each key with a list value.
FIELDS = {**_LIST_KEYS, **{key: field for key, (field, _) in _PARSED_KEYS.items()}, "tier": "tier", "fma": "fma"}
