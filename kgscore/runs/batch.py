"""Scoring many pairs: in one process or several, in order, in batches written atomically; an interrupted run resumes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kgscore.config import PLAIN, RECORD_TIMEOUT
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, check_rows
from kgscore.language.endpoint import Endpoint
from kgscore.model import PairResult, Reading
from kgscore.process import few_collections
from kgscore.results.outcome import Case, Outcome
from kgscore.runs.input import Source
from kgscore.runs.workers import workers
from kgscore.time_limit import attempt

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.metrics.base import MetricInfo
    from kgscore.results.layout import Batches, RunKey

# The most pairs, and characters, that a worker receives at a time.
CHUNK, _CHARACTERS = 64, 64_000
BATCH = 512  # minimum pairs per transaction, whatever the number of workers
_AHEAD = 3  # chunks submitted at a time, for each worker
_Chunk = list[Record | BadRecord]
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of scoring: what to score with, the number of texts whose reading is cached, whether to "score" a candidate
    that says nothing or to "skip" it, the reader, and the seconds after which a record fails."""

    profile: str = "default"
    metrics: tuple[str | MetricInfo | type, ...] = (PLAIN,)
    modules: tuple[str, ...] = ()
    remember: int = 0
    empty_candidate: str = "score"
    reader: str | Endpoint = "default"
    timeout: float | None = RECORD_TIMEOUT


def settings_of(run: RunKey, modules: Sequence[str]) -> Settings:
    """Return the settings of a run; `modules` are the present paths of its modules."""
    silence = run.signature.get("empty_candidate", "score")
    return Settings(run.profile, run.metrics, tuple(modules), empty_candidate=silence, reader=run.reader)


def score_mappings(pairs: Iterable[Mapping[str, object]], settings: Settings, jobs: int = 1) -> Iterator[PairResult]:
    """Yield the result of each mapping with `id`, `reference` and `candidate`, in order; bad ones are `failed`."""
    for case in score_records(check_rows(pairs, PAIR_FIELDS), settings, jobs):
        yield case.result


def score_records(
    records: Iterable[Record | BadRecord], settings: Settings, jobs: int = 1, *, slim: bool = False
) -> Iterator[Case]:
    """Yield the case of every record in order. `slim` results hold scores, and the candidate's unlinked words, to reduce the
    transfer between processes. Raises ProfileError if the profile or a metric is unknown, RunError if a worker process was
    killed."""
    work = partial(score_chunk, settings, slim=slim)
    with _workers(settings, jobs) as pool:
        worked = _chunk_results(_chunks(_read_ahead(records, settings)), work, pool, jobs)
        pairs = (pair for chunk, results in worked for pair in zip(chunk, results, strict=True))
        yield from (Case(position, *pair) for position, pair in enumerate(pairs))


def answer_records(
    records: Iterable[Record | BadRecord], work: Callable[[Scorer, Record], _Made], settings: Settings, jobs: int = 1
) -> Iterator[tuple[Record | BadRecord, _Made | None]]:
    """Yield every record, in order, with the result of the work; None for a bad one, and for one that exceeds time or memory,
    which becomes bad. With several `jobs`, the work is a function of a module (or a `partial` of one), since it is sent to
    processes. Raises ProfileError if the profile is unknown, RunError if a worker process was killed."""
    with _workers(settings, jobs) as pool:
        ahead = _read_ahead(records, settings)
        chunks = _chunks(ahead) if pool else ([record] for record in ahead)  # piped lines are answered one by one
        for chunk, made in _chunk_results(chunks, partial(_answer_chunk, work, settings), pool, jobs):
            pairs = zip(chunk, made, strict=True)
            yield from ((answer, None) if isinstance(answer, BadRecord) else (record, answer) for record, answer in pairs)


@few_collections()
def _answer_chunk(work: Callable[[Scorer, Record], _Made], settings: Settings, chunk: _Chunk) -> list[_Made | BadRecord]:
    scorer = scorer_for(settings)

    def answer(record: Record) -> _Made | BadRecord:
        return work(scorer, record)

    with scorer.limit() as limit:
        return [
            attempt(limit, partial(answer, one), partial(BadRecord, one.where, one.id)) if isinstance(one, Record) else one
            for one in chunk
        ]


