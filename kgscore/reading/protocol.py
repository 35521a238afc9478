"""The protocol of a report reader: one method and an identity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from kgscore.model import Reading
from kgscore.reading.trace import Step


class Reader(Protocol):
    """Reads reports into findings."""

    @property
    def identity(self) -> Mapping[str, str]:
        """The identity of this reader: its name under `reader` and everything else that affects its output, such as the hash
        of a model under `reader_model`. It is part of every signature; readers with the same identity and code version give
        the same readings."""

    def read(self, report: str) -> Reading:
        """Return the findings of a report, in order, and the words that were not understood."""


@runtime_checkable
class Traced(Protocol):
    """A reader that can trace how it reads a report."""

    def trace(self, report: str) -> list[Step]:
        """Return how each sentence of a report was read."""


@runtime_checkable
class Contextual(Protocol):
    """A reader that can read a text in the context of another."""

    def read_within(self, statement: str, report: str) -> Reading:
        """Return the reading of a statement about a report; its words are interpreted in the context of the report."""


@runtime_checkable
class Preparing(Protocol):
    """A reader that is faster if reports are prepared in a batch."""

    def prepare(self, reports: Iterable[str]) -> None:
        """Prepare for the reports to be read next."""
