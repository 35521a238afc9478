"""The compiled ontology: closures that answer subsumption, parthood, distance, opposition and definition in constant time.

Built once from the terms, cached by content hash, and used for scoring; the OWL reasoner is used only when the
ontologies are checked, and a test checks that both agree.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeVar

from kgscore.ontology.definitions import derive, within_reach
from kgscore.ontology.tables import Definition

LEVEL = re.compile(r"_[ctls]\d{1,2}(?:_[ctls]\d{1,2})?\Z")
ANYWHERE = "*"
_NONE: frozenset[str] = frozenset()
_Made = TypeVar("_Made")


def shared(make: Callable[[Index], _Made]) -> Callable[[Index], _Made]:
    """Return a function whose value for an ontology is made once; callers share it and its caches."""
    return lambda index: index.once(make, lambda: make(index))


@lru_cache(maxsize=100_000)
def level_of(structure: str) -> str | None:
    """Return the spinal level at the end of a structure's id, or None."""
    found = LEVEL.search(structure)
    return found[0] if found else None


def lists(pairs: Iterable[tuple[str, _Made]]) -> dict[str, tuple[_Made, ...]]:
    """Return the second elements of pairs by the first, in order."""
    found: dict[str, list[_Made]] = defaultdict(list)
    for name, other in pairs:
        found[name].append(other)
    return {name: tuple(others) for name, others in found.items()}


def only(names: Sequence[str]) -> str | None:
    """Return the only name, or None if there are none or several."""
    return names[0] if len(names) == 1 else None


def is_disc(structure: str) -> bool:
    """Return whether a structure is an intervertebral disc, by its id."""
    return structure.startswith("disc_")


@dataclass(frozen=True, slots=True)
class Concept:
    """The data of one concept for scoring; `severity` is its tier, 1 to 4, assigned by `graded_by` according to a `source`."""

    id: str
    label: str
    kind: str
    module: str
    severity: int
    graded_by: str
    source: str
    flags: frozenset[str]
    parents: tuple[str, ...]
    values: dict[str, str]


