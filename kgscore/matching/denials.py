"""Whether a denial covers an assertion: its side and sites within the denied ones, its details within the restriction."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from functools import cache

from kgscore.matching.class_expressions import class_expressions_of
from kgscore.matching.residues import added, inexact
from kgscore.model import NARROW, WORDING, Detail, Finding
from kgscore.ontology.alike import alike_of
from kgscore.ontology.files import table
from kgscore.ontology.index import Index, shared
from kgscore.resources import resource

# The qualities that diseases alter.
ALTERED = "alters.txt"
# From this severity on, a finding of unstated age counts as acute.
_ACUTE_DEFAULT = 3


@cache
def altered() -> dict[str, frozenset[str]]:
    """Return the deviations of qualities that each class of disease of the shipped file shows at any site."""
    return {name: frozenset(deviations.split()) for name, deviations, _ in table(resource("mappings", ALTERED))}


@shared
def altered_of(index: Index) -> dict[str, frozenset[str]]:
    """Return those of `altered`, and what names a quality for each value of it that is not a kind of that: its normal value
    denies thinning as well as thickening."""
    rows = [(q[way], q["dev"]) for q in index.qualities.values() for way in ("up", "down") if q.keys() >= {way, "dev"}]
    found = dict(altered())
    for value, dev in rows:
        if not index.is_a(value, dev):
            found[value] = found.get(value, frozenset()) | {dev}
    return found


def denial_of_all(finding: Finding) -> Finding:
    """Return a denial of the remainder ("otherwise normal") as one of all, for callers that handle the exceptions themselves."""
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
        self._altered = altered_of(index)
        self._missing, self._changed = index.role("missing"), index.role("altered")
        self._variants = index.marked("variant")
        self._states = index.of_kind("devices") | index.marked("status") | index.marked("variant")
        self._all_acute = index.role("all_acute")
        self._narrowing = index.narrowing_categories()
        self.acute = {self._all_acute, *(name for _, name in index.definitions.get(self._all_acute, ()))}

    def denies(self, no: Finding, yes: Finding) -> bool:
        """Return whether a denial covers the class of an assertion, or one that it implies, shows, may be, or alters."""
        index = self.index
        denied, classes = no.concept, self.unfold(yes).classes
        if no.status == "normal" and (yes.concept in self._borderline or index.is_any(yes.concept, index.flagged("residues"))):
            return False  # "upper limits of normal" and "borderline" are the same; scars are not abnormal
        if denied in classes:
            return True
        implied = [other for name in classes for other in index.implied.get(name, ())]
        if any(index.is_a(name, denied) for name in (*yes.alternatives, *implied, *yes.values())):
            return True
        if denied == self._changed and yes.change not in (None, "stable"):
            return True  # what is unchanged has neither grown nor shrunk
        if denied == self._missing and index.is_any(yes.concept, index.flagged("absences")):
            return True
        return self._shows(no, yes) or self.urgent(no, yes) or self._alters(no, yes)

    def _shows(self, no: Finding, yes: Finding) -> bool:
        """Whether an assertion shows all descriptors of a denied bare head ("no hyperdense lesion")."""
        values = no.values() - no.values("restriction")
        return no.concept in self._bare and bool(values) and values <= self.unfold.descriptors(yes)

    def _alters(self, no: Finding, yes: Finding) -> bool:
        """Whether a normal quality is one that a finding alters at any site ("normal signal": no tear)."""
        if no.status != "normal":
            return False
        deviations = {dev for name in self.unfold(yes).classes for dev in self._altered.get(name, ())}
        return any(no.concept in (dev, self.index.fold(dev, no.sites)) for dev in deviations)

    def why(self, no: Finding, yes: Finding) -> str:
        """Return why a denied class covers an assertion that is not itself a subclass."""
        index, values = self.index, (detail.value for detail in yes.details)
        if name := next((name for name in yes.alternatives if index.is_a(name, no.concept)), ""):
            return f"{yes.label} is said to be perhaps {index.label(name)}"
        if value := next((value for value in values if index.is_a(value, no.concept)), ""):
            return f"{yes.label} is said to show {index.label(value)}"
        if self._shows(no, yes):
            return f"{yes.label} shows all that is denied of a {no.label}"
        if self._alters(no, yes):
            return f"{yes.label} alters what is said to be normal: {no.label}"
        acute = "counts as acute: it is urgent and not said to be old"
        return f"{yes.label} {acute if self.urgent(no, yes) else f'implies {no.label}'}"

    def covers(self, no: Finding, yes: Finding) -> bool:
        """Return whether side, sites, restriction and age of the denial cover the assertion (regardless of their classes)."""
        if "otherwise" in no.values() or not self._holds_place(no, yes):
            return False
        if self._is_composed_otherwise(no, yes) or (no.restricted and not self._meets_restriction(no, yes)):
            return False
        old = no.concept in self.acute and self._chronic(yes)
        known = no.change == "new" and yes.change not in ("new", None)
        status = self.status_only(yes) and not (self.status_only(no) or no.concept == self._missing or self._alters(no, yes))
        status = status and not self._named(no, yes)
        return not (old or known or status)

    def _named(self, no: Finding, yes: Finding) -> bool:
        """Whether a variant is of the very class that is denied ("no calcification": none of the basal ganglia)."""
        general = no.status == "normal" or no.concept in (self.index.role("any_abnormality"), self._all_acute)
        return not general and yes.concept in self._variants and self.index.is_a(yes.concept, no.concept)

    def _is_composed_otherwise(self, no: Finding, yes: Finding) -> bool:
        """Whether an assertion shows the opposite of a denied descriptor: "no solid nodule" covers no ground-glass one."""
        shown = self.unfold.descriptors(yes)
        opposites = self.index.opposites
        return any(d.value not in shown and not shown.isdisjoint(opposites.get(d.value, ())) for d in no.details)

    def urgent(self, no: Finding, yes: Finding) -> bool:
        """Return whether a denial of everything acute covers an assertion: stated to be recent, or urgent and of unstated age."""
        if no.concept != self._all_acute or not self.index.is_a(yes.concept, self.index.role("any_abnormality")):
            return False
        ages = _ages(yes)
        recent = not self.index.flagged("recent").isdisjoint(ages)
        return recent or (not ages and self.index.severity(yes.concept) >= _ACUTE_DEFAULT)

    def _holds_place(self, no: Finding, yes: Finding) -> bool:
        """Whether the denied side is that of the assertion, and every denied site contains a site of it, stated or implied by one
        of its classes. A denial at the default site of its finding has no site: "no soft tissue swelling" covers the whole
        limb."""
        index = self.index
        if no.side not in (None, yes.side) and not (no.both and yes.side is None):
            return False
        if set(no.sites) <= set(index.default_sites(no.concept)) or (not yes.sites and set(no.sites) <= {index.role("any_bone")}):
            return True
        places = index.places(yes.sites, self.unfold(yes).classes)
        return all(holds_all(index, places, site) for site in no.sites)

    def narrowing(self, no: Finding) -> set[str]:
        """Return the values that restrict a denial to a part ("no large effusion"), which "significant" and "obvious" do not."""
        kinds = self._narrowing | {"restriction"}
        return {d.value for d in no.details if d.category in kinds and not self._is_sweeping(d)}

    def _is_sweeping(self, detail: Detail) -> bool:
        return detail.value in self.index.flagged("marked_degree") and detail.text in ("significant", "obvious")

    def _meets_restriction(self, no: Finding, yes: Finding) -> bool:
        """Whether an assertion meets the restriction: "no large effusion" denies no small one, "no acute fracture" no old one."""
        if no.change == "new" and no.categories <= {"restriction"}:
            return yes.change == "new"
        values = self.unfold.descriptors(yes)
        met = {d.category for d in no.details if d.value in values}  # "no large or moderate effusion"
        formed = {d.category for d in no.details if d.value in self.index.flagged("forming")}
        met |= formed if met & formed else set()  # "no nodular or patchy density"
        if no.change == "resolved":
            met.add("occupancy")  # "has cleared completely"
        unmet = next((d for d in no.details if not self._meets(d, yes, met)), None)
        return unmet is None or self._suspects(unmet, yes)

    def _meets(self, detail: Detail, yes: Finding, met: Container[str]) -> bool:
        """Whether an assertion meets one detail of a denial, given the categories of details that it meets."""
        if detail.category == "temporality" and detail.value in self.index.flagged("recent"):
            return not self._chronic(yes) and (bool(_ages(yes)) or self.index.severity(yes.concept) >= _ACUTE_DEFAULT)
        if detail.category == "temporality" and self._is_old(detail.value):
            return self._is_stated_old(yes)
        if (detail.category, detail.value) == (WORDING, NARROW):  # "no transverse colectomy"
            return inexact(self.index, yes) == {NARROW: added(self.index, yes.concept or "", detail.text)}
        return detail.category not in self._narrowing or detail.category in met or self._is_sweeping(detail)

    def _suspects(self, detail: Detail, yes: Finding) -> bool:
        """Whether a detail restricts a denial to what is suspicious, and an assertion is, or may be, malignant or looks so."""
        suspected = self.index.flagged("suspected")
        if detail.value not in suspected:
            return False
        malignancy = self.index.role("any_malignancy")
        named = any(self.index.is_a(name, malignancy) for name in (yes.concept, *yes.alternatives))
        return named or not suspected.isdisjoint(self.unfold.descriptors(yes))

    def _chronic(self, yes: Finding) -> bool:
        """Whether a finding is old: stated, or not stated to be recent and of no consequence."""
        if not self.index.flagged("recent").isdisjoint(_ages(yes)):
            return False
        return self._is_stated_old(yes) or self.index.severity(yes.concept) <= 1

    def _is_stated_old(self, finding: Finding) -> bool:
        """Whether a finding is called old, or an old one is denied."""
        return any(map(self._is_old, _ages(finding)))

    def _is_old(self, age: str) -> bool:
        return self.index.is_any(age, self.index.flagged("old"))

    def status_only(self, yes: Finding) -> bool:
        """Devices and states after surgery do not contradict a normal statement unless they are themselves denied."""
        return yes.concept in self._states


denials_of = shared(Denials)


def _ages(finding: Finding) -> list[str]:
    return [detail.value for detail in finding.details if detail.category == "temporality"]
