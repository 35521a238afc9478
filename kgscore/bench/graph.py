"""The graph of a run at several sizes: writing, size on disk, and every shipped query, beside rdflib's store in memory.

FILE: pairs. A few hundred pairs (each reference with candidates of the file) are scored, and their results are written again
and again under fresh ids by the writer that `kgscore score --out` uses.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kgscore.batch import BATCH, Settings, score_records
from kgscore.bench._text import crossed
from kgscore.errors import QueryError
from kgscore.graph.catalogue import Query, bind, shipped
from kgscore.graph.corpus import corpora
from kgscore.graph.dataset import in_memory
from kgscore.graph.queries import query
from kgscore.graph.store import RunGraph, export
from kgscore.model import PairResult
from kgscore.results.database import RunKey

PAIRS = 300
SECONDS = 600.0
COMPARED = (
    "contradictions-by-region", "coverage-gaps", "descriptor-errors", "hallucinated-devices", "kinds-in-region",
    "laterality-flips", "missed-findings", "recall-by-finding",
)  # fmt: skip
RDFLIB_SECONDS = 30
_GIVEN = {"kind": "hemorrhage", "case": "0", "first": "1"}


def run(
    path: str | Path, *, profile: str = "default", sizes: Sequence[int] = (1_000, 10_000, 100_000), rdflib_up_to: int = 1_000
) -> Iterator[dict[str, Any]]:
    """Yield one line of figures a size: seconds to write, quads, megabytes, the seconds that each query takes (null: not within
    600 s), in a process of its own, its start included, and those for the corpora of the run. Up to `rdflib_up_to` pairs, the
    same of rdflib's own store for the queries in COMPARED, each with a limit of 30 s."""
    results = _results(str(path), profile)
    for size in sizes:
        with TemporaryDirectory() as folder:
            figures = _written(Path(folder), results, size)
            figures["queries (s)"] = {q.name: _seconds(Path(folder), q) for q in shipped()}
            begin = time.perf_counter()
            corpora(Path(folder), 1, "candidates")
            figures["corpora (s)"] = round(time.perf_counter() - begin, 2)
            if size <= rdflib_up_to:
                figures["rdflib"] = _rdflib(Path(folder))
            yield figures


def _results(path: str, profile: str) -> list[PairResult]:
    settings = Settings(profile, ("radsem", "fineradscore"))
    return [case.result for case in score_records(islice(crossed(path), PAIRS), settings) if case.result.status == "scored"]


def _written(folder: Path, results: Sequence[PairResult], size: int) -> dict[str, Any]:
    with RunGraph(folder):
        pass  # the schema is there before the clock starts
    begin, busy = time.perf_counter(), time.process_time()
    with RunGraph(folder) as graph:
        graph.begin(1, RunKey("pairs", "0", "default", ("radsem", "fineradscore"), {}))
        for start in range(0, size, BATCH):
            numbers = range(start, min(size, start + BATCH))
            graph.add(1, [(str(n), results[n % len(results)]) for n in numbers], {str(n): ("CT", "CR")[n % 2] for n in numbers})
        graph.finish(1, {"scored": size})
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    count = query(folder, "SELECT (COUNT(*) AS ?n) { GRAPH ?g { ?s ?p ?o } }", limit=1, seconds=SECONDS)
    megabytes = sum(file.stat().st_size for file in (folder / "graph").iterdir()) / 1e6
    return {
        "pairs": size, "scored": len(results), "write (s)": round(seconds, 1), "write, CPU (s)": round(busy, 1),
        "quads": count.rows[0][0], "MB": round(megabytes),
    }  # fmt: skip


def _text(folder: Path, wanted: Query) -> str:
    return bind(wanted, {p.name: _GIVEN[p.name] for p in wanted.parameters if p.default is None}, folder)


def _seconds(folder: Path, wanted: Query) -> float | None:
    begin = time.perf_counter()
    try:
        query(folder, _text(folder, wanted), limit=100, seconds=SECONDS)
    except QueryError:
        return None
    return round(time.perf_counter() - begin, 2)


def _rdflib(folder: Path) -> dict[str, Any]:
    """Return what rdflib's own store takes: to load the N-Quads, and for some queries."""
    file = folder / "graph.nq"
    with file.open("wb") as stream:
        export(folder, stream, "nquads")
    begin = time.perf_counter()
    dataset = in_memory(file)
    figures: dict[str, Any] = {"load (s)": round(time.perf_counter() - begin, 1), "queries (s)": {}}
    previous = signal.signal(signal.SIGALRM, _late)
    for wanted in shipped():
        if wanted.name not in COMPARED:
            continue
        text, begin = _text(folder, wanted), time.perf_counter()
        signal.alarm(RDFLIB_SECONDS)
        try:
            list(islice(dataset.query(text), 100))
            figures["queries (s)"][wanted.name] = round(time.perf_counter() - begin, 2)
        except _Late:
            figures["queries (s)"][wanted.name] = None
        finally:
            signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)
    return figures


class _Late(Exception):
    """A query took longer than its limit."""


def _late(*_: object) -> None:
    raise _Late
