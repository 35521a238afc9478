"""When an assertion falls under a denial: its side and sites within what is denied, its details within the restriction."""

from __future__ import annotations

from kgscore.model import Finding
from kgscore.ontology.index import Index

# From this severity on, a finding without an age counts as acute.
_ACUTE_DEFAULT = 3
_RECENT = ("acute", "subacute", "early")
_RESTRICTING = frozenset(
    (
        "size_descriptor",
        "severity_descriptor",
        "fracture_descriptor",
        "malignancy_status",
        "shape_descriptor",
        "occupancy",
        "patency_descriptor",
        "calcification_descriptor",
        "composition",
        "margin",
    )
)


class Denials:
    """Answers whether what one finding denies covers what another asserts."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def covers(self, no: Finding, yes: Finding) -> bool:
        """Return whether side, sites, restriction and age of the denial let it speak of the assertion (their classes apart)."""
        index = self.index
        assert yes.concept is not None
        if no.change == "new" and yes.change not in ("new", None):
            return False
        if any(detail.value == "otherwise" for detail in no.details):
            return False
        if not (no.side is None or yes.side == no.side) and not (no.both and yes.side is None):
            return False
        if not self._holds_sites(no, yes) or (no.restricted and not self._meets_restriction(no, yes)):
            return False
        if self._chronic(yes) and index.is_a(no.concept or "", "acute_abnormality"):
            return False
        return not self._status_only(yes) or self._names_status(no, yes)

    def _holds_sites(self, no: Finding, yes: Finding) -> bool:
        """Whether every site denied holds a site of the assertion, said or implied by one of its classes."""
        index = self.index
        places = set(yes.sites)
        for name in index.derived(yes.concept or "", yes.sites):
            places |= index.hard_sites.get(name, frozenset())
        return all(any(index.inside(place, site) for place in places) for site in no.sites)

    def _meets_restriction(self, no: Finding, yes: Finding) -> bool:
        """ "No large effusion" does not clash with a small one; "no acute fracture" clashes with any that is not called old."""
        if no.change == "new" and not any(d.category != "restriction" for d in no.details):
            return yes.change == "new"
        aged = any(d.category == "temporality" for d in yes.details)
        values = {d.value for d in yes.details}
        met = {d.category for d in no.details if d.value in values}  # "no large or moderate effusion"
        for detail in no.details:
            if detail.category == "temporality" and detail.value in _RECENT:
                if self._chronic(yes) or (not aged and self.index.severity(yes.concept) < _ACUTE_DEFAULT):
                    return False
            elif detail.category in _RESTRICTING and detail.category not in met:
                if detail.value == "severe" and detail.text in ("significant", "obvious"):
                    continue
                return detail.value == "probably_malignant" and self.index.is_a(yes.concept or "", "malignancy")
        return True

    def _chronic(self, yes: Finding) -> bool:
        """Whether a finding is old: said so, or not said to be recent and of no consequence."""
        ages = [d.value for d in yes.details if d.category == "temporality"]
        if any(age in _RECENT for age in ages):
            return False
        return any(age == "healing" or self.index.is_a(age, "chronic") for age in ages) or self.index.severity(yes.concept) <= 1

    def _status_only(self, yes: Finding) -> bool:
        """Devices and states after surgery do not break a normal statement unless they are themselves denied."""
        concept = self.index.concepts.get(yes.concept or "")
        return concept is not None and (concept.kind == "devices" or "status" in concept.flags or "variant" in concept.flags)

    def _names_status(self, no: Finding, yes: Finding) -> bool:
        """Whether a denial is of a device or state itself."""
        concept = self.index.concepts.get(no.concept or "")
        named = concept is not None and (concept.kind == "devices" or "status" in concept.flags)
        return named or yes.concept == "surgical_absence"
