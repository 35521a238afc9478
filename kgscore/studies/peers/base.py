"""What a peer is: a score that others publish, run beside kgscore's own on the same pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from kgscore.metrics.base import NoOptions

Pairs = Sequence[tuple[str, str]]


class Peer(Protocol):
    """A peer made ready. Its library is loaded when it is built, its models as well."""

    def score(self, pairs: Pairs) -> Sequence[float | None]:
        """Return the score of each (reference, candidate), None where there is none. Neither text is blank. Some scores depend
        on the whole set (CIDEr weighs words by how many references hold them): give it in one call."""
        ...


class Each:
    """A peer that scores (reference, candidate) one at a time."""

    def __init__(self, score: Callable[[str, str], float | None]) -> None:
        self._score = score

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the score of each pair."""
        return [self._score(reference, candidate) for reference, candidate in pairs]


@dataclass(frozen=True, slots=True)
class PeerInfo:
    """A peer with its range, direction, source, and what it needs.

    `modules` are the importable names of `packages` (the names in the package index); `extra` is kgscore's extra that brings
    them, "" where the user installs them. `beside` are programs, and modules of default models, that it cannot do without unless
    its options say otherwise: it asks for them itself. `high` or `low` is None where the score has no bound. `weights` says what
    further files the peer loads, "" for none: such a peer is run when it is named and is not in `all`. `options` is the frozen
    dataclass of what the user may set, with defaults. `settings` says how the library is called.
    """

    name: str
    build: Callable[[Any], Peer]
    low: float | None
    high: float | None
    higher_is_better: bool
    source: str
    summary: str
    settings: str = ""
    modules: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    extra: str = ""
    beside: tuple[str, ...] = ()
    weights: str = ""
    options: type[Any] = NoOptions
