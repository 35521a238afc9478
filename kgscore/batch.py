"""Many pairs: in one process or several, in order, in batches that are written whole; an interrupted run resumes."""

from __future__ import annotations

import hashlib
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar, cast

from kgscore.errors import RunError
from kgscore.joining import joined
from kgscore.model import PairResult
from kgscore.parts import Part, RunWriter, part_of
from kgscore.parts import joined as joined_parts
from kgscore.records import PAIR_FIELDS, BadRecord, Record, check_rows, read_records
from kgscore.results.outcome import Case, Outcome
from kgscore.rows import open_bytes

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.results.database import RunModule

CHUNK = 32  # pairs that a worker takes at a time
BATCH = 256  # pairs that a transaction holds, whatever the number of workers
_SPOOL_BYTES = 64_000_000
_Chunk = list[Record | BadRecord]
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Settings:
    """What to score with, of how many texts to keep the reading for when they come again, whether to "score" a candidate that
    says nothing or to "skip" it, and which reader reads."""

    profile: str = "default"
    metrics: tuple[str, ...] = ("radsem",)
    modules: tuple[str, ...] = ()
    remember: int = 0
    empty_candidate: str = "score"
    reader: str = "default"


def score_mappings(pairs: Iterable[Mapping[str, object]], settings: Settings, jobs: int = 1) -> Iterator[PairResult]:
    """Yield the result of each mapping with `id`, `reference` and `candidate`, in the order given; bad ones are `failed`."""
    for case in score_records(check_rows(pairs, PAIR_FIELDS), settings, jobs):
        yield case.result


def score_records(
    records: Iterable[Record | BadRecord], settings: Settings, jobs: int = 1, *, start: int = 0, slim: bool = False,
    explain: bool = False,
) -> Iterator[Case]:
    """Yield the case of every record in order. `start` is the position of the first; `slim` results hold scores only,
    which spares the way between processes; with `explain`, results hold what the scores are made of as well.

    Raises:
        ProfileError: the profile or a metric is unknown.
        RunError: a worker process was ended from outside.
    """
    position = start
    work = partial(score_chunk, settings, slim=slim, explain=explain)
    for chunk, results in _worked(_chunks(records), work, settings, jobs):
        for record, result in zip(chunk, results, strict=True):
            yield Case(position, record, result)
            position += 1


def score_source(
    source: str, settings: Settings, jobs: int = 1, *, candidate: str | None = None, out: Path | None = None,
    stdin: BinaryIO | None = None, graph: bool = False, progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Outcome]:
    """Score every pair of a file (`-`: standard input) and yield one line a pair in input order. With `candidate`, `source` holds
    the reference reports and `candidate` the others, joined by id.

    With `out`, everything goes to that run folder as well, before its line is yielded. If the folder holds an unfinished
    run of the same input, settings and signature, what is there is not scored again: its lines come from the database.
    The graph of the run is made from there, at the end with `graph`, else when it is first asked for. `progress` is told how
    many pairs are done.

    Raises:
        InputError: the file cannot be read.
        ProfileError: the profile or a metric is unknown.
        RunError: the run folder cannot be written, or a worker process was ended from outside.
    """
    if out is None:
        records = read_records(source, PAIR_FIELDS, stdin=stdin) if candidate is None else joined(source, candidate)
        for case in score_records(records, settings, jobs, slim=True):
            yield case.outcome
            progress(case.position + 1)
    else:
        yield from _run(source, candidate, settings, jobs, out, stdin, progress)
        if graph:
            from kgscore.graph.building import build

            build(out)


