"""Runs the checks: all that the terms generate, or a sample of them, in one process or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain
from random import Random
from typing import TypeVar

from kgscore.authoring.examples import brief_finding
from kgscore.authoring.ontology_checks.exceptions import Exemption
from kgscore.authoring.ontology_checks.findings import finding_checks
from kgscore.authoring.ontology_checks.structures import structure_checks
from kgscore.authoring.ontology_checks.words import against_normal, descriptor_checks, normal_checks, quality_checks
from kgscore.authoring.ontology_checks.world import OTHER_DETAILS, SAME_DETAILS, Check, World, world_of
from kgscore.engine import Scorer
from kgscore.model import Reading, Relation
from kgscore.ontology.modules import distinct_modules, load_terms
from kgscore.ontology.tables import Term
from kgscore.runs.batch import Settings, scorer_for
from kgscore.runs.workers import workers

# The maximum share of excepted checks.
MOST_EXCEPTED = 0.01
_CHUNK = 2000
# Cached readings: the checks of one concept share their texts.
_READINGS = 20_000
# Checks that hold a wording against its label, which names no side.
_WORDINGS = frozenset(("structure", "wording", "adjective", "quality"))
_C = TypeVar("_C", bound=Check)

_MAKERS: Mapping[str, Callable[[World, Term], Iterator[Check]]] = {
    "findings": lambda world, term: chain(finding_checks(world, term), against_normal(world, term)),
    "devices": finding_checks, "anatomy": structure_checks, "normals": normal_checks, "qualities": quality_checks,
    "descriptors": descriptor_checks,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed check: the relation found, and the reading of each of the two texts."""

    check: Check
    found: str
    read: tuple[tuple[Mapping[str, object], ...], tuple[Mapping[str, object], ...]]


@dataclass(frozen=True, slots=True)
class Tested:
    """The result: the number of checks of each kind, failures, excepted failures, and stale exceptions."""

    counts: Mapping[str, int]
    failures: tuple[Failure, ...]
    excepted: tuple[Failure, ...]
    stale: tuple[Exemption, ...] = ()

    @property
    def checks(self) -> int:
        """The number of checks."""
        return sum(self.counts.values())

    @property
    def too_many(self) -> bool:
        """Whether more checks are excepted than allowed."""
        return len(self.excepted) > MOST_EXCEPTED * self.checks

    @property
    def passed(self) -> bool:
        """Whether every check passes, except for the few excepted ones, and no exception is stale."""
        return not (self.failures or self.stale or self.too_many)


def generate(scorer: Scorer, modules: Sequence[str] = (), keep: Callable[[Term], bool] = lambda term: True) -> list[Check]:
    """Return every check generated from the terms in use, for the selected terms. Raises OntologyError if a module is invalid."""
    terms, _ = load_terms(distinct_modules(modules))
    world = world_of(terms, scorer.index, scorer.lexicon)
    made = (check for term in terms if keep(term) for check in _MAKERS[term.kind](world, term))
    return [check for check in made if check.first != check.second]


def sample(checks: Sequence[_C], count: int, seed: int) -> list[_C]:
    """Return a random sample of the checks, in order; all if there are no more."""
    if count >= len(checks):
        return list(checks)
    return [checks[place] for place in sorted(Random(seed).sample(range(len(checks)), count))]


def run(
    checks: Sequence[Check], settings: Settings, jobs: int = 1, progress: Callable[[int], None] = lambda done: None
) -> list[Failure]:
    """Return the failing checks, in order, whatever the number of processes."""
    return run_parallel(partial(_fail, settings), checks, jobs, progress)


def run_parallel(
    work: Callable[[Sequence[_C]], list[Failure]], checks: Sequence[_C], jobs: int, progress: Callable[[int], None]
) -> list[Failure]:
    """Return the failures found by `work` in the checks, in order, whatever the number of processes."""
    chunks = [checks[start : start + _CHUNK] for start in range(0, len(checks), _CHUNK)]
    if jobs <= 1:
        return list(chain.from_iterable(_with_progress(map(work, chunks), progress)))
    with workers(jobs) as pool:
        return list(chain.from_iterable(_with_progress(pool.map(work, chunks), progress)))


def _with_progress(results: Iterable[list[Failure]], progress: Callable[[int], None]) -> Iterator[list[Failure]]:
    for number, found in enumerate(results, 1):
        yield found
        progress(number * _CHUNK)


def _fail(settings: Settings, checks: Sequence[Check]) -> list[Failure]:
    judge = _judge(settings)
    return [failure for check in checks if (failure := judge.failure(check)) is not None]


@cache
def _judge(settings: Settings) -> Judge:
    return Judge(scorer_for(settings))


class Judge:
    """Determines which checks fail. Readings are cached across consecutive checks."""

    def __init__(self, scorer: Scorer) -> None:
        self._relate = scorer.relate_readings
        self._read: Callable[[str], Reading] = lru_cache(_READINGS)(scorer.read)

    def failure(self, check: Check) -> Failure | None:
        """Return the failure of a check, or None if it passes."""
        first, second = self._read(check.first), self._read(check.second)
        found = self._relate(first, second)
        if not _names(found).isdisjoint(check.wanted) or (found.relation == "part_whole" and _both_sides(check, first, second)):
            return None
        read = (tuple(brief_finding(one) for one in first.findings), tuple(brief_finding(one) for one in second.findings))
        return Failure(check, found.relation, read)


def _both_sides(check: Check, first: Reading, second: Reading) -> bool:
    """Return whether a wording or its label is the plural of something paired ("laminae of L3"): both sides, where the other one
    says none."""
    return check.kind in _WORDINGS and any(map(_speaks_of_both, (first, second)))


def _speaks_of_both(reading: Reading) -> bool:
    """Return whether a reading is one finding, left and right."""
    same = len({(one.concept, one.sites) for one in reading.findings}) == 1
    return same and sorted(str(one.side) for one in reading.findings) == ["left", "right"]


def _names(found: Relation) -> frozenset[str]:
    """Return the names by which a check may refer to a relation."""
    if found.relation != "equivalent":
        return frozenset((found.relation,))
    return frozenset((found.relation, SAME_DETAILS if found.detail == "equivalent" else OTHER_DETAILS))


def without_exempted(
    checks: Sequence[Check], failures: Sequence[Failure], exemptions: Sequence[Exemption], *, whole: bool = True
) -> Tested:
    """Return the result, with the failures that match an exemption separated.

    An exemption that matches no failure is stale. If the checks are not `whole`, that is only known for one that names its
    concept and matches one of them."""
    fitting = {failure.check: {row for row in exemptions if row.fits(failure.check)} for failure in failures}
    failing, excepted = ([one for one in failures if bool(fitting[one.check]) == known] for known in (False, True))
    idle = [row for row in exemptions if row not in set().union(*fitting.values())]
    stale = idle if whole else [row for row in idle if row.named and any(row.fits(check) for check in checks)]
    return Tested(Counter(check.kind for check in checks), tuple(failing), tuple(excepted), tuple(stale))
