"""Whether a denial covers an assertion: its side and sites within the denied ones, its details within the restriction."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from kgscore.matching.alike import alike_of
from kgscore.matching.class_expressions import class_expressions_of
from kgscore.model import Detail, Finding
from kgscore.ontology.files import table
from kgscore.ontology.index import Index
from kgscore.resources import resource

# The qualities that diseases alter.
ALTERED = "alters.txt"
# From this severity on, a finding of unstated age counts as acute.
_ACUTE_DEFAULT = 3


@cache
def altered() -> dict[str, frozenset[str]]:
    """Return the deviations of qualities that each class of disease of the shipped file shows at any site."""
    return {name: frozenset(deviations.split()) for name, deviations, _ in table(resource("mappings", ALTERED))}


def denial_of_all(finding: Finding) -> Finding:
    """Return a denial of the remainder ("otherwise normal", "no other fracture") as a denial of all, for callers that handle the
    exceptions of the report themselves; any other finding unchanged."""
    details = tuple(detail for detail in finding.details if detail.value != "otherwise")
    if finding.asserts or len(details) == len(finding.details):
        return finding
    return replace(finding, details=details, restricted=bool(details) or finding.change == "new")


def organ_of(index: Index, site: str) -> str:
    """Return the organ that a site is the substance of ("renal parenchyma": the kidney), or the site itself."""
    if site not in index.flagged("substances"):
        return site
    parents = (parent for parent in index.concepts[site].parents if parent in index.concepts)
    return next((parent for parent in parents if not index.is_a(site, parent)), site)


def holds_all(index: Index, places: set[str], site: str) -> bool:
    """Return whether a finding at all of some places lies in a structure: one of them is in it, or is the organ that it is the
    substance of; or it is a tissue of a region, one of them is in that tissue and one in that region ("swelling of the foot": in
    the soft tissue of the foot)."""
    organ, wholes = organ_of(index, site), (site, *alike_of(index).places.get(site, ()))
    if any(index.inside_any(place, wholes) or (organ != site and index.is_a(place, organ)) for place in places):
        return True
    if site not in index.flagged("tissue_all"):
        return False

    def lies_in(place: str, whole: str) -> bool:
        return index.inside(place, whole) or index.is_a(whole, index.wall_of.get(place, place))

    return all(any(lies_in(place, whole) for place in places) for whole in index.concepts[site].parents)


class Denials:
    """Determines whether the denial of one finding covers the assertion of another."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.unfold = class_expressions_of(index)
        self._bare = index.marked("bare") | index.marked("empty")
        self._borderline = index.marked("borderline")
        self._altered = altered()
        self._missing = index.role("missing")
        self._all_acute = index.role("all_acute")
        self._narrowing = index.narrowing_categories()
        self.acute = {self._all_acute, *(name for _, name in index.definitions.get(self._all_acute, ()))}

    def denies(self, no: Finding, yes: Finding) -> bool:
        """Return whether the denied class subsumes the assertion: directly, by one of its alternatives, by an implication, by a
        detail ("FDG-avid lesion"), or, if everything acute is denied, because it is urgent."""
        index = self.index
        assert yes.concept is not None
        assert no.concept is not None
        denied, classes = no.concept, self.unfold(yes).classes
        if no.status == "normal" and (yes.concept in self._borderline or index.is_any(yes.concept, index.flagged("residues"))):
            return False  # "upper limits of normal" and "borderline" are the same; scars are not abnormal
        return (
            denied in classes
            or any(index.is_a(name, denied) for name in yes.alternatives)
            or any(index.is_a(implied, denied) for name in classes for implied in index.implied.get(name, ()))
            or any(index.is_a(detail.value, denied) for detail in yes.details)
            or (denied in self._bare and self._shows(no, yes))
            or self.urgent(no, yes)
            or self._alters(no, yes)
            or (denied == self._missing and index.is_any(yes.concept, index.flagged("absences")))
        )

    def _shows(self, no: Finding, yes: Finding) -> bool:
        """Whether an assertion shows all descriptors of a denied bare head ("no hyperdense lesion")."""
        values = {detail.value for detail in no.details if detail.category != "restriction"}
        return bool(values) and values <= self.unfold(yes).shown | {detail.value for detail in yes.details}

    def _alters(self, no: Finding, yes: Finding) -> bool:
        """Whether a normal quality is one that a finding alters at any site ("normal signal": no tear)."""
        if no.status != "normal":
            return False
        deviations = {dev for name in self.unfold(yes).classes for dev in self._altered.get(name, ())}
        return any(no.concept in (dev, self.index.fold(dev, no.sites)) for dev in deviations)

    def why(self, no: Finding, yes: Finding) -> str:
        """Return why a denied class covers an assertion that is not itself a subclass."""
        index, denied = self.index, no.concept or ""
        for name in yes.alternatives:
            if index.is_a(name, denied):
                return f"{yes.label} is said to be perhaps {index.label(name)}"
        for detail in yes.details:
            if index.is_a(detail.value, denied):
                return f"{yes.label} is said to show {index.label(detail.value)}"
        if denied in self._bare and self._shows(no, yes):
            return f"{yes.label} shows all that is denied of a {no.label}"
        if self._alters(no, yes):
            return f"{yes.label} alters what is said to be normal: {no.label}"
        if self.urgent(no, yes):
            return f"{yes.label} counts as acute: it is urgent and not said to be old"
        return f"{yes.label} implies {no.label}"

    def covers(self, no: Finding, yes: Finding) -> bool:
        """Return whether side, sites, restriction and age of the denial cover the assertion (regardless of their classes)."""
        assert yes.concept is not None
        if no.change == "new" and yes.change not in ("new", None):
            return False
        if any(detail.value == "otherwise" for detail in no.details):
            return False
        if not (no.side is None or yes.side == no.side) and not (no.both and yes.side is None):
            return False
        if not self._holds_sites(no, yes) or self._otherwise_made(no, yes):
            return False
        if no.restricted and not self._meets_restriction(no, yes):
            return False
        if no.concept in self.acute and self._chronic(yes):
            return False
        return not self.status_only(yes) or self._names_status(no) or no.concept == self._missing

    def _otherwise_made(self, no: Finding, yes: Finding) -> bool:
        """Whether an assertion shows the opposite of a descriptor of the denied finding: "no solid nodule" covers no ground-glass
        one."""
        shown = self.unfold(yes).shown | {detail.value for detail in yes.details}
        opposites = self.index.opposites
        return any(d.value not in shown and not shown.isdisjoint(opposites.get(d.value, ())) for d in no.details)

    def urgent(self, no: Finding, yes: Finding) -> bool:
        """Return whether a denial of everything acute covers an assertion: stated to be recent, or urgent and of unstated age."""
        if no.concept != self._all_acute or not self.index.is_a(yes.concept, self.index.role("any_abnormality")):
            return False
        ages = [detail.value for detail in yes.details if detail.category == "temporality"]
        recent = not self.index.flagged("recent").isdisjoint(ages)
        return recent or (not ages and self.index.severity(yes.concept) >= _ACUTE_DEFAULT)

    def _holds_sites(self, no: Finding, yes: Finding) -> bool:
        """Whether every denied site contains a site of the assertion, stated or implied by one of its classes. A denial at the
        default site of its finding has no site: "no soft tissue swelling" covers the whole limb."""
        index = self.index
        if set(no.sites) <= set(index.soft_sites.get(no.concept or "", ())):
            return True
        places = set(yes.sites)
        for name in self.unfold(yes).classes:
            places |= index.hard_sites.get(name, frozenset())
        return all(holds_all(index, places, site) for site in no.sites)

    def narrowing(self, no: Finding) -> set[str]:
        """Return the values that restrict a denial to a part of what it names ("no large effusion"). "No significant" and "no
        obvious" do not restrict it."""
        kinds = self._narrowing | {"restriction"}
        return {d.value for d in no.details if d.category in kinds and not self._sweeping(d)}

    def _sweeping(self, detail: Detail) -> bool:
        return detail.value in self.index.flagged("marked_degree") and detail.text in ("significant", "obvious")

    def _meets_restriction(self, no: Finding, yes: Finding) -> bool:
        """Whether an assertion meets the restriction: "no large effusion" does not contradict a small one, "no acute fracture"
        contradicts any that is not called old, and "no old fracture" those that are."""
        if no.change == "new" and not any(d.category != "restriction" for d in no.details):
            return yes.change == "new"
        aged = any(d.category == "temporality" for d in yes.details)
        values = {d.value for d in yes.details} | self.unfold(yes).shown
        met = {d.category for d in no.details if d.value in values}  # "no large or moderate effusion"
        formed = {d.category for d in no.details if d.value in self.index.flagged("forming")}
        met |= formed if met & formed else set()  # "no nodular or patchy density"
        for detail in no.details:
            if detail.category == "temporality" and detail.value in self.index.flagged("recent"):
                if self._chronic(yes) or (not aged and self.index.severity(yes.concept) < _ACUTE_DEFAULT):
                    return False
            elif detail.category == "temporality" and self._old(detail.value):
                if not self._said_old(yes):
                    return False
            elif detail.category in self._narrowing and detail.category not in met:
                if self._sweeping(detail) or (no.change == "resolved" and detail.category == "occupancy"):
                    continue  # "no significant"; "has cleared completely"
                named = (yes.concept or "", *yes.alternatives)
                return detail.value in self.index.flagged("suspected") and any(
                    self.index.is_a(name, self.index.role("any_malignancy")) for name in named)
        return True

    def _chronic(self, yes: Finding) -> bool:
        """Whether a finding is old: stated, or not stated to be recent and of no consequence."""
        ages = [d.value for d in yes.details if d.category == "temporality"]
        if any(age in self.index.flagged("recent") for age in ages):
            return False
        return self._said_old(yes) or self.index.severity(yes.concept) <= 1

    def _said_old(self, finding: Finding) -> bool:
        """Whether a finding is called old, or an old one is denied."""
        return any(detail.category == "temporality" and self._old(detail.value) for detail in finding.details)

    def _old(self, age: str) -> bool:
        return self.index.is_any(age, self.index.flagged("old"))

    def status_only(self, yes: Finding) -> bool:
        """Devices and states after surgery do not contradict a normal statement unless they are themselves denied."""
        concept = self.index.concepts.get(yes.concept or "")
        return concept is not None and (concept.kind == "devices" or "status" in concept.flags or "variant" in concept.flags)

    def _names_status(self, no: Finding) -> bool:
        """Whether a denial concerns a device or state itself."""
        concept = self.index.concepts.get(no.concept or "")
        return concept is not None and (concept.kind == "devices" or not concept.flags.isdisjoint(("status", "variant")))
