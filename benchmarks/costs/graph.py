"""The graph of a run at several sizes: making it, size on disk, and every shipped query, beside rdflib's store in memory.

FILE: pairs. A few hundred pairs (each reference with candidates of the file) are scored, and the tables of a run are filled with
their results again and again, under fresh ids.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from costs import crossed
from kgscore.errors import QueryError
from kgscore.graph.building import build
from kgscore.graph.catalogue import Query, bind, shipped_queries
from kgscore.graph.corpus import corpora
from kgscore.graph.queries import query
from kgscore.graph.store import export, open_for_reading
from kgscore.graph.vocabulary import PREFIXES
from kgscore.io.records import Record
from kgscore.results.database import RunDatabase
from kgscore.results.files import open_tables
from kgscore.results.layout import OF_A_CASE, RunKey, tables_of
from kgscore.results.outcome import Case
from kgscore.results.rows import Rows
from kgscore.runs.batch import Settings, score_records, scorer_for

if TYPE_CHECKING:
    from rdflib import Dataset

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
    """Yield one line of figures a size: seconds to make the graph, triples, megabytes, the seconds that each query takes (null:
    not within 600 s) and those for the corpora of the run; all as they pass and as a processor works. A query runs in a process
    of its own, its start (`ASK {}`) included. Up to `rdflib_up_to` pairs, the same of rdflib's own store for the queries in
    COMPARED, each with a limit of 30 s."""
    settings = Settings(profile, ("radsem", "fineradscore"))
    scored = score_records(islice(crossed(str(path)), PAIRS), settings)
    cases = [case for case in scored if case.result.status == "scored"]
    for size in sizes:
        with TemporaryDirectory() as place:
            folder = Path(place, "run")
            _fill(Path(place, "few"), folder, cases, size, settings)
            figures = {"pairs": size, "scored": len(cases)} | _made(folder)
            figures["start"] = _clocked(partial(query, folder, "ASK {}", limit=1, seconds=SECONDS))
            figures["queries"] = {q.name: _seconds(folder, q) for q in shipped_queries()}
            figures["corpora"] = _clocked(partial(corpora, folder, 1, "candidates"))
            if size <= rdflib_up_to:
                figures["rdflib"] = _rdflib(folder)
            yield figures


def _fill(few: Path, many: Path, cases: Sequence[Case], size: int, settings: Settings) -> None:
    """Write the tables of a run of `size` cases: those given, again and again."""
    scorer = scorer_for(settings)
    key = RunKey("pairs", "0", settings.profile, scorer.metrics, scorer.signature)
    fields = {"reference": "", "candidate": ""}
    with RunDatabase(few) as database:
        number, _ = database.start(key)
        records = (Record(str(n), str(n), fields, extra={"modality": ("CT", "CR")[n % 2]}) for n in range(len(cases)))
        kept = [Case(n, record, case.result) for n, (record, case) in enumerate(zip(records, cases, strict=True))]
        database.load(tables_of(number, kept))
    with RunDatabase(many) as database, open_tables(few) as source:
        number, _ = database.start(key)
        database.add_concepts(number, scorer.index)
        step = len(cases) * 50
        for start in range(0, size, step):
            moved = f"SELECT * REPLACE (position + {start} + k * {len(cases)} AS position,"
            moved += f" CAST(position + {start} + k * {len(cases)} AS VARCHAR) AS id) FROM {{}}, range(50) copies(k)"
            shown = f"SELECT * EXCLUDE (k) FROM ({moved}) WHERE position < {size}"
            database.load({name: Rows.of(source.cursor().sql(shown.format(name))) for name in OF_A_CASE})
        database.finish(number)


def _made(folder: Path) -> dict[str, Any]:
    build(folder.parent / "few")  # the schema is in the cache before the clock starts
    taken = _clocked(lambda: build(folder))
    megabytes = sum(file.stat().st_size for file in (folder / "graph").iterdir()) / 1e6
    return {"make": taken, "triples": len(open_for_reading(folder)), "MB": round(megabytes)}


def _clocked(work: Callable[[], object]) -> dict[str, float]:
    """Return the seconds that pass and those that processors work, in this process and those it starts and waits for."""
    begin, before = time.perf_counter(), os.times()
    work()
    seconds, after = time.perf_counter() - begin, os.times()
    return {"s": round(seconds, 2), "CPU s": round(sum(after[:4]) - sum(before[:4]), 2)}


def _text(folder: Path, wanted: Query) -> str:
    return bind(wanted, {p.name: _GIVEN[p.name] for p in wanted.parameters if p.default is None}, folder)


def _seconds(folder: Path, wanted: Query) -> dict[str, float] | None:
    text = _text(folder, wanted)
    try:
        return _clocked(lambda: query(folder, text, limit=100, seconds=SECONDS))
    except QueryError:
        return None


def _rdflib(folder: Path) -> dict[str, Any]:
    """Return what rdflib's own store takes: to load the N-Quads, and for some queries."""
    file = folder / "graph.nq"
    with file.open("wb") as stream:
        export(folder, stream, "nquads")
    held: list[Dataset] = []
    figures: dict[str, Any] = {"load": _clocked(lambda: held.append(_in_memory(file))), "queries": {}}
    previous = signal.signal(signal.SIGALRM, _late)
    for wanted in shipped_queries():
        if wanted.name not in COMPARED:
            continue
        text = _text(folder, wanted)
        signal.alarm(RDFLIB_SECONDS)
        try:
            figures["queries"][wanted.name] = _clocked(partial(_asked, held[0], text))
        except _Late:
            figures["queries"][wanted.name] = None
        finally:
            signal.alarm(0)
    signal.signal(signal.SIGALRM, previous)
    return figures


def _in_memory(file: Path) -> Dataset:
    from rdflib import Dataset

    dataset = Dataset(default_union=True)
    for prefix, iri in PREFIXES.items():
        dataset.bind(prefix, iri)
    dataset.parse(str(file), format="nquads")
    return dataset


def _asked(dataset: Dataset, text: str) -> None:
    list(islice(dataset.query(text), 100))


class _Late(Exception):
    """A query took longer than its limit."""


def _late(*_: object) -> None:
    raise _Late
