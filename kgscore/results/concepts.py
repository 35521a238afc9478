"""The concepts of the ontology as rows of a run, so that SQL can group findings by region and severity and use the hierarchy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from kgscore.ontology.index import Index
from kgscore.resources import yaml_of
from kgscore.results.layout import Above, ConceptRow


@dataclass(frozen=True, slots=True)
class Region:
    """A region of the body: its name in results, its display label, and its structures."""

    name: str
    label: str
    within: tuple[str, ...]


@cache
def regions() -> tuple[Region, ...]:
    """Return the regions used in results (`mappings/regions.yaml`); a structure belongs to the first region that contains it."""
    rows: list[Mapping[str, Any]] = yaml_of("mappings", "regions.yaml")
    return tuple(Region(row["name"], row["label"], tuple(row["within"])) for row in rows)


def region_of(index: Index, concept: str) -> str | None:
    """Return the region of a structure, or of the sites implied by a finding; None if there is none."""
    found = index.concepts.get(concept)
    if found is not None and found.kind == "anatomy":
        return _region(index, concept)
    hard = sorted(index.sites_implied(concept))
    return next((region for site in (*hard, *index.soft_sites.get(concept, ())) if (region := _region(index, site))), None)


def _region(index: Index, structure: str) -> str | None:
    return next((region.name for region in regions() if index.inside_any(structure, region.within)), None)


def concept_rows(index: Index) -> dict[str, list[Any]]:
    """Return the rows of the tables `concepts` and `ancestors` of a run."""
    concepts = [ConceptRow(c.id, c.label, c.kind, region_of(index, c.id), c.severity) for c in index.concepts.values()]
    above = [Above(concept, one) for concept, ancestors in index.ancestors.items() for one in sorted(ancestors)]
    return {"concepts": concepts, "ancestors": above}