def _run(
    source: str, candidate: str | None, settings: Settings, jobs: int, out: Path, stdin: BinaryIO | None,
    progress: Callable[[int], None],
) -> Iterator[Outcome]:
    from kgscore.results.database import RunKey

    scorer = scorer_for(settings)
    with ExitStack() as stack:
        spool, digest = _hashed(source, stdin, stack)
        if candidate is not None:
            digest = hashlib.sha256(f"{digest} {_hashed(candidate, None, stack)[1]}".encode()).hexdigest()
        name = source if candidate is None else f"{source} + {candidate}"
        key = RunKey(name, digest, settings.profile, scorer.metrics, scorer.signature, modules_of(settings))
        folder = stack.enter_context(RunWriter(out, key, scorer.index))
        done = 0
        for done, outcome in enumerate(folder.outcomes(), 1):
            yield outcome
            progress(done)
        records = read_records(source, PAIR_FIELDS, extra=None, stdin=spool) if candidate is None else joined(source, candidate)
        placed = _placed(_chunks(islice(records, done, None)), done)
        parts = (part for _, part in _worked(placed, partial(score_part, settings, folder.run), settings, jobs))
        while batch := list(islice(parts, BATCH // CHUNK)):
            part = joined_parts(batch)
            folder.add(part)
            yield from part.outcomes
            done += len(part.outcomes)
            progress(done)
        folder.finish()


def modules_of(settings: Settings) -> tuple[RunModule, ...]:
    """Return the modules that a run made with these settings remembers, with their hashes and where they lie."""
    from kgscore.ontology.modules import distinct
    from kgscore.results.database import RunModule

    return tuple(RunModule(one.name, one.hash, str(one.path.resolve())) for one in distinct(settings.modules))


def _chunks(records: Iterable[Record | BadRecord]) -> Iterator[_Chunk]:
    stream = iter(records)
    return iter(lambda: list(islice(stream, CHUNK)), [])


def _placed(chunks: Iterable[_Chunk], position: int) -> Iterator[tuple[int, _Chunk]]:
    for chunk in chunks:
        yield position, chunk
        position += len(chunk)


def _hashed(source: str, stdin: BinaryIO | None, stack: ExitStack) -> tuple[BinaryIO | None, str]:
    """Return the hash of the input's bytes, and for standard input a copy of it to read from."""
    digest = hashlib.sha256()
    stream = open_bytes(source, stdin)
    spool: BinaryIO | None = None
    if source == "-":
        spool = cast(BinaryIO, stack.enter_context(tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES)))  # noqa: SIM115
    try:
        while block := stream.read(1 << 20):
            digest.update(block)
            if spool is not None:
                spool.write(block)
    finally:
        if source != "-":
            stream.close()
    if spool is not None:
        spool.seek(0)
    return spool, digest.hexdigest()


# --- in this process or in several ---


def _worked(
    chunks: Iterator[_Given], work: Callable[[_Given], _Made], settings: Settings, jobs: int
) -> Iterator[tuple[_Given, _Made]]:
    """Yield each chunk with what the work makes of it, in order, from this process or several."""
    if jobs <= 1:
        for chunk in chunks:
            yield chunk, work(chunk)
        return
    scorer_for(settings)  # an unknown profile is told here, once; it also fills the index cache for the workers
    # Threads of the database and the graph run here: a fork would copy their locks.
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=begin_worker)
    waiting: deque[tuple[_Given, Future[_Made]]] = deque()
    try:
        for chunk in chunks:
            waiting.append((chunk, pool.submit(work, chunk)))
            if len(waiting) > 2 * jobs:
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    except BrokenProcessPool:
        raise RunError(
            "a worker process was ended from outside, perhaps for lack of memory; use fewer --jobs"
            " (with --out, what was scored is kept: run the same command again)"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def begin_worker() -> None:
    """Make a worker process ready."""
    # Ctrl-C reaches the whole group; the parent decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(maxsize=4)
def scorer_for(settings: Settings) -> Scorer:
    """Return the scorer of these settings; this process makes it once.

    Raises:
        ProfileError: the profile or a metric is unknown.
    """
    from kgscore.engine import Scorer

    return Scorer(
        settings.profile, settings.metrics, settings.modules, settings.remember, settings.empty_candidate, settings.reader
    )


def score_chunk(settings: Settings, chunk: Sequence[Record | BadRecord], slim: bool, explain: bool) -> list[PairResult]:
    """Return the results of some records, with this process's scorer; `slim` and `explain` as in `score_records`."""
    scorer = scorer_for(settings)
    results = [scorer.score_record(record, explain=explain) for record in chunk]
    return [PairResult(one.id, one.status, one.scores, reason=one.reason) for one in results] if slim else results


def score_part(settings: Settings, run: int, placed: tuple[int, _Chunk]) -> Part:
    """Return the part of a run that some records at a position make, with this process's scorer."""
    first, chunk = placed
    return part_of(run, first, chunk, score_chunk(settings, chunk, slim=False, explain=True))
