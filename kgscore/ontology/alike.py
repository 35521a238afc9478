"""Interchangeable terms of reports: places that are clinically the same, and a finding and its appearance or manifestation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kgscore.model import Finding
from kgscore.ontology.files import table
from kgscore.ontology.index import Index, shared
from kgscore.resources import resource

FILE = "alike.txt"
_NONE: frozenset[str] = frozenset()


class Alike(NamedTuple):
    """The rows in both directions: `places`, `named` findings, and `findings`, with the classes that these define at a place."""

    places: Mapping[str, frozenset[str]]
    named: Mapping[str, frozenset[str]]
    findings: Mapping[str, frozenset[str]]

    def shows(self, one: Finding, other: Finding) -> bool:
        """Return whether reports use two findings for one another, regardless of their places."""
        return one.concept != other.concept and any(
            other.concept in self.findings.get(name, _NONE) for name in (one.concept, one.genus) if name
        )

    def reviewed(self, one: Finding, other: Finding) -> bool:
        """Return whether a row names the concepts of both findings themselves."""
        return other.concept in self.named.get(one.concept or "", _NONE)


@shared
def alike_of(index: Index) -> Alike:
    """Return the rows of the shipped file."""
    rows: dict[str, dict[str, set[str]]] = {"anatomy": {}, "findings": {}}
    for one, other, _ in table(resource("mappings", FILE)):
        if one in index.concepts and other in index.concepts:  # a reduced ontology lacks some of them
            found = rows[index.concepts[one].kind]
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    made = {
        name: {name, *(defined for _, defined in index.definitions.get(name, ()) if index.is_a(defined, name))}
        for name in rows["findings"]
    }
    near: dict[str, set[str]] = {}
    for name, others in rows["findings"].items():
        for one in made[name]:
            near.setdefault(one, set()).update(*(made[other] for other in others))
    return Alike(_frozen(rows["anatomy"]), _frozen(rows["findings"]), _frozen(near))


def _frozen(rows: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(others - {name}) for name, others in rows.items()}
