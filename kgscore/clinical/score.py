"""The clinical verdict on an aligned pair: the weight of each finding, the cost of each error, and the score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
_ROUTINE, _URGENT = 1, 3
# Dimensions of errors that only say less or more of the same finding; of appearances, also one for another.
_VAGUE = ("specificity", "overinterpretation")
_AS_VAGUE = (*_VAGUE, "presence", "morphology")
_SIGN_UNSAID = Error("specificity", False, 1.0, "what it looks like is not said")


def score_of(found: Sequence[Aligned], settings: Settings) -> float:
    """Return the score, 0 (exclusive) to 1: (repute + C) / (repute + C + M + F), of findings with their credits and costs."""
    good = settings.repute + fsum(one.credit for one in found)
    return good / (good + fsum(one.cost for one in found))


def weighed(found: Iterable[Aligned], settings: Settings) -> Iterator[Aligned]:
    """Yield findings with their costs multiplied by the factor of their category, and by that of doubtful errors."""
    for one in found:
        factor = settings.factors.get(one.category, 1.0) * (settings.factors["doubtful"] if one.doubts else 1.0)
        yield one if factor == 1.0 else replace(one, cost=one.cost * factor)


@dataclass(frozen=True, slots=True)
class Worth:
    """The worth of a finding: its significance, the weight of an error about it, and its credit if it is correct, which is its
    weight independent of the patient."""

    significance: Significance
    weight: float
    credit: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome of every finding, those of the reference in text order and then the invented ones; and the tier of each
    assertion of the candidate, with whether it is correct apart from minor errors."""

    findings: tuple[Aligned, ...]
    said: tuple[tuple[int, bool], ...]


def judgement_of(
    alignment: Alignment, grade: Grade, comparer: Comparer, numbers: Sequence[Wrong] = (), plain: Grade | None = None,
    settings: Settings | None = None,
) -> Judgement:
    """Return the judgement of an aligned pair, with significances from `grade`, and of wrong `numbers` outside findings. `plain`
    gives the significance without the patient's context, if there is one; `settings` are those of the comparer, or the same with
    other constants."""
    return _Judgement(alignment, grade, comparer, numbers, plain or grade, settings or comparer.settings).all()


