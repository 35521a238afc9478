"""Differences made consistent with the clinical verdict: one for every error that it lists, no others, each with the tier of its
error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from kgscore.clinical.rules import LOW
from kgscore.metrics.comparison import CERTAIN, COMPARISON, DEGREE, FALSE, LOCATION, NO_COMPARISON, OMITTED, UNCERTAIN
from kgscore.metrics.differences import Difference
from kgscore.model import Finding
from kgscore.verdict import Aligned, Dimension, Verdict

_CATEGORIES: dict[Dimension, tuple[int, ...]] = {
    "side": (LOCATION,), "place": (LOCATION,), "device": (LOCATION,), "severity": (DEGREE,), "size": (DEGREE,),
    "morphology": (DEGREE,), "certainty": (UNCERTAIN, CERTAIN), "change": (COMPARISON, NO_COMPARISON),
}  # fmt: skip


class Agreed:
    """The verdict that differences must agree with; `left` and `right` are the findings of the reference and the candidate."""

    def __init__(self, verdict: Verdict, left: Sequence[Finding], right: Sequence[Finding]) -> None:
        self.errors = [one for one in verdict.findings if one.is_error and not _is_slight(one)]
        self.left, self.right = left, right
        self.of_left: dict[int | None, list[Aligned]] = defaultdict(list)
        self.of_right: dict[int | None, list[Aligned]] = defaultdict(list)
        for one in verdict.findings:
            for ends, of in ((one.reference, self.of_left), (one.candidate, self.of_right)):
                for at in ends:
                    of[at].append(one)

    def differences(self, found: Sequence[Difference], *, exact: bool) -> list[tuple[Difference, int | None]]:
        """Return differences with their tiers, 1 to 4, if an error concerns them: those that the verdict finds correct, and
        repetitions of what is missed, are left out (kept if `exact`), and those that only the verdict finds are added."""
        apart = [one for each in (found if exact else self._once(found)) for one in self._split_difference(each)]
        kept = [(one, tier or None) for one in apart if (tier := self._tier(one)) != 0 or exact]
        said_of = ({one.reference for one, _ in kept}, {one.candidate for one, _ in kept})
        added = [one for error in self.errors if not self._is_covered(error, *said_of) for one in self._as_differences(error)]
        return kept + [(one, self._tier(one) or None) for one in added]

    def _once(self, found: Sequence[Difference]) -> list[Difference]:
        """Return differences without those that only miss again what is missed."""
        again = {i for error in self.errors if error.category == "missed" and not error.candidate for i in error.reference[1:]}
        return [one for one in found if one.candidate is not None or one.reference not in again]

    def misstated(self, found: Sequence[Difference], covered: Collection[int | None]) -> list[tuple[Difference, int]]:
        """Return the differences in number and certainty, which the verdict counts as minor or not at all, with the tier of their
        finding: those that no other difference, of which `covered` are the references, concerns; certainty above routine only."""
        tiers = [(one, max((each.tier for each in self.outcomes_of(one)), default=0)) for one in found]
        return [(one, tier) for one, tier in tiers if tier > LOW - (DEGREE in one.categories) and one.reference not in covered]

    def outcomes_of(self, one: Difference) -> list[Aligned]:
        """Return the verdict's outcomes for the findings of a difference."""
        mine, theirs = self.of_left.get(one.reference, []), self.of_right.get(one.candidate, [])
        return [*mine, *(each for each in theirs if each not in mine)]

    def _tier(self, one: Difference) -> int | None:
        """Return the highest tier of an error about a difference: 0 if its findings are correct, None if the verdict has none."""
        about = self.outcomes_of(one)
        told = (each.tier for each in about if each.category != "correct" and not _is_slight(each))
        return max(told, default=0) if about else None

    def _split_difference(self, one: Difference) -> Iterator[Difference]:
        """Yield a difference, or two if it replaces a finding by one that is invented: a finding replaces its own denial."""
        i, j = one.reference, one.candidate
        if i is not None and j is not None and self.left[i].asserts and self.right[j].asserts:
            missed = next((each for each in self.of_left.get(i, []) if each.category == "missed" and each.candidate), None)
            invented = next((each for each in self.of_right.get(j, []) if each.category == "invented"), None)
            if missed is not None and invented is not None:
                yield from (*self._as_differences(missed), *self._as_differences(invented))
                return
        yield one

    def _is_covered(self, error: Aligned, left: set[int | None], right: set[int | None]) -> bool:
        """Whether an error needs no difference: it has one, or no concept or position, or the reference contradicts itself."""
        invented = error.category == "invented"
        own, ends = (self.right, error.candidate) if invented else (self.left, error.reference)
        if not ends or own[ends[0]].concept is None:
            return True
        if invented and any(one.category != "invented" and ends[0] in one.candidate for one in self.of_right[ends[0]]):
            return True
        return not left.isdisjoint(error.reference) or not right.isdisjoint(error.candidate)

    def _as_differences(self, error: Aligned) -> Iterator[Difference]:
        """Yield the differences of an error: each additional denial is another line to correct."""
        i, j = next(iter(error.reference), None), next(iter(error.candidate), None)
        why = "; ".join(each.because for each in error.errors if each.major) or error.errors[0].because
        yield Difference(frozenset(_categories(error)), i, j, why, error.proof)
        if error.category == "missed":
            again = [k for k in error.candidate[1:] if not self.right[k].asserts]
            yield from (Difference(frozenset((OMITTED,)), None, k, why, error.proof) for k in again)


def _is_slight(one: Aligned) -> bool:
    """Whether a routine finding is only doubtfully missed or invented: it is not worth a correction."""
    return one.tier == LOW and one.category != "wrong" and bool(one.doubts)


def _categories(error: Aligned) -> set[int]:
    if error.category != "wrong":
        return {OMITTED if error.category == "missed" else FALSE}
    major = [each.dimension for each in error.errors if each.major]
    return {number for dimension in major for number in _CATEGORIES.get(dimension, (FALSE, OMITTED))}
