"""A run on a cluster: plan the input, score its partitions, and put the run folder together as they come. A worker scores a
partition and writes its shards; done twice, it leaves the same bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from kgscore.errors import RunError
from kgscore.graph.building import build, is_made
from kgscore.io.records import BadRecord, Record
from kgscore.model import PairResult
from kgscore.results.cases import load_runs
from kgscore.results.database import RunDatabase
from kgscore.results.decode import outcomes_of
from kgscore.results.files import FILE
from kgscore.results.layout import Batches, from_position, joined
from kgscore.results.outcome import Outcome, failure
from kgscore.runs.batch import BATCH, Settings, part_from, run_key, score_chunk, scorer_for, settings_of
from kgscore.runs.cluster import Task, results
from kgscore.runs.input import digest_of
from kgscore.runs.partitions import PARTITION, FilePlan, Partition, names_of, partitions_of, plan_file, records_in
from kgscore.runs.shards import Shards, Sheet
from kgscore.runs.storage import Folder, inputs_of

if TYPE_CHECKING:
    from distributed import Client

TRIES = 3
_LINES = ("cases", "scores")
_Records = list[Record | BadRecord]


@dataclass(frozen=True, slots=True)
class Target:
    """Where results go: a run folder, a folder of shards by any URL, or both. Without a folder of their own, shards are in the
    run folder while it is made. With `graph`, the workers write their parts of the graph beside the tables, and the run folder's
    is made at the end. `size` records make a partition."""

    out: Path | None = None
    shards: str | None = None
    graph: bool = False
    size: int = PARTITION


def score_on_cluster(
    source: str, settings: Settings, client: Client, target: Target, *, progress: Callable[[int], None] = lambda done: None,
    say: Callable[[str], None] = lambda line: None,
) -> Iterator[Outcome]:
    """Score every pair of some files on a Dask cluster and yield one line a pair in the order of the input.

    `source` is a path, a pattern or a folder of JSONL and Parquet files, on any path that fsspec knows and every worker reaches.
    The same call goes on where an interrupted run stopped. A partition that was lost three times is told to `say`; its records
    have failed.

    Raises:
        InputError: the input cannot be read.
        ProfileError: the profile or a metric is unknown.
        RunError: the shards or the run folder cannot be written, a worker is another version, or the cluster was lost.
    """
    scorer = scorer_for(settings)
    inputs = inputs_of(source)
    with ExitStack() as stack:
        # The ids lie with the shards, whose folder is therefore known before the run has a number (that needs the input's hash).
        base = Folder.of(target.shards) if target.shards else Folder.of(_out(target) / "shards")
        tasks = (Task(f"plan-{n:06}", plan_file, (one, n, target.size, base)) for n, one in enumerate(inputs))
        plans = sorted(results(client, tasks), key=lambda plan: plan.number)
        key = run_key(settings, names_of(inputs), digest_of([plan.digest for plan in plans]))
        into = None
        if target.out is not None:
            database = stack.enter_context(RunDatabase(target.out))
            into = database, database.start(key, last=target.graph and not is_made(target.out))[0]
            database.know(into[1], scorer.index)
        count = sum(len(plan.cuts) for plan in plans)
        sheet = Sheet(key, into[1] if into else 1, settings.modules, target.graph, target.size, count)
        shards = Shards(base)
        shards.begin(sheet, anew=target.shards is None)
        made = _ready(client, plans, settings, sheet, shards, say)
        yield from _collected(made, shards, into, progress)
        shards.tidy()
        if target.shards is None:
            base.remove()
    if target.graph and target.out is not None:
        build(target.out)


def assemble(shards: str, out: Path, *, progress: Callable[[int], None] = lambda done: None) -> Iterator[Outcome]:
    """Make a run folder of the shards that `score_on_cluster` kept, and yield the lines. An interrupted one goes on.

    Raises:
        RunError: partitions are missing, another version of kgscore scored them, or the folder holds other runs.
    """
    source = Shards(Folder.of(shards))
    sheet = source.sheet()
    scorer = scorer_for(settings_of(sheet.key, sheet.modules))
    if dict(scorer.signature) != sheet.key.signature:
        raise RunError(f"{shards}: scored by another kgscore, profile or modules; assemble it where they are the same")
    runs = load_runs(out) if (out / FILE).exists() else []
    here = len(runs) + (not runs or bool(runs[-1].finished))
    if here != sheet.run:
        raise RunError(f"{out}: the shards are of run {sheet.run} of a folder, and this one is at run {here}; choose another")
    names = source.made(sheet)
    with RunDatabase(out) as database:
        run, _ = database.start(sheet.key)
        database.know(run, scorer.index)
        yield from _collected(names, source, (database, run), progress)


def _out(target: Target) -> Path:
    if target.out is None:
        raise RunError("nowhere to write; give --output, --shards or both")
    return target.out


def _ready(
    client: Client, plans: list[FilePlan], settings: Settings, sheet: Sheet, shards: Shards, say: Callable[[str], None]
) -> Iterator[str]:
    """Yield the names of the partitions in order, each as soon as it and all before it are whole."""
    done = set(shards.done())
    left = (one for one in partitions_of(plans, shards.folder) if one.name not in done)
    ended = results(client, (Task(one.name, score_partition, (settings, sheet, shards, one)) for one in left))
    for partition in partitions_of(plans):
        while partition.name not in done:
            name, lost = next(ended)
            done.add(name)
            if lost:
                say(f"{name}: its worker was lost three times; its records are marked as failed")
        done.discard(partition.name)
        yield partition.name


def _collected(
    names: Iterable[str], shards: Shards, into: tuple[RunDatabase, int] | None, progress: Callable[[int], None]
) -> Iterator[Outcome]:
    """Yield the lines of the partitions, after they are in the run of a run folder if there is one."""
    begin = 0
    if into is not None:
        database, run = into
        for begin, outcome in enumerate(database.outcomes(run), 1):
            yield outcome
            progress(begin)
    for name in names:
        whole = shards.whole(name)
        end = whole.first + whole.records
        if end > begin:
            tables = shards.read(name, only=() if into else _LINES)
            if whole.first < begin:  # what is before, another engine may have written
                tables = from_position(tables, begin)
            if into is not None:
                database.load(tables)
            yield from outcomes_of(tables)
            progress(end)
    if into is not None:
        database.finish(run)


# --- in a worker ---


def score_partition(settings: Settings, sheet: Sheet, shards: Shards, partition: Partition) -> tuple[str, bool]:
    """Score a partition and write its shards; return its name, and whether it was given up: one that ended its worker three times
    is not scored again, and its records fail.

    Raises:
        InputError: the input cannot be read.
        RunError: this worker scores with something else than the run, or the shards cannot be written.
    """
    if shards.is_done(partition.name):
        return partition.name, shards.whole(partition.name).lost
    with shards.attempt(partition.name) as before:
        lost = before >= TRIES
        score = partial(_given_up, sheet.key.metrics) if lost else _scorer(settings, sheet)
        parts = _parts(records_in(partition), partition.first, sheet, score)
        shards.write(partition.name, partition.first, joined(list(parts)), lost=lost, graph_of=sheet.run if sheet.graph else None)
    return partition.name, lost


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
) -> Iterator[Batches]:
    stream = iter(records)
    while batch := list(islice(stream, BATCH)):
        yield part_from(sheet.run, first, batch, score(batch))
        first += len(batch)
