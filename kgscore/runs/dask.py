"""A run on a Dask cluster: workers score partitions of the input to Parquet, and DuckDB loads these in order."""

from __future__ import annotations

import gzip
import json
import logging
import sys
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscore.errors import KgscoreError, MissingExtraError, RunError
from kgscore.graph.building import build, is_made, lines_of
from kgscore.io.records import BadRecord, Record
from kgscore.private_files import temporary_folder
from kgscore.results.database import RunDatabase, outcomes_in
from kgscore.results.layout import OF_A_CASE, RunKey, RunModule, joined, write_parquet
from kgscore.results.outcome import Outcome, failure
from kgscore.runs.batch import BATCH, Settings, part_from, run_key, score_chunk, scorer_for, settings_of
from kgscore.runs.input import digest_of
from kgscore.runs.shards import folder_at, inputs_of, kept, reaching, records_in, written

if TYPE_CHECKING:
    from distributed import Client

PARTITION = 2_000
_LOST = "the process that scored its partition was lost three times; score the record by itself to see why"
_Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Target:
    """Where results go: a run folder, a folder of shards by any URL, or both. With `graph`, shards that are kept hold their parts
    of the graph, and the run folder's is made at the end. `size` records make a partition."""

    out: Path | None = None
    shards: str | None = None
    graph: bool = False
    size: int = PARTITION


@contextmanager
def cluster_client(cluster: str, jobs: int) -> Iterator[Client]:
    """Give a client of a cluster: `local` starts one of `jobs` processes, else it is a scheduler's address or file. The processes
    of a local one talk over TLS with a certificate made for it: whoever reaches a scheduler without one can run code here.

    Raises:
        MissingExtraError: Dask or what makes certificates is not installed.
        RunError: nobody answers there.
    """
    try:
        import dask
        from distributed import Client, LocalCluster, Security

        security = Security.temporary() if cluster == "local" else None
    except ImportError as error:
        needed = "cryptography" if "cryptography" in str(error) else "dask"
        raise MissingExtraError(f"--engine dask needs {needed}; install it with: pip install 'kgscore[dask]'") from None
    where: dict[str, Any] = {"scheduler_file": cluster} if Path(cluster).is_file() else {"address": cluster}
    chosen: dict[str, Any] = {f"distributed.{one}.http.routes": [] for one in ("scheduler", "worker")}  # TLS does not cover pages
    chosen |= {"distributed.scheduler.allowed-failures": 2}
    if sys.platform == "linux":  # who takes the place of a lost worker is the copy of a process that has loaded Dask
        chosen |= {"distributed.worker.multiprocessing-method": "forkserver"}
    with ExitStack() as stack:
        if cluster == "local":
            stack.enter_context(dask.config.set(chosen))
            own = LocalCluster(
                n_workers=jobs, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", security=security,
                silence_logs=logging.CRITICAL,
            )  # fmt: skip
            where = {"address": stack.enter_context(own)}
        try:
            client = stack.enter_context(Client(**where, timeout=15))
        except (OSError, ValueError, TypeError) as error:
            said = (str(error).splitlines() or [type(error).__name__])[0]
            raise RunError(f"{cluster}: no Dask scheduler answers ({said}); check the address") from None
        yield client


def score_on_cluster(
    source: str, settings: Settings, client: Client, target: Target, *, progress: _Progress = lambda done: None,
    say: Callable[[str], None] = lambda line: None,
) -> Iterator[Outcome]:
    """Score every pair of some JSONL and Parquet files (a path, a pattern or a folder, wherever fsspec reads) on a cluster and
    yield one line a pair, in order. The same call goes on where it was interrupted; `say` is told of partitions that failed.

    Raises:
        InputError: the input cannot be read.
        ProfileError: the profile or a metric is unknown.
        RunError: the shards or the run folder cannot be written, a worker is another version, or the cluster was lost.
    """
    inputs, signature = inputs_of(source), dict(scorer_for(settings).signature)
    name = inputs[0][0] + (f" and {len(inputs) - 1} more" if len(inputs) > 1 else "")
    key = run_key(settings, name, digest_of([digest for _, digest, _ in inputs]))
    made = json.dumps({"key": asdict(key), "size": target.size, "graph": target.graph}, sort_keys=True).encode()
    if target.shards is None and target.out is None:
        raise RunError("nowhere to write; give --output, --shards or both")
    url = target.shards or f"{target.out}/shards"
    with ExitStack() as stack, reaching(RunError, url):
        into = _opened(stack, target.out, key, last=target.graph) if target.out else None
        folder = folder_at(url)
        if kept(folder, "run.json") not in (None, made):
            if target.shards:
                raise RunError(f"{url}: holds shards of another run; choose another folder, or remove it")
            folder.rm("", recursive=True)
        written(folder, "run.json", made)
        work = partial(score_partition, settings, signature, folder, into[1] if into else 1, target.graph)
        parts = _parts(folder, records_in(inputs), target.size)
        yield from _collected(_scored(client, work, parts, say), folder, url, into, progress)
        with suppress(FileNotFoundError):
            folder.rm("input" if target.shards else "", recursive=True)
    if target.graph and target.out:
        build(target.out)


