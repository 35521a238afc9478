"""The clinical verdict as a metric: the error list of a pair, weighted by significance, as one number (docs/clinical.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import fsum
from typing import Any, NamedTuple

from kgscore.caches import BoundedDict
from kgscore.clinical.align import Alignment, align
from kgscore.clinical.compare import Comparer
from kgscore.clinical.context import UNKNOWN, Context, with_report
from kgscore.clinical.numbers import measured, wrong_numbers
from kgscore.clinical.rules import rules_hash
from kgscore.clinical.score import Judgement, Wrong, judgement_of, score_of, weighed
from kgscore.clinical.settings import Settings, settings, settings_hash
from kgscore.clinical.significance import Significance, Significances
from kgscore.clinical.verdict import verdict_of
from kgscore.errors import ProfileError
from kgscore.matching.relation import content_key, relator_of
from kgscore.metrics import options
from kgscore.metrics.base import Matched, MetricInfo, contribution
from kgscore.metrics.doubt import with_doubts
from kgscore.metrics.misstated import with_miscounts
from kgscore.model import TIERS, Contribution, Finding, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.verdict import CATEGORIES, Aligned, Verdict

_BEGINNING = "what a report has before a finding earns or costs anything"


@dataclass(frozen=True, slots=True)
class Options:
    """The constants of the score, by default those of `mappings/clinical.yaml`: the weights of the tiers above routine, which has
    weight 1 (each at least as high as that of the tier below), `repute`, the shares `left_out` and `added` (0 to 1) for what is
    only omitted or added, and factors, 0 or more, on the cost of `missed`, `invented` and `doubtful` errors."""

    notable: float = field(default_factory=lambda: settings().weights[2])
    urgent: float = field(default_factory=lambda: settings().weights[3])
    critical: float = field(default_factory=lambda: settings().weights[4])
    repute: float = field(default_factory=lambda: settings().repute)
    left_out: float = field(default_factory=lambda: settings().shares["left_out"])
    added: float = field(default_factory=lambda: settings().shares["added"])
    missed: float = field(default_factory=lambda: settings().factors["missed"])
    invented: float = field(default_factory=lambda: settings().factors["invented"])
    doubtful: float = field(default_factory=lambda: settings().factors["doubtful"])

    def settings(self) -> Settings:
        """Return the shipped settings with these constants.

        Raises:
            ProfileError: a constant is out of range, or a tier has a lower weight than the tier below it.
        """
        least = (1.0, self.notable, self.urgent, self.critical)
        if sorted(least) != [*least]:
            raise ProfileError("metrics: clinical: weights must rise from routine (1) over notable and urgent to critical")
        if not (self.repute > 0 < self.left_out <= 1 >= self.added >= 0 <= min(self.missed, self.invented, self.doubtful)):
            raise ProfileError("metrics: clinical: repute must be above 0, left_out and added within 0 and 1, factors 0 or more")
        weights = dict(zip(sorted(TIERS), least, strict=True))
        shares = {**settings().shares, "left_out": self.left_out, "added": self.added}
        factors = {"missed": self.missed, "invented": self.invented, "doubtful": self.doubtful}
        return replace(settings(), weights=weights, repute=self.repute, shares=shares, factors=factors)


class Judged(NamedTuple):
    """An aligned pair, independent of the constants: its alignment, wrong numbers, and the patient's context."""

    pair: Matched
    alignment: Alignment
    numbers: Sequence[Wrong]
    context: Context


