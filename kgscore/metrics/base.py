"""The interface of metrics and its input: one reading and one matching of a pair serve every metric."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from kgscore.clinical.context import UNKNOWN, Context
from kgscore.errors import ProfileError
from kgscore.metrics.lines import Line, Read
from kgscore.model import FORMER_OUTCOMES, Contribution, Correction, Finding, Link, Reading, Score, as_plain
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Matched:
    """A pair, read and matched: both readings, the accepted links, the contradictions, the texts, the patient's context, and
    the clinical verdict if it was already computed."""

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
        """Whether the candidate says nothing comparable: it has no finding with a known concept, and no linked finding."""
        return not self.links and all(finding.concept is None for finding in self.candidate.findings)

    def unmatched(self) -> tuple[list[int], list[int]]:
        """Return the positions of the findings without an accepted link, as (reference, candidate)."""
        left = {link.reference for link in self.links}
        right = {link.candidate for link in self.links}
        return (
            [i for i in range(len(self.reference.findings)) if i not in left],
            [j for j in range(len(self.candidate.findings)) if j not in right],
        )


class Metric(Protocol):
    """A metric built for one profile and ontology."""

    def score(self, pair: Matched) -> Score:
        """Return the score of a pair; its status is `empty`, without a number, if there is nothing to score."""
        ...

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return the contributions to the score. If higher is better, credits add up to the score (to 0 if it is negative) and
        costs to its distance from the best score; if lower is better, costs add up to the score."""
        ...


@runtime_checkable
class Signed(Protocol):
    """A metric whose scores depend on more than knowledge and profile: rules, label sets."""

    @property
    def signature(self) -> Mapping[str, str]:
        """Return the metric's part of the signature of a score: hashes by name."""
        ...


@runtime_checkable
class Detailed(Protocol):
    """A metric that computes more than a number; the result of the pair carries it."""

    def detailed(self, pair: Matched) -> tuple[Score, Mapping[str, Any]]:
        """Return the score of a pair, and values for fields of `PairResult`."""
        ...


class Corrector(Protocol):
    """A metric that turns a candidate into its reference, line by line."""

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
    """The corrections of a pair and their score (None, with the reason, if the pair is `empty` or `failed`)."""

    id: str
    status: Literal["scored", "empty", "failed"]
    corrections: tuple[Correction, ...]
    score: Score | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the corrections as plain dictionaries, lists, strings and numbers, ready for `json.dumps`."""
        return as_plain(self)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """The options of a metric that has none."""


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric with its range, direction and source, its requirements (`needs`), what it cannot detect (`blind_to`), the question
    it answers (`good_for`), and how to build it.

    `build` constructs it for a profile and an ontology; `options` is the frozen dataclass, with defaults, of what a profile may
    set under `metrics: NAME:`. `high` is None if the score has no upper bound. `identity` names what else determines the scores
    (a library with its version, the hash of a file), for the signature.
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


def check_choices(options: object, known: Mapping[str, Collection[str]], where: str) -> None:
    """Raise a ProfileError that begins with `where` if an option has none of the values known for it."""
    for name, values in known.items():
        if getattr(options, name) not in values:
            raise ProfileError(f"{where}: '{name}' is one of {', '.join(values)}")


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
    """Return a contribution with the offsets of the findings that it concerns."""
    one = (reference.start, reference.end) if reference else None
    other = (candidate.start, candidate.end) if candidate else None
    return Contribution(FORMER_OUTCOMES.get(kind, kind), what, one, other, credit, cost, tuple(because))  # type: ignore[arg-type]