def score_source(
    source: Source | str, settings: Settings, jobs: int = 1, *, out: Path | None = None, graph: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Outcome]:
    """Score every pair of a source (a path: a file of pairs; `-`: standard input) and yield one line per pair in input order.

    With `out`, everything is also written to that run folder before its line is yielded. If the folder has an unfinished run of
    the same input, settings and signature, existing results are not scored again: their lines come from the database. The graph
    of the run is built at the end with `graph`, else on first use; with `graph`, the last run of the folder is not scored again
    if only its graph is missing. `progress` is called with the number of pairs done. Raises InputError if the file cannot be
    read, or changed while it was being read; ProfileError if the profile or a metric is unknown; RunError if the run folder
    cannot be written, or a worker process was killed."""
    source = Source(source) if isinstance(source, str) else source
    if out is None:
        from kgscore.clinical.context import FIELDS

        for case in score_records(source.records(extra=(*FIELDS, "context")), settings, jobs, slim=True):
            yield case.outcome
            progress(case.position + 1)
    else:
        yield from _run(source, settings, jobs, out, progress, graph=graph)
        if graph:
            from kgscore.graph.building import build

            build(out)


def _run(
    source: Source, settings: Settings, jobs: int, out: Path, progress: Callable[[int], None], *, graph: bool
) -> Iterator[Outcome]:
    scorer = scorer_for(settings)
    with ExitStack() as stack:
        pool = stack.enter_context(_workers(settings, jobs, ready_for_tables))  # first: the database has threads

        from kgscore.graph.building import is_made
        from kgscore.results.database import RunDatabase
        from kgscore.results.decode import outcomes_of

        given = source.snapshot()
        for copy in given.held.values():
            stack.enter_context(copy)
        key = run_key(settings, source.name, given.digest)
        database = stack.enter_context(RunDatabase(out))
        run, done = database.start(key, last=graph and not is_made(out))
        for position, outcome in enumerate(database.outcomes(run), 1):
            yield outcome
            progress(position)
        records = _read_ahead(islice(source.records(given.held, extra=None), done, None), settings)
        worked = _chunk_results(_add_positions(_chunks(records), done), partial(score_part, settings, run), pool, jobs)
        database.add_concepts(run, scorer.index)
        for tables in _batches(tables for _, tables in worked):
            database.load(tables)
            yield from outcomes_of(tables)
            done += len(tables["cases"])
            progress(done)
        given.check()
        database.finish(run)


def run_key(settings: Settings, input: str, digest: str) -> RunKey:
    """Return the key that identifies a run of this input with these settings."""
    from kgscore.ontology.modules import distinct_modules
    from kgscore.reading.readers import DEFAULT, place_of
    from kgscore.results.layout import RunKey, RunModule

    scorer = scorer_for(settings)
    modules = tuple(RunModule(one.name, one.hash, str(one.path.resolve())) for one in distinct_modules(settings.modules))
    # The results of a language model are stored, and its signature names it; without it the default reader shows the run.
    reader = place_of(settings.reader) if isinstance(settings.reader, str) else DEFAULT
    return RunKey(input, digest, settings.profile, scorer.metrics, dict(scorer.signature), modules, reader)


def _chunks(records: Iterable[Record | BadRecord]) -> Iterator[_Chunk]:
    """Yield the records in chunks of similar, bounded duration."""
    chunk: _Chunk = []
    characters = 0
    for record in records:
        chunk.append(record)
        characters += sum(map(len, record.fields.values())) if isinstance(record, Record) else 0
        if len(chunk) == CHUNK or characters >= _CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _batches(parts: Iterable[Batches]) -> Iterator[Batches]:
    """Yield parts of a run combined, one for each transaction."""
    from kgscore.results.layout import join_parts

    batch: list[Batches] = []
    for part in parts:
        batch.append(part)
        if sum(len(one["cases"]) for one in batch) >= BATCH:
            yield join_parts(batch)
            batch = []
    if batch:
        yield join_parts(batch)