class Clinical:
    """The clinical metric for a profile and an ontology."""

    name = "clinical"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.options: Options = options(INFO, profile)
        self.settings = self.options.settings()
        self.comparer = index.once(Comparer, lambda: Comparer(relator_of(index)))
        self.significances = Significances(index)
        self._grades: dict[tuple[tuple[object, ...], Context], Significance] = BoundedDict()

    def score(self, pair: Matched) -> Score:
        """Return the score, 0 to 1, higher is better: 0 for a candidate that says nothing, 1 without an error. `parts` counts
        findings by category, and actionable errors."""
        return self.judge(pair)[1]

    def detailed(self, pair: Matched) -> tuple[Score, Mapping[str, Any]]:
        """Return the score, and the `verdict` that it summarises."""
        verdict, score = self.judge(pair)
        return score, {"verdict": verdict}

    @property
    def signature(self) -> Mapping[str, str]:
        """Return the hashes of the weights and of the significance rules."""
        return {"clinical": settings_hash(), "significance": rules_hash()}

    def judge(self, pair: Matched) -> tuple[Verdict, Score]:
        """Return the verdict with its error list, and the score."""
        found = self.judgement(self.align_pair(pair), self.settings)
        value = 0.0 if pair.silent else score_of(found.findings, self.settings)
        verdict = verdict_of(found.findings, found.said, pair.silent, partial(self._location_labels, pair))
        return verdict, Score(self.name, "scored", value, "", _parts(found.findings, self.settings))

    def align_pair(self, pair: Matched) -> Judged:
        """Return a pair with its findings aligned."""
        alignment = align(self.comparer, pair.reference.findings, pair.candidate.findings, pair.contradictions)
        texts = ((pair.reference_text, pair.reference.findings), (pair.candidate_text, pair.candidate.findings))
        ours, theirs = (list(measured(*text)) for text in texts)
        numbers = list(wrong_numbers(ours, theirs, self.settings))
        return Judged(pair, alignment, numbers, with_report(pair.context, pair.reference_text))

    def judgement(self, one: Judged, settings: Settings) -> Judgement:
        """Return the judgement of an aligned pair under settings."""

        def grade(finding: Finding) -> Significance:
            return self._grade(finding, one.context)

        def plain(finding: Finding) -> Significance:
            return self._grade(finding, UNKNOWN)

        found = judgement_of(one.alignment, grade, self.comparer, one.numbers, plain, settings)
        counted = tuple(with_miscounts(self.comparer.index, one.pair, found.findings, settings.shares["count"]))
        return replace(found, findings=tuple(weighed(with_doubts(self.comparer.index, one.pair, counted), settings)))

    def _location_labels(self, pair: Matched, one: Aligned) -> tuple[str, ...]:
        """Return the location of a finding as labels, without sites that its concept implies."""
        finding = next((end for end in _paired_findings(pair, one) if end is not None), None)
        if finding is None or not self.comparer.placed(finding):
            return ()
        index = self.comparer.index
        hard = index.sites_implied(finding.concept)
        return tuple(index.label(site) for site in finding.sites if site not in hard)

    def _grade(self, finding: Finding, context: Context) -> Significance:
        key = (content_key(finding), context)
        found = self._grades.get(key)
        if found is None:
            found = self._grades[key] = self.significances.of(finding, context)
        return found

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return one contribution per finding. Credits add up to the score, costs to 1 minus the score, each in proportion to its
        weight."""
        return price_findings(pair, self.findings(pair), score.value or 0.0)

    def findings(self, pair: Matched) -> Sequence[Aligned]:
        """Return the findings of the verdict, computed only if the pair does not hold it."""
        return (pair.verdict or self.judge(pair)[0]).findings


def price_findings(
    pair: Matched, found: Sequence[Aligned], value: float | None, earned: Sequence[float] = (), lost: Sequence[float] = ()
) -> list[Contribution]:
    """Return one contribution per finding: credits add up to `value`, or to 0 if it is negative, costs to 1 − `value`, each in
    proportion to what it `earned` and `lost` (by default those of clinical); without a value, each costs 1. If no finding earned
    anything, the credit becomes a contribution of its own, since no missed finding has any."""
    total = max(value or 0.0, 0.0)
    earned = earned or [one.credit for one in found]
    costs = [1.0] * len(found) if value is None else _shares(lost or [one.cost for one in found], 1.0 - value)
    pieces = [
        contribution(
            one.category, _comment(one), *_paired_findings(pair, one), credit=credit, cost=cost,
            because=(*(f"{error.dimension}: {error.because}" for error in one.errors), *one.because),
        )
        for one, credit, cost in zip(found, _shares(earned, total), costs, strict=True)
    ]  # fmt: skip
    return pieces if any(earned) or not total else [*pieces, contribution("correct", _BEGINNING, credit=total)]


def _shares(parts: Sequence[float], total: float) -> list[float]:
    """Return a total divided in proportion to the parts; all 0 if the parts are 0."""
    whole = fsum(parts)
    return [total * part / whole if whole else 0.0 for part in parts]


def _comment(one: Aligned) -> str:
    return f"{one.category}: {one.what} ({TIERS[one.tier]})"


def _paired_findings(pair: Matched, one: Aligned) -> tuple[Finding | None, Finding | None]:
    left, right = pair.reference.findings, pair.candidate.findings
    return (left[one.reference[0]] if one.reference else None, right[one.candidate[0]] if one.candidate else None)


def _parts(found: Sequence[Aligned], settings: Settings) -> dict[str, float]:
    count = Counter(one.category for one in found)
    parts: dict[str, float] = {category: float(count[category]) for category in CATEGORIES}
    parts["actionable_errors"] = float(sum(one.actionable for one in found))
    credited, lost = fsum(one.credit for one in found), fsum(one.cost for one in found)
    return parts | {"repute": settings.repute, "credited": credited, "lost": lost}


INFO = MetricInfo(
    "clinical", Clinical, 0.0, 1.0, True, "docs/clinical.md, after CRIMSON and RadMatch (2026)",
    "findings aligned, their errors weighed by clinical significance; 1: no error, 0: the candidate says nothing",
    good_for="ranking systems, a safety gate, counting errors that matter, a reward in training",
    blind_to="normal statements that contradict nothing, wording, order, images", options=Options,
)  # fmt: skip
