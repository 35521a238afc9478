"""The weights of findings and entities under a profile: by type, concept, subtree, region, descriptor category and severity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kgscore.caches import MemoizedDict
from kgscore.errors import ProfileError, did_you_mean
from kgscore.model import Finding
from kgscore.ontology.index import Index
from kgscore.profile import ENTITY_TYPES, Profile, Weights

# Categories of details without a class in the ontology; `measurement` stands for the five that follow it.
CATEGORIES = (
    "measurement", "length", "percent", "angle", "value", "previous",
    "inference", "nature", "comparison", "restriction", "state", "integrity", "wording",
)  # fmt: skip
_MEASURED = frozenset(CATEGORIES[1:6])


class Weighting:
    """Computes the weights of findings and entities. Anything that the profile does not name has weight 1.

    Raises:
        ProfileError: the profile names a concept that the ontology does not have, or an unknown type of entity.
    """

    def __init__(self, profile: Profile, index: Index) -> None:
        self.index = index
        self.weights: Weights = profile.weights
        further = {"region": ("other",), "descriptor": CATEGORIES}
        for table in ("concept", "subtree", "region", "descriptor"):
            for key in getattr(self.weights, table):
                type, _, name = key.rpartition("/") if table in ("concept", "subtree") else ("", "", key)
                where = f"profile '{profile.name}': weights: {table}"
                if type and type not in ENTITY_TYPES:
                    raise ProfileError(f"{where}: '{type}' is no type of entity; known types: {', '.join(ENTITY_TYPES)}")
                if name not in index.concepts and name not in further.get(table, ()):
                    raise ProfileError(f"{where}: '{name}' is not an id of the ontology{_near(name, index)}")
        self.unlinked = profile.unlinked_weight
        self.plain = self.weights == Weights()
        self._tables = MemoizedDict(self._table)
        self._findings = MemoizedDict(self._finding)
        self._entities = MemoizedDict(self._entity)

    def finding(self, finding: Finding) -> float:
        """Return the weight of a finding, 0 or more; for one that no concept covers, times the profile's `unlinked_weight`."""
        return self._findings[finding.concept, finding.asserts, finding.sites]

    def _finding(self, content: tuple[str | None, bool, tuple[str, ...]]) -> float:
        concept, asserts, sites = content
        share = self.unlinked if concept is None else 1.0
        if self.plain:
            return share
        own = self._own(concept, self.index.observation_type(concept, asserts)) * self._region(sites)
        return share * own * self._severity(concept)

    def entity(self, concept: str, type: str, category: str = "") -> float:
        """Return the weight of an entity, 0 or more: of a place by region, a descriptor by category, a finding by severity."""
        return 1.0 if self.plain else self._entities[concept, type, category]

    def _entity(self, content: tuple[str, str, str]) -> float:
        concept, type, category = content
        if type == "anatomy":
            share = self._region((concept,))
        else:
            share = self.entity_detail(concept, category) if type == "descriptor" else self._severity(concept)
        return self._own(concept, type) * share

    def _severity(self, concept: str | None) -> float:
        return self.weights.severity.get(str(self.index.severity(concept)), 1.0)

    def left_out(self, concept: str, type: str, category: str = "") -> bool:
        """Return whether the profile excludes an entity by name, and so its relations too; a type of weight 0 leaves them."""
        if type == "descriptor" and self.entity_detail(concept, category) == 0:
            return True
        exact, above = self._tables["concept", type], self._tables["subtree", type]
        return (exact[concept] if concept in exact else self._nearest(concept, above)) == 0

    def entity_detail(self, concept: str, category: str = "") -> float:
        """Return the weight of a descriptor by its category; one without a category and without a class is a measurement."""
        return self.detail(concept, category or ("" if concept in self.index.concepts else "measurement"))

    def relation(self, type: str) -> float:
        """Return the weight of a type of relation, 0 or more."""
        return self.weights.relation.get(type, 1.0)

    def detail(self, value: str, category: str = "") -> float:
        """Return the weight of a detail: of its value or the nearest class above it, else of its category (`CATEGORIES`)."""
        table = self.weights.descriptor
        found = self._nearest(value, table)
        usual = table.get(category, table.get("measurement", 1.0) if category in _MEASURED else 1.0)
        return usual if found is None else found

    def lenient(self, findings: Sequence[Finding]) -> Sequence[Finding]:
        """Return the findings without the details of weight 0, which are not compared."""
        if not self.weights.descriptor:
            return findings
        return [replace(f, details=tuple(d for d in f.details if self.detail(d.value, d.category) > 0)) for f in findings]

    def _own(self, concept: str | None, type: str) -> float:
        exact = self._tables["concept", type]
        found = exact[concept] if concept in exact else self._nearest(concept, self._tables["subtree", type])
        return self.weights.entity.get(type, 1.0) if found is None else found

    def _table(self, wanted: tuple[str, str]) -> Mapping[str | None, float]:
        """Return the entries of a table for one type of entity: a key "TYPE/ID" is for that type and overrides the plain ID."""
        name, type = wanted
        pairs = [(key.rpartition("/"), weight) for key, weight in getattr(self.weights, name).items()]
        return {concept: weight for kind in ("", type) for (own, _, concept), weight in pairs if own == kind}

    def _nearest(self, concept: str | None, table: Mapping[Any, float]) -> float | None:
        """Return the weight that the table gives to the class of the concept or the nearest one above it."""
        above = [name for name in table if name == concept or self.index.is_a(concept, name)]
        return table[min(above, key=lambda name: (self.index.distance(concept, name), name))] if above else None

    def _region(self, sites: Iterable[str]) -> float:
        """Return the weight of the narrowest region that contains one of the sites."""
        table = self.weights.region
        if not table:
            return 1.0
        around = [name for name in table if name != "other" and any(self.index.inside(site, name) for site in sites)]
        if not around:
            return table.get("other", 1.0)
        return table[max(around, key=lambda name: (len(self.index.within[name]), name))]


def weighting_of(profile: Profile, index: Index) -> Weighting:
    """Return the weighting of a profile, one shared instance for all metrics under it.

    Raises:
        ProfileError: as `Weighting`.
    """
    return index.once((Weighting, profile), lambda: Weighting(profile, index))


def _near(name: str, index: Index) -> str:
    return f"; {did_you_mean(name, index.concepts) or '`kgscore ontology show TERM` finds ids'}"