@dataclass(slots=True)
class Index:
    """The closures. `ancestors` is reflexive is-a; `within` is reflexive is-a and part-of, composed. `wordings` are those of
    findings that say no less than the finding."""

    concepts: dict[str, Concept]
    ancestors: dict[str, frozenset[str]]
    within: dict[str, frozenset[str]]
    hard_sites: dict[str, frozenset[str]]
    soft_sites: dict[str, tuple[str, ...]]
    definitions: dict[str, tuple[tuple[str, str], ...]]
    itself: frozenset[tuple[str, str, str]]
    differentiae: dict[str, tuple[tuple[str, str], ...]]
    features: dict[str, frozenset[str]]
    opposites: dict[str, frozenset[str]]
    implied: dict[str, tuple[str, ...]]
    chief: dict[str, tuple[str, ...]]
    made: dict[str, tuple[str, ...]]
    overlaps: dict[str, frozenset[str]]
    denials: dict[str, tuple[Definition, ...]]
    qualities: dict[str, dict[str, str]]
    principal: dict[str, frozenset[str]]
    tips: dict[str, tuple[str, ...]]
    generic: frozenset[str]
    wall_of: dict[str, str]
    defined: frozenset[str]
    borne: dict[str, str]
    local: frozenset[str]
    roles: dict[str, frozenset[str]]
    wordings: dict[str, tuple[str, ...]]
    words: dict[str, frozenset[str]]
    rows: dict[str, tuple[tuple[str, str, str], ...]]
    _derived: dict[tuple[str, tuple[str, ...], tuple[str, ...]], frozenset[str]] = field(default_factory=dict)
    _made: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return the value computed from this ontology under a key, computing it once; callers share it and its caches."""
        if key not in self._made:
            self._made[key] = make()
        found: _Made = self._made[key]
        return found

    def flagged(self, role: str) -> frozenset[str]:
        """Return the concepts with a role (`ontologies/tables/roles.tbl`) in the tables; not their subclasses."""
        return self.roles.get(role, _NONE)

    def role(self, role: str) -> str:
        """Return the only concept with a unique role; "" if the ontology has none (nothing is subsumed by "")."""
        return min(self.roles.get(role, _NONE), default="")

    def brought(self, file: str) -> tuple[tuple[str, str, str], ...]:
        """Return the rows that the user's modules add to a data file of the reader ("units", "defaults", "limits")."""
        return self.rows.get(file, ())

    def deviations(self, way: str = "dev") -> frozenset[str]:
        """Return the deviations of qualities, in any direction ("dev": abnormal size) or in one ("up": enlargement)."""
        return self.once(("deviations", way), lambda: frozenset(v[way] for v in self.qualities.values() if way in v))

    def narrowing_categories(self) -> frozenset[str]:
        """Return the categories of details that restrict a negation: sizes, ages, and descriptors ("no large effusion")."""
        return self.flagged("restricting") | {self.role("ages"), "nature"}

    def is_a(self, narrow: str | None, broad: str | None) -> bool:
        """Return whether every `narrow` is a `broad` (subsumption); False if one is None, the concept of unknown words."""
        return broad in self.ancestors.get(narrow or "", ())

    def inside(self, part: str, whole: str) -> bool:
        """Return whether `part` lies in `whole` (is-a and part-of composed)."""
        return whole in self.within.get(part, ())

    def is_any(self, narrow: str | None, broads: Iterable[str]) -> bool:
        """Return whether every `narrow` is one of `broads`."""
        return not self.ancestors.get(narrow or "", _NONE).isdisjoint(broads)

    def inside_any(self, part: str, wholes: Iterable[str]) -> bool:
        """Return whether `part` lies in one of `wholes`."""
        return not self.within.get(part, frozenset()).isdisjoint(wholes)

    def either_is_a(self, one: str | None, other: str | None) -> bool:
        """Return whether one of two concepts subsumes the other."""
        return self.is_a(one, other) or self.is_a(other, one)

    def either_inside(self, one: str, other: str) -> bool:
        """Return whether one of two structures lies in the other."""
        return self.inside(one, other) or self.inside(other, one)

    def distance(self, narrow: str | None, broad: str | None) -> int:
        """Return the number of hierarchy steps between two concepts (grouping classes are not counted), 0 to 9."""
        level = {narrow or ""}
        seen = set(level)
        for steps in range(9):
            if (broad or "") in level:
                return steps
            level = {parent for name in level if name in self.concepts for parent in self.concepts[name].parents} - seen
            seen |= level
        return 9

    def label(self, concept: str) -> str:
        """Return the preferred label of a concept, or the id itself if it is unknown."""
        found = self.concepts.get(concept)
        return found.label if found else concept

    def severity(self, concept: str | None) -> int:
        """Return the tier of a concept: 1 routine, 2 notable, 3 urgent, 4 critical (`kgscore.model.TIERS`)."""
        found = self.concepts.get(concept or "")
        return found.severity if found else 2

    def observation_type(self, concept: str | None, asserts: bool) -> str:
        """Return the HeadCT-ONE type of a finding: an observation or device, present or absent, or a procedure."""
        found = self.concepts.get(concept or "")
        if found is not None and found.values.get("kind") == "procedure":
            return "procedure"
        name = "device" if found is not None and found.kind == "devices" else "observation"
        return f"{name}_{'present' if asserts else 'absent'}"

    def specific(self, generic: str, container: str) -> str | None:
        """Return the structure of the generic kind in a container, if there is exactly one at the top ("labrum" in the hip)."""
        if self.inside(generic, container):
            return None
        return self.once(("specific", generic, container), lambda: self._specific(generic, container))

    def _specific(self, generic: str, container: str) -> str | None:
        found = [n for n in self._all_of_kind(generic) if container in self.within[n] and n not in (generic, container)]
        start = "disc_" if generic == self.role("any_disc") else generic.rsplit("_", 1)[0][:6]
        same_level = (n for n in self._at_same_level(container) if generic in self.within[n] and n.startswith(start))
        return only(self.topmost(found)) or next(same_level, None)  # foramina at `disc_l4_l5`

    def topmost(self, names: Sequence[str]) -> list[str]:
        """Return those of some structures that lie in no other of them."""
        return [name for name in names if not any(other != name and self.inside(name, other) for other in names)]

    def holds(self, container: str, kind: str) -> bool:
        """Return whether a structure of a kind lies inside a container (there are bronchi in a lobe)."""
        within = self.within
        return self.once(("holds", container, kind), lambda: any(container in within[name] for name in self._all_of_kind(kind)))

    def _all_of_kind(self, kind: str) -> Sequence[str]:
        """Return the structures of a kind."""
        return self.once(
            "structures by kind", lambda: lists((kind, name) for name in self.within for kind in self.ancestors[name])
        ).get(kind, ())

    def at_level(self, kind: str, level: str) -> frozenset[str]:
        """Return the structures of a kind at the spinal level of a structure (the cord segment at C4)."""
        return frozenset(n for n in self._at_same_level(level) if kind in self.ancestors[n])

    def _at_same_level(self, level: str) -> list[str]:
        """Return the other structures at the spinal level of an id."""
        own = level_of(level)
        named = self.once(("level", own), lambda: [name for name in self.within if own and level_of(name) == own])
        return [name for name in named if name != level]

    def marked(self, flag: str) -> frozenset[str]:
        """Return the concepts with a flag in the tables."""
        flags = self.once("flags", lambda: lists((flag, c.id) for c in self.concepts.values() for flag in c.flags))
        return self.once(("flag", flag), lambda: frozenset(flags.get(flag, ())))

    def of_kind(self, kind: str) -> frozenset[str]:
        """Return the concepts of a kind of the tables ("devices")."""
        return self.once(("kind", kind), lambda: frozenset(c.id for c in self.concepts.values() if c.kind == kind))

    def derived(self, concept: str | None, sites: tuple[str, ...], values: tuple[str, ...] = ()) -> frozenset[str]:
        """Return every finding class of a `concept` at `sites` with stated descriptors (`values`), definitions included."""
        if concept is None:
            return _NONE
        key = (concept, sites, values)
        if key not in self._derived:
            self._derived[key] = derive(self, *key)
        return self._derived[key]

    def defining_sites(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Return for each genus the sites by which its definitions define classes, with these classes."""
        return self.once("defining sites", lambda: {genus: lists(rows) for genus, rows in self.definitions.items()})

    def shown(self, classes: Iterable[str]) -> frozenset[str]:
        """Return the descriptors that every finding of these classes shows (a cyst is cystic)."""
        return _NONE.union(*(self.features.get(name, _NONE) for name in classes))

    def fold(self, concept: str, sites: tuple[str, ...]) -> str:
        """Return the most specific named concept equivalent to `concept` at `sites`; of several, that of the innermost site."""
        others = self.derived(concept, sites) - self.ancestors.get(concept, frozenset())
        defined = {name for _, name in self.definitions.get(concept, ()) if concept in self.concepts}
        named = [name for name in others if name in defined or self.is_a(name, concept)]
        above = frozenset().union(*(self.ancestors[name] - {name} for name in named))
        lowest = [name for name in named if name not in above]
        return max(lowest, key=lambda name: (self._closeness(name, sites), len(self.ancestors[name]), name), default=concept)

    def _closeness(self, concept: str, sites: tuple[str, ...]) -> int:
        """Return the depth of the innermost default site of a concept that contains one of the sites, 0 if there is none."""
        own = (one for one in self.default_sites(concept) if any(self.inside(site, one) for site in sites))
        return max((len(self.within[one]) for one in own), default=0)

    def refined(self, concept: str, value: str, sites: tuple[str, ...]) -> str | None:
        """Return the named concept equivalent to `concept` at `sites` with a descriptor (a healed fracture of a rib: healed rib
        fracture); None if there is none or it is ambiguous. An old finding may no longer be of its genus (a healed
        fracture is not a fracture)."""
        old = self.is_any(value, self.flagged("old"))
        rows = [(genus, name) for genus, name in self.differentiae.get(value, ()) if self.is_a(concept, genus)]
        kinds = {name for genus, name in rows if self.is_a(name, concept) or (old and genus == concept)} - {concept}
        found = sorted(name for name in kinds if within_reach(self, name, concept, sites))
        return next((name for name in found if all(self.is_a(other, name) for other in found)), None)

    def sites_implied(self, concept: str | None) -> frozenset[str]:
        """Return the sites that the concept itself implies (its hard sites, inherited)."""
        return self.hard_sites.get(concept or "", _NONE)

    def places(self, sites: Iterable[str], classes: Iterable[str]) -> set[str]:
        """Return the sites of a finding and those that its classes imply."""
        return {*sites, *(site for name in classes for site in self.hard_sites.get(name, ()))}

    def is_astray(self, device: str | None, ends: Sequence[str]) -> bool:
        """Return whether a device that ends here ends where none of its kind should; not if its kind may end anywhere."""
        usual = self.tips.get(device or "", ())
        return bool(usual and ends) and not any(self.either_inside(end, place) for end in ends for place in usual)

    def default_sites(self, concept: str | None) -> tuple[str, ...]:
        """Return the sites of a concept where none is stated; empty if it has none."""
        return self.soft_sites.get(concept or "", ())

    def opposed(self, one: str | None, other: str | None) -> tuple[str, str] | None:
        """Return the two opposite classes under which the concepts fall, or None."""
        above, names = self.ancestors.get(other or "", _NONE), self.ancestors.get(one or "", ())
        return min(((name, min(hit)) for name in names if (hit := self.opposites.get(name, _NONE) & above)), default=None)

    def denied_by(self, normals: Sequence[str], bearer: str | None) -> Definition:
        """Return what a normal word (`normals`: its ids) negates of a bearer: the first row at the closest site around it."""
        around = self.within.get(bearer, frozenset((bearer,))) if bearer else frozenset()
        found = [
            (1 + len(self.within[row.site]) if row.site != ANYWHERE else 0, -order, -place, row)
            for order, normal in enumerate(normals)
            for place, row in enumerate(self.denials.get(normal, ()))
            if row.site == ANYWHERE or row.site in around
        ]
        return max(found)[-1] if found else Definition(self.role("any_abnormality"), ANYWHERE)
