"""Reports as lists of entities of five types (RaTEScore 2.2): anatomy, abnormality, disease, non-abnormality, non-disease.

Of the words, as published: every mention, in the words of the report, repetitions included. Of the findings: every finding with
its place and details, and every place once, so that different wordings give the same list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kgscore.caches import MemoizedDict
from kgscore.metrics.facts import Place
from kgscore.model import Finding, Reading
from kgscore.ontology.index import Index
from kgscore.resources import yaml_of

TYPES = ("abnormality", "anatomy", "disease", "non_abnormality", "non_disease")
_DENIED = frozenset(TYPES[3:])
_OF_WORDS = {
    "observation_present": True, "device_present": True, "procedure": True, "observation_absent": False, "device_absent": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class RateEntity:
    """An entity: its type and concept, the `name` that is embedded, the side of a place, and its position in the text. `finding`
    is its position among the findings of the report, -1 if it is none; `kind` its HeadCT-ONE type, by which a profile weights it;
    `linked` is False for a place with only findings that no concept covers."""

    type: str
    concept: str
    name: str
    said: Place
    kind: str
    side: str = ""
    finding: int = -1
    linked: bool = True

    @property
    def denied(self) -> bool:
        """Whether the type is non-abnormality or non-disease."""
        return self.type in _DENIED


def differ_in_polarity(one: str, other: str) -> bool:
    """Return whether two types differ in polarity, one asserted and one denied: the eight ordered pairs that are penalised.

    >>> pairs = ("disease", "non_abnormality"), ("anatomy", "non_disease"), ("disease", "abnormality")
    >>> [differ_in_polarity(*pair) for pair in pairs]
    [True, False, False]
    """
    return "anatomy" not in (one, other) and (one in _DENIED) != (other in _DENIED)


class Diseases:
    """Separates diseases from abnormalities by `mappings/diseases.yaml`, which documents how."""

    def __init__(self, index: Index) -> None:
        table: Mapping[str, Any] = yaml_of("mappings", "diseases.yaml")
        self.index = index
        self._classes: dict[str, str] = {name: kind for kind, names in table["classes"].items() for name in names}
        endings: list[tuple[str, str]] = [(ending, kind) for kind, endings in table["endings"].items() for ending in endings]
        self._endings = sorted(endings, key=lambda row: -len(row[0]))  # the longest first, then the first in the file
        self._known = MemoizedDict(self._decide)

    def __contains__(self, concept: object) -> bool:
        """Return whether a finding class is a disease."""
        return isinstance(concept, str) and self._known[concept] == "disease"

    def _decide(self, concept: str) -> str | None:
        level, seen = [concept], {concept}
        while level:
            found = {kind for name in level if (kind := self._stated_kind(name))}
            if found:
                return "disease" if "disease" in found else "abnormality"
            above = [p for name in level if name in self.index.concepts for p in self.index.concepts[name].parents]
            level = [name for name in dict.fromkeys(above) if name not in seen]
            seen.update(level)
        return None

    def _stated_kind(self, concept: str) -> str | None:
        if concept in self._classes:
            return self._classes[concept]
        words = self.index.label(concept).lower().replace("-", " ").split()
        return next((kind for ending, kind in self._endings if any(word.endswith(ending) for word in words)), None)


def entities_of_findings(findings: Sequence[Finding], index: Index, diseases: Diseases) -> list[RateEntity]:
    """Return an entity for every finding, and one for every place and side of the findings."""
    found: list[RateEntity] = []
    places: dict[tuple[str, str], RateEntity] = {}
    for number, finding in enumerate(findings):
        said = Place(finding.text, finding.start, finding.end)
        side, concept, linked = finding.side or "", finding.concept or "", finding.concept is not None
        type = entity_type(concept, finding.asserts, diseases)
        label = index.label(concept) if concept else finding.label.lower()
        observed = index.observation_type(finding.concept, finding.asserts)
        found.append(RateEntity(type, concept, f"{side} {label}".lstrip(), said, observed, side, number))
        for site in finding.tip or finding.sites:
            own = str(index.concepts[site].values.get("side", "")) if site in index.concepts else ""
            name = f"{'' if own else side} {index.label(site)}".lstrip()
            entity = RateEntity("anatomy", site, name, said, "anatomy", side or own, linked=linked)
            first = places.setdefault((site, entity.side), entity)
            if linked and not first.linked:
                places[site, entity.side] = replace(first, linked=True)
    return [*found, *places.values()]


def entities_of_words(reading: Reading, text: str, index: Index, diseases: Diseases) -> list[RateEntity]:
    """Return the entities in the words of the report: a finding with the modifiers directly before it, a place, and a normal word
    ("clear", "unremarkable") as a non-abnormality. Other descriptors are not entities."""
    found = []
    for number, entity in enumerate(reading.entities):
        start = entity.start
        if entity.type in _OF_WORDS:
            type = entity_type(entity.concept, _OF_WORDS[entity.type], diseases)
            before = [reading.entities[tie.source] for tie in reading.relations if (tie.type, tie.target) == ("modify", number)]
            for other in sorted(before, key=lambda e: -e.end):
                if other.type == "descriptor" and other.end <= start and not text[other.end : start].strip():
                    start = other.start
        elif entity.type == "anatomy" or entity.concept in index.denials:
            type = "anatomy" if entity.type == "anatomy" else "non_abnormality"
        else:
            continue
        words = text[start : entity.end] if entity.type in _OF_WORDS else entity.text
        place = Place(words, start, entity.end)
        found.append(RateEntity(type, entity.concept, " ".join(words.lower().split()), place, entity.type))
    return found


def entity_type(concept: str, asserted: bool, diseases: Diseases) -> str:
    """Return the type of an observation, asserted or denied."""
    name = "disease" if concept in diseases else "abnormality"
    return name if asserted else f"non_{name}"
