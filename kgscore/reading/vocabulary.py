"""Facts about concepts that composition needs, from the index."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from kgscore.model import Detail
from kgscore.ontology.files import table
from kgscore.ontology.index import Index
from kgscore.reading.normal_ranges import NormalRange, normal_ranges_of
from kgscore.reading.site_constraints import is_ubiquitous
from kgscore.reading.units import Units, units
from kgscore.resources import resource

_NOBODY: frozenset[str] = frozenset()


@dataclass(slots=True)
class Vocabulary:
    """The facts about concepts that composition uses."""

    empty: frozenset[str]
    qualities: dict[str, dict[str, str]]
    generic: frozenset[str]
    labels: dict[str, str]
    normals: dict[str, str]
    parents: dict[str, str]
    devices: frozenset[str]
    own: frozenset[str]
    placed: frozenset[str]
    settled: frozenset[str]
    kinds: frozenset[str]
    states: frozenset[str]
    paired: frozenset[str]
    lateral: frozenset[str]
    sided: frozenset[str]
    limits: Mapping[str, NormalRange]
    lumps: frozenset[str]
    looks: Mapping[str, str]
    units: Units
    outcomes: Mapping[str, frozenset[str]]
    roles: Mapping[str, frozenset[str]]
    only: Mapping[str, str]

    def flagged(self, role: str) -> frozenset[str]:
        """Return the concepts that have a role (`ontologies/tables/roles.tbl`)."""
        return self.roles.get(role, _NOBODY)

    def role(self, role: str) -> str:
        """Return the only concept of a role, or "" if the ontology has none."""
        return self.only.get(role, "")

    def detail(self, concept: str) -> Detail:
        """Return a descriptor as a detail: category, value, text."""
        return Detail(self.parents.get(concept, "nature"), concept, self.labels.get(concept, concept))


def vocabulary_of(index: Index) -> Vocabulary:
    """Return the vocabulary of an index."""

    def depth(name: str) -> int:
        return len(index.ancestors.get(name, ()))

    concepts = index.concepts.values()
    findings = index.of_kind("findings") | index.of_kind("devices")
    flagged, role, marked = index.flagged, index.role, index.marked
    outcomes = table(resource("mappings", "reading", "outcomes.txt"))
    return Vocabulary(
        empty=marked("empty"),
        qualities=index.qualities,
        generic=_of_any(index, findings, flagged("showing")) - _of_any(index, findings, {role("any_malignancy")}),
        labels={c.id: c.label for c in concepts},
        normals=_one_name(index),
        parents={c.id: _category(index, c.id) for c in concepts if c.kind == "descriptors"},
        devices=index.of_kind("devices"),
        placed=frozenset(name for name in findings if index.soft_sites.get(name)),
        settled=frozenset(
            name for name in findings if not all(is_ubiquitous(index, site) for site in index.soft_sites.get(name, ()))
        ),
        states=marked("status"),
        paired=marked("paired"),
        lateral=frozenset(name for name, wholes in index.within.items() if not marked("paired").isdisjoint(wholes)),
        sided=marked("sided"),
        kinds=index.generic | flagged("kinds_of_place"),
        limits=normal_ranges_of(index, [*table(resource("mappings", "reading", "limits.txt")), *index.brought("limits")]),
        lumps=_of_any(index, findings, flagged("lumps")),
        looks={name: max(sorted(index.features[name]), key=depth) for name in flagged("held") if name in index.features},
        units=units(index.brought("units")),
        outcomes={word.strip(): frozenset(classes.split()) for words, classes, _ in outcomes for word in words.split(";")},
        own=_of_any(index, findings, {role("any_signal")}) | flagged("enhancing"),
        roles=index.roles,
        only=dict(zip(index.roles, map(role, index.roles), strict=True)),
    )


def _of_any(index: Index, concepts: Iterable[str], classes: Collection[str]) -> frozenset[str]:
    """Return the concepts that are of any of some classes."""
    return frozenset(name for name in concepts if index.is_any(name, classes))


def _category(index: Index, concept: str) -> str:
    """Return the category of a descriptor: its ancestor directly below "descriptor", by its first parent if it has several."""
    root = index.role("any_descriptor")
    while root not in (parents := index.concepts[concept].parents):
        if not parents:
            return root
        concept = parents[0]
    return concept


def _one_name(index: Index) -> dict[str, str]:
    """Return for each normal word the first concept with its label: regions differ only in what they deny with it."""
    first: dict[str, str] = {}
    for name in sorted(index.denials, key=lambda name: (len(name), name)):
        first.setdefault(index.label(name), name)
    return {name: first[index.label(name)] for name in index.denials}
