"""What a metric is, and what it is given: one reading and one matching of a pair serve every metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from kgscore.clinical.context import UNKNOWN, Context
from kgscore.metrics.lines import Line, Read
from kgscore.model import FORMER_OUTCOMES, Contribution, Correction, Finding, Link, Reading, Score, as_plain
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Matched:
    """A pair read and matched: both readings, the accepted links, the contradictions, the texts, what is known of the patient,
    and the clinical verdict where it was made before."""

    reference: Reading
    candidate: Reading
    links: Sequence[Link]
    contradictions: Sequence[Link] = ()
    reference_text: str = ""
    candidate_text: str = ""
    context: Context = UNKNOWN
    verdict: Verdict | None = None

    @property
    def silent(self) -> bool:
        """Whether the candidate says nothing that can be compared: no finding of a known concept, and none that is linked."""
        return not self.links and all(finding.concept is None for finding in self.candidate.findings)

    def unmatched(self) -> tuple[list[int], list[int]]:
        """Return the positions of findings without an accepted link: (reference, candidate)."""
        left = {link.reference for link in self.links}
        right = {link.candidate for link in self.links}
        return (
            [i for i in range(len(self.reference.findings)) if i not in left],
            [j for j in range(len(self.candidate.findings)) if j not in right],
        )


class Metric(Protocol):
    """A metric made ready for one profile and ontology."""

    def score(self, pair: Matched) -> Score:
        """Return the score of a pair; `empty` where there is nothing to score, never a number for that."""
        ...

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return what the score is made of. Where higher is better, credits add up to it (to 0 where it is less), and costs to
        what lacks to the best score; where lower is better, costs add up to it."""
        ...


@runtime_checkable
class Signed(Protocol):
    """A metric whose scores hang on more than knowledge and profile: rules, label sets."""

    @property
    def signature(self) -> Mapping[str, str]:
        """Return what the signature of a score says of it, hashes by name."""
        ...


@runtime_checkable
class Detailed(Protocol):
    """A metric that finds more than a number, which the result of the pair carries."""

    def detailed(self, pair: Matched) -> tuple[Score, Mapping[str, Any]]:
        """Return the score of a pair, and fields of `PairResult`."""
        ...


class Corrector(Protocol):
    """What turns a candidate into its reference, line by line."""

    def corrections(
        self, pair: Matched, lines: Sequence[Line] | None = None, read: Read | None = None, context: Any = None
    ) -> list[Correction]:
        """Return the corrections in the order of the lines, insertions last."""
        ...

    def total(self, corrections: Sequence[Correction]) -> Score:
        """Return the score of a report with these corrections."""
        ...


@dataclass(frozen=True, slots=True)
class Corrected:
    """The corrections of a pair and their score (None, with the reason, where the pair is `empty` or `failed`)."""

    id: str
    status: Literal["scored", "empty", "failed"]
    corrections: tuple[Correction, ...]
    score: Score | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain dictionaries, lists, texts and numbers: what `json.dumps` takes."""
        return as_plain(self)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """A metric without options."""


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric with its range, direction and source, what it needs, what it cannot see, which question it
    answers (`good_for`), and how to build it.

    `build` makes it ready for a profile and an ontology; `options` is the frozen dataclass of what a profile may say under
    `metrics: NAME:`, with defaults. `high` is None where the score has no upper bound. `identity` names what else makes the
    scores (a library with its version, the hash of a file), for the signature.
    """

    name: str
    build: Callable[[Profile, Index], Metric]
    low: float
    high: float | None
    higher_is_better: bool
    source: str
    summary: str
    needs: str = "nothing"
    blind_to: str = ""
    good_for: str = ""
    options: type[Any] = NoOptions
    identity: str = ""


def contribution(
    kind: str,
    what: str,
    reference: Finding | None = None,
    candidate: Finding | None = None,
    *,
    credit: float = 0.0,
    cost: float = 0.0,
    because: Sequence[str] = (),
) -> Contribution:
    """Return a contribution with the words and offsets of the findings it is about."""
    one = (reference.start, reference.end) if reference else None
    other = (candidate.start, candidate.end) if candidate else None
    return Contribution(FORMER_OUTCOMES.get(kind, kind), what, one, other, credit, cost, tuple(because))  # type: ignore[arg-type]
