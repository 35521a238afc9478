"""The queries that the SPARQL page offers: files whose first remark is the title."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).with_name("queries")


@dataclass(frozen=True, slots=True)
class Shipped:
    """A query with its name and title."""

    name: str
    title: str
    text: str


@cache
def shipped() -> tuple[Shipped, ...]:
    """Return the shipped queries by title."""
    found = []
    for path in sorted(_FOLDER.glob("*.rq")):
        text = path.read_text(encoding="utf-8")
        found.append(Shipped(path.stem, text.partition("\n")[0].lstrip("# "), text))
    return tuple(sorted(found, key=lambda one: one.title))
