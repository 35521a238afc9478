"""The clinical verdict on an aligned pair: what each finding is worth, what each error costs, and the one number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from kgscore.clinical.align import SLIGHT, Alignment, Match
from kgscore.clinical.compare import Comparer
from kgscore.clinical.numbers import Measured
from kgscore.clinical.reworded import Stated
from kgscore.clinical.settings import Settings
from kgscore.clinical.significance import Significance
from kgscore.model import Finding, Link
from kgscore.verdict import Aligned, Category, Error

Grade = Callable[[Finding], Significance]
Wrong = tuple[Measured, int, Error]
_ROUTINE = 1


@dataclass(frozen=True, slots=True)
class Sums:
    """Weights by tier: what is credited, what is lost of the reference's findings, what is invented."""

    credited: dict[int, float] = field(default_factory=dict)
    lost: dict[int, float] = field(default_factory=dict)
    invented: dict[int, float] = field(default_factory=dict)

    def good(self, settings: Settings) -> float:
        """Return the weight that is credited, C, routine findings under their bound."""
        return _bounded(settings, self.credited)

    def bad(self, settings: Settings) -> float:
        """Return the weight of what is lost and invented, L, routine findings under their bound."""
        return _bounded(settings, self.lost, self.invented)

    def value(self, settings: Settings) -> float:
        """Return the score, 0 (exclusive) to 1: (repute + C) / (repute + C + L)."""
        good = settings.repute + self.good(settings)
        return good / (good + self.bad(settings))


def _bounded(settings: Settings, *parts: Mapping[int, float]) -> float:
    grave = fsum(part[tier] for part in parts for tier in part if tier != _ROUTINE)
    routine = fsum(part.get(_ROUTINE, 0.0) for part in parts)
    return grave + settings.routine_bound * routine / (settings.routine_bound + routine)


@dataclass(frozen=True, slots=True)
class Worth:
    """What a finding is worth: its significance, and its weight."""

    significance: Significance
    weight: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """What became of every finding, those of the reference in the order of its text and then what is invented; the sums of which
    the score is made; and the tier of each assertion of the candidate, with whether it is right but for minor errors."""

    findings: tuple[Aligned, ...]
    sums: Sums
    said: tuple[tuple[int, bool], ...]


def judgement_of(alignment: Alignment, grade: Grade, comparer: Comparer, numbers: Sequence[Wrong] = ()) -> Judgement:
    """Return the judgement of an aligned pair, each finding with the significance that `grade` gives it, and of `numbers` outside
    findings that are wrong."""
    return _Judgement(alignment, grade, comparer, numbers).all()


