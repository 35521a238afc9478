"""Assertions that exclude each other without a denial: of an absent organ, of opposite values, of a thing that is only once."""

from __future__ import annotations

from kgscore.matching.axes import axes_of, sides_meet
from kgscore.matching.denials import denials_of
from kgscore.matching.details import SOUND
from kgscore.matching.proofs import Proofs
from kgscore.model import Finding, Relation
from kgscore.ontology.index import Index

_NONE: frozenset[str] = frozenset()


def excluded(*proof: str) -> Relation:
    """Return a contradiction with its proof."""
    return Relation("contradiction", proof=tuple(filter(None, proof)))


class Exclusions:
    """Determines whether two assertions exclude each other; None if they do not."""

    def __init__(self, index: Index, proofs: Proofs) -> None:
        self.index, self.proofs = index, proofs
        self.denials, self.axes = denials_of(index), axes_of(index)

    def absent_organ(self, a: Finding, b: Finding) -> Relation | None:
        """An organ that was removed, or never formed, cannot have a finding; what surgery leaves behind may lie in its place."""
        gone, other = (a, b) if self._is_absence(a) else (b, a)
        if not self._is_absence(gone) or self._is_absence(other) or not gone.sites or not other.sites:
            return None
        leaves = self.denials.status_only(other) or other.concept in self.index.implied.get(gone.concept or "", ())
        if leaves or self.index.is_a(other.concept, self.index.role("unseen")):
            return None
        partly = gone.values() & self.index.flagged("partly")
        if partly or not all(self.index.inside_any(site, gone.sites) for site in other.sites):
            return None
        return excluded(f"{self.index.label(gone.sites[0])} is absent and cannot show {other.label}")

    def _is_absence(self, finding: Finding) -> bool:
        return self.index.is_any(finding.concept, self.index.flagged("absences"))

    def opposite(self, a: Finding, b: Finding) -> Relation | None:
        """Opposite values of one quality of one structure."""
        pair = self.index.opposed(a.concept, b.concept)
        if pair is None or not a.sites or set(a.sites) != set(b.sites):
            return None
        if a.side != b.side and not all(self.index.sites_implied(name) & set(a.sites) for name in pair):
            return None  # where both concepts imply the site (the whole of both sides), one side is enough
        return self._opposites(pair, a, b)

    def opposite_lesions(self, a: Finding, b: Finding) -> Relation | None:
        """One lesion cannot be of opposite classes, nor show opposite values (a solid nodule, a cyst)."""
        mine, theirs = map(self.axes.unfold.descriptors, (a, b))
        shown = ((one, other) for one in sorted(mine) for other in sorted(self.index.opposites.get(one, _NONE) & theirs))
        pair = self.index.opposed(a.concept, b.concept) or next(shown, None)
        return None if pair is None else self._opposites(pair, a, b)

    def _opposites(self, pair: tuple[str, str], a: Finding, b: Finding) -> Relation:
        one, other = map(self.index.label, pair)
        return excluded(f"{one} and {other} are opposites", self.proofs.where(a, b))

    def sound(self, device: Finding, fault: Finding) -> str:
        """Return why a device that is said to be whole or open cannot have a fault of its place, or an empty string."""
        index = self.index
        if device.concept not in index.of_kind("devices") or not device.sites or set(device.sites) != set(fault.sites):
            return ""
        broken, anything = index.role("broken_device"), index.role("any_abnormality")
        for detail in (d for d in device.details if d.category in SOUND):
            whole = detail.value in index.flagged("sound")
            told = {broken} if whole else {row.genus for row in index.denials.get(detail.value, ())}
            named = whole or fault.concept in index.defined  # a mere occlusion may be of another vessel beside it
            if named and index.is_any(fault.concept, told - {anything}) and sides_meet(device, fault):
                return f"{device.label}: {detail.text}, so no {index.label(fault.concept or '')}"
        return ""

    def excludes(self, yes: Finding, no: Finding) -> bool:
        """Return whether an assertion implies a denial because the denied finding is its opposite ("hypodense")."""
        if yes.concept is None or no.concept is None or no.details or not sides_meet(yes, no):
            return False
        unlike = _NONE.union(*(self.index.opposites.get(value, _NONE) for value in self.axes.unfold(no).shown))
        if yes.values() & unlike and yes.place == no.place:
            return True
        if no.concept == yes.concept or no.sites:
            return no.concept != yes.concept and self.opposite(yes, no) is not None
        # "extubated", "the tube has been removed"
        return self.denials.status_only(no) and self.index.opposed(yes.concept, no.concept) is not None

    def single_valued(self, a: Finding, b: Finding) -> Relation | None:
        """A unique thing cannot be in two places: a midline shift, the tip of the only tube."""
        if a.tip and b.tip and (apart := self.tips(a, b)):
            return apart
        if a.concept != b.concept or not self._unpaired_shift(a, b):
            return None
        return excluded(f"{a.label}: to the {a.side} and to the {b.side} cannot both hold")

    def _unpaired_shift(self, a: Finding, b: Finding) -> bool:
        index = self.index
        shift = index.is_any(a.concept, index.flagged("shifts")) and not index.is_any(a.concept, index.flagged("local_shifts"))
        paired = index.marked("paired") | index.marked("sided")
        return shift and not sides_meet(a, b) and paired.isdisjoint((*a.sites, *b.sites))

    def tips(self, a: Finding, b: Finding) -> Relation | None:
        """One device has one tip."""
        if a.concept != b.concept or a.concept not in self.index.marked("unique"):
            return None
        one, other = self.end(a), self.end(b)
        if not one or not other or self.axes.ends_meet(one, other):
            return None
        return excluded(f"one {a.label} cannot end in {self.index.label(one[0])} and in {self.index.label(other[0])}")

    def end(self, device: Finding) -> tuple[str, ...]:
        """Return where the end of a device is stated to lie; () for a default site or one around it, or the limb it enters."""
        index, default = self.index, self.index.default_sites(device.concept)
        limbs, usual = index.flagged("limbs"), index.tips.get(device.concept or "", ())
        if device.tip or "distance" in device.categories:  # "5 cm above the carina"
            return device.tip or device.sites
        if usual and all(index.inside_any(site, limbs) for site in device.sites):
            return device.sites if any(index.inside_any(tip, limbs) for tip in usual) else ()
        wide = bool(default) and all(index.inside_any(name, device.sites) for name in default)  # "a tube in the thorax"
        return () if wide else device.sites
