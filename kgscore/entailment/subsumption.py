"""Subsumption between findings, regardless of qualities: an assertion entails a broader one, a denial a narrower one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgscore.entailment.attributes import POSSIBLE
from kgscore.matching.class_expressions import class_expressions_of
from kgscore.matching.denials import denials_of, holds_all
from kgscore.model import Finding
from kgscore.ontology.index import Index, shared

_CERTAIN = {"definite": 1, "probable": 1, "possible": 0}


class Subsumption:
    """Decides entailment between findings by the class expressions of an index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.unfold = class_expressions_of(index)
        self.denials = denials_of(index)
        self._anything = index.role("any_abnormality")
        self._attributes = index.flagged("attributes")
        lesion, lumps = index.role("any_lesion"), index.flagged("lumps") - {index.role("any_lesion")}
        # Bare heads, and a lesion of a structure, not further specified.
        focal = {name for _, name in index.definitions.get(lesion, ()) if not index.is_any(name, lumps)}
        self._unspecified = focal | index.marked("bare") | index.marked("empty")
        self.devices = index.of_kind("devices")
        self._all_over = index.flagged("everywhere")
        self._both_sided, self._all_along = index.flagged("both_sided"), index.flagged("all_along")
        self._halves = {"left": index.flagged("left_halves"), "right": index.flagged("right_halves")}

    def asserts(self, said: Finding, wanted: Finding) -> bool:
        """Return whether an assertion entails another: of its class, at its place and side, and at least as certain."""
        if said.concept is None or wanted.concept is None or _CERTAIN[said.certainty] < _CERTAIN[wanted.certainty]:
            return False
        if wanted.side is not None and self._side(said) != wanted.side and not self._is_on_both_sides(said):
            return False
        # A finding of a stretch of the spine that extends over all of it is one of each of its parts.
        parts = self.parts_of(said) if self.index.is_any(said.concept, self._all_along) else ()
        return any(self._is(one, wanted) and self.lies(one, wanted) for one in (said, *parts))

    def denies(self, said: Finding, wanted: Finding) -> bool:
        """Return whether a denial entails another: the other denies a subclass, within the sites of the first."""
        if said.concept is None or wanted.concept is None or not self.open_to(said, wanted):
            return False
        if said.side is not None and wanted.side != said.side and not (said.both and wanted.side is None):
            # A denial without side and site refers back to what was denied ("no loosening is seen").
            return not wanted.sites and wanted.side is None and self._is(wanted, said)
        if not self._is(wanted, said) and not self.chiefly(said, wanted) and not self._is_acute(said, wanted):
            return False
        return self.lies(wanted, said) or not wanted.sites or self._in_both_halves(said, wanted)

    def _in_both_halves(self, said: Finding, wanted: Finding) -> bool:
        """Whether a denial is bilateral, and the other concerns the default site of a finding that shows in the halves."""
        halves = self.index.flagged("of_halves")
        own = wanted.sites == self.index.default_sites(wanted.concept)
        return own and said.both and self.index.is_any(wanted.concept, halves) and self.lies(said, wanted)

    def parts_of(self, whole: Finding) -> list[Finding]:
        """Return a finding of a whole made of parts as one of each part (the silhouette: heart and mediastinum)."""
        made = self.index.made.get(whole.sites[0], ()) if len(whole.sites) == 1 else ()
        return [replace(whole, sites=(part,)) for part in made]

    def _side(self, said: Finding) -> str | None:
        """Return the side of a finding: the stated one, or that of the half of an organ it is in (segment 6 of the liver)."""
        in_it = (side for side, half in self._halves.items() if any(self.index.inside_any(site, half) for site in said.sites))
        return said.side or next(in_it, None)

    def _is_on_both_sides(self, said: Finding) -> bool:
        """Whether a finding without a side is on both: all over its place ("diffuse opacity"), or always ("hyperinflation")."""
        return said.side is None and bool(said.values("distribution") & self._all_over or said.concept in self._both_sided)

    def open_to(self, said: Finding, wanted: Finding) -> bool:
        """Return whether a denial, if restricted, excludes nothing that another denies ("no suspicious opacity", "… mass")."""
        if not said.restricted:
            return True
        if said.change not in (None, wanted.change):
            return False
        return self.denials.narrowing(said) <= self.unfold.descriptors(wanted)

    def _is_acute(self, said: Finding, wanted: Finding) -> bool:
        """Whether a denial of everything acute entails another of a finding called acute ("no acute fracture")."""
        acute = said.concept in self.denials.acute and wanted.values() & self.index.flagged("recent")
        return bool(acute) and self.index.is_a(wanted.concept, self._anything)

    def chiefly(self, said: Finding, wanted: Finding) -> bool:
        """Return whether a denial of the chief deviation of a structure covers another: "clear" lungs are unremarkable."""
        if wanted.restricted or len(wanted.sites) != 1 or said.genus is not None:
            return False
        chief, place = self.index.chief, wanted.sites[0]
        if wanted.concept == self._anything:
            return said.concept in chief.get(place, ())
        whole = next((site for site in said.sites if said.concept in chief.get(site, ())), None)
        made = whole is not None and (place == whole or place in self.index.made.get(whole, ()))
        return made and not self.unfold(wanted).classes.isdisjoint(chief.get(place, ()))

    def _is(self, narrow: Finding, broad: Finding) -> bool:
        """Whether a finding is of the class of the other: also of "an abnormality", "a lesion", or an attribute that it shows."""
        classes = self.unfold(narrow).classes
        if broad.concept in classes or any(broad.concept in following for _, _, following in self.unfold.following(narrow)):
            return True
        if broad.concept == self._anything:
            return not self.denials.status_only(narrow)
        if broad.asserts and broad.concept in self._attributes:
            return self._shows(narrow, broad)
        if broad.asserts and broad.concept in self._unspecified:
            return self.index.is_any(narrow.concept, self.index.flagged("lesions"))
        offered = narrow.alternatives if broad.certainty != "definite" else self._is_taken_for(narrow)
        return any(broad.concept in self.index.derived(name, narrow.sites) for name in offered)

    def _shows(self, narrow: Finding, attribute: Finding) -> bool:
        own, shown = self.unfold(replace(attribute, details=())).shown, self.unfold(narrow).shown
        return bool(own) and all(any(self.index.is_a(value, one) for value in shown) for one in own)

    def _is_taken_for(self, said: Finding) -> Sequence[str]:
        """Return the likely readings of a finding: the only one, unless "possible", or the likely one of several."""
        if len(said.alternatives) == 1:
            return () if any(one.text.startswith(POSSIBLE) for one in said.details) else said.alternatives
        likely = [d.value for d in said.details if d.category == "inference" and not d.text.startswith(POSSIBLE)]
        return () if len(likely) != 1 else [name for name in said.alternatives if self.index.is_a(name, likely[0])]

    def lies(self, narrow: Finding, broad: Finding) -> bool:
        """Whether every site of the broader finding but a default one contains a site of the narrower, stated or implied."""
        index = self.index
        if set(broad.sites) <= set(index.default_sites(broad.concept)):
            return True
        hard = index.places((), self.unfold(narrow).classes)
        places = hard.union(narrow.sites, *(index.at_level(own, site) for own in hard for site in narrow.sites))
        return all(holds_all(index, places, site) for site in broad.sites)


subsumption_of = shared(Subsumption)
