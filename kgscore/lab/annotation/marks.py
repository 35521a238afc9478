"""Marked sentences: their plain-text format, and its checks (`corpus/GUIDE.md`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgscore.errors import InputError
from kgscore.reading.structure.values import STATUSES

KINDS = "fvpnqwsdmc"
HEADS = "fvpnw"
MODALITIES = (
    "chest-xray", "chest-ct", "head-ct", "brain-mri", "neck", "face", "spine", "spine-mri", "abdomen-ct", "abdomen-mri",
    "abdomen-us", "pelvis", "vascular", "cardiac", "msk-xray", "msk-mri", "msk-ct", "breast", "thyroid-us", "obstetric-us", "pet",
    "eye", "dental", "paediatric",
)  # fmt: skip
REGISTERS = ("dictation", "formal", "template", "translated", "telegraphic", "caps", "list", "model")

_MARK = re.compile(r"\{([a-z]\d+):([^{}]+)\}")
_HEADING = re.compile(rf"^## ({'|'.join(MODALITIES)}) ({'|'.join(REGISTERS)}) *$", re.MULTILINE)
_ID = re.compile(rf"[{KINDS}]\d+\Z")
_PLACE = re.compile(r"([a-z0-9+]*)(?:\(([a-z0-9]+)\))?\Z")
_STATEMENT = re.compile(
    r"(?P<head>\w+) (?P<status>\w+)(?: @ (?P<places>[^|~]+?))?(?: \| (?P<modifiers>[^~@]+?))?(?: ~ (?P<names>[^|@]+?))?\Z"
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked span of a sentence: `start` and `end` (exclusive) in characters; the first letter of `id` is its kind."""

    id: str
    start: int
    end: int

    @property
    def kind(self) -> str:
        """The kind of mark, one letter of `KINDS`."""
        return self.id[0]


@dataclass(frozen=True, slots=True)
class Place:
    """A place: the marks that together name it, and the side word."""

    sites: tuple[str, ...]
    side: str | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement about one head: its status, places (each a statement), modifiers, and the heads it is an alternative for."""

    head: str
    status: str
    places: tuple[Place, ...] = ()
    modifiers: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Marked:
    """One marked sentence and its place ("file:line")."""

    text: str
    modality: str
    register: str
    marks: tuple[Mark, ...]
    statements: tuple[Statement, ...]
    where: str


def read_marked(path: Path) -> list[Marked]:
    """Return the marked sentences of a file.

    Raises:
        InputError: a sentence is not marked as in the guide; the message lists all errors with file and line.
    """
    found: list[Marked] = []
    wrong: list[str] = []
    for line, block in _blocks(path):
        try:
            found.append(marked_sentence(block, f"{path.name}:{line}"))
        except ValueError as error:
            wrong.append(f"{path.name}:{line}: {error}")
    if wrong:
        raise InputError("\n".join(wrong))
    return found


def read_texts(path: Path) -> list[Marked]:
    """Return the texts of a file, each a whole unmarked report under a line `## MODALITY REGISTER`.

    Raises:
        InputError: the file does not begin with such a line.
    """
    before, *parts = _HEADING.split(path.read_text(encoding="utf-8"))
    if before.strip() or not parts:
        raise InputError(f"{path.name}:1: a text needs a preceding line '## MODALITY REGISTER'")
    headed = enumerate(zip(parts[::3], parts[1::3], parts[2::3], strict=True), start=1)
    return [Marked(text.strip(), modality, register, (), (), f"{path.name}#{at}") for at, (modality, register, text) in headed]


def _blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks of lines between empty lines, with the number of their first line."""
    start, block = 1, list[str]()
    for number, line in enumerate((*path.read_text(encoding="utf-8").splitlines(), ""), start=1):
        if line.strip():
            if not block:
                start = number
            block.append(line.strip())
        elif block:
            yield start, block
            block = []


