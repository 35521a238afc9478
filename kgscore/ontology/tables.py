"""Reading of the compact tables in which the ontologies are written (format: `ontologies/tables/FORMAT.md`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kgscore.errors import OntologyError

KINDS = ("anatomy", "findings", "devices", "descriptors", "qualities", "normals")

_LIST_KEYS = {
    "is": "parents", "part": "parts", "overlaps": "overlaps", "opp": "opposites", "implies": "implies",
    "tip": "tips", "noun": "nouns",
}
_FORM_KEYS = {"syn": "synonyms", "abbr": "hidden", "adj": "adjectives"}
_SINGLE_KEYS = {"up", "down", "off", "lost", "dev", "kind", "lay", "side"}
_FLAGS = {"paired", "sided", "group", "empty", "variant", "status", "unique", "whole", "local"}
_ID = re.compile(r"[a-z][a-z0-9_]*\Z")
_SIDES = ("left", "right", "both")
_ORDINALS = (
    ["zeroth", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
     "twelfth"]
)
_ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")


@dataclass(frozen=True, slots=True)
class Form:
    """A surface form, with the side that it implies (`RLL` implies right)."""

    text: str
    side: str | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """A site of a finding by default; a hard one always holds, a soft one gives way to what is said."""

    structure: str
    hard: bool


@dataclass(frozen=True, slots=True)
class Definition:
    """A sufficient condition: the genus located in the site (`*` stands for any bearer)."""

    genus: str
    site: str


@dataclass(frozen=True, slots=True)
class Term:
    """One line of a table: a concept with its place in the hierarchy and the words for it."""

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
    sites: tuple[Placement, ...] = ()
    definitions: tuple[Definition, ...] = ()
    denies: tuple[Definition, ...] = ()
    severity: int | None = None
    fma: dict[str, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()


def read_tables(folder: Path) -> list[Term]:
    """Return the terms of every module folder below `folder`, in file order.

    Raises:
        OntologyError: a line does not follow the format; the message names file, line and remedy.
    """
    terms: list[Term] = []
    modules = [path for path in sorted(folder.iterdir()) if path.is_dir()]
    modules.sort(key=lambda path: path.name != "core")
    for module in modules:
        for kind in KINDS:
            path = module / f"{kind}.tbl"
            if path.exists():
                terms.extend(read_table(path, kind, module.name))
    return terms


def read_table(path: Path, kind: str, module: str) -> Iterator[Term]:
    """Yield the terms of one table file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        where = f"{path.parent.name}/{path.name}:{number}"
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
    values = []
    for piece in spec.split(","):
        span = re.fullmatch(r"([A-Z]?)(\d+)\.\.\1(\d+)", piece)
        if span:
            values += [f"{span[1]}{n}" for n in range(int(span[2]), int(span[3]) + 1)]
        else:
            values.append(piece)

    for value in values:
        def put(found: re.Match[str], value: str = value) -> str:
            how = found[1]
            if how == "ordinal":
                return _ORDINALS[int(value)]
            if how == "roman":
                return _ROMAN[int(value)]
            return value.lower() if how == "lower" else value

        yield re.sub(rf"\{{{name}(?::(\w+))?\}}", put, body.strip())


def _term(line: str, kind: str, module: str, where: str) -> Term:
    cells = [cell.strip() for cell in line.split("|")]
    if len(cells) < 2:
        raise OntologyError(f"{where}: a line needs at least 'id | label'")
    if not _ID.match(cells[0]):
        raise OntologyError(f"{where}: '{cells[0]}' is no id; use lower-case snake_case")
    found: dict[str, object] = {}
    values: dict[str, str] = {}
    flags = set()
    for cell in cells[2:]:
        if not cell:
            continue
        key, colon, rest = cell.partition(":")
        key = key.strip()
        items = [item.strip() for item in rest.split(";") if item.strip()]
        if not colon:
            if key not in _FLAGS:
                raise OntologyError(f"{where}: unknown flag '{key}' (known: {', '.join(sorted(_FLAGS))})")
            flags.add(key)
        elif key in _LIST_KEYS:
            found[_LIST_KEYS[key]] = tuple(items)
        elif key in _FORM_KEYS:
            found[_FORM_KEYS[key]] = tuple(_form(item, where) for item in items)
        elif key in _SINGLE_KEYS:
            values[key] = rest.strip()
        elif key == "site":
            found["sites"] = tuple(_placement(item) for item in items)
        elif key in ("def", "denies"):
            found["definitions" if key == "def" else "denies"] = tuple(_definition(item, where) for item in items)
        elif key == "sev":
            if rest.strip() not in ("1", "2", "3", "4"):
                raise OntologyError(f"{where}: sev is 1, 2, 3 or 4, not '{rest.strip()}'")
            found["severity"] = int(rest)
        elif key == "fma":
            found["fma"] = dict(_fma(item, where) for item in items)
        else:
            raise OntologyError(f"{where}: unknown key '{key}'")
    return Term(cells[0], cells[1], kind, module, where, values=values, flags=frozenset(flags), **found)  # type: ignore[arg-type]


def _form(item: str, where: str) -> Form:
    text, equals, side = item.rpartition("=")
    if not equals:
        return Form(item)
    if side.strip() not in _SIDES:
        raise OntologyError(f"{where}: '{item}': the side after '=' is left, right or both")
    return Form(text.strip(), side.strip())


def _placement(item: str) -> Placement:
    structure = item.rstrip("!? ").strip()
    return Placement(structure, item.endswith("!"))


def _definition(item: str, where: str) -> Definition:
    genus, at, site = item.partition("@")
    if not at:
        raise OntologyError(f"{where}: '{item}': write 'finding @ site' ('*' for any site)")
    return Definition(genus.strip(), site.strip())


def _fma(item: str, where: str) -> tuple[str, str]:
    match = re.fullmatch(r"(?:(left|right) )?(?:FMA:)?(\d+)", item)
    if not match:
        raise OntologyError(f"{where}: '{item}' is no FMA id; write '7195' or 'left 7310'")
    return match[1] or "", match[2]
