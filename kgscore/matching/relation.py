"""The relation of two findings: equivalent, part–whole, contradictory or unrelated, with the proof.

The table of DESIGN section 1: agreement is subsumption; a contradiction is a denied class that subsumes an asserted one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from kgscore.caches import BoundedDict, Numbering
from kgscore.matching.axes import SAME, Axis, axes_of, sides_meet
from kgscore.matching.denials import denials_of
from kgscore.matching.details import change_conflict, compare_details, conflicting, detail_conflict
from kgscore.matching.exclusions import Exclusions, excluded
from kgscore.matching.proofs import Proofs
from kgscore.matching.reach import Reach, reach_of
from kgscore.model import Finding, Relation
from kgscore.ontology.alike import alike_of
from kgscore.ontology.index import Index, shared
from kgscore.profile import Profile

# How many findings, relations between them, and profiles are cached.
_FINDINGS, _RELATIONS, _PROFILES = 50_000, 1_000_000, 16
_NONE: frozenset[str] = frozenset()
UNRELATED = Relation("unrelated")
_NEW = Relation("unrelated")
# Places at most this many steps apart match where reports use one finding for the other.
_NEAR = 2
# The share of common words from which two unlinked findings agree.
_SHARED = 0.67
DETAIL = {"equivalent": 1.0, "partial": 0.75, "none": 0.5, None: 1.0}
THIRD = 1.0 / 3.0


class Relator:
    """Determines relations between a reference finding a and a candidate finding b."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.axes = axes_of(index)
        self.proofs = Proofs(index)
        self.denials = denials_of(index)
        self.exclusions = Exclusions(index, self.proofs)
        self.alike = alike_of(index)
        self._deviations = index.deviations()
        self._flat_forms = index.flagged("flat_forms")
        self._formed_lumps = index.flagged("lumps") - {index.role("any_lesion")}
        self._either_way = _either_way(index)
        self._keys: Numbering[tuple[object, ...]] = Numbering(_FINDINGS)
        self._reaches: dict[tuple[object, ...], Reach] = BoundedDict()
        self._weighed: dict[Profile, dict[tuple[int, int], Relation | None]] = BoundedDict(_PROFILES)

    def relate(self, a: Finding, b: Finding) -> Relation:
        """Return the relation of b to a. The weight is left at 0; `weigh` computes it."""
        if a.concept is None or b.concept is None:
            return self._by_text(a, b)
        if a.asserts and b.asserts:
            return self._both_assert(a, b)
        if a.asserts != b.asserts:
            return self._assert_against_denial(a, b) if a.asserts else self._assert_against_denial(b, a)
        return self._both_deny(a, b)

    def relate_near(self, a: Finding, b: Finding) -> Relation:
        """Return the relation of b to a as `relate` does, faster where most pairs are unrelated."""
        return self.relate(a, b) if self._reach(a).meets(self._reach(b), self.index) else UNRELATED

    def related(
        self, reference: Sequence[Finding], candidate: Sequence[Finding], profile: Profile
    ) -> Iterator[tuple[int, int, Relation]]:
        """Yield the related pairs of positions, with weighted relations; results are cached for all findings of equal content."""
        known = self._weighed.get(profile)
        if known is None:
            known = self._weighed[profile] = BoundedDict(_RELATIONS)
        right = [(j, b, self._key(b), self._reach(b)) for j, b in enumerate(candidate)]
        for i, a in enumerate(reference):
            key, reach = self._key(a), self._reach(a)
            for j, b, other, others in right:
                pair = (key, other)
                relation = known.get(pair, _NEW)
                if relation is _NEW:
                    found = self.relate(a, b) if reach.meets(others, self.index) else UNRELATED
                    nothing = found.relation == "unrelated" or self._says_little(found, a, b)
                    relation = None if nothing else weigh(found, a, b, profile)
                    known[pair] = relation
                if relation is not None:
                    yield i, j, relation

    def _says_little(self, found: Relation, a: Finding, b: Finding) -> bool:
        """Whether one of two assertions only states that a quality deviates in a region around the other ("abnormal signal")."""
        if not (a.asserts and b.asserts and found.finding == found.anatomy == "part_whole") or a.concept == b.concept:
            return False
        pairs = ((a, b), (b, a))
        return any(x.concept in self._either_way and self.axes.around(x.sites, y.sites) for x, y in pairs)

    def _reach(self, finding: Finding) -> Reach:
        values = tuple(detail.value for detail in finding.details)
        key = (finding.concept, finding.genus, finding.sites, finding.alternatives, finding.asserts, values)
        reach = self._reaches.get(key)
        if reach is None:
            shown = tuple(value for value in values if self.index.is_a(value, self.index.role("any_abnormality")))
            reach = self._reaches[key] = reach_of(self.index, finding, self.axes.unfold(finding).classes, shown)
        return reach

    def _key(self, finding: Finding) -> int:
        """Return a number for the content of a finding, without its words and offsets: equal numbers, equal relations."""
        return self._keys(content_key(finding))

    def _both_assert(self, a: Finding, b: Finding) -> Relation:
        if not sides_meet(a, b):
            return self.exclusions.single_valued(a, b) or UNRELATED
        if ("restriction" in a.categories) != ("restriction" in b.categories):
            return UNRELATED  # "the other bronchi"
        finding = self.axes.concept(a, b)
        if finding is None:
            return self._of_other_classes(a, b)
        if finding[0] == "part_whole" and self.formed_apart(a, b):
            return UNRELATED
        anatomy = self.axes.anatomy(a, b)
        if anatomy is None:
            return self.exclusions.tips(a, b) or self.exclusions.single_valued(a, b) or UNRELATED
        if clash := change_conflict(a, b):
            return excluded(clash)
        if tips := self.exclusions.tips(a, b):
            return tips
        if clash := detail_conflict(self.index, a, b):
            return excluded(clash)
        return self._credit(a, b, anatomy, finding)

    def _of_other_classes(self, a: Finding, b: Finding) -> Relation:
        """Return the relation of two assertions where neither class subsumes the other."""
        if apart := self.exclusions.absent_organ(a, b) or self.exclusions.opposite(a, b):
            return apart
        if fault := self.exclusions.sound(a, b) or self.exclusions.sound(b, a):
            return excluded(fault)
        ways = (self._relate_alternatives, self._following, self._is_shown_as, self._same_lesion)
        found = (way(a, b) for way in ways)
        return next((one for one in found if one is not UNRELATED), UNRELATED)

    def formed_apart(self, a: Finding, b: Finding) -> bool:
        """Return whether the forms of two findings exclude each other: patchy opacities are not linear ones, and not nodules."""
        mine, theirs = (self._flat_forms & self.axes.unfold.descriptors(f) for f in (a, b))
        if mine and theirs:
            return mine.isdisjoint(theirs)
        lump = b if mine else a
        return bool(mine or theirs) and self.index.is_any(lump.concept, self._formed_lumps)

    def _is_shown_as(self, a: Finding, b: Finding) -> Relation:
        """One finding is an appearance or a manifestation of the other, at one place: reports use one for the other."""
        if not a.sites or not b.sites or not self.alike.shows(a, b):
            return UNRELATED
        anatomy = self.axes.anatomy(a, b)
        stated = not (self.axes.by_default(a) or self.axes.by_default(b))
        named = {a.concept, b.concept} <= self.index.defined  # "cerebral edema" names its site
        if anatomy is None or ((stated or named) and anatomy[1] > _NEAR) or (named and self.axes.sites(a.sites, b.sites) is None):
            return UNRELATED
        return self._credit(a, b, anatomy, ("part_whole", 2), f"finding: {b.label} and {a.label} are reported for one another")

    def _same_lesion(self, a: Finding, b: Finding) -> Relation:
        """Two lesions of equal length at related sites are one under two names ("cystic lesion of 15 mm", "15 mm cyst")."""
        lengths, lesions = a.values("length") & b.values("length"), self.index.flagged("lesions")
        if not lengths or not all(f.sites and self.index.is_any(f.concept, lesions) for f in (a, b)):
            return UNRELATED
        found = self._step(a, b, 2, f"finding: one lesion by its size, {min(lengths)}")
        return found if found is UNRELATED else self.exclusions.opposite_lesions(a, b) or found

    def _relate_alternatives(self, a: Finding, b: Finding) -> Relation:
        """A finding with alternative readings ("opacity, likely pneumonia"): the best one is credited, as a part–whole step."""
        for one, other in ((a, b), (b, a)):
            for name in (name for name in one.alternatives if self.index.either_is_a(name, other.concept)):
                return self._step(a, b, 1, f"'{one.label}' is said to be {self.index.label(name)}")
        return UNRELATED

    def _following(self, a: Finding, b: Finding) -> Relation:
        """One finding follows from the other by an implication of its class; for assertions, not that some quality deviates."""
        index = self.index
        for one, other in ((a, b), (b, a)):
            for name, implied, classes in self.axes.unfold.following(one):
                own = implied == other.concept or other.concept in classes - index.ancestors[implied]
                if own and not (a.asserts and implied in self._deviations):
                    return self._step(a, b, 1, f"finding: {index.label(name)} implies {index.label(implied)}")
        return UNRELATED

    def _step(self, a: Finding, b: Finding, depth: int, why: str) -> Relation:
        """Return the credit of two findings of which one is a step from the other, if their places agree."""
        anatomy = self.axes.anatomy(a, b)
        return UNRELATED if anatomy is None else self._credit(a, b, anatomy, ("part_whole", depth), why)

    def _credit(self, a: Finding, b: Finding, anatomy: Axis, finding: Axis, why: str = "") -> Relation:
        """Return the credit of two findings that agree on both axes; details are compared for assertions only."""
        kind: Literal["equivalent", "part_whole"] = "equivalent" if anatomy[0] == finding[0] == "equivalent" else "part_whole"
        proof = (why or self.proofs.concept(a, b, finding), self.proofs.anatomy(a, b, anatomy))
        detail = None
        if a.asserts:
            mine, theirs = self.axes.unfold(a), self.axes.unfold(b)
            detail = compare_details(a, b, mine.shown | mine.classes, theirs.shown | theirs.classes)
        return Relation(kind, anatomy[0], finding[0], detail, 0.0, tuple(p for p in proof if p), (anatomy[1], finding[1]))

    def _assert_against_denial(self, yes: Finding, no: Finding) -> Relation:
        """A denial contradicts an assertion of the denied class, or one that implies that class."""
        if (why := self.exclusions.sound(yes, no)) and (anatomy := self.axes.anatomy(yes, no)):
            return self._credit(yes, no, anatomy, SAME, why)
        if not self.denials.denies(no, yes) or not self.denials.covers(no, yes) or self.formed_apart(no, yes):
            return UNRELATED
        why = self.proofs.subsumption(yes, no) or self.denials.why(no, yes)
        return excluded(f"denied: {no.label}; asserted: {yes.label}", why, self.proofs.where(yes, no))

    def _both_deny(self, a: Finding, b: Finding) -> Relation:
        if not (a.side == b.side if a.both and b.both else sides_meet(a, b)):
            return UNRELATED
        finding = self.axes.concept(a, b)
        if (finding is None or finding[0] != "equivalent") and self._conventional(a, b):
            finding = ("equivalent", 0)
        if finding is None:
            return self._following(a, b)  # without dilatation there is no obstruction
        anatomy = self.axes.anatomy(a, b)
        return UNRELATED if anatomy is None else self._credit(a, b, anatomy, finding)

    def _conventional(self, a: Finding, b: Finding) -> bool:
        """Whether two denials are equivalent in practice: "normal in size" and "not enlarged"."""
        pairs = ((a, b), (b, a))
        return any(self.index.principal.get(one.concept or "", _NONE) & self.axes.unfold(other).classes for one, other in pairs)

    def _by_text(self, a: Finding, b: Finding) -> Relation:
        """Findings that no concept covers agree by their common words."""
        unknown = a.concept is None and b.concept is None and a.words and b.words
        if not unknown or a.asserts != b.asserts or not sides_meet(a, b):
            return UNRELATED
        shared = a.words & b.words
        share = 2 * len(shared) / (len(a.words) + len(b.words))
        if share < _SHARED:
            return UNRELATED
        kind: Literal["equivalent", "part_whole"] = "equivalent" if share == 1 else "part_whole"
        why = f"the same words, known to no concept: {' '.join(sorted(shared))}"
        return Relation(kind, "equivalent", kind, "equivalent" if a.asserts else None, 0.0, (why,))