def marked_sentence(block: Sequence[str], where: str) -> Marked:
    """Return one marked sentence, from its header, its text and its statements.

    Raises:
        ValueError: it is not marked as in the guide.
    """
    if len(block) < 2 or not block[0].startswith("## "):
        raise ValueError("a sentence needs '## MODALITY REGISTER', the marked sentence, and its statements")
    modality, _, register = block[0].removeprefix("## ").partition(" ")
    if modality not in MODALITIES:
        raise ValueError(f"'{modality}' is no modality")
    if register not in REGISTERS:
        raise ValueError(f"'{register}' is no register")
    text, marks = strip_marks(block[1])
    ids = [mark.id for mark in marks]
    twice = {name for name in ids if ids.count(name) > 1}
    if twice:
        raise ValueError(f"marked twice: {', '.join(sorted(twice))}")
    statements = tuple(_parse_statement(line, frozenset(ids)) for line in block[2:])
    silent = [name for name in ids if name[0] in HEADS and name not in {s.head for s in statements}]
    if silent:
        raise ValueError(f"no statement for {', '.join(silent)}")
    return Marked(text, modality, register, marks, statements, where)


def as_text(marked: Marked) -> str:
    """Return a marked sentence as text, with its heading and without the empty line after it.

    >>> print(as_text(Marked("No effusion.", "chest-xray", "formal", (Mark("f1", 3, 11),), (Statement("f1", "absent"),), "")))
    ## chest-xray formal
    No {f1:effusion}.
    f1 absent
    """
    pieces, at = list[str](), 0
    for mark in sorted(marked.marks, key=lambda mark: mark.start):
        pieces += [marked.text[at : mark.start], f"{{{mark.id}:{marked.text[mark.start : mark.end]}}}"]
        at = mark.end
    said = "\n".join(map(_statement_line, marked.statements))
    return f"## {marked.modality} {marked.register}\n{''.join(pieces)}{marked.text[at:]}\n{said}".rstrip("\n")


def _statement_line(one: Statement) -> str:
    places = (f"{'+'.join(place.sites)}{f'({place.side})' if place.side else ''}" for place in one.places)
    parts = (("@", places), ("|", one.modifiers), ("~", one.names))
    return " ".join([one.head, one.status, *(f"{sign} {told}" for sign, said in parts if (told := " ".join(said)))])


def strip_marks(marked: str) -> tuple[str, tuple[Mark, ...]]:
    """Return the text of a marked sentence and its marks.

    >>> strip_marks("No {f1:effusion}.")
    ('No effusion.', (Mark(id='f1', start=3, end=11),))
    """
    pieces, marks, at, length = list[str](), list[Mark](), 0, 0
    for found in _MARK.finditer(marked):
        before = marked[at : found.start()]
        if not _ID.match(found[1]):
            raise ValueError(f"'{found[1]}' is not a mark; kinds are {', '.join(KINDS)}")
        start = length + len(before)
        pieces += [before, found[2]]
        length = start + len(found[2])
        marks.append(Mark(found[1], start, length))
        at = found.end()
    pieces.append(marked[at:])
    text = "".join(pieces)
    if "{" in text or "}" in text:
        raise ValueError("unmatched brace: marks are {f1:words} and do not nest")
    return text, tuple(marks)


def _parse_statement(line: str, ids: frozenset[str]) -> Statement:
    match = _STATEMENT.match(line)
    if not match:
        raise ValueError(f"'{line}' is not a statement: HEAD STATUS @ PLACES | MODIFIERS ~ OTHER")
    found = match.groupdict("")
    head, status = found["head"], found["status"]
    if head not in ids or head[0] not in HEADS:
        raise ValueError(f"'{line}': '{head}' heads no statement")
    if status not in STATUSES:
        raise ValueError(f"'{line}': '{status}' is no status")
    places = tuple(_parse_place(text, line) for text in found["places"].split())
    modifiers, names = tuple(found["modifiers"].split()), tuple(found["names"].split())
    sites = [site for place in places for site in place.sites]
    sides = [place.side for place in places if place.side]
    unknown = [name for name in (*sites, *sides, *modifiers, *names) if name not in ids]
    if unknown:
        raise ValueError(f"'{line}': '{unknown[0]}' is not marked in the sentence")
    return Statement(head, status, places, modifiers, names)


def _parse_place(text: str, line: str) -> Place:
    found = _PLACE.match(text)
    if not found or not (found[1] or found[2]):
        raise ValueError(f"'{line}': '{text}' is no place")
    return Place(tuple(found[1].split("+")) if found[1] else (), found[2])
