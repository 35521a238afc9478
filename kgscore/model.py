"""The values that flow through kgscore: findings, readings, relations, scores. All are frozen.

Offsets are characters (code points) into the report as given; lengths are millimetres.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from types import MappingProxyType
from typing import Any, Literal

from kgscore.verdict import Verdict

Status = Literal["present", "absent", "normal"]
Certainty = Literal["definite", "probable", "possible"]
Side = Literal["left", "right"]
Change = Literal["new", "increased", "decreased", "stable", "resolved"]
EntityType = Literal[
    "anatomy", "observation_present", "observation_absent", "device_present", "device_absent", "procedure", "descriptor"
]
RelationType = Literal["modify", "located_at", "suggestive_of", "associated_with"]

OTHER_SIDE: dict[str, Side] = {"left": "right", "right": "left"}
# The category of a detail for words that are not exact: its value is `narrow` (they say more than the concept), `broad` (they are
# said of other findings too) or `sign` (what they name is a sign of it).
WORDING, NARROW = "wording", "narrow"
# How much a finding matters and how soon somebody must act: within minutes, hours, days or weeks, or not at all.
TIERS: Mapping[int, str] = MappingProxyType({4: "critical", 3: "urgent", 2: "notable", 1: "routine"})


def as_plain(value: object) -> dict[str, Any]:
    """Return a value of this module, or one with such values, as JSON-serializable dictionaries, lists, strings and numbers.

    >>> as_plain(Unlinked("blotch", 0, 6))
    {'text': 'blotch', 'start': 0, 'end': 6}
    """
    reading = ("findings", "entities", "relations", "unlinked")
    names = reading if isinstance(value, Reading) else [one.name for one in fields(value)]  # type: ignore[arg-type]
    return {name: _plain(getattr(value, name)) for name in names}


def _plain(value: object) -> object:
    if isinstance(value, Reading) or is_dataclass(value):
        return as_plain(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, frozenset):
        return sorted(value)
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, slots=True)
class Detail:
    """An attribute of a finding beyond its core: `category` ("size", "density", "measurement",
    "inference" …), the `value` that is compared, and the display `text`."""

    category: str
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One atomic statement: it asserts (`present`) or negates (`absent`, `normal`) a class of finding at sites.

    `text` holds the words, `start` and `end` (exclusive) their character offsets in the report, `section` their heading.
    `concept` is an id of the ontology, or None if the words could not be linked (`label` then holds them, and `words` what
    they are compared by). A normal statement has the concept that it negates.

    `sites` holds ids of structures; `side` is None if no side was stated. `details` are attributes beyond the core, `change`
    the change from an earlier study, `tip` the location of a device's tip. `alternatives` are further
    concepts offered for the same finding ("opacity, likely pneumonia"). `both` marks one half of a statement
    about both sides at once. `genus` is the stated finding if its site turned it into another that is not a subclass of it
    ("oedema" of a nerve). `restricted` marks a negation of part of a class ("no large effusion")."""

    text: str
    start: int
    end: int
    concept: str | None
    label: str
    sites: tuple[str, ...] = ()
    side: Side | None = None
    status: Status = "present"
    certainty: Certainty = "definite"
    details: tuple[Detail, ...] = ()
    change: Change | None = None
    alternatives: tuple[str, ...] = ()
    restricted: bool = False
    tip: tuple[str, ...] = ()
    section: str = ""
    both: bool = False
    words: frozenset[str] = frozenset()
    genus: str | None = None

    @property
    def asserts(self) -> bool:
        """True if the finding is asserted, False if it is negated (absent or normal)."""
        return self.status == "present"

    @property
    def place(self) -> tuple[tuple[str, ...], Side | None]:
        """Its sites and side."""
        return self.sites, self.side

    @property
    def categories(self) -> frozenset[str]:
        """The categories of its details."""
        return frozenset(detail.category for detail in self.details)

    def values(self, *categories: str) -> frozenset[str]:
        """Return the values of its details, or of those of some categories."""
        return frozenset(detail.value for detail in self.details if not categories or detail.category in categories)


@dataclass(frozen=True, slots=True)
class Entity:
    """A HeadCT-ONE-style entity: its words, their offsets (`end` is exclusive), type and concept."""

    text: str
    start: int
    end: int
    type: EntityType
    concept: str


@dataclass(frozen=True, slots=True)
class EntityRelation:
    """A HeadCT-ONE-style relation between entities, by their position in `Reading.entities`."""

    source: int
    target: int
    type: RelationType


@dataclass(frozen=True, slots=True)
class Unlinked:
    """Words of a report that no concept covers."""

    text: str
    start: int
    end: int


_Graph = tuple[tuple[Entity, ...], tuple[EntityRelation, ...]]


class Reading:
    """The reading of one report: `findings`, `unlinked` words, and HeadCT-ONE-style `entities` and `relations`, which are
    computed on first access (metrics that do not use them do not pay for them)."""

    __slots__ = ("_graph", "_make", "findings", "unlinked")

    def __init__(
        self, findings: tuple[Finding, ...], unlinked: tuple[Unlinked, ...] = (), make: Callable[[], _Graph] | None = None
    ) -> None:
        self.findings, self.unlinked, self._make = findings, unlinked, make
        self._graph: _Graph | None = None if make else ((), ())

    def _parts(self) -> _Graph:
        if self._graph is None:
            assert self._make is not None
            self._graph, self._make = self._make(), None
        return self._graph

    @property
    def entities(self) -> tuple[Entity, ...]:
        """The entities in text order."""
        return self._parts()[0]

    @property
    def relations(self) -> tuple[EntityRelation, ...]:
        """The relations between entities, by position in `entities`."""
        return self._parts()[1]

    to_dict = as_plain

    def _repr_html_(self) -> str:
        from kgscore.notebook_html import reading_html

        return reading_html(self)

    def __reduce__(self) -> tuple[object, ...]:
        return _reading, (self.findings, self.unlinked, self._parts())