def _read_ahead(records: Iterable[Record | BadRecord], settings: Settings) -> Iterable[Record | BadRecord]:
    """Return the records; with a language model, they are read in this process, and the workers find its answers in the cache."""
    return records if isinstance(settings.reader, str) else scorer_for(settings).ahead(records)


def _add_positions(chunks: Iterable[_Chunk], position: int) -> Iterator[tuple[int, _Chunk]]:
    for chunk in chunks:
        yield position, chunk
        position += len(chunk)


@contextmanager
def _workers(
    settings: Settings, jobs: int, ready: Callable[[Settings], None] | None = None
) -> Iterator[ProcessPoolExecutor | None]:
    """Yield the pool of worker processes, None for one job."""
    if jobs <= 1:
        yield None
        return
    scorer_for(settings)  # report an unknown profile once; forked workers share the scorer, others its cached index
    with workers(jobs, partial(ready or ready_to_score, settings)) as pool:
        yield pool


def _chunk_results(
    chunks: Iterable[_Given], work: Callable[[_Given], _Made], pool: ProcessPoolExecutor | None, jobs: int
) -> Iterator[tuple[_Given, _Made]]:
    """Return each chunk with its result, in order, from this process or the pool, which gets the first chunks at once."""
    if pool is None:
        return ((chunk, work(chunk)) for chunk in chunks)
    futures = ((chunk, pool.submit(work, chunk)) for chunk in chunks)
    return _results_in_order(deque(islice(futures, _AHEAD * jobs)), futures)


def _results_in_order(
    given: deque[tuple[_Given, Future[_Made]]], further: Iterator[tuple[_Given, Future[_Made]]]
) -> Iterator[tuple[_Given, _Made]]:
    while given:
        chunk, future = given.popleft()
        made = future.result()
        given.extend(islice(further, 1))
        yield chunk, made


def ready_to_score(settings: Settings) -> None:
    """Load what this process needs to score."""
    scorer_for(settings)


def ready_for_tables(settings: Settings) -> None:
    """Load what this process needs to score and to encode the rows of a run."""
    from kgscore.results.layout import tables_of

    scorer_for(settings)
    tables_of(0, ())


@lru_cache(maxsize=4)
def scorer_for(settings: Settings) -> Scorer:
    """Return the cached scorer of this process for these settings. Metric names may be untrusted data here: a run, a request.
    Raises ProfileError if the profile or a metric is unknown, or a metric is given as a file."""
    from kgscore.engine import Scorer
    from kgscore.metrics import resolved

    return Scorer(
        settings.profile, resolved(settings.metrics), settings.modules, settings.remember, settings.empty_candidate,
        settings.reader, settings.timeout,
    )  # fmt: skip


@few_collections()
def score_chunk(
    settings: Settings, chunk: Sequence[Record | BadRecord], slim: bool = False, explain: bool = False
) -> list[PairResult]:
    """Return the results of some records, using this process's scorer: `slim` as in `score_records`, or with the contributions
    to the scores (`explain`)."""
    scorer = scorer_for(settings)
    scorer.prepare(chunk)
    with scorer.limit() as limit:
        results = [scorer.score_record(record, explain=explain, limit=limit) for record in chunk]
    return [_slim_result(one) for one in results] if slim else results


def _slim_result(result: PairResult) -> PairResult:
    """Return the scores of a result, and the candidate's unlinked words."""
    rest = None if result.candidate is None else Reading((), result.candidate.unlinked)
    return PairResult(result.id, result.status, result.scores, candidate=rest, reason=result.reason)


@few_collections()
def score_part(settings: Settings, run: int, placed: tuple[int, _Chunk]) -> Batches:
    """Return the encoded rows of some records from a position on, scored with this process's scorer."""
    first, chunk = placed
    return encode_results(run, first, chunk, score_chunk(settings, chunk, explain=True))


def encode_results(run: int, first: int, chunk: _Chunk, results: Sequence[PairResult]) -> Batches:
    """Return the encoded rows of records from a position on, with their results."""
    from kgscore.results.layout import tables_of

    return tables_of(run, [Case(at, *pair) for at, pair in enumerate(zip(chunk, results, strict=True), first)])
