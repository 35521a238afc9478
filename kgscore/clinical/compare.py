"""Errors of a candidate finding relative to its reference finding, dimension by dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from kgscore.clinical.details import Details, readings_of
from kgscore.clinical.settings import Settings, settings
from kgscore.clinical.signs import Signs
from kgscore.matching.axes import sides_meet
from kgscore.matching.details import opposite_changes
from kgscore.matching.relatedness import AFAR, Relatedness, same_length
from kgscore.matching.relation import Relator, content_key
from kgscore.model import Finding, Relation
from kgscore.ontology.index import LEVEL
from kgscore.verdict import Dimension, Error

_UP = ("increased", "new")
_CERTAIN = {"definite": 2, "probable": 1, "possible": 0}
# The largest number of steps in a hierarchy that is counted.
_STEPS = 4
# How many findings, and pairs of them, are cached.
_FINDINGS, _PAIRS = 50_000, 500_000
# From this severity on, overstating or understating a finding would change management.
_GRAVE = 3


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two findings compared: the errors, the remaining credit (0 to 1), and whether the pair is `open`: without a conflict, so
    that one finding may match several. `rank` is the quality of the pair, symmetric between the reports."""

    errors: tuple[Error, ...]
    quality: float
    open: bool
    proof: tuple[str, ...] = ()
    rank: float = 0.0


