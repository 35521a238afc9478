"""F1 of labels: the labels of a set that reference and candidate affirm, as in label-based evaluation.

Range 0 to 1, higher is better: 2·both / (2·both + invented + missed) over the labels of one pair (micro). Over many pairs,
micro and macro F1 come from the summed counts (`kgscore bench labels`), not from the mean of the pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgscore.errors import ProfileError, did_you_mean
from kgscore.labelling.agreement import Counts, compare
from kgscore.labelling.decide import Decision, Labeller
from kgscore.labelling.sets import load_set, set_hash
from kgscore.matching.relation import Relator
from kgscore.metrics import options
from kgscore.metrics.base import Matched, MetricInfo, contribution
from kgscore.model import Contribution, Finding, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile


@dataclass(frozen=True, slots=True)
class Options:
    """`labels`: the label set; `subset`: one of its subsets ("five" of chexpert14), or all; `uncertain`: an uncertain label
    counts as affirmed (as published)."""

    labels: str = "chexpert14"
    subset: str = ""
    uncertain: bool = True


class LabelF1:
    """F1 of labels under a profile.

    Raises:
        InputError: the label set is unknown.
        ProfileError: the set has no such subset.
    """

    name = "label_f1"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.options: Options = options(self.name, profile)
        found = load_set(self.options.labels)
        subsets = found.subsets or {}
        if self.options.subset and self.options.subset not in subsets:
            hint = did_you_mean(self.options.subset, subsets) or f"it has: {', '.join(subsets) or 'none'}"
            raise ProfileError(f"label set '{found.name}': no subset '{self.options.subset}'; {hint}")
        self.labeller = Labeller(found, index, Relator(index))
        self.names = subsets[self.options.subset] if self.options.subset else tuple(label.name for label in found.labels)

    @property
    def signature(self) -> Mapping[str, str]:
        """Return the hash of the label set."""
        return {"labels": set_hash(self.options.labels)}

    def counts(self, pair: Matched) -> dict[str, Counts]:
        """Return the counts of every label of a pair."""
        reference, candidate = self._decisions(pair)
        values = ({name: one.value for name, one in side.items()} for side in (reference, candidate))
        found = compare(*values, uncertain=self.options.uncertain)
        return {name: found[name] for name in self.names}

    def score(self, pair: Matched) -> Score:
        """Return the micro-averaged F1 of one pair; `empty` if neither report affirms a label, but 0 for a candidate that says
        nothing."""
        total = sum(self.counts(pair).values(), Counts())
        if total.f1 is None and not pair.silent:
            return Score(self.name, "empty", None, "neither report affirms a label of the set")
        parts = {"both": float(total.both), "invented": float(total.invented), "missed": float(total.missed)}
        return Score(self.name, "scored", total.f1 or 0.0, parts=parts)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return one contribution per label that a report affirms."""
        reference, candidate = self._decisions(pair)
        whole = 2 * score.parts["both"] + score.parts["invented"] + score.parts["missed"]
        found = []
        for name, counts in self.counts(pair).items():
            a, b = reference[name], candidate[name]
            one, other = _finding(a, pair.reference.findings), _finding(b, pair.candidate.findings)
            if counts.both:
                found.append(contribution("correct", name, one, other, credit=2 / whole, because=(*a.because, *b.because)))
            elif counts.missed:
                found.append(contribution("missed", name, one, cost=1 / whole, because=a.because))
            elif counts.invented:
                found.append(contribution("invented", name, None, other, cost=1 / whole, because=b.because))
        return found

    def _decisions(self, pair: Matched) -> tuple[dict[str, Decision], dict[str, Decision]]:
        sides = (self.labeller.label(side.findings) for side in (pair.reference, pair.candidate))
        left, right = ({one.label: one for one in side} for side in sides)
        if pair.silent:  # an empty report does not assert that there is nothing ("No Finding") either
            right = {name: Decision(name, "not_mentioned") for name in right}
        return left, right


def _finding(decision: Decision, findings: Sequence[Finding]) -> Finding | None:
    return None if decision.finding is None else findings[decision.finding]


INFO = MetricInfo(
    "label_f1", LabelF1, 0.0, 1.0, True,
    "F1 of CheXpert's labels (arXiv:1901.07031), a baseline of report generation; labels decided by the ontology",
    "F1 of the labels of a set (CheXpert 14) that both reports affirm", options=Options,
    good_for="comparison with the literature on labels",
    blind_to="side, place, size and everything else that the labels do not name",
)
