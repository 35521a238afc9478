"""Appearances: what is only seen of a finding (a density, a signal, a lesion), and of which findings it is a sign."""

from __future__ import annotations

from kgscore.clinical.details import readings_of
from kgscore.clinical.settings import Settings
from kgscore.matching.axes import sides_meet
from kgscore.matching.relatedness import NEAR
from kgscore.matching.relation import Relator
from kgscore.model import Finding
from kgscore.quantities import quantity

# Details that name the nature of an opacity.
_NAMING = ("nature", "inference")


class Signs:
    """Determines what findings only describe, and which other findings of a report they describe."""

    def __init__(self, relator: Relator, settings: Settings) -> None:
        self.index = index = relator.index
        self.axes, self.settings = relator.axes, settings
        seen = (name for name in index.concepts if index.is_any(name, settings.appearances))
        self._appearances = settings.shadows.union(seen)
        # What a definition makes of a finding at a place is told as it is (wall thickening, of the gallbladder).
        self._told = {
            name: values
            for told, values in settings.told.items()
            for name in (told, *(defined for _, defined in index.definitions.get(told, ()) if index.is_a(defined, told)))
        }

    def general(self, finding: Finding) -> bool:
        """Whether a finding is an appearance rather than a diagnosis: a density, a signal, an unspecified lesion."""
        return finding.concept in self.settings.general or self.appears(finding)

    def appears(self, finding: Finding) -> bool:
        """Return whether a finding is a density, a signal or the like."""
        return finding.concept in self._appearances

    def empty(self, finding: Finding) -> bool:
        """Return whether the head of a finding carries no information: an area, a change."""
        lesion = self.index.is_a(finding.concept, self.index.role("any_lesion"))
        return finding.concept in self.index.marked("empty") and not lesion

    def says_nothing(self, finding: Finding) -> bool:
        """Return whether a finding has an empty head and no details that name it ("a shadow", "the surgical area")."""
        formed = self.settings.dimension
        return self.empty(finding) and not any(
            quantity(d) or d.category in _NAMING or formed.get(d.category) == "morphology" for d in finding.details
        )

    def two_qualities(self, a: Finding, b: Finding) -> bool:
        """Whether two appearances are values of different qualities, of which each has its own opposite (two sequences)."""
        if a.concept == b.concept or not self.appears(a) or not self.appears(b):
            return False
        return {a.concept, b.concept} <= self.index.opposites.keys() and not self.index.either_is_a(a.concept, b.concept)

    def together(self, a: Finding, b: Finding) -> bool:
        """Whether two findings are at one place and side."""
        if not a.sites or not b.sites or not sides_meet(a, b):
            return False
        place = self.axes.sites(a.sites, b.sites)
        return place is not None and place[1] <= NEAR

    def told_of(self, one: Finding, other: Finding) -> bool:
        """Whether another finding at the same place has this finding as a detail ("fractured and displaced", "displaced
        fracture")."""
        values = self._told.get(one.concept or "", frozenset())
        if not any(detail.value in values or detail.value == one.concept for detail in other.details):
            return False
        return self._at_place_of(one, other) and self._opposite_of(one, other) is None

    def turned(self, one: Finding, other: Finding) -> str | None:
        """Return the detail of another finding at the same place that is the opposite of this finding."""
        found = self._opposite_of(one, other)
        return found if found and self._at_place_of(one, other) else None

    def _opposite_of(self, one: Finding, other: Finding) -> str | None:
        """Return the detail of another finding that is the opposite of all details that say this finding ("displaced", "a
        nondisplaced fracture")."""
        values = self._told.get(one.concept or "", frozenset())
        own = values.intersection(detail.value for detail in one.details) or values
        unlike = frozenset.intersection(*(self.index.opposites.get(value, frozenset()) for value in own)) if own else own
        return next((detail.text for detail in other.details if detail.value in unlike), None)

    def _at_place_of(self, one: Finding, other: Finding) -> bool:
        return sides_meet(one, other) and (not one.sites or self.axes.sites(one.sites, other.sites) is not None)

    def sign_of(self, sign: Finding, other: Finding) -> bool:
        """Whether an appearance belongs to a more specific finding of the same report; an assessment category is none."""
        if other.concept is None or not self.general(sign) or not self.together(sign, other):
            return False
        if self.index.is_any(other.concept, self.index.flagged("assessments")):
            return False
        offered = readings_of(sign)
        if offered and not any(self.index.either_is_a(name, other.concept) for name in offered):
            return False  # "an opacity, possibly pneumonia" is no sign of emphysema
        lumps = self.index.flagged("lumps")
        of_lump = self.index.is_any(other.concept, lumps) and self.appears(sign) and not self.index.is_any(sign.concept, lumps)
        beside = sign.concept in self.settings.shadows and self.index.is_a(other.concept, self.index.role("visible_node"))
        return of_lump or not (beside or self.general(other))  # a lymph node is no opacity of the lung
