"""Many pairs: in one process or several, in order, in batches that are written whole; an interrupted run resumes."""

from __future__ import annotations

import gc
import hashlib
import signal
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar, cast

from kgscore.config import PLAIN
from kgscore.errors import RunError
from kgscore.formats import open_bytes
from kgscore.language.endpoint import Endpoint
from kgscore.model import PairResult, Reading
from kgscore.records import PAIR_FIELDS, BadRecord, Record, check_rows
from kgscore.results.outcome import Case, Outcome
from kgscore.runs.input import Source

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.metrics.base import MetricInfo
    from kgscore.results.layout import Part, RunModule

CHUNK = 32  # pairs that a worker takes at a time
BATCH = 256  # pairs that a transaction holds, whatever the number of workers
_SPOOL_BYTES = 64_000_000
_COLLECTIONS = (20_000, 50, 10)
_Chunk = list[Record | BadRecord]
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Settings:
    """What to score with, of how many texts to keep the reading for when they come again, whether to "score" a candidate that
    says nothing or to "skip" it, and which reader reads."""

    profile: str = "default"
    metrics: tuple[str | MetricInfo | type, ...] = (PLAIN,)
    modules: tuple[str, ...] = ()
    remember: int = 0
    empty_candidate: str = "score"
    reader: str | Endpoint = "default"


def score_mappings(pairs: Iterable[Mapping[str, object]], settings: Settings, jobs: int = 1) -> Iterator[PairResult]:
    """Yield the result of each mapping with `id`, `reference` and `candidate`, in the order given; bad ones are `failed`."""
    for case in score_records(check_rows(pairs, PAIR_FIELDS), settings, jobs):
        yield case.result


def score_records(
    records: Iterable[Record | BadRecord], settings: Settings, jobs: int = 1, *, start: int = 0, slim: bool = False,
    explain: bool = False,
) -> Iterator[Case]:
    """Yield the case of every record in order. `start` is the position of the first; `slim` results hold scores, and of the
    candidate what no concept covers, which spares the way between processes; with `explain`, results hold what the scores are
    made of as well.

    Raises:
        ProfileError: the profile or a metric is unknown.
        RunError: a worker process was ended from outside.
    """
    position = start
    work = partial(score_chunk, settings, slim=slim, explain=explain)
    for chunk, results in worked(_chunks(_ahead(records, settings)), work, settings, jobs):
        for record, result in zip(chunk, results, strict=True):
            yield Case(position, record, result)
            position += 1


def answered(
    records: Iterable[Record | BadRecord], work: Callable[[Scorer, Record], _Made], settings: Settings, jobs: int = 1
) -> Iterator[tuple[Record | BadRecord, _Made | None]]:
    """Yield every record, in order, with what the work makes of it; None of a bad one. With several `jobs`, the work is a
    function of a module (or a `partial` of one), for it is sent to processes.

    Raises:
        ProfileError: the profile is unknown.
        RunError: a worker process was ended from outside.
    """
    if jobs <= 1:
        scorer = scorer_for(settings)
        for record in _ahead(records, settings):  # one by one: who pipes a line in sees its answer
            yield record, None if isinstance(record, BadRecord) else work(scorer, record)
        return
    for chunk, made in worked(_chunks(_ahead(records, settings)), partial(_answer_chunk, work, settings), settings, jobs):
        yield from zip(chunk, made, strict=True)


def _answer_chunk(work: Callable[[Scorer, Record], _Made], settings: Settings, chunk: _Chunk) -> list[_Made | None]:
    scorer = scorer_for(settings)
    return [None if isinstance(record, BadRecord) else work(scorer, record) for record in chunk]


def score_source(
    source: Source | str, settings: Settings, jobs: int = 1, *, out: Path | None = None,
    stdin: BinaryIO | None = None, graph: bool = False, progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Outcome]:
    """Score every pair of a source (a path: a file of pairs; `-`: standard input) and yield one line a pair in input order.

    With `out`, everything goes to that run folder as well, before its line is yielded. If the folder holds an unfinished
    run of the same input, settings and signature, what is there is not scored again: its lines come from the database.
    The graph of the run is made from there, at the end with `graph`, else when it is first asked for. `progress` is told how
    many pairs are done.

    Raises:
        InputError: the file cannot be read.
        ProfileError: the profile or a metric is unknown.
        RunError: the run folder cannot be written, or a worker process was ended from outside.
    """
    source = Source(source) if isinstance(source, str) else source
    if out is None:
        from kgscore.clinical.records import FIELDS

        for case in score_records(source.records(stdin, extra=(*FIELDS, "context")), settings, jobs, slim=True):
            yield case.outcome
            progress(case.position + 1)
    else:
        yield from _run(source, settings, jobs, out, stdin, progress)
        if graph:
            from kgscore.graph.building import build

            build(out)


