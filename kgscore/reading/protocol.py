"""What a reader of reports is: one method and an identity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from kgscore.model import Reading
from kgscore.reading.trace import Step


class Reader(Protocol):
    """Reads reports into findings."""

    @property
    def identity(self) -> Mapping[str, str]:
        """Which reader this is: its name under `reader` and what else decides how it reads, such as the hash of a model under
        `reader_model`. It is part of every signature; readers of one identity and one version of the code read alike."""

    def read(self, report: str) -> Reading:
        """Return the findings of a report, in order, and the words that were not understood."""


@runtime_checkable
class Traced(Protocol):
    """A reader that can tell how it read."""

    def trace(self, report: str) -> list[Step]:
        """Return how each sentence of a report was read."""


@runtime_checkable
class Contextual(Protocol):
    """A reader that can read a text as one about another."""

    def read_within(self, statement: str, report: str) -> Reading:
        """Return what a statement about a report says: its words are meant as in that."""


@runtime_checkable
class Preparing(Protocol):
    """A reader that takes less time for many reports at once."""

    def prepare(self, reports: Iterable[str]) -> None:
        """Make ready for reports that will be read next."""
