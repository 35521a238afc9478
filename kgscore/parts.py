"""Parts of a run, ready to be written: the lines, the tables and the quads of some consecutive records. Whoever scores makes
them, so that a run folder is filled as fast as its files can be written, and holds the same whoever scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from kgscore.model import PairResult
from kgscore.records import BadRecord, Record
from kgscore.results.outcome import Case, Outcome

if TYPE_CHECKING:
    from kgscore.graph.store import RunGraph
    from kgscore.ontology.index import Index
    from kgscore.results.database import RunKey
    from kgscore.results.parts import Tables


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive cases: their lines, the rows of each table of the run, and N-Quads as bytes or to be read (None in a run
    without a graph)."""

    outcomes: tuple[Outcome, ...]
    tables: Tables
    quads: bytes | IO[bytes] | None


def part_of(
    run: int, first: int, records: Sequence[Record | BadRecord], results: Sequence[PairResult], *, graph: bool
) -> Part:
    """Return the part of a run that these results make; the first record is at position `first`."""
    from kgscore.results.parts import tables_of

    pairs = enumerate(zip(records, results, strict=True), first)
    cases = [Case(position, record, result) for position, (record, result) in pairs]
    return Part(tuple(case.outcome for case in cases), tables_of(run, cases), _quads(run, cases) if graph else None)


def joined(parts: Sequence[Part]) -> Part:
    """Return several parts as one, in their order; their quads are bytes."""
    from kgscore.results.parts import one_after_another

    quads = [part.quads for part in parts if isinstance(part.quads, bytes)]
    return Part(
        tuple(outcome for part in parts for outcome in part.outcomes),
        one_after_another([part.tables for part in parts]),
        b"".join(quads) if quads else None,
    )


def _quads(run: int, cases: Sequence[Case]) -> bytes:
    from kgscore.graph.store import nquads

    # A record that could not be used is no case: its id may be that of another.
    usable = [(case.record, case.result) for case in cases if isinstance(case.record, Record)]
    return nquads(run, ((record.id, result) for record, result in usable), _modalities(record for record, _ in usable))


def _modalities(records: Iterable[Record]) -> Mapping[str, str]:
    """Return the modality of each record that says it in a text field `modality`."""
    found = {record.id: record.extra.get("modality") for record in records}
    return {id: modality for id, modality in found.items() if isinstance(modality, str)}


class RunWriter:
    """A run folder that is being filled, part by part in the order of the input. Use it in a `with` statement.

    `run` is its number, `done` how many records it holds already: an unfinished run of the same key goes on.
    """

    def __init__(self, out: Path, key: RunKey, index: Index, *, graph: bool) -> None:
        """Open the run folder, make it if it is not there, and begin or resume the run.

        Raises:
            RunError: the folder cannot be made, opened or written.
        """
        from kgscore.results.database import RunDatabase

        self._statuses: Counter[str] = Counter()
        with ExitStack() as stack:
            self._database = stack.enter_context(RunDatabase(out))
            self.run, self.done = self._database.start(key)
            self._database.describe(self.run, index)
            self._store: RunGraph | None = None
            if graph:
                from kgscore.graph.store import RunGraph

                self._store = stack.enter_context(RunGraph(out))
                self._store.begin(self.run, key)
            self._stack = stack.pop_all()

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the lines of what was there when the folder was opened."""
        for outcome in self._database.outcomes(self.run):
            self._statuses[outcome.status] += 1
            yield outcome

    def add(self, part: Part) -> None:
        """Write a part: the graph first. Writing that again after an interruption changes nothing; the database is what counts.

        Raises:
            RunError: the folder cannot be written.
        """
        if self._store is not None and part.quads is not None:
            self._store.load(part.quads)
        self._database.load(part.tables)
        self._statuses.update(outcome.status for outcome in part.outcomes)

    def finish(self) -> None:
        """Mark the run as finished.

        Raises:
            RunError: the folder cannot be written.
        """
        if self._store is not None:
            self._store.finish(self.run, self._statuses)
        self._database.finish(self.run)