class _Judgement:
    """The judgement of one pair."""

    def __init__(
        self, alignment: Alignment, grade: Grade, comparer: Comparer, numbers: Sequence[Wrong], plain: Grade,
        settings: Settings,
    ) -> None:  # fmt: skip
        self.numbers, self.plain = numbers, plain
        self.alignment, self.grade, self.settings, self.comparer = alignment, grade, settings, comparer
        self.shares = settings.shares
        # The quality of a comparison was computed with the comparer's share for omissions.
        self.costlier = self.shares["left_out"] / comparer.settings.shares["left_out"]
        self.left, self.shown = self._worths(alignment.reference)
        self.right, shown = self._worths(alignment.candidate)
        self.answered = {match.reference for match in alignment.matches} | alignment.reworded[0]
        answers = {match.candidate for match in alignment.matches} | alignment.reworded[1]
        self.answers = answers | {j for j, named in shown.items() if not named.isdisjoint(answers)}

    def all(self) -> Judgement:
        """Return the judgement of every finding."""
        of_reference: dict[int, list[Match]] = {}
        for match in self.alignment.matches:
            of_reference.setdefault(match.reference, []).append(match)
        found = [self._of_reference(i, of_reference.get(i, [])) for i in range(len(self.alignment.reference))]
        refuted = self.alignment.refuted
        found += [self._invented(j) for j in range(len(self.right)) if j not in self.answers or j in refuted]
        found += [self._crossed(*crossed) for crossed in self.alignment.crossed]
        found += [self._number(*number) for number in self.numbers]
        return Judgement(tuple(found), tuple(self._said()))

    def _said(self) -> Iterator[tuple[int, bool]]:
        """Yield the tier of each assertion of the candidate, and whether it correctly matches one of the reference."""
        of_candidate: dict[int, list[Match]] = {}
        for match in self.alignment.matches:
            of_candidate.setdefault(match.candidate, []).append(match)
        for j, worth in enumerate(self.right):
            right = j in self.alignment.reworded[1] or any(self._right(match) for match in of_candidate.get(j, ()))
            yield worth.significance.tier, right

    def _right(self, match: Match) -> bool:
        clash = match.reference in self.alignment.denied or match.candidate in self.alignment.refuted
        return not clash and not any(error.major for error in self._reconsidered(match))

    # ---- worth ---------------------------------------------------------------------------------------------------
    def _worths(self, statements: Sequence[Stated]) -> tuple[list[Worth], dict[int, frozenset[int]]]:
        """Return the worth of the statements of one report, and for each mere sign the findings that it belongs to: a sign has a
        lower weight."""
        plain = [self._worth(one.finding) for one in statements]
        shown = {
            i: frozenset(
                k for k, named in enumerate(statements)
                if plain[k].weight >= plain[i].weight and self.comparer.signs.sign_of(one.finding, named.finding)
            ) if self.comparer.signs.general(one.finding) else frozenset()
            for i, one in enumerate(statements)
        }  # fmt: skip
        less = self.settings.sign
        worths = [
            Worth(replace(worth.significance, tier=_ROUTINE), worth.weight * less, worth.credit * less) if shown[i] else worth
            for i, worth in enumerate(plain)
        ]
        return worths, shown

    def _worth(self, finding: Finding) -> Worth:
        """Return the worth of a finding by its tier; a low one for words that no concept covers, none for a normal state."""
        significance = self.grade(finding)
        if finding.concept is None:
            return Worth(replace(significance, tier=_ROUTINE), self.settings.unlinked, self.settings.unlinked)
        if finding.concept in self.settings.sound:
            return Worth(significance, 0.0, 0.0)
        weights = self.settings.weights
        if self.comparer.signs.says_nothing(finding):
            return Worth(replace(significance, tier=_ROUTINE), weights[_ROUTINE], weights[_ROUTINE])
        return Worth(significance, weights[significance.tier], weights[self.plain(finding).tier])

    # ---- findings ------------------------------------------------------------------------------------------------
    def _of_reference(self, i: int, matches: Sequence[Match]) -> Aligned:
        one, worth = self.alignment.reference[i], self.left[i]
        if i in self.alignment.reworded[0]:
            return self._told(one, worth, "correct", (), (), 1.0)
        denials = self.alignment.denied.get(i, ())
        if not matches:
            return self._unmatched(i, denials)
        conflicts = [match for match in matches if not match.comparison.open]
        best = max(conflicts or matches, key=lambda match: (self._right(match), match.comparison.quality))
        errors, proof = tuple(self._reconsidered(best)), best.comparison.proof
        quality = 1.0 - self.costlier * (1.0 - best.comparison.quality)
        if denials and not any(error.dimension in ("side", "place") for error in errors):
            share = self.shares["denied_too"]
            errors = (Error("presence", True, share, "the candidate says and denies it"), *errors)
            quality, proof = quality * (1.0 - share), (*proof, *denials[0].relation.proof)
        elsewhere = any(error.major and error.dimension == "place" for error in errors)
        if elsewhere and best.candidate in self.alignment.refuted:
            quality = 0.0  # what the reference denies at a place does not half say what it has at another
        said = dict.fromkeys(at for match in matches for at in self.alignment.candidate[match.candidate].members)
        found = self._told(one, worth, _category(errors), tuple(said), errors, quality, proof)
        return self._with_graver(found, best, 1.0 - quality)

    def _unmatched(self, i: int, denials: Sequence[Link]) -> Aligned:
        """Return the outcome of a finding that the candidate does not state: a detail turned round, denied, or left out."""
        one = self.alignment.reference[i]
        if not denials:
            details = ((j, self.comparer.signs.turned(one.finding, b.finding)) for j, b in enumerate(self.alignment.candidate))
            for j, detail in details:
                if detail:
                    return self._turned(one, j, detail)
        unsaid = self._missed(one, self.left[i], denials)
        named = not denials and not self.shown[i].isdisjoint(self.answered)
        return replace(unsaid, category="minor", errors=(_SIGN_UNSAID,)) if named else unsaid

    def _with_graver(self, found: Aligned, match: Match, lost: float) -> Aligned:
        """Return an outcome with the cost of a graver finding that replaces it, for the share that is `lost`, unless that is only
        a broader term; an error of another finding, size or place has the graver tier."""
        graver, weight = self.right[match.candidate], self.left[match.reference].weight
        said, one = self.alignment.candidate[match.candidate].finding, self.alignment.reference[match.reference].finding
        if graver.weight > weight and not self.comparer.broader(said, one):
            found = replace(found, cost=found.cost + (graver.weight - weight) * lost)
        vague = _AS_VAGUE if self.comparer.signs.general(said) else _VAGUE
        other = any(error.major and error.dimension not in vague for error in found.errors)
        if graver.significance.tier <= found.tier or not other:
            return found
        return replace(found, tier=graver.significance.tier, reasons=graver.significance.reasons)

    def _reconsidered(self, match: Match) -> Iterator[Error]:
        """Yield the errors of a match: a graver term is no major error if the reference uses it elsewhere ("mass … cancer")."""
        for error in match.comparison.errors:
            minor = error.major and error.dimension == "overinterpretation" and self._is_named_elsewhere(match)
            yield replace(error, major=False) if minor else error

    def _is_named_elsewhere(self, match: Match) -> bool:
        """Whether another finding of the reference has the term of the candidate's."""
        said = self.alignment.candidate[match.candidate].finding
        others = (one.finding for k, one in enumerate(self.alignment.reference) if k != match.reference)
        return any(self.comparer.names(one, said) for one in others)

    def _told(
        self, one: Stated, worth: Worth, category: Category, said: tuple[int, ...], errors: tuple[Error, ...], quality: float,
        proof: tuple[str, ...] = (),
    ) -> Aligned:  # fmt: skip
        credit, cost, tier = worth.credit * quality, worth.weight * (1.0 - quality), worth.significance.tier
        return Aligned(
            _what(one.finding), category, tier, one.members, said, errors, credit, cost,
            worth.significance.reasons, proof,
        )  # fmt: skip

    def _turned(self, one: Stated, j: int, detail: str) -> Aligned:
        """Return the outcome of a finding that a detail of the candidate contradicts."""
        share = self.shares["conflict_major"]
        error = Error("morphology", True, share, f"{detail}, not {one.finding.label}")
        members = self.alignment.candidate[j].members
        return self._told(one, self._worth(one.finding), "wrong", members, (error,), 1.0 - share)

    def _missed(self, one: Stated, worth: Worth, denials: Sequence[Link]) -> Aligned:
        cost = worth.weight * (1.0 if denials else self.shares["left_out"])
        error = Error("presence", True, 1.0, "the candidate denies it" if denials else "the candidate does not say it")
        return Aligned(
            _what(one.finding), "missed", worth.significance.tier, one.members, tuple(link.candidate for link in denials),
            (error,), 0.0, cost, worth.significance.reasons, denials[0].relation.proof if denials else (),
        )  # fmt: skip

    def _invented(self, j: int) -> Aligned:
        one, clashes = self.alignment.candidate[j], self.alignment.refuted.get(j, ())
        worth = self.right[j]
        if clashes and (own := self._worth(one.finding)).significance.tier >= _URGENT:
            worth = own  # an urgent sign that the reference denies is an error by itself
        cost = worth.weight
        if j in self.alignment.instead:
            cost -= self.shares["instead"] * min(cost, self.left[self.alignment.instead[j]].weight)
        cost *= 1.0 if clashes else self.shares["added"]
        error = Error("presence", True, 1.0, "the reference denies it" if clashes else "the reference does not say it")
        return Aligned(
            _what(one.finding), "invented", worth.significance.tier, tuple(link.reference for link in clashes), one.members,
            (error,), 0.0, cost, worth.significance.reasons, clashes[0].relation.proof if clashes else (),
        )  # fmt: skip

    def _crossed(self, finding: Finding, i: int, j: int, error: Error) -> Aligned:
        """Return the outcome of a number that turns a normal statement abnormal, or the reverse."""
        worth = self._worth(replace(finding, status="present"))
        tier = worth.significance.tier
        return Aligned(_what(finding), "wrong", tier, (i,), (j,), (error,), 0.0, worth.weight, worth.significance.reasons)

    def _number(self, number: Measured, tier: int, error: Error) -> Aligned:
        """Return the outcome of a number outside all findings."""
        cost = self.settings.weights[tier] * error.share
        return Aligned(f"{number.name} {number.text}", _category((error,)), tier, (), (), (error,), 0.0, cost)


def _category(errors: Iterable[Error]) -> Category:
    found = [error.major for error in errors if error.share >= SLIGHT or error.major]
    return "wrong" if any(found) else "minor" if found else "correct"


def _what(finding: Finding) -> str:
    side = f"{finding.side} " if finding.side and finding.side not in finding.label.lower() else ""
    return f"{side}{finding.label}"