class Comparer:
    """Compares findings of the reference with findings of the candidate; results are cached."""

    def __init__(self, relator: Relator) -> None:
        self.relator, self.index, self.axes = relator, relator.index, relator.axes
        self.kinship = Relatedness(relator.index)
        self.settings: Settings = settings()
        # A denial of one of these leaves room for an asserted part of it.
        index = relator.index
        self.wide = (
            index.deviations() | index.flagged("leaves_room") | index.flagged("attributes") | {index.role("any_abnormality")}
        )
        self.details = Details(relator.index, self.settings)
        self.signs = Signs(relator, self.settings)
        paired = (name for name in index.marked("paired") if index.is_any(name, self.settings.distinct))
        self._members = self.settings.distinct.union(paired)
        self._numbers: dict[tuple[object, ...], int] = {}
        self._known: dict[tuple[int, int], Comparison | None] = {}

    def number(self, finding: Finding) -> int:
        """Return a number for the content of a finding, for `between`; valid until the next pair of reports begins."""
        return self._numbers.setdefault(content_key(finding), len(self._numbers))

    def begin(self) -> None:
        """Begin a pair of reports: the cache is cleared if it has grown large."""
        if len(self._numbers) > _FINDINGS or len(self._known) > _PAIRS:
            self._numbers.clear()
            self._known.clear()

    def between(self, a: Finding, b: Finding, key: tuple[int, int]) -> Comparison | None:
        """Return the comparison of b, an assertion of the candidate, with a, one of the reference; None if b is another finding.
        `key`: the numbers of both."""
        if key not in self._known:
            relation = self.relator.relate_near(a, b)
            one = self._compare(a, b, relation)
            other = self._compare(b, a, relation) if one else None
            self._known[key] = replace(one, rank=one.quality + other.quality) if one and other else one
        return self._known[key]

    def unsided(self, found: Comparison | None) -> Comparison | None:
        """Return a comparison with the cost of stating neither side where the reference states both."""
        if found is None:
            return None
        error = self._error("specificity", False, "sides_unsaid", "both sides are not said")
        left = 1.0 - self.settings.shares["left_out"] * error.share
        return replace(found, errors=(*found.errors, error), quality=found.quality * left)

    def _compare(self, a: Finding, b: Finding, relation: Relation) -> Comparison | None:
        core = list(self._core(a, b, relation))
        if relation.relation == "unrelated" and not core:
            return None
        apart = relation.relation not in ("equivalent", "part_whole")
        details = list(self.details.errors(a, b))
        found = [*core, *self._certainty(a, b), *self._change(a, b), *details]
        if relation.relation == "contradiction":
            found = _each_conflict_once(core[0], found[1:], details)
        errors = tuple(error for error in found if error.share > 0)
        left = prod(1.0 - error.share for error in errors)
        conflict = any(error.major and error.dimension not in ("specificity", "overinterpretation") for error in errors)
        # Even a very wrong finding is better than none.
        left = 1.0 - self.settings.shares["left_out"] * (1.0 - left)
        return Comparison(errors, left, not apart and not conflict, relation.proof)

    def _core(self, a: Finding, b: Finding, relation: Relation) -> Iterator[Error]:
        """Yield the errors of class and place; none if the findings are unrelated and nothing else joins them."""
        if relation.relation == "unrelated":
            yield from self._core_apart(a, b)
        elif relation.relation == "contradiction":
            yield self._clash(a, b, relation)
        else:
            if relation.finding == "part_whole":
                yield from self._kind(a, b, max(1, relation.depths[1]))
            yield from self._place(a, b, relation)

    def _share(self, name: str, steps: int = 1) -> float:
        return 1.0 - (1.0 - self.settings.shares[name]) ** min(_STEPS, steps)

    def _error(self, dimension: Dimension, major: bool, name: str, because: str, steps: int = 1) -> Error:
        return Error(dimension, major, self._share(name, steps), because)

    # ---- the core ------------------------------------------------------------------------------------------------
    def _core_apart(self, a: Finding, b: Finding) -> Iterator[Error]:
        """Yield the differences of two findings that are equal except for side or place, or siblings at one place."""
        if self.signs.two_qualities(a, b):
            return
        near = self.kinship.nearness(a, b)
        if near is None:
            yield from self._by_appearance(a, b)
            return
        sided = not sides_meet(a, b)
        apart = self.axes.anatomy(a, b) is None
        sibling = near > AFAR or (near > 0 and self.relator.formed_apart(a, b))
        if (apart and not self._comparable(a, b)) or (sibling and (sided or apart) and not same_length(a, b)):
            return
        if sibling:
            major = max(self.index.severity(a.concept), self.index.severity(b.concept)) > 1
            yield self._error("presence", major, "sibling", f"{b.label}, not {a.label}: another finding of the same kind")
        elif near:
            yield from self._kind(a, b, near)
        if sided:
            yield self._error("side", True, "side", f"{b.side}, not {a.side}: left and right are disjoint")
        if apart:
            yield self._elsewhere(a.sites, b.sites)

    def _by_appearance(self, a: Finding, b: Finding) -> Iterator[Error]:
        """Yield the difference of two findings of unrelated concepts that are one lesion by size, or both an appearance."""
        if sides_meet(a, b) and same_length(a, b) and self._comparable(a, b):
            yield self._error("specificity", True, "one_length", f"{b.label}, not {a.label}: one lesion by its size")
        elif self.signs.general(a) and self.signs.general(b) and self.signs.together(a, b):
            # A mere appearance does not match a finding that names a diagnosis: radiologists count that one as missed.
            yield self._error("specificity", False, "appearance", f"{b.label} for {a.label}: both are only what is seen")

    def names(self, one: Finding, other: Finding) -> bool:
        """Whether a finding is of another's class, and may be at the same place."""
        index = self.index
        meets = not one.sites or not other.sites or self.axes.sites(one.sites, other.sites) is not None
        return other.concept is not None and index.is_a(one.concept, other.concept) and sides_meet(one, other) and meets

    def broader(self, one: Finding, other: Finding) -> bool:
        """Whether a finding has a broader term than another."""
        return one.concept != other.concept and one.concept in self.axes.unfold(other).classes

    def one_lesion(self, one: Finding, other: Finding) -> bool:
        """Whether two lesions on one side are the same by their size."""
        if not (sides_meet(one, other) and same_length(one, other)):
            return False
        return self.kinship.nearness(one, other) is not None and not self.details.read_apart(one, other)

    def offers(self, one: Finding, other: Finding) -> bool:
        """Whether a finding is read as another at its usual place, or at the same one ("wall thickening, likely colitis")."""
        if not any(self.index.is_a(name, other.concept) for name in readings_of(one)):
            return False
        if self.signs.general(other) or not sides_meet(one, other) or self.details.read_apart(one, other):
            return False
        usual = other.sites == self.index.default_sites(other.concept)
        return usual or self.axes.sites(one.sites, other.sites) is not None

    def _comparable(self, a: Finding, b: Finding) -> bool:
        """Whether two places could be confused for this finding: of one kind or one organ."""
        if same_length(a, b) or (a.concept == b.concept and not self.signs.general(a)):
            return True
        return any(self._confusable(site, place) for site in a.sites for place in b.sites)

    def _confusable(self, site: str, place: str) -> bool:
        """Whether two structures are parts or kinds of one, or inside one that is not a mere region."""
        ancestors, within = self.index.ancestors, self.index.within
        shared = ancestors.get(site, frozenset()) & ancestors.get(place, frozenset())
        around = within.get(site, frozenset()) & within.get(place, frozenset())
        common = any(len(ancestors[name]) > AFAR for name in shared) or not all(map(self.kinship.is_region, around))
        return common or self.kinship.alike(site, place)

    def _clash(self, a: Finding, b: Finding, relation: Relation) -> Error:
        why = relation.proof[0] if relation.proof else "both cannot be true"
        if opposite_changes(a, b):
            return self._error("change", True, "change_turned", why)
        if a.tip or b.tip:
            return self._error("device", True, "tip", why)
        if a.concept == b.concept and not sides_meet(a, b):
            return self._error("side", True, "side", why)
        if a.concept == b.concept or self.axes.concept(a, b) is not None:
            return self._error("morphology", True, "conflict_major", why)
        return self._error("presence", True, "opposite", why)

    def _kind(self, a: Finding, b: Finding, steps: int) -> Iterator[Error]:
        """Yield the cost of a broader or narrower term for a finding; a more severe one is overinterpretation."""
        if a.concept is None or b.concept is None:
            return
        grave, graver = self.index.severity(a.concept), self.index.severity(b.concept)
        offered = self._named(a, b) or self._named(b, a)
        if self.relator.alike.shows(a, b):
            low, high = sorted((grave, graver))
            major = high >= _GRAVE and high - low > 1 and not (offered or self.relator.alike.reviewed(a, b))
            share = "appearance" if major else "shown_as"
            yield self._error("specificity", major, share, f"{b.label} for {a.label}: reports use one for the other")
        elif b.concept in self.axes.unfold(a).classes:
            why = f"{a.label} is a {b.label}: less is said"
            yield self._error("specificity", grave > graver and grave >= _GRAVE and not offered, "wider_concept", why, steps)
        elif graver > grave and not offered:
            why = f"{b.label} is a {a.label}: more is said than the reference does"
            yield self._error("overinterpretation", graver >= _GRAVE, "overread", why)
        else:
            yield self._error("overinterpretation", False, "narrower_concept", f"{b.label} is a {a.label}", steps)

    def _named(self, a: Finding, b: Finding) -> bool:
        """Whether a finding offers the class of another as a reading ("opacity, likely pneumonia")."""
        return any(self.index.either_is_a(name, b.concept) for name in readings_of(a))

    def _place(self, a: Finding, b: Finding, relation: Relation) -> Iterator[Error]:
        sided = self.index.marked("paired") | self.index.marked("sided")
        if a.side and not b.side and not (a.both or b.both) and not sided.isdisjoint(a.sites):
            yield self._error("specificity", False, "side_unsaid", f"{a.side} is not said")
        if a.tip and b.tip and self.axes.sites(a.tip, b.tip) is None:
            yield self._error("device", True, "tip", f"tip in {self._named_sites(b.tip)}, not in {self._named_sites(a.tip)}")
        if set(a.sites) == set(b.sites):
            return
        apart = list(self._apart(a, b))
        if apart:
            yield from apart
        elif relation.anatomy == "part_whole":
            yield from self._wider(a, b, max(1, relation.depths[0]))

    def _apart(self, a: Finding, b: Finding) -> Iterator[Error]:
        """Yield the error of another place: sites of each side that are unrelated to all of the other's."""
        mine = [s for s in a.sites if not any(self.axes.meet(s, o) for o in b.sites)]
        theirs = [s for s in b.sites if not any(self.axes.meet(s, o) for o in a.sites)]
        if mine and theirs and self.placed(a) and self.placed(b):
            yield self._elsewhere(mine, theirs)

    def _elsewhere(self, mine: Sequence[str], theirs: Sequence[str]) -> Error:
        levels = any(LEVEL.search(site) for site in mine) and any(LEVEL.search(site) for site in theirs)
        close = not levels and self._halves(mine) | self._halves(theirs) != {"left_halves", "right_halves"}
        pairs = ((site, place) for site in mine for place in theirs)
        close = close and any(self.kinship.alike(*pair) and not self._distinct(*pair) for pair in pairs)
        why = f"{self._named_sites(theirs)}, not {self._named_sites(mine)}: neither is part of the other"
        return self._error("place", not close, "place_near" if close else "place_apart", why)

    def _distinct(self, site: str, place: str) -> bool:
        """Whether two structures are, or are parts of, different members of a kind that is told apart (two ligaments)."""
        one, other = (self.index.within.get(name, frozenset()) & self._members for name in (site, place))
        return not (one <= other or other <= one)

    def _halves(self, sites: Sequence[str]) -> set[str]:
        """Return the halves of an organ that has two, such as the liver, in which places are."""
        roles = ("left_halves", "right_halves")
        return {role for role in roles if any(self.index.inside_any(site, self.index.flagged(role)) for site in sites)}

    def placed(self, finding: Finding) -> bool:
        """Whether a place is stated, other than the default of the finding's concept."""
        return bool(finding.sites) and finding.sites != self.index.default_sites(finding.concept)

    def _wider(self, a: Finding, b: Finding, steps: int) -> Iterator[Error]:
        """Yield the cost of a place that is less exact, or more exact, than in the reference."""
        index, mine, theirs = self.index, self._named_sites(a.sites), self._named_sites(b.sites)
        if a.sites and not self.placed(b):
            if self.placed(a):
                yield self._error("specificity", False, "place_unsaid", f"{mine} is not said")
        elif not a.sites:
            yield self._error("place", False, "place_narrower", f"{theirs} is added")
        elif all(any(index.inside(place, site) for site in a.sites) for place in b.sites):
            yield self._error("place", False, "place_narrower", f"{theirs} lies in {mine}")
        elif all(any(index.inside(site, place) for place in b.sites) for site in a.sites):
            yield self._error("specificity", False, "place_wider", f"{mine} lies in {theirs}", steps)

    # ---- certainty and change -------------------------------------------------------------------------------------
    def _certainty(self, a: Finding, b: Finding) -> Iterator[Error]:
        steps = abs(_CERTAIN[a.certainty] - _CERTAIN[b.certainty])
        if steps:
            yield self._error("certainty", False, "certainty_step", f"{b.certainty}, not {a.certainty}", steps)

    def _change(self, a: Finding, b: Finding) -> Iterator[Error]:
        if a.change == b.change:
            return
        worse = (a.change in _UP, b.change in _UP)
        if a.change and b.change:
            turned = worse[0] != worse[1]
            why = f"{b.change}, not {a.change}"
            yield self._error("change", turned, "change_turned" if turned else "change_other", why)
        elif a.change:
            yield self._error("change", False, "change_unsaid" if worse[0] else "stable_unsaid", f"{a.change} is not said")
        else:
            yield self._error("change", worse[1], "change_added" if worse[1] else "stable_added", f"{b.change} is added")

    def _named_sites(self, sites: Sequence[str]) -> str:
        return ", ".join(self.index.label(site) for site in sites)


def _each_conflict_once(clash: Error, others: Sequence[Error], details: Sequence[Error]) -> list[Error]:
    """Return the errors of a contradiction: `clash` stands for all of its dimension, but major errors of details stand for it."""
    if clash.dimension == "morphology" and any(error.major and error in details for error in others):
        return list(others)
    return [clash, *(error for error in others if error.dimension != clash.dimension)]
