"""FineRadScore (3, 4): the line-by-line corrections that turn a candidate report into its reference, each with a severity.

The score is the sum of the severities: 0 if there is nothing to correct, no upper bound, lower is better. The paper asks a
language model for the corrections; here they are derived from the alignment of findings, each with its proof. Unless
`published`, they correct the errors that the clinical verdict lists, with its tiers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Literal

from kgscore.clinical.context import Context, context_from_report
from kgscore.clinical.rules import HIGH, LOW, rules_hash
from kgscore.clinical.significance import Significances
from kgscore.matching.weighting import weighting_of
from kgscore.metrics import options
from kgscore.metrics.agreed import Agreed
from kgscore.metrics.base import Matched, MetricInfo
from kgscore.metrics.clinical import Clinical
from kgscore.metrics.comparison import DEGREE
from kgscore.metrics.differences import Difference, Differences
from kgscore.metrics.draft import Draft, Graded
from kgscore.metrics.known import PriorFindings
from kgscore.metrics.lines import Line, Read, lines_of
from kgscore.metrics.misstated import misstated
from kgscore.model import Contribution, Correction, Finding, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.verdict import Verdict

Action = Literal["delete", "substitute", "insert"]
_ACTIONS: tuple[Action, ...] = ("delete", "substitute", "insert")
# A deleted line was invented, an inserted one was missed.
_KIND: dict[Action, Literal["invented", "wrong", "missed"]] = {
    "delete": "invented", "substitute": "wrong", "insert": "missed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """`exact`: also correct findings that are only less exact, and normal statements that one side omits.
    `setting`: where the patients were seen, for records without a setting (the paper: "icu").
    `published`: derive and grade corrections by the rules of the paper alone, not by the clinical verdict."""

    exact: bool = False
    setting: str = ""
    published: bool = False


class Fineradscore:
    """FineRadScore under a profile. Findings of weight 0 are excluded; other weights multiply the severity, clipped to 1 to 4."""

    name = "fineradscore"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.options: Options = options(self.name, profile)
        self.weighting = weighting_of(profile, index)
        self.significances = Significances(index)
        self.verdicts = None if self.options.published else Clinical(profile, index)
        self.known = PriorFindings()
        self.differences = Differences(index, self.known.degrees, exact=self.options.exact)

    def score(self, pair: Matched) -> Score:
        """Return the sum of severities; `parts` holds the maximum and the number of corrections of each action."""
        return self.detailed(pair)[0]

    def detailed(self, pair: Matched) -> tuple[Score, Mapping[str, Any]]:
        """Return the score, and the `corrections` whose severities add up to it."""
        found = tuple(self.corrections(pair))
        return self.total(found), {"corrections": found}

    @property
    def signature(self) -> Mapping[str, str]:
        """Return the hash of the significance rules, and that of the constants of the verdict if it is used."""
        return {"significance": rules_hash()} if self.verdicts is None else self.verdicts.signature

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return one contribution per correction. Lower is better and 0 the best, so their costs add up to the score."""
        return [
            Contribution(
                _KIND[one.action], f"{one.action}: {one.comment}", one.spans[1], one.spans[0], 0.0, float(one.severity), one.proof
            )
            for one in self.corrections(pair)
        ]  # fmt: skip

    def corrections(
        self, pair: Matched, lines: Sequence[Line] | None = None, read: Read | None = None, context: Context | None = None
    ) -> list[Correction]:
        """Return the corrections in the order of the lines, then insertions.

        `lines` are the positions of the candidate's lines (by default they end at full stops); `read` allows new text to be
        trimmed to the part needed; `context` is the patient's context, which the reference's own sections supplement.
        """
        places = lines_of(pair.candidate_text) if lines is None else lines
        known = (context or pair.context).over(context_from_report(pair.reference_text))
        if not known.setting:
            known = replace(known, setting=self.options.setting)
        findings = self.weighting.lenient(pair.reference.findings), self.weighting.lenient(pair.candidate.findings)
        links = {(link.reference, link.candidate) for link in pair.links}
        verdict = None
        if self.verdicts is not None:
            verdict = pair.verdict or self.verdicts.judge(replace(pair, context=known))[0]
            right = (one for one in verdict.findings if not one.is_error)
            links.update(ends for one in right for ends in product(one.reference, one.candidate))
        graded = self.differing(pair, *findings, places, known, verdict)
        return Draft(self.differences.kinship, pair, places, read, findings, links).corrections(graded)

    def total(self, corrections: Sequence[Correction]) -> Score:
        """Return the score of a report with these corrections: the sum of severities, 0 or more, lower is better."""
        count = Counter(one.action for one in corrections)
        parts = {"max_severity": float(max((one.severity for one in corrections), default=0))}
        parts |= {f"{action}s": float(count[action]) for action in _ACTIONS}
        return Score(self.name, "scored", float(sum(one.severity for one in corrections)), "", parts)

    def differing(
        self, pair: Matched, left: Sequence[Finding], right: Sequence[Finding], lines: Sequence[Line], context: Context,
        verdict: Verdict | None,
    ) -> list[Graded]:  # fmt: skip
        """Return the differences of a pair with their severities, without those of weight 0 under the profile."""
        texts = (left, pair.reference_text, lines_of(pair.reference_text)), (right, pair.candidate_text, lines)
        known = self.known.only(*texts[0]), self.known.only(*texts[1])
        found: list[tuple[Difference, int | None]] = [(one, None) for one in self.differences.between(pair, left, right, known)]
        others = list(misstated(self.differences.index, pair, *(self.known.certain(*one) for one in texts)))
        if verdict is None:
            found += [(one, None) for one in others if DEGREE in one.categories]
        else:
            agreed = Agreed(verdict, left, right)
            found = agreed.differences([one for one, _ in found], exact=self.options.exact)
            found += agreed.misstated(others, {one.reference for one, _ in found})
        graded = (self._graded(one, tier, left, right, context) for one, tier in found)
        return [one for one in graded if one is not None]

    def _graded(
        self, found: Difference, tier: int | None, left: Sequence[Finding], right: Sequence[Finding], context: Context
    ) -> Graded | None:
        """Return a difference with its severity, determined by rules if it has no tier; None if its finding has weight 0 under
        the profile."""
        a, b = _at(left, found.reference), _at(right, found.candidate)
        finding = a if a is not None and (a.asserts or b is None or not b.asserts) else b
        assert finding is not None
        weight = self.weighting.finding(finding)
        if weight <= 0:
            return None
        severity = tier or self.significances.of(finding, context, found.categories, b if finding is a else a).tier
        return Graded(found, min(HIGH, max(LOW, int(severity * weight + 0.5))))


def _at(findings: Sequence[Finding], number: int | None) -> Finding | None:
    return None if number is None else findings[number]


INFO = MetricInfo(
    "fineradscore", Fineradscore, 0.0, None, False, "FineRadScore, arXiv:2405.20613, sections 3 and 8, appendix A",
    "sum of the severities of the line-by-line corrections; 0: nothing to correct",
    good_for="which lines to correct, and how many errors of which severity there are",
    blind_to="normal statements and details left out (unless `exact`), wording, order, images", options=Options,
)  # fmt: skip
