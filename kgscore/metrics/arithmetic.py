"""The arithmetic of CRIMSON and RadMatch on this project's verdicts, with their published numbers, for comparison.

They ask a language model for the errors; here the errors are those of `clinical`, and only the numbers are theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from kgscore.metrics.base import Matched, MetricInfo
from kgscore.metrics.clinical import Clinical, price_findings
from kgscore.model import Contribution, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.verdict import Aligned

# CRIMSON: urgent 1.0, actionable 0.5, not actionable 0.25; a significant error of a matched finding 0.5, a negligible one 0.
_WEIGHTS = {4: 1.0, 3: 1.0, 2: 0.5, 1: 0.25}
_SIGNIFICANT = 0.5


class Crimson:
    """CRIMSON's arithmetic: (C − F) / N, or −(F − C) / (1 + F − C) if that is negative."""

    name = "crimson-arithmetic"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.clinical = Clinical(profile, index)

    def score(self, pair: Matched) -> Score:
        """Return a score in (−1, 1], higher is better."""
        found = self.clinical.findings(pair)
        asked = [one for one in found if one.category != "invented"]
        total = fsum(_WEIGHTS[one.tier] for one in asked)
        credit = fsum(_credit(one) for one in asked if one.category != "missed")
        false = fsum(_WEIGHTS[one.tier] for one in found if one.category == "invented")
        surplus = credit - false
        value = (surplus / total if total else 1.0) if surplus >= 0 else surplus / (1.0 - surplus)
        return Score(self.name, "scored", value, "", {"credit": credit, "false": false, "reference": total})

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return one contribution per finding; costs add up to 1 minus the score."""
        found = self.clinical.findings(pair)
        weights = [_WEIGHTS[one.tier] for one in found]
        earned = [0.0 if one.category in ("invented", "missed") else _credit(one) for one in found]
        return price_findings(pair, found, score.value or 0.0, earned, [a - b for a, b in zip(weights, earned, strict=True)])


class RadMatch:
    """RadMatch's headline number: actionable errors per report."""

    name = "radmatch-arithmetic"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.clinical = Clinical(profile, index)

    def score(self, pair: Matched) -> Score:
        """Return the number of wrong, missed or invented findings above routine, 0 or more, lower is better."""
        found = self.clinical.findings(pair)
        return Score(self.name, "scored", float(sum(one.actionable for one in found)))

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return one contribution per actionable error, each of which costs 1."""
        found = [one for one in self.clinical.findings(pair) if one.actionable]
        return price_findings(pair, found, None)


def _credit(one: Aligned) -> float:
    weight = _WEIGHTS[one.tier]
    return weight * weight / (weight + _SIGNIFICANT * sum(error.major for error in one.errors))


CRIMSON = MetricInfo(
    "crimson-arithmetic", Crimson, -1.0, 1.0, True, "CRIMSON (2026): weights 1, 0.5, 0.25; significant errors 0.5",
    "CRIMSON's arithmetic on the error list of `clinical`; 1: no error, below 0: more is invented than right",
    good_for="comparison with figures of CRIMSON", blind_to="as clinical; minor errors of a finding",
)  # fmt: skip
RADMATCH = MetricInfo(
    "radmatch-arithmetic", RadMatch, 0.0, None, False, "RadMatch (2026): wrong, missed and invented findings above routine",
    "actionable errors of the report, by the error list of `clinical`; 0: none",
    good_for="comparison with figures of RadMatch", blind_to="as clinical; routine findings and minor errors",
)  # fmt: skip
