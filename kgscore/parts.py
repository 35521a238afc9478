"""Parts of a run, ready to be written: the lines and the tables of some consecutive records. Whoever scores makes them, so that a
run folder is filled as fast as its file can be written, and holds the same whoever scored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kgscore.model import PairResult
from kgscore.records import BadRecord, Record
from kgscore.results.outcome import Case, Outcome

if TYPE_CHECKING:
    from kgscore.ontology.index import Index
    from kgscore.results.database import RunKey
    from kgscore.results.parts import Tables


@dataclass(frozen=True, slots=True)
class Part:
    """Consecutive cases: their lines, and the rows of each table of the run."""

    outcomes: tuple[Outcome, ...]
    tables: Tables


def part_of(run: int, first: int, records: Sequence[Record | BadRecord], results: Sequence[PairResult]) -> Part:
    """Return the part of a run that these results make; the first record is at position `first`."""
    from kgscore.results.parts import tables_of

    pairs = enumerate(zip(records, results, strict=True), first)
    cases = [Case(position, record, result) for position, (record, result) in pairs]
    return Part(tuple(case.outcome for case in cases), tables_of(run, cases))


def joined(parts: Sequence[Part]) -> Part:
    """Return several parts as one, in their order."""
    from kgscore.results.parts import one_after_another

    outcomes = tuple(outcome for part in parts for outcome in part.outcomes)
    return Part(outcomes, one_after_another([part.tables for part in parts]))


class RunWriter:
    """A run folder that is being filled, part by part in the order of the input. Use it in a `with` statement.

    `run` is its number, `done` how many records it holds already: an unfinished run of the same key goes on.
    """

    def __init__(self, out: Path, key: RunKey, index: Index) -> None:
        """Open the run folder, make it if it is not there, and begin or resume the run.

        Raises:
            RunError: the folder cannot be made, opened or written.
        """
        from kgscore.results.database import RunDatabase

        self._database = RunDatabase(out)
        try:
            self.run, self.done = self._database.start(key)
            self._database.describe(self.run, index)
        except BaseException:
            self._database.close()
            raise

    def __enter__(self) -> RunWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def outcomes(self) -> Iterator[Outcome]:
        """Yield the lines of what was there when the folder was opened."""
        yield from self._database.outcomes(self.run)

    def add(self, part: Part) -> None:
        """Write a part: all of it or nothing.

        Raises:
            RunError: the folder cannot be written.
        """
        self._database.load(part.tables)

    def finish(self) -> None:
        """Mark the run as finished.

        Raises:
            RunError: the folder cannot be written.
        """
        self._database.finish(self.run)