def _reading(findings: tuple[Finding, ...], unlinked: tuple[Unlinked, ...], graph: _Graph) -> Reading:
    return Reading(findings, unlinked, lambda: graph)


@dataclass(frozen=True, slots=True)
class Relation:
    """The relation of a generated finding b to a reference finding a, with the proof.

    `anatomy` and `finding` are "equivalent" or "part_whole" (None unless credit is given); `detail` is
    "equivalent", "partial", "none" or None. `weight` lies in [0, 1]: 0 for contradictory and unrelated findings.
    `depths` holds the distances in the hierarchy on the anatomy and the finding axis."""

    relation: Literal["equivalent", "part_whole", "contradiction", "unrelated"]
    anatomy: str | None = None
    finding: str | None = None
    detail: str | None = None
    weight: float = 0.0
    proof: tuple[str, ...] = ()
    depths: tuple[int, int] = (0, 0)

    to_dict = as_plain


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between the reference finding number `reference` and the candidate finding number `candidate`,
    with the `flow` (matched credit) that it carries."""

    reference: int
    candidate: int
    relation: Relation
    flow: float = 0.0


@dataclass(frozen=True, slots=True)
class Score:
    """The result of one metric for one pair. `value`, unrounded, is None unless `status` is "scored"; `reason` then says
    why. `parts` are its components by name; `kgscore.metrics.metric(name)` gives its range and direction."""

    metric: str
    status: Literal["scored", "empty", "failed"]
    value: float | None
    reason: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)

    to_dict = as_plain


def clash_outcome(reference: Finding, candidate: Finding) -> Literal["wrong", "missed", "invented"]:
    """Return the outcome of two findings that contradict each other: `missed` where the candidate denies what the reference
    asserts, `invented` where it asserts what the reference denies, else `wrong`."""
    if reference.asserts == candidate.asserts:
        return "wrong"
    return "missed" if reference.asserts else "invented"


# What versions before 0.3.0 called an outcome, in stored runs and in metrics of users; the words are read until 0.4.0.
FORMER_OUTCOMES = {"matched": "correct", "partial": "minor", "contradicted": "wrong"}


@dataclass(frozen=True, slots=True)
class Contribution:
    """One component of a score: its `kind` (an outcome as in the clinical verdict, or a `feature` of the whole pair), `what` it
    is about, its offsets in each report, the `credit` it gives, its `cost`, and the proof."""

    kind: Literal["correct", "minor", "wrong", "missed", "invented", "feature"]
    what: str
    reference: tuple[int, int] | None
    candidate: tuple[int, int] | None
    credit: float = 0.0
    cost: float = 0.0
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """One correction of a candidate's line (counted from 0; of an insertion, the line that it follows, None if there is none).

    `severity`: 1 routine (not actionable), 2 notable, 3 urgent, 4 critical (emergent). `categories`: ReXVal categories, 1 to 6;
    `radevalx`: RadEvalX categories, which add 7 unsupported and 8 omitted uncertainty. An actionable error (severity 2
    or more) is `significant`. `old_text` is the original line; `spans` are its place in the candidate and the place of
    the correct statement in the reference."""

    line: int | None
    action: Literal["delete", "substitute", "insert"]
    new_text: str
    severity: int
    categories: tuple[int, ...]
    comment: str
    proof: tuple[str, ...] = ()
    radevalx: tuple[int, ...] = ()
    old_text: str = ""
    spans: tuple[tuple[int, int] | None, tuple[int, int] | None] = (None, None)

    @property
    def significant(self) -> bool:
        """Whether the error is clinically significant, in the two classes of RadEvalX."""
        return self.severity > 1


@dataclass(frozen=True, slots=True)
class PairResult:
    """The full result for one pair of reports: `scores` by metric, and both readings (None if not read).

    `links` are the accepted pairs, `contradictions` the forbidden ones; `unmatched_reference` and `unmatched_candidate` are
    positions in the findings of each side. `corrections` are present if fineradscore was computed, `contributions` (the
    components of each score, by metric) if requested: runs store both. `verdict` is present if clinical was computed."""

    id: str
    status: Literal["scored", "empty", "failed"]
    scores: Mapping[str, Score]
    reference: Reading | None = None
    candidate: Reading | None = None
    links: tuple[Link, ...] = ()
    contradictions: tuple[Link, ...] = ()
    unmatched_reference: tuple[int, ...] = ()
    unmatched_candidate: tuple[int, ...] = ()
    reason: str = ""
    signature: Mapping[str, Any] = field(default_factory=dict)
    corrections: tuple[Correction, ...] = ()
    contributions: Mapping[str, Sequence[Contribution]] = field(default_factory=dict)
    verdict: Verdict | None = None

    @property
    def findings(self) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """The findings of the reference and of the candidate; none of a report that was not read."""
        reference, candidate = (() if one is None else one.findings for one in (self.reference, self.candidate))
        return reference, candidate

    to_dict = as_plain

    def _repr_html_(self) -> str:
        from kgscore.notebook_html import result_html

        return result_html(self, clash_outcome)


@dataclass(frozen=True, slots=True)
class Entailment:
    """Whether a report entails a statement: the verdict, the deciding spans, and the proof."""

    verdict: Literal["entailed", "contradicted", "neutral"]
    by: tuple[tuple[int, int], ...] = ()
    proof: tuple[str, ...] = ()

    to_dict = as_plain


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two findings of one report that cannot both hold, by position, with their spans and the proof."""

    first: tuple[int, int]
    second: tuple[int, int]
    proof: tuple[str, ...]

    to_dict = as_plain
