"""Marked sentences: their plain-text format, and its checks (`corpus/GUIDE.md`)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
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
    """Return the marked sentences of a file; an error lists all that is wrong in it, with file and line."""
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
    """Return the texts of a file, each a whole unmarked report under a line `## MODALITY REGISTER`."""
    before, *parts = _HEADING.split(path.read_text(encoding="utf-8"))
    if before.strip() or not parts:
        raise InputError(f"{path.name}:1: a text needs a preceding line '## MODALITY REGISTER'")
    headed = enumerate(zip(parts[::3], parts[1::3], parts[2::3], strict=True), start=1)
    return [Marked(text.strip(), modality, register, (), (), f"{path.name}#{at}") for at, (modality, register, text) in headed]


def _blocks(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the blocks of lines between empty lines, with the number of their first line."""
    lines = enumerate(map(str.strip, path.read_text(encoding="utf-8").splitlines()), start=1)
    for filled, group in groupby(lines, key=lambda line: bool(line[1])):
        if filled:
            numbers, block = zip(*group, strict=True)
            yield numbers[0], list(block)


def require(fine: object, said: str) -> None:
    """Raise a ValueError that says what does not follow the guide."""
    if not fine:
        raise ValueError(said)


def marked_sentence(block: Sequence[str], where: str) -> Marked:
    """Return one marked sentence, from its header, text and statements; a ValueError says how it departs from the guide."""
    headed = len(block) > 1 and block[0].startswith("## ")
    require(headed, "a sentence needs '## MODALITY REGISTER', the marked sentence, and its statements")
    modality, _, register = block[0].removeprefix("## ").partition(" ")
    require(modality in MODALITIES, f"'{modality}' is no modality")
    require(register in REGISTERS, f"'{register}' is no register")
    text, marks = strip_marks(block[1])
    count = Counter(mark.id for mark in marks)
    require(len(count) == len(marks), f"marked twice: {', '.join(sorted(name for name in count if count[name] > 1))}")
    statements = tuple(_parse_statement(line, count) for line in block[2:])
    heads = {statement.head for statement in statements}
    silent = [name for name in count if name[0] in HEADS and name not in heads]
    require(not silent, f"no statement for {', '.join(silent)}")
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
    text, marks, at = "", list[Mark](), 0
    for found in _MARK.finditer(marked):
        require(_ID.match(found[1]), f"'{found[1]}' is not a mark; kinds are {', '.join(KINDS)}")
        text += marked[at : found.start()]
        marks.append(Mark(found[1], len(text), len(text) + len(found[2])))
        text += found[2]
        at = found.end()
    text += marked[at:]
    require("{" not in text and "}" not in text, "unmatched brace: marks are {f1:words} and do not nest")
    return text, tuple(marks)


def _parse_statement(line: str, ids: Collection[str]) -> Statement:
    match = _STATEMENT.match(line)
    found = match.groupdict("") if match else {}
    require(found, f"'{line}' is not a statement: HEAD STATUS @ PLACES | MODIFIERS ~ OTHER")
    head, status = found["head"], found["status"]
    require(head in ids and head[0] in HEADS, f"'{line}': '{head}' heads no statement")
    require(status in STATUSES, f"'{line}': '{status}' is no status")
    places = tuple(_parse_place(text, line) for text in found["places"].split())
    modifiers, names = (tuple(found[part].split()) for part in ("modifiers", "names"))
    used = chain(*(place.sites for place in places), (place.side for place in places), modifiers, names)
    unknown = [name for name in used if name and name not in ids]
    require(not unknown, f"'{line}': '{''.join(unknown[:1])}' is not marked in the sentence")
    return Statement(head, status, places, modifiers, names)


def _parse_place(text: str, line: str) -> Place:
    found = _PLACE.match(text)
    sites, side = found.groups() if found else ("", None)
    require(sites or side, f"'{line}': '{text}' is no place")
    return Place(tuple(sites.split("+")) if sites else (), side)
