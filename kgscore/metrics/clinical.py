"""The clinical verdict as a metric: the error list of a pair, weighed by significance, as one number (docs/clinical.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from math import fsum
from typing import Any

from kgscore.caches import BoundedDict
from kgscore.clinical.align import align
from kgscore.clinical.compare import Comparer
from kgscore.clinical.context import UNKNOWN, Context, with_report
from kgscore.clinical.numbers import measured, wrong_numbers
from kgscore.clinical.rules import rules_hash
from kgscore.clinical.score import Judgement, judgement_of
from kgscore.clinical.settings import Settings, settings, settings_hash
from kgscore.clinical.significance import Significance, Significances
from kgscore.clinical.verdict import verdict_of
from kgscore.matching.relation import content_key, relator_of
from kgscore.metrics.base import Matched, MetricInfo, contribution
from kgscore.metrics.doubt import with_doubts
from kgscore.model import TIERS, Contribution, Finding, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.verdict import CATEGORIES, Aligned, Verdict

_BEGINNING = "what a report has before a finding earns or costs anything"
_KINDS = {"correct": "matched", "minor": "partial", "wrong": "contradicted", "missed": "missed", "invented": "invented"}


class Clinical:
    """The clinical verdict under an ontology."""

    name = "clinical"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.settings = settings()
        self.comparer = index.once(Comparer, lambda: Comparer(relator_of(index)))
        self.significances = Significances(index)
        self._grades: dict[tuple[tuple[object, ...], Context], Significance] = BoundedDict()

    def score(self, pair: Matched) -> Score:
        """Return the score, 0 to 1, higher is better: 0 for a candidate that says nothing, 1 without an error. `parts` counts
        findings by category, and actionable errors."""
        return self.judge(pair)[1]

    def detailed(self, pair: Matched) -> tuple[Score, Mapping[str, Any]]:
        """Return the score, and the `verdict` of which it is the number."""
        verdict, score = self.judge(pair)
        return score, {"verdict": verdict}

    @property
    def signature(self) -> Mapping[str, str]:
        """Return the hashes of the weights and of the rules of significance."""
        return {"clinical": settings_hash(), "significance": rules_hash()}

    def judge(self, pair: Matched) -> tuple[Verdict, Score]:
        """Return the verdict with its error list, and the score."""
        alignment = align(self.comparer, pair.reference.findings, pair.candidate.findings, pair.contradictions)

        context = with_report(pair.context, pair.reference_text)

        def grade(finding: Finding) -> Significance:
            return self._grade(finding, context)

        def plain(finding: Finding) -> Significance:
            return self._grade(finding, UNKNOWN)

        texts = ((pair.reference_text, pair.reference.findings), (pair.candidate_text, pair.candidate.findings))
        ours, theirs = (list(measured(*text)) for text in texts)
        found = judgement_of(alignment, grade, self.comparer, list(wrong_numbers(ours, theirs, self.settings)), plain)
        findings = list(with_doubts(pair, found.findings))
        silent = pair.silent
        value = 0.0 if silent else found.sums.value(self.settings)
        verdict = verdict_of(findings, found.said, silent, partial(self._where, pair))
        return verdict, Score(self.name, "scored", value, "", _parts(found, self.settings))

    def _where(self, pair: Matched, one: Aligned) -> tuple[str, ...]:
        """Return where a finding is, in words, unless its name implies it."""
        finding = next((end for end in _ends(pair, one) if end is not None), None)
        if finding is None or not self.comparer.placed(finding):
            return ()
        index = self.comparer.index
        hard = index.hard_sites.get(finding.concept or "", frozenset())
        return tuple(index.label(site) for site in finding.sites if site not in hard)

    def _grade(self, finding: Finding, context: Context) -> Significance:
        key = (content_key(finding), context)
        found = self._grades.get(key)
        if found is None:
            found = self._grades[key] = self.significances.of(finding, context)
        return found

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return one contribution a finding. Credits add up to the score, costs to what lacks to 1, each in proportion to its
        weight."""
        return priced(pair, self.findings(pair), score.value or 0.0)

    def findings(self, pair: Matched) -> Sequence[Aligned]:
        """Return the findings of the verdict, judged anew only where the pair does not hold it."""
        return (pair.verdict or self.judge(pair)[0]).findings


def priced(
    pair: Matched, found: Sequence[Aligned], value: float | None, earned: Sequence[float] = (), lost: Sequence[float] = ()
) -> list[Contribution]:
    """Return one contribution a finding: credits add up to `value`, or to 0 where it is less, costs to what lacks to 1, each in
    proportion to what it `earned` and `lost` (by default under clinical); without a value, each costs 1. Where no finding earned
    anything, what there is of credit is a contribution of its own: no missed finding has any."""
    total = max(value or 0.0, 0.0)
    earned = earned or [one.credit for one in found]
    costs = [1.0] * len(found) if value is None else _shares(lost or [one.cost for one in found], 1.0 - value)
    pieces = [
        contribution(
            _KINDS[one.category], _comment(one), *_ends(pair, one), credit=credit, cost=cost,
            because=(*(f"{error.dimension}: {error.because}" for error in one.errors), *one.because),
        )
        for one, credit, cost in zip(found, _shares(earned, total), costs, strict=True)
    ]  # fmt: skip
    return pieces if any(earned) or not total else [*pieces, contribution("matched", _BEGINNING, credit=total)]


def _shares(parts: Sequence[float], total: float) -> list[float]:
    """Return a total in proportion to parts, nothing where they are nothing."""
    whole = fsum(parts)
    return [total * part / whole if whole else 0.0 for part in parts]


def _comment(one: Aligned) -> str:
    return f"{one.category}: {one.what} ({TIERS[one.tier]})"


def _ends(pair: Matched, one: Aligned) -> tuple[Finding | None, Finding | None]:
    left, right = pair.reference.findings, pair.candidate.findings
    return (
        left[one.reference[0]] if one.reference else None,
        right[one.candidate[0]] if one.candidate else None,
    )


def _parts(found: Judgement, settings: Settings) -> dict[str, float]:
    count = Counter(one.category for one in found.findings)
    parts: dict[str, float] = {category: float(count[category]) for category in CATEGORIES}
    parts["actionable_errors"] = float(sum(one.actionable for one in found.findings))
    return parts | {"repute": settings.repute, "credited": found.sums.good, "lost": found.sums.bad}


INFO = MetricInfo(
    "clinical", Clinical, 0.0, 1.0, True, "docs/clinical.md, after CRIMSON and RadMatch (2026)",
    "findings aligned, their errors weighed by clinical significance; 1: no error, 0: the candidate says nothing",
    good_for="ranking systems, a safety gate, counting errors that matter, a reward in training",
    blind_to="normal statements that contradict nothing, wording, order, images",
)  # fmt: skip
