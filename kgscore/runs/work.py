"""What a worker does with a partition: score its records and write its shards. Done twice, it leaves the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice

from kgscore.errors import RunError
from kgscore.model import PairResult
from kgscore.records import BadRecord, Record
from kgscore.results.layout import Part, part_of
from kgscore.results.outcome import Case, failure
from kgscore.runs.batch import BATCH, Settings, score_chunk, scorer_for
from kgscore.runs.plan import Partition, records_in
from kgscore.runs.shards import Shards, Sheet

TRIES = 3

_Records = list[Record | BadRecord]


@dataclass(frozen=True, slots=True)
class Done:
    """A partition that is whole: its name, and whether it was given up because it ended its workers."""

    name: str
    lost: bool = False


def score_partition(settings: Settings, sheet: Sheet, shards: Shards, partition: Partition) -> Done:
    """Score a partition and write its shards. One that ended its worker three times is not scored again: its records fail.

    Raises:
        InputError: the input cannot be read.
        RunError: this worker scores with something else than the run, or the shards cannot be written.
    """
    if shards.is_done(partition.name):
        return Done(partition.name, shards.is_lost(partition.name))
    with shards.attempt(partition.name) as before:
        lost = before >= TRIES
        score = partial(_given_up, sheet.key.metrics) if lost else _scorer(settings, sheet)
        parts = _parts(records_in(partition), partition.first, sheet, score)
        shards.write(partition.name, partition.first, parts, lost=lost, graph_of=sheet.run if sheet.graph else None)
    return Done(partition.name, lost)


def _scorer(settings: Settings, sheet: Sheet) -> Callable[[_Records], list[PairResult]]:
    """Return what scores; it must be what the run is said to be scored with."""
    mine = dict(scorer_for(settings).signature)
    other = sorted(name for name in {*mine, *sheet.key.signature} if mine.get(name) != sheet.key.signature.get(name))
    if other:
        raise RunError(
            f"a worker scores with another {', '.join(other)}; install the same kgscore, profile and modules on every worker"
        )
    return partial(score_chunk, settings, slim=False, explain=True)


def _given_up(metrics: tuple[str, ...], records: _Records) -> list[PairResult]:
    reason = f"the process that scored its partition was lost {TRIES} times; score the record by itself to see why"
    return [failure(one.id, one.reason if isinstance(one, BadRecord) else reason, metrics) for one in records]


def _parts(
    records: Iterable[Record | BadRecord], first: int, sheet: Sheet, score: Callable[[_Records], list[PairResult]]
) -> Iterator[Part]:
    stream = iter(records)
    while batch := list(islice(stream, BATCH)):
        yield part_of(sheet.run, [Case(at, *pair) for at, pair in enumerate(zip(batch, score(batch), strict=True), first)])
        first += len(batch)