class _Judgement:
    """The judgement of one pair."""

    def __init__(self, alignment: Alignment, grade: Grade, comparer: Comparer, numbers: Sequence[Wrong]) -> None:
        self.numbers = numbers
        self.alignment, self.grade, self.settings, self.comparer = alignment, grade, comparer.settings, comparer
        self.shares = comparer.settings.shares
        self.sums = Sums()
        self.left, self.right = self._worths(alignment.reference), self._worths(alignment.candidate)

    def all(self) -> Judgement:
        """Return the judgement of every finding."""
        of_reference: dict[int, list[Match]] = {}
        for match in self.alignment.matches:
            of_reference.setdefault(match.reference, []).append(match)
        matched = {match.candidate for match in self.alignment.matches} | self.alignment.reworded[1]
        found = [self._of_reference(i, of_reference.get(i, [])) for i in range(len(self.alignment.reference))]
        found += [self._invented(j) for j in range(len(self.alignment.candidate)) if j not in matched]
        found += [self._crossed(*crossed) for crossed in self.alignment.crossed]
        found += [self._number(*number) for number in self.numbers]
        return Judgement(tuple(found), self.sums, tuple(self._said()))

    def _said(self) -> Iterator[tuple[int, bool]]:
        """Yield the tier of each assertion of the candidate, and whether it answers one of the reference rightly."""
        of_candidate: dict[int, list[Match]] = {}
        for match in self.alignment.matches:
            of_candidate.setdefault(match.candidate, []).append(match)
        for j, worth in enumerate(self.right):
            right = j in self.alignment.reworded[1] or any(self._right(match) for match in of_candidate.get(j, ()))
            yield worth.significance.tier, right

    def _right(self, match: Match) -> bool:
        clash = match.reference in self.alignment.denied or match.candidate in self.alignment.refuted
        return not clash and not any(error.major for error in match.comparison.errors)

    # ---- worth ---------------------------------------------------------------------------------------------------
    def _worths(self, statements: Sequence[Stated]) -> list[Worth]:
        """Return what statements of one report are worth; a mere sign of another weighs less."""
        plain = [self._worth(one.finding) for one in statements]
        return [
            replace(worth, significance=replace(worth.significance, tier=_ROUTINE), weight=worth.weight * self.settings.sign)
            if any(
                other.weight >= worth.weight and self.comparer.sign_of(one.finding, named.finding)
                for named, other in zip(statements, plain, strict=True)
            )
            else worth
            for one, worth in zip(statements, plain, strict=True)
        ]

    def _worth(self, finding: Finding) -> Worth:
        """Return what a finding weighs: by its tier; little for words that no concept covers, nothing for what is as it should
        be."""
        significance = self.grade(finding)
        if finding.concept is None:
            return Worth(replace(significance, tier=_ROUTINE), self.settings.unlinked)
        if self.comparer.says_nothing(finding):
            significance = replace(significance, tier=_ROUTINE)
        weight = 0.0 if finding.concept in self.settings.sound else self.settings.weights[significance.tier]
        return Worth(significance, weight)

    # ---- findings ------------------------------------------------------------------------------------------------
    def _of_reference(self, i: int, matches: Sequence[Match]) -> Aligned:
        one, worth = self.alignment.reference[i], self.left[i]
        if i in self.alignment.reworded[0]:
            return self._told(one, worth, "correct", (), (), 1.0)
        denials = self.alignment.denied.get(i, ())
        if not matches:
            return self._missed(one, worth, denials)
        best = max(matches, key=lambda match: (self._right(match), match.comparison.quality))
        errors, quality, proof = best.comparison.errors, best.comparison.quality, best.comparison.proof
        if denials and not any(error.dimension in ("side", "place") for error in errors):
            share = self.shares["denied_too"]
            errors = (Error("presence", True, share, "the candidate says and denies it"), *errors)
            quality, proof = quality * (1.0 - share), (*proof, *denials[0].relation.proof)
        said = dict.fromkeys(at for match in matches for at in self.alignment.candidate[match.candidate].members)
        found = self._told(one, worth, _category(errors), tuple(said), errors, quality, proof)
        # What is said in its place may be graver than it is; a vaguer word reads nothing into it.
        graver = self.right[best.candidate]
        vaguer = self.comparer.broader(self.alignment.candidate[best.candidate].finding, one.finding)
        beyond = 0.0 if vaguer else max(0.0, graver.weight - worth.weight) * (1.0 - quality)
        _add(self.sums.invented, graver.significance.tier, beyond)
        return replace(found, cost=found.cost + beyond)

    def _told(
        self, one: Stated, worth: Worth, category: Category, said: tuple[int, ...], errors: tuple[Error, ...], quality: float,
        proof: tuple[str, ...] = (),
    ) -> Aligned:  # fmt: skip
        credit, tier = worth.weight * quality, worth.significance.tier
        _add(self.sums.credited, tier, credit)
        _add(self.sums.lost, tier, worth.weight - credit)
        return Aligned(
            _what(one.finding), category, tier, one.members, said, errors, credit, worth.weight - credit,
            worth.significance.reasons, proof,
        )  # fmt: skip

    def _missed(self, one: Stated, worth: Worth, denials: Sequence[Link]) -> Aligned:
        cost = worth.weight * (1.0 if denials else self.shares["silent"])
        _add(self.sums.lost, worth.significance.tier, cost)
        error = Error("presence", True, 1.0, "the candidate denies it" if denials else "the candidate does not say it")
        return Aligned(
            _what(one.finding), "missed", worth.significance.tier, one.members, tuple(link.candidate for link in denials),
            (error,), 0.0, cost, worth.significance.reasons, denials[0].relation.proof if denials else (),
        )  # fmt: skip

    def _invented(self, j: int) -> Aligned:
        one, worth = self.alignment.candidate[j], self.right[j]
        clashes = self.alignment.refuted.get(j, ())
        cost = worth.weight
        if j in self.alignment.instead:
            cost -= self.shares["instead"] * min(cost, self.left[self.alignment.instead[j]].weight)
        cost *= 1.0 if clashes else self.shares["silent"]
        _add(self.sums.invented, worth.significance.tier, cost)
        error = Error("presence", True, 1.0, "the reference denies it" if clashes else "the reference does not say it")
        return Aligned(
            _what(one.finding), "invented", worth.significance.tier, tuple(link.reference for link in clashes), one.members,
            (error,), 0.0, cost, worth.significance.reasons, clashes[0].relation.proof if clashes else (),
        )  # fmt: skip

    def _crossed(self, finding: Finding, i: int, j: int, error: Error) -> Aligned:
        """Return what became of a number that makes of something normal what is not, or the reverse."""
        worth = self._worth(replace(finding, status="present"))
        _add(self.sums.lost, worth.significance.tier, worth.weight)
        tier = worth.significance.tier
        return Aligned(_what(finding), "wrong", tier, (i,), (j,), (error,), 0.0, worth.weight, worth.significance.reasons)


    def _number(self, number: Measured, tier: int, error: Error) -> Aligned:
        """Return what became of a number that no finding holds."""
        cost = self.settings.weights[tier] * error.share
        _add(self.sums.lost, tier, cost)
        return Aligned(f"{number.name} {number.text}", _category((error,)), tier, (), (), (error,), 0.0, cost)


def _add(sums: dict[int, float], tier: int, weight: float) -> None:
    sums[tier] = sums.get(tier, 0.0) + weight


def _category(errors: Iterable[Error]) -> Category:
    found = [error.major for error in errors if error.share >= SLIGHT or error.major]
    return "wrong" if any(found) else "minor" if found else "correct"


def _what(finding: Finding) -> str:
    side = f"{finding.side} " if finding.side and finding.side not in finding.label.lower() else ""
    return f"{side}{finding.label}"