def _run(
    source: Source, settings: Settings, jobs: int, out: Path, stdin: BinaryIO | None, progress: Callable[[int], None],
) -> Iterator[Outcome]:
    from kgscore.reading.readers import DEFAULT, place_of
    from kgscore.results.database import RunDatabase, RunKey
    from kgscore.results.layout import joined

    scorer = scorer_for(settings)
    with ExitStack() as stack:
        spool, digest = _hashed(source.path, stdin, stack)
        others = [_hashed(name, None, stack)[1] for name in source.files[1:]]
        others += [str(sorted(source.columns.given.items()))] if source.columns.given else []
        if others:
            digest = hashlib.sha256(" ".join((digest, *others)).encode()).hexdigest()
        # What a language model read is in the run, and its signature names it; without it the run is shown by the default reader.
        reader = place_of(settings.reader) if isinstance(settings.reader, str) else DEFAULT
        key = RunKey(source.name, digest, settings.profile, scorer.metrics, scorer.signature, modules_of(settings), reader)
        database = stack.enter_context(RunDatabase(out))
        run, done = database.start(key, scorer.index)
        for position, outcome in enumerate(database.outcomes(run), 1):
            yield outcome
            progress(position)
        records = _ahead(islice(source.records(spool, extra=None), done, None), settings)
        placed = _placed(_chunks(records), done)
        parts = (part for _, part in worked(placed, partial(score_part, settings, run), settings, jobs))
        while batch := list(islice(parts, BATCH // CHUNK)):
            part = joined(batch)
            database.load(part.tables)
            yield from part.outcomes
            done += len(part.outcomes)
            progress(done)
        database.finish(run)


def modules_of(settings: Settings) -> tuple[RunModule, ...]:
    """Return the modules that a run made with these settings remembers, with their hashes and where they lie."""
    from kgscore.ontology.modules import distinct
    from kgscore.results.layout import RunModule

    return tuple(RunModule(one.name, one.hash, str(one.path.resolve())) for one in distinct(settings.modules))


def _chunks(records: Iterable[Record | BadRecord]) -> Iterator[_Chunk]:
    stream = iter(records)
    return iter(lambda: list(islice(stream, CHUNK)), [])


def _ahead(records: Iterable[Record | BadRecord], settings: Settings) -> Iterable[Record | BadRecord]:
    """Return the records, which are read here and now where a language model reads; the workers find its answers in the cache."""
    return records if isinstance(settings.reader, str) else scorer_for(settings).ahead(records)


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


def worked(
    chunks: Iterator[_Given], work: Callable[[_Given], _Made], settings: Settings, jobs: int
) -> Iterator[tuple[_Given, _Made]]:
    """Yield each chunk with what the work makes of it, in order, from this process or several."""
    if jobs <= 1:
        with few_collections():
            for chunk in chunks:
                yield chunk, work(chunk)
        return
    _check_main()
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
            " (with --output, what was scored is kept: run the same command again)"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _check_main() -> None:
    """Refuse to start processes from a script that would run again in each of them.

    Raises:
        RunError: the script has no `if __name__ == "__main__":`.
    """
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    try:
        plain = script is not None and script.endswith(".py") and b"__name__" not in Path(script).read_bytes()
    except OSError:
        return
    if plain:
        raise RunError(f"{script}: put what it does under `if __name__ == '__main__':`; with jobs > 1, each process imports it")


@contextmanager
def few_collections() -> Iterator[None]:
    """Let the garbage collector look less often: next to nothing that scoring makes waits for it, and its looking takes a fifth
    of the time."""
    before = gc.get_threshold()
    gc.set_threshold(*_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def begin_worker() -> None:
    """Make a worker process ready."""
    gc.set_threshold(*_COLLECTIONS)
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
    scorer.prepare(chunk)
    results = [scorer.score_record(record, explain=explain) for record in chunk]
    return [_slim(one) for one in results] if slim else results


def _slim(result: PairResult) -> PairResult:
    """Return the scores of a result, and of the candidate what no concept covers."""
    rest = None if result.candidate is None else Reading((), result.candidate.unlinked)
    return PairResult(result.id, result.status, result.scores, candidate=rest, reason=result.reason)


def score_part(settings: Settings, run: int, placed: tuple[int, _Chunk]) -> Part:
    """Return the part of a run that some records at a position make, with this process's scorer."""
    from kgscore.results.layout import part_of

    first, chunk = placed
    results = score_chunk(settings, chunk, slim=False, explain=True)
    return part_of(run, [Case(at, *pair) for at, pair in enumerate(zip(chunk, results, strict=True), first)])