def _either_way(index: Index) -> set[str]:
    """Return the deviations of qualities that state no direction ("abnormal signal"), though there are two."""
    ways: dict[str, list[bool]] = {}
    for values in index.qualities.values():
        if "dev" in values:
            two = {"up", "down"} <= values.keys() and values["dev"] not in (values["up"], values["down"])
            ways.setdefault(values["dev"], []).append(two)
    return {dev for dev, two in ways.items() if all(two)}


relator_of = shared(Relator)


def content_key(finding: Finding) -> tuple[object, ...]:
    """Return the content of a finding, without its words and offsets: findings of equal content have equal relations."""
    return (
        finding.concept, finding.sites, finding.side, finding.status, finding.certainty, finding.details, finding.change,
        finding.alternatives, finding.restricted, finding.tip, finding.both, finding.words,
        "" if finding.concept else finding.label, finding.genus,
    )  # fmt: skip


def weigh(relation: Relation, a: Finding, b: Finding, profile: Profile) -> Relation:
    """Return the relation with its weight in [0, 1] (RadSEM 3.4): one coefficient per part–whole axis, one for details."""
    if relation.relation not in ("equivalent", "part_whole"):
        return relation
    weight = DETAIL[relation.detail]
    axes = ((relation.anatomy, profile.anatomy_coefficient), (relation.finding, profile.finding_coefficient))
    for (label, least), depth in zip(axes, relation.depths, strict=True):
        if label == "part_whole":
            weight *= least if profile.part_whole == "fixed" else depth_coefficient(depth, profile.depth_decay, least)
    if profile.conflict_factor < 1.0 and relation.detail != "equivalent":
        weight *= profile.conflict_factor ** min(2, len(conflicting(a, b)))
    return replace(relation, weight=weight)


def depth_coefficient(depth: int, decay: float, least: float = THIRD) -> float:
    """Return a coefficient between 1 and `least` that decreases with the distance in the hierarchy: 1/3 + 2/3·decay^depth for
    1/3.

    >>> round(depth_coefficient(1, 0.5), 3), round(depth_coefficient(4, 0.5), 3)
    (0.667, 0.375)
    """
    return least + (1.0 - least) * decay ** max(1, depth)
