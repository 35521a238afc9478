"""Properties of `clinical` that must hold for every finding of the ontology: pairs of reports where one cannot score higher.

Reports are made of sentences that are read one by one, so that the metric's treatment of findings is tested. A sentence
that is not read as exactly its concept is skipped: its reading is tested by the other checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from kgscore.authoring.ontology_checks.run import Failure, run_parallel
from kgscore.authoring.ontology_checks.world import Check, World, world_of
from kgscore.engine import Scorer
from kgscore.matching.alignment import match
from kgscore.metrics import build
from kgscore.metrics.base import Matched
from kgscore.metrics.clinical import Clinical
from kgscore.model import Finding, Reading
from kgscore.ontology.modules import distinct_modules, load_terms
from kgscore.ontology.tables import FINDINGS, Term
from kgscore.runs.batch import Settings, scorer_for

# Prefixes of the kinds of these checks, here and in the file of exceptions.
CLINICAL = "clinical "
_EPSILON = 1e-9
_READINGS = 20_000
Report = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Order(Check):
    """Two pairs of reports, reference and candidate, where the first must not score below the second (`wanted` ">="), or must
    score above it (">"). `read` maps each sentence to the concept that it must be read to assert, or to negate."""

    better: tuple[Report, Report]
    worse: tuple[Report, Report]
    read: tuple[tuple[str, tuple[str, bool]], ...]


def generate(scorer: Scorer, modules: Sequence[str] = (), keep: Callable[[Term], bool] = lambda term: True) -> list[Order]:
    """Return every check for the findings in use, for the selected terms. Raises OntologyError if a module is invalid."""
    terms, _ = load_terms(distinct_modules(modules))
    world = world_of(terms, scorer.index, scorer.lexicon)
    found: list[Order] = []
    for term in terms:
        if keep(term) and term.kind in FINDINGS and not world.general(term.id):
            anchor = _unrelated_finding(world, "elsewhere", term.id)
            found += _Asked(world, term, anchor).checks() if anchor else ()
    return found


class _Asked:
    def __init__(self, world: World, term: Term, anchor: str) -> None:
        self.world, self.term = world, term
        self.said = world.finding(term.label)
        self.denied = world.say("denied", finding=term.label)
        self.anchor = world.finding(world.index.label(anchor))
        self.read = {self.said: (term.id, True), self.denied: (term.id, False), self.anchor: (anchor, True)}
        self.beside = anchor

    def checks(self) -> Iterator[Order]:
        """Yield the checks."""
        said, denied, anchor, both = (self.said,), (self.denied,), (self.anchor,), (self.said, self.anchor)
        asked, miss = partial(self._order, about="*"), (both, anchor)
        yield asked("invented", (anchor, anchor), (anchor, both), ">=")
        yield asked("missed", (both, both), miss, ">=")
        yield asked("said twice", (both, (*both, self.said)), (both, both), ">=")
        if not self.world.kind_of(self.term.id, self.world.settings["assigned"]):
            yield asked("denied", miss, (both, (self.denied, self.anchor)), ">=")
            yield asked("refuted", (anchor, both), ((self.denied, self.anchor), both), ">=")
            yield asked("normal beside", (anchor, (self.denied, self.anchor)), (anchor, anchor), ">=")
            yield asked("silence last", (said, denied), (said, ()), ">")
        for word in ("possible", "probable"):
            hedged = (self.world.say(word, finding=self.term.label), self.anchor)
            yield asked("hedged", (both, both), (both, hedged), ">=", about=word)
            yield asked("hedged, not missed", (both, hedged), miss, ">=", about=word)
        yield from self._sides()
        yield from self._above()
        yield from self._graver()

    def _order(
        self, kind: str, better: tuple[Report, Report], worse: tuple[Report, Report], wanted: str, *, about: str, other: str = ""
    ) -> Order:
        """Return a check; `other` is the concept of the sentence that is not about the finding."""
        first, second = (" / ".join(" ".join(report) or "(nothing)" for report in pair) for pair in (better, worse))
        more = {self.world.finding(self.world.index.label(other)): (other, True)} if other else {}
        sentences = dict.fromkeys(sentence for pair in (better, worse) for report in pair for sentence in report)
        read = tuple((sentence, (self.read | more).get(sentence, (self.term.id, True))) for sentence in sentences)
        return Order(f"{CLINICAL}{kind}", self.term.id, about, first, second, (wanted,), better, worse, read)

    def _sides(self) -> Iterator[Order]:
        """The other side scores worse than the right one, and better than nothing."""
        if self.world.has_sides(self.world.bearers(self.term.id)[0]):
            left, right = ((f"There is {side} {self.term.label}.", self.anchor) for side in ("left", "right"))
            yield self._order("side", (left, left), (left, right), ">", about="right")
            yield self._order("side, not missed", (left, right), (left, (self.anchor,)), ">=", about="right")

    def _above(self) -> Iterator[Order]:
        """An ancestor is vague: no better than the finding, no worse than nothing; and the reverse."""
        world, both, anchor = self.world, (self.said, self.anchor), (self.anchor,)
        for parent in self.term.parents:
            if world.general(parent) or parent in world.settings["unplaced"] or world.index.is_a(self.beside, parent):
                continue
            vague = (world.finding(world.index.label(parent)), self.anchor)
            asked = partial(self._order, about=parent, other=parent)
            yield asked("vague", (both, both), (both, vague), ">=")
            yield asked("vague, not missed", (both, vague), (both, anchor), ">")
            yield asked("narrower", (vague, vague), (vague, both), ">=")
            # An ancestor that implies something more severe than the finding is a false alarm: saying nothing may be better.
            if world.index.severity(self.term.id) <= world.index.severity(parent):
                yield asked("narrower, not missed", (vague, both), (vague, anchor), ">")

    def _graver(self) -> Iterator[Order]:
        """Inventing or missing a finding costs more than one of a lower tier."""
        world, both, anchor = self.world, (self.said, self.anchor), (self.anchor,)
        tier = world.index.severity(self.term.id)
        standard = _unrelated_finding(world, f"tier {tier - 1}", self.term.id)
        if standard is None:
            return
        lighter = (world.finding(world.index.label(standard)), self.anchor)
        asked = partial(self._order, about=standard, other=standard)
        yield asked("graver invented", (anchor, lighter), (anchor, both), ">")
        yield asked("graver missed", (lighter, anchor), (both, anchor), ">")


def _unrelated_finding(world: World, name: str, concept: str) -> str | None:
    """Return the first of a list of findings of another region than a concept, and neither its subclass nor its superclass."""
    index = world.index
    for one in world.settings["others"].get(name, ()):
        apart = index.concepts[one].module != index.concepts[concept].module
        if apart and not index.is_a(one, concept) and not index.is_a(concept, one):
            return str(one)
    return None


def run(
    checks: Sequence[Order], settings: Settings, jobs: int = 1, progress: Callable[[int], None] = lambda done: None
) -> list[Failure]:
    """Return the failing checks, in order, whatever the number of processes, and those that cannot be run, with an empty
    `found`."""
    return run_parallel(partial(_fail, settings), checks, jobs, progress)


def _fail(settings: Settings, checks: Sequence[Order]) -> list[Failure]:
    judge = Judge(scorer_for(replace(settings, metrics=("clinical",))))
    return [failure for check in checks if (failure := judge.failure(check)) is not None]


class Judge:
    """Determines which checks fail. Readings are cached across consecutive checks."""

    def __init__(self, scorer: Scorer) -> None:
        metric = build(("clinical",), scorer.profile, scorer.index)["clinical"]
        assert isinstance(metric, Clinical)
        self._metric, self._scorer = metric, scorer
        self._read: Callable[[str], Reading] = lru_cache(_READINGS)(scorer.read)
        self._value: Callable[[tuple[Report, Report]], float] = lru_cache(64)(self._score)

    def failure(self, check: Order) -> Failure | None:
        """Return the failure of a check, None if it passes."""
        if not self.asked(check):
            return Failure(check, "", ((), ()))
        better, worse = self._value(check.better), self._value(check.worse)
        least = _EPSILON if check.wanted == (">",) else -_EPSILON
        return None if better - worse >= least else Failure(check, f"{better:.4f} to {worse:.4f}", ((), ()))

    def asked(self, check: Order) -> bool:
        """Return whether every sentence of a check is read as intended."""
        found = ((self._read(sentence).findings, meant) for sentence, meant in check.read)
        return all([(one.concept, one.asserts) for one in findings] == [meant] for findings, meant in found)

    def _score(self, pair: tuple[Report, Report]) -> float:
        left, right = (self._combined_reading(report) for report in pair)
        found = match(self._scorer.relator, left.findings, right.findings, self._scorer.profile)
        return self._metric.score(Matched(left, right, found.links, found.contradictions)).value or 0.0

    def _combined_reading(self, report: Report) -> Reading:
        """Return the reading of sentences read one by one, with their words concatenated."""
        findings: list[Finding] = []
        start = 0
        for sentence in report:
            findings += [replace(one, start=one.start + start, end=one.end + start) for one in self._read(sentence).findings]
            start += len(sentence) + 1
        return Reading(tuple(findings))
