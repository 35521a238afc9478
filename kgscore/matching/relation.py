"""How one finding stands to another: equivalent, part–whole, contradictory or unrelated, with the proof.

The table of DESIGN section 1: agreement is subsumption, contradiction is a denied class that contains an asserted one.
"""

from __future__ import annotations

from typing import Literal

from kgscore.matching.details import compare_details
from kgscore.matching.weights import weigh
from kgscore.model import Finding, Relation
from kgscore.ontology.index import Index
from kgscore.profile import Profile

# How many relations are remembered between findings that say the same.
_REMEMBERED = 500_000
UNRELATED = Relation("unrelated")
_LESIONS = (
    "lesion",
    "density_abnormality",
    "signal_abnormality",
    "opacity",
    "infarct",
    "hematoma",
    "lucency",
    "collection",
    "stone",
    "calcification",
)
_SINGLE = ("displacement",)
_EXCLUSIVE = ("direction", "density_descriptor")
_ACUTE_DEFAULT = 3


class Relator:
    """Decides relations between a reference finding a and a generated finding b."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._concepts: dict[tuple[object, ...], tuple[str, int] | None] = {}
        self._keys: dict[tuple[object, ...], int] = {}
        self._weighed: dict[tuple[int, int, Profile], Relation | None] = {}
        self._known_apart: dict[tuple[object, ...], bool] = {}
        self._places: dict[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, int] | None] = {}

    def relate(self, a: Finding, b: Finding) -> Relation:
        """Return the relation of b to a. The weight is left at 0: `matching.weights` gives it."""
        if a.concept is None or b.concept is None:
            return self._by_text(a, b)
        if a.asserts and b.asserts:
            return self._both_assert(a, b)
        if a.asserts != b.asserts:
            return self._assert_against_denial(a, b) if a.asserts else self._assert_against_denial(b, a)
        return self._both_deny(a, b)

    def key(self, finding: Finding) -> int:
        """Return a number for what a finding says, its words and offsets left out: equal numbers, equal relations."""
        said = (
            finding.concept,
            finding.sites,
            finding.side,
            finding.status,
            finding.certainty,
            finding.details,
            finding.change,
            finding.alternatives,
            finding.restricted,
            finding.tip,
            finding.both,
            finding.words,
            "" if finding.concept else finding.label,
        )
        return self._keys.setdefault(said, len(self._keys))

    def weighed(self, left: int, right: int, a: Finding, b: Finding, profile: Profile) -> Relation | None:
        """Return the relation of b to a with its weight, or None where they are unrelated. `left` and `right` are their keys;
        what was found once for two keys holds for all findings that say the same."""
        pair = (left, right, profile)
        try:
            return self._weighed[pair]
        except KeyError:
            pass
        found = self.relate(a, b) if not self._apart(a, b) else UNRELATED
        answer = None if found.relation == "unrelated" else weigh(found, a, b, profile)
        if len(self._weighed) >= _REMEMBERED:
            self._weighed.clear()
        self._weighed[pair] = answer
        return answer

    def _apart(self, a: Finding, b: Finding) -> bool:
        """Whether no relation is possible between findings of these concepts, whatever their sides and details."""
        key = (a.concept, a.sites, a.alternatives, a.asserts, b.concept, b.sites, b.alternatives, b.asserts)
        known = self._known_apart.get(key)
        if known is None:
            known = self._known_apart[key] = self._are_apart(a, b)
        return known

    def _are_apart(self, a: Finding, b: Finding) -> bool:
        index = self.index
        if a.concept is None or b.concept is None:
            return (a.concept is None) != (b.concept is None)
        mine, theirs = index.derived(a.concept, a.sites), index.derived(b.concept, b.sites)
        names = [*a.alternatives, *b.alternatives]
        if (
            a.concept in theirs
            or b.concept in mine
            or any(index.is_a(n, o) or index.is_a(o, n) for n in names for o in (a.concept, b.concept, *names))
        ):
            return False
        if a.asserts and b.asserts:
            if any(index.is_a(x, y) for x in (a.concept, b.concept) for y in ("surgical_absence", "agenesis")):
                return False
            if self._is_lesion(a) and self._is_lesion(b):
                return False
            return index.opposed(a.concept, b.concept) is None
        if not a.asserts and not b.asserts:
            chiefs = ((index.principal.get(a.concept, frozenset()), theirs), (index.principal.get(b.concept, frozenset()), mine))
            return not any(chief & other for chief, other in chiefs)
        yes, no = (mine, b.concept) if a.asserts else (theirs, a.concept)
        return not any(index.is_a(i, no) for c in yes for i in index.implied.get(c, ()))

    # ---- asserted / asserted -------------------------------------------------------------------------------------
    def _both_assert(self, a: Finding, b: Finding) -> Relation:
        if not self._sides_meet(a, b):
            return self._single_valued(a, b)
        if _elsewhere(a) != _elsewhere(b):
            return UNRELATED
        finding = self._concept_axis(a, b)
        if finding is None:
            found = self._absent_organ(a, b) or self._opposite(a, b) or self._through_alternatives(a, b)
            return found if found is not UNRELATED else self._same_lesion(a, b)
        anatomy = self._anatomy_axis(a, b)
        if anatomy is None:
            return self._tips(a, b) or self._single_valued(a, b)
        clash = self._change_clash(a, b)
        if clash:
            return Relation("contradiction", proof=(clash,))
        tips = self._tips(a, b)
        if tips is not None:
            return tips
        clash_details = self._exclusive_details(a, b)
        if clash_details:
            return Relation("contradiction", proof=(clash_details,))
        return self._credit(a, b, anatomy, finding)

    def _same_lesion(self, a: Finding, b: Finding) -> Relation:
        """Two lesions of one length at related sites are one lesion under two names ("cystic lesion of 15 mm", "15 mm cyst")."""
        lengths = {d.value for d in a.details if d.category == "length"} & {d.value for d in b.details if d.category == "length"}
        if not lengths or not (self._is_lesion(a) and self._is_lesion(b)):
            return UNRELATED
        anatomy = self._anatomy_axis(a, b)
        if anatomy is None or not a.sites or not b.sites:
            return UNRELATED
        return self._credit(a, b, anatomy, ("part_whole", 2), f"finding: one lesion by its size, {min(lengths)}")

    def _is_lesion(self, finding: Finding) -> bool:
        return any(self.index.is_a(finding.concept or "", kind) for kind in _LESIONS)

    def _through_alternatives(self, a: Finding, b: Finding) -> Relation:
        """One finding with several readings ("opacity, likely pneumonia"): the best counts for credit, at a part–whole step."""
        for one, other in ((a, b), (b, a)):
            for name in one.alternatives:
                assert other.concept is not None
                if name == other.concept or self.index.is_a(name, other.concept) or self.index.is_a(other.concept, name):
                    anatomy = self._anatomy_axis(a, b)
                    if anatomy is not None:
                        return self._credit(
                            a, b, anatomy, ("part_whole", 1), f"'{one.label}' is said to be {self.index.label(name)}"
                        )
        return UNRELATED

    def _credit(self, a: Finding, b: Finding, anatomy: tuple[str, int], finding: tuple[str, int], why: str = "") -> Relation:
        kind = "equivalent" if anatomy[0] == finding[0] == "equivalent" else "part_whole"
        proof = (why or self._concept_proof(a, b, finding), self._anatomy_proof(a, b, anatomy))
        detail = compare_details(a, b) if a.asserts else None
        return Relation(kind, anatomy[0], finding[0], detail, 0.0, tuple(p for p in proof if p), (anatomy[1], finding[1]))  # type: ignore[arg-type]

    def _absent_organ(self, a: Finding, b: Finding) -> Relation | None:
        """What was removed, or never formed, cannot hold a finding."""
        for gone, other in ((a, b), (b, a)):
            if self.index.is_a(gone.concept or "", "surgical_absence") or self.index.is_a(gone.concept or "", "agenesis"):
                if gone.sites and other.sites and all(any(self.index.inside(s, g) for g in gone.sites) for s in other.sites):
                    return Relation(
                        "contradiction", proof=(f"{self.index.label(gone.sites[0])} is absent and cannot show {other.label}",)
                    )
        return None

    def _opposite(self, a: Finding, b: Finding) -> Relation | None:
        """Two opposite values of one quality of one bearer."""
        assert a.concept and b.concept
        pair = self.index.opposed(a.concept, b.concept)
        if pair is None or not a.sites or set(a.sites) != set(b.sites) or a.side != b.side:
            return None
        return Relation(
            "contradiction",
            proof=(f"{self.index.label(pair[0])} and {self.index.label(pair[1])} are opposites", self._where(a, b)),
        )

    def _single_valued(self, a: Finding, b: Finding) -> Relation:
        """What exists once cannot be in two places: a shift of the midline, the tip of the only tube."""
        index = self.index
        if a.concept == b.concept and a.concept is not None and "unique" in index.concepts[a.concept].flags and a.tip and b.tip:
            return self._tips(a, b) or UNRELATED
        if a.concept == b.concept and a.concept and self._unpaired_shift(a, b):
            return Relation("contradiction", proof=(f"{a.label}: to the {a.side} and to the {b.side} cannot both hold",))
        return UNRELATED

    def _unpaired_shift(self, a: Finding, b: Finding) -> bool:
        index = self.index
        assert a.concept
        if not any(index.is_a(a.concept, single) for single in _SINGLE) or a.side is None or b.side is None or a.side == b.side:
            return False
        return all(
            "paired" not in index.concepts[s].flags and "sided" not in index.concepts[s].flags for s in (*a.sites, *b.sites)
        )

    def _tips(self, a: Finding, b: Finding) -> Relation | None:
        index = self.index
        if a.concept != b.concept or not a.concept or "unique" not in index.concepts[a.concept].flags:
            return None
        one, other = a.tip or a.sites, b.tip or b.sites
        if not one or not other or self._related_sites(one, other) is not None:
            return None
        return Relation(
            "contradiction", proof=(f"one {a.label} cannot end in {index.label(one[0])} and in {index.label(other[0])}",)
        )

    def _change_clash(self, a: Finding, b: Finding) -> str:
        ups, downs = {"increased", "new"}, {"decreased", "resolved"}
        if (a.change in ups and b.change in downs) or (a.change in downs and b.change in ups):
            return f"{a.label}: {a.change} and {b.change} are opposite changes"
        return ""

    def _exclusive_details(self, a: Finding, b: Finding) -> str:
        mine = {d.value: d for d in a.details if d.category in _EXCLUSIVE}
        for other in b.details:
            clash = (
                self.index.opposites.get(other.value, frozenset()) & mine.keys() if other.category in _EXCLUSIVE else frozenset()
            )
            if clash:
                return f"{a.label}: {mine[min(clash)].text} and {other.text} are opposite directions"
        return ""

    # ---- asserted / denied ---------------------------------------------------------------------------------------
    def _assert_against_denial(self, yes: Finding, no: Finding) -> Relation:
        if no.change == "new" and yes.change not in ("new", None):
            return UNRELATED
        if any(d.value == "otherwise" for d in no.details):
            return UNRELATED
        if not self._side_within(yes, no) and not (no.both and yes.side is None):
            return UNRELATED
        index = self.index
        assert yes.concept and no.concept
        classes = index.derived(yes.concept, yes.sites)
        held = (
            no.concept if no.concept in classes else next((n for n in yes.alternatives if index.is_a(n, no.concept or "")), None)
        )
        if held is None:
            held = next((i for c in classes for i in index.implied.get(c, ()) if index.is_a(i, no.concept)), None)
        if held is None or not self._sites_within(yes, no, classes):
            return UNRELATED
        if no.restricted and not self._restriction_met(yes, no):
            return UNRELATED
        if self._chronic(yes) and index.is_a(no.concept, "acute_abnormality"):
            return UNRELATED
        if self._status_only(yes) and not self._names(no, yes):
            return UNRELATED
        return Relation(
            "contradiction",
            proof=(f"denied: {no.label}; asserted: {yes.label}", self._subsumption_proof(yes, no), self._where(yes, no)),
        )

    def _status_only(self, yes: Finding) -> bool:
        """Devices and states after surgery do not break a normal statement unless they are themselves denied."""
        concept = self.index.concepts.get(yes.concept or "")
        return concept is not None and (concept.kind == "devices" or "status" in concept.flags or "variant" in concept.flags)

    def _names(self, no: Finding, yes: Finding) -> bool:
        concept = self.index.concepts.get(no.concept or "")
        return (
            concept is not None and (concept.kind == "devices" or "status" in concept.flags)
        ) or yes.concept == "surgical_absence"

    def _side_within(self, yes: Finding, no: Finding) -> bool:
        return no.side is None or yes.side == no.side

    def _sites_within(self, yes: Finding, no: Finding, classes: frozenset[str]) -> bool:
        index = self.index
        places = set(yes.sites)
        for name in classes:
            places |= index.hard_sites.get(name, frozenset())
        return all(any(index.inside(place, site) for place in places) for site in no.sites)

    def _restriction_met(self, yes: Finding, no: Finding) -> bool:
        """ "No large effusion" does not clash with a small one; "no acute fracture" clashes with any that is not called old."""
        if no.change == "new" and not any(d.category != "restriction" for d in no.details):
            return yes.change == "new"
        values = {d.value for d in yes.details} | {d.category for d in yes.details if d.category == "temporality"}
        for detail in no.details:
            if detail.category == "temporality" and detail.value in ("acute", "subacute", "early"):
                if self._chronic(yes) or ("temporality" not in values and self.index.severity(yes.concept) < _ACUTE_DEFAULT):
                    return False
            elif detail.category in (
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
            ):
                if detail.value not in values and not (detail.value == "severe" and detail.text in ("significant", "obvious")):
                    return detail.value == "probably_malignant" and self.index.is_a(yes.concept or "", "malignancy")
        return True

    def _chronic(self, yes: Finding) -> bool:
        ages = [d.value for d in yes.details if d.category == "temporality"]
        if any(age in ("acute", "subacute", "early") for age in ages):
            return False
        return any(age == "healing" or self.index.is_a(age, "chronic") for age in ages) or self.index.severity(yes.concept) <= 1

    # ---- denied / denied -----------------------------------------------------------------------------------------
    def _both_deny(self, a: Finding, b: Finding) -> Relation:
        if not (a.both and b.both) and not self._sides_meet(a, b):
            return UNRELATED
        if a.both and b.both and a.side != b.side:
            return UNRELATED
        finding = self._concept_axis(a, b)
        if finding is None:
            return UNRELATED
        if finding[0] != "equivalent" and self._conventional(a, b):
            finding = ("equivalent", 0)
        anatomy = self._anatomy_axis(a, b)
        if anatomy is None:
            return UNRELATED
        return self._credit(a, b, anatomy, finding)

    def _conventional(self, a: Finding, b: Finding) -> bool:
        """ "Normal in size" and "not enlarged" say the same in practice."""
        for one, other in ((a, b), (b, a)):
            chief = self.index.principal.get(one.concept or "", frozenset())
            if chief & self.index.derived(other.concept or "", other.sites):
                return True
        return False

    # ---- unlinked ------------------------------------------------------------------------------------------------
    def _by_text(self, a: Finding, b: Finding) -> Relation:
        if (
            a.concept is not None
            or b.concept is not None
            or a.asserts != b.asserts
            or not self._sides_meet(a, b)
            or not a.words
            or not b.words
        ):
            return UNRELATED
        shared = len(a.words & b.words)
        share = 2 * shared / (len(a.words) + len(b.words))
        if share < 0.67:
            return UNRELATED
        kind: Literal["equivalent", "part_whole"] = "equivalent" if share == 1 else "part_whole"
        return Relation(
            kind,
            "equivalent",
            kind,
            "equivalent" if a.asserts else None,
            0.0,
            (f"the same words, known to no concept: {' '.join(sorted(a.words & b.words))}",),
        )

    # ---- axes ----------------------------------------------------------------------------------------------------
    def _sides_meet(self, a: Finding, b: Finding) -> bool:
        return a.side is None or b.side is None or a.side == b.side

    def _concept_axis(self, a: Finding, b: Finding) -> tuple[str, int] | None:
        assert a.concept and b.concept
        if a.concept == b.concept:
            return ("equivalent", 0)
        key = (a.concept, a.sites, b.concept, b.sites)
        if key not in self._concepts:
            index = self.index
            if a.concept in index.derived(b.concept, b.sites):
                found = ("part_whole", index.distance(b.concept, a.concept))
            elif b.concept in index.derived(a.concept, a.sites):
                found = ("part_whole", index.distance(a.concept, b.concept))
            else:
                found = None  # type: ignore[assignment]
            if found and a.asserts and ("abnormality" in (a.concept, b.concept)) and a.concept != b.concept:
                found = None  # type: ignore[assignment]
            self._concepts[key] = found
        return self._concepts[key]

    def _anatomy_axis(self, a: Finding, b: Finding) -> tuple[str, int] | None:
        related = self._related_sites(a.sites, b.sites)
        if related is None and a.concept and b.concept:
            related = self._related_sites(self._with_hard(a.concept, a.sites), self._with_hard(b.concept, b.sites))
        if related is None:
            return None
        if a.side != b.side and not (a.both and b.both):
            return ("part_whole", max(1, related[1]))
        return related

    def _with_hard(self, concept: str, sites: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sites said and those the concept implies, where nothing said is inside them already."""
        own = sorted(self.index.hard_sites.get(concept, ()))
        return (*sites, *(place for place in own if not any(self.index.inside(site, place) for site in sites)))

    def _related_sites(self, one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, int] | None:
        if one == other:
            return ("equivalent", 0)
        key = (one, other)
        if key not in self._places:
            self._places[key] = self._compute_sites(one, other)
        return self._places[key]

    def _compute_sites(self, one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, int] | None:
        if not one or not other:
            return ("part_whole", 3)
        if set(one) == set(other):
            return ("equivalent", 0)
        index = self.index
        depth = 0
        for mine, theirs in ((one, other), (other, one)):
            for site in mine:
                best: int | None = None
                for place in theirs:
                    if site == place:
                        best = 0
                    elif index.inside(site, place):
                        best = min(best if best is not None else 9, index.distance(site, place))
                    elif index.inside(place, site):
                        best = min(best if best is not None else 9, index.distance(place, site))
                    elif self._overlap(site, place):
                        best = min(best if best is not None else 9, 1)
                if best is None:
                    if len(mine) > 1 and any(
                        s in theirs or any(index.inside(s, t) or index.inside(t, s) for t in theirs) for s in mine
                    ):
                        depth = max(depth, 1)
                        continue
                    return None
                depth = max(depth, best)
        return ("part_whole", max(1, depth))

    def _overlap(self, one: str, other: str) -> bool:
        index = self.index
        for near in index.overlaps.get(one, ()):
            if index.inside(other, near) or index.inside(near, other):
                return True
        return any(index.inside(one, near) or index.inside(near, one) for near in index.overlaps.get(other, ()))

    # ---- proofs --------------------------------------------------------------------------------------------------
    def _concept_proof(self, a: Finding, b: Finding, axis: tuple[str, int]) -> str:
        if axis[0] == "equivalent":
            return f"finding: both are {a.label}"
        return f"finding: {self._subsumption_proof(a, b)}"

    def _subsumption_proof(self, one: Finding, other: Finding) -> str:
        index = self.index
        for narrow, broad in ((one, other), (other, one)):
            if narrow.concept and broad.concept and broad.concept in index.derived(narrow.concept, narrow.sites):
                if index.is_a(narrow.concept, broad.concept):
                    return (
                        " is a ".join(index.label(c) for c in self._path(narrow.concept, broad.concept))
                        if narrow.concept != broad.concept
                        else f"{narrow.label} is {broad.label}"
                    )
                place = " and ".join(index.label(s) for s in narrow.sites)
                return f"{narrow.label} in {place} is, by definition, {broad.label}"
        return ""

    def _path(self, narrow: str, broad: str) -> list[str]:
        index = self.index
        path = [narrow]
        while path[-1] != broad:
            following = [p for p in index.concepts[path[-1]].parents if index.inside(p, broad) or index.is_a(p, broad)]
            if not following or len(path) > 12:
                return [narrow, broad]
            path.append(min(following))
        return path

    def _anatomy_proof(self, a: Finding, b: Finding, axis: tuple[str, int]) -> str:
        if not a.sites and not b.sites:
            return ""
        if axis[0] == "equivalent":
            return "anatomy: same site"
        return f"anatomy: {self._where(a, b)}"

    def _where(self, a: Finding, b: Finding) -> str:
        index = self.index
        for x, y in ((a, b), (b, a)):
            for site in x.sites:
                for place in y.sites:
                    if site != place and index.inside(site, place):
                        return f"{_sided(index.label(site), x.side)} lies in {_sided(index.label(place), y.side)} ({' < '.join(index.label(c) for c in self._path(site, place))})"
        if a.side != b.side:
            return f"{_sided(', '.join(index.label(s) for s in a.sites), a.side)} against {_sided(', '.join(index.label(s) for s in b.sites), b.side)}"
        return f"same site: {_sided(', '.join(index.label(s) for s in a.sites), a.side)}" if set(a.sites) == set(b.sites) else ""


def _elsewhere(finding: Finding) -> bool:
    """Whether a finding is said of what remains ("the other bronchi")."""
    return any(d.category == "restriction" for d in finding.details)


def _sided(label: str, side: str | None) -> str:
    return f"{side} {label}" if side else label
