"""Running the checks: all that the terms give, or a sample of them, in one process or several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from itertools import chain
from random import Random
from typing import TypeVar

from kgscore.authoring.examples import brief
from kgscore.authoring.ontology_checks.exceptions import Exemption
from kgscore.authoring.ontology_checks.findings import finding_checks
from kgscore.authoring.ontology_checks.structures import structure_checks
from kgscore.authoring.ontology_checks.words import against_normal, descriptor_checks, normal_checks, quality_checks
from kgscore.authoring.ontology_checks.world import OTHER_DETAILS, SAME_DETAILS, Check, World, world_of
from kgscore.engine import Scorer
from kgscore.model import Reading, Relation
from kgscore.ontology.modules import distinct, load_terms
from kgscore.ontology.tables import Term
from kgscore.runs.batch import Settings, scorer_for
from kgscore.runs.workers import workers

# The share of all checks that may be excepted.
MOST_EXCEPTED = 0.01
_CHUNK = 2000
# So many readings are kept: the checks of one concept share their texts.
_READINGS = 20_000
_C = TypeVar("_C", bound=Check)

_MAKERS: Mapping[str, Callable[[World, Term], Iterator[Check]]] = {
    "findings": lambda world, term: chain(finding_checks(world, term), against_normal(world, term)),
    "devices": finding_checks,
    "anatomy": structure_checks,
    "normals": normal_checks,
    "qualities": quality_checks,
    "descriptors": descriptor_checks,
}


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that does not hold: the relation found, and what each of the two texts reads as."""

    check: Check
    found: str
    read: tuple[tuple[Mapping[str, object], ...], tuple[Mapping[str, object], ...]]


@dataclass(frozen=True, slots=True)
class Tested:
    """What came out: how many checks of each kind were made, those that fail, those that may, and rows that fit no failure."""

    counts: Mapping[str, int]
    failures: tuple[Failure, ...]
    excepted: tuple[Failure, ...]
    stale: tuple[Exemption, ...] = ()

    @property
    def checks(self) -> int:
        """How many checks were made."""
        return sum(self.counts.values())

    @property
    def too_many(self) -> bool:
        """Whether more is excepted than may be."""
        return len(self.excepted) > MOST_EXCEPTED * self.checks

    @property
    def passed(self) -> bool:
        """Whether every check holds, but for the few that are excepted, and every row of exceptions is still needed."""
        return not (self.failures or self.stale or self.too_many)


def generate(scorer: Scorer, modules: Sequence[str] = (), keep: Callable[[Term], bool] = lambda term: True) -> list[Check]:
    """Return every check that the terms in use give, of the terms to keep.

    Raises:
        OntologyError: a module is wrong.
    """
    terms, _ = load_terms(distinct(modules))
    world = world_of(terms, scorer.index, scorer.lexicon)
    made = (check for term in terms if keep(term) for check in _MAKERS[term.kind](world, term))
    return [check for check in made if check.first != check.second]


def sample(checks: Sequence[_C], count: int, seed: int) -> list[_C]:
    """Return so many of the checks, drawn at random, in their order; all where there are no more."""
    if count >= len(checks):
        return list(checks)
    return [checks[place] for place in sorted(Random(seed).sample(range(len(checks)), count))]


def run(
    checks: Sequence[Check], settings: Settings, jobs: int = 1, progress: Callable[[int], None] = lambda done: None
) -> list[Failure]:
    """Return the checks that fail, in order, whatever the number of processes."""
    return spread(partial(_fail, settings), checks, jobs, progress)


def spread(
    work: Callable[[Sequence[_C]], list[Failure]], checks: Sequence[_C], jobs: int, progress: Callable[[int], None]
) -> list[Failure]:
    """Return what `work` finds in the checks, in order, whatever the number of processes."""
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
    """Tells which checks fail. Every text is read once for the checks that follow each other."""

    def __init__(self, scorer: Scorer) -> None:
        self._relate = scorer.relate_readings
        self._read: Callable[[str], Reading] = lru_cache(_READINGS)(scorer.read)

    def failure(self, check: Check) -> Failure | None:
        """Return what is wrong with a check, or None where it holds."""
        first, second = self._read(check.first), self._read(check.second)
        found = self._relate(first, second)
        if not _names(found).isdisjoint(check.wanted):
            return None
        read = (tuple(brief(one) for one in first.findings), tuple(brief(one) for one in second.findings))
        return Failure(check, found.relation, read)


def _names(found: Relation) -> frozenset[str]:
    """Return the names under which a check may want a relation."""
    if found.relation != "equivalent":
        return frozenset((found.relation,))
    return frozenset((found.relation, SAME_DETAILS if found.detail == "equivalent" else OTHER_DETAILS))


def without_exempted(
    checks: Sequence[Check], failures: Sequence[Failure], exemptions: Sequence[Exemption], *, whole: bool = True
) -> Tested:
    """Return what came out, with the failures that an exemption fits set apart.

    An exemption that fits no failure is stale. Where the checks are not `whole`, that is known only of one that names its
    concept and fits one of them.
    """
    failing: list[Failure] = []
    excepted: list[Failure] = []
    needed: set[Exemption] = set()
    for failure in failures:
        rows = [row for row in exemptions if row.fits(failure.check)]
        needed.update(rows)
        (excepted if rows else failing).append(failure)
    idle = [row for row in exemptions if row not in needed]
    stale = idle if whole else [row for row in idle if row.named and any(row.fits(check) for check in checks)]
    return Tested(Counter(check.kind for check in checks), tuple(failing), tuple(excepted), tuple(stale))