def assemble(shards: str, out: Path, *, progress: _Progress = lambda done: None) -> Iterator[Outcome]:
    """Make a run folder of the shards that `score_on_cluster` kept, and yield the lines. An interrupted one goes on.

    Raises:
        RunError: partitions are missing, another kgscore scored them, or the folder cannot be written.
    """
    folder = folder_at(shards)
    with ExitStack() as stack, reaching(RunError, shards):
        found, end = kept(folder, "run.json"), kept(folder, "end.json")
        if found is None:
            raise RunError(f"{shards}: holds no shards; make them with: kgscore score PAIRS --engine dask --shards URL")
        if end is None:
            raise RunError(f"{shards}: partitions are missing; run kgscore score again with the same --shards")
        made = json.loads(found)["key"]
        modules = tuple(RunModule(**one) for one in made["modules"])
        key = RunKey(**{**made, "metrics": tuple(made["metrics"]), "modules": modules})
        if dict(scorer_for(settings_of(key, [one.path for one in modules])).signature) != key.signature:
            raise RunError(f"{shards}: scored by another kgscore, profile or modules; assemble it where they are the same")
        names = (f"part-{number:06}" for number in range(int(end)))
        yield from _collected(names, folder, shards, _opened(stack, out, key), progress)


def _opened(stack: ExitStack, out: Path, key: RunKey, *, last: bool = False) -> tuple[RunDatabase, int]:
    database = stack.enter_context(RunDatabase(out))
    run, _ = database.start(key, last=last and not is_made(out))
    database.know(run, scorer_for(settings_of(key, [one.path for one in key.modules])).index)
    return database, run


def _parts(folder: Any, records: Iterator[Record | BadRecord], size: int) -> Iterator[tuple[str, int]]:
    """Write the records of each partition that is not complete; yield its name and the position of its first record."""
    for number in count():
        name, batch = f"part-{number:06}", list(islice(records, size))
        if not batch:
            return written(folder, "end.json", str(number).encode())
        if not folder.exists(f"cases/{name}.parquet"):
            packed = [[isinstance(one, Record), *(getattr(one, field) for field in one.__slots__)] for one in batch]
            written(folder, f"input/{name}.json", json.dumps(packed, default=str).encode())
        yield name, number * size


def _scored(
    client: Client, work: Callable[..., None], parts: Iterator[tuple[str, int]], say: Callable[[str], None]
) -> Iterator[str]:
    """Yield the names of the partitions in order, each when it is complete. The scheduler is given one for each thread of its
    workers: the partition of a worker that ends is the one that ended it."""
    from distributed import CancelledError, KilledWorker, as_completed

    ended, order, done = as_completed(), list[str](), set[str]()
    running: dict[Any, tuple[str, int]] = {}

    def submit() -> None:
        for part in islice(parts, max(1, sum(client.nthreads().values())) - len(running)):
            future = client.submit(work, *part, key=f"{part[0]}-{uuid.uuid4().hex}", retries=2, pure=False)
            running[future] = part
            order.append(part[0])
            ended.add(future)

    try:
        submit()
        for future in ended:
            part, error = running.pop(future), future.exception()
            if isinstance(error, KilledWorker):
                say(f"{part[0]}: its worker was lost three times; its records are marked as failed")
                work(*part, lost=True)
            elif isinstance(error, (KgscoreError, OSError)):
                raise error
            elif error is not None:  # its message may quote a report
                said = f"{part[0]}: failed on the cluster ({type(error).__name__})"
                raise RunError(f"{said}; scheduler and workers need the same kgscore and Dask as here (their logs say more)")
            submit()
            done.add(part[0])
            while order and order[0] in done:
                yield order.pop(0)
    except CancelledError:
        raise RunError("the cluster was lost; run the same command again to go on") from None


def _collected(
    names: Iterable[str], folder: Any, url: str, into: tuple[RunDatabase, int] | None, progress: _Progress
) -> Iterator[Outcome]:
    """Yield the lines of the partitions, after they are in the run of a run folder if there is one."""
    begin = 0
    if into:
        for begin, outcome in enumerate(into[0].outcomes(into[1]), 1):
            yield outcome
            progress(begin)
    for name in names:
        with temporary_folder() as place:
            files = {table: place / f"{table}.parquet" for table in OF_A_CASE}
            for table, file in files.items():
                file.write_bytes(kept(folder, f"{table}/{name}.parquet") or b"")
            lines = outcomes_in(files, begin, f"{url}/cases/{name}.parquet")
            if into and lines:
                into[0].load_parquet(files, into[1], begin)
        yield from lines
        begin += len(lines)
        progress(begin)
    if into:
        into[0].finish(into[1])


def score_partition(
    settings: Settings, signature: dict[str, Any], folder: Any, run: int, graph: bool, name: str, first: int, lost: bool = False
) -> None:
    """Score a partition in a worker and write its shards, with `graph` what the graph says too; of one that is `lost`, every
    record fails. Raises RunError if this worker scores with something else than the run."""
    if folder.exists(f"cases/{name}.parquet"):
        return
    scorer = scorer_for(settings)
    if other := sorted(one for one in {*scorer.signature, *signature} if scorer.signature.get(one) != signature.get(one)):
        raise RunError(f"a worker scores with another {', '.join(other)}; install the same kgscore, profile, modules")
    packed = json.loads(folder.cat_file(f"input/{name}.json"))
    records: list[Record | BadRecord] = [(Record if good else BadRecord)(*values) for good, *values in packed]
    parts = []
    for at in range(0, len(records), BATCH):
        batch = records[at : at + BATCH]
        failed = [failure(one.id, getattr(one, "reason", _LOST), scorer.metrics) for one in batch] if lost else None
        parts.append(part_from(run, first + at, batch, failed or score_chunk(settings, batch, slim=False, explain=True)))
    tables = joined(parts)
    if graph:
        text = "".join(lines_of(tables, run, first, first + len(records)))
        written(folder, f"graph/{name}.nq.gz", gzip.compress(text.encode(), 1, mtime=0))
    with temporary_folder() as place:
        write_parquet(tables, place)
        for table in sorted(OF_A_CASE, key="cases".__eq__):
            written(folder, f"{table}/{name}.parquet", (place / f"{table}.parquet").read_bytes())
    folder.rm(f"input/{name}.json")
