"""What the explorer serves, to whom, and within which limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a request may ask: bytes of a body and the seconds in which it must come, characters of a report, seconds of scoring
    and of a query, rows of an answer, bytes of memory of a query and of its answer, how many queries run at a time, and how many
    requests. One pair is scored at a time. Others wait, `waiting` seconds at most."""

    body: int = 400_000
    body_seconds: float = 10.0
    requests: int = 500
    characters: int = 50_000
    score_seconds: float = 20.0
    query_seconds: float = 20.0
    rows: int = 1_000
    memory: int = 1_500_000_000
    answer: int = 20_000_000
    query_characters: int = 20_000
    at_once: int = 2
    waiting: float = 10.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The run folders to show, where to listen, the token that a request must bring ("": none is asked for), further names
    that a browser may call the server by, and the limits."""

    folders: tuple[Path, ...]
    host: str = "127.0.0.1"
    port: int = 8642
    token: str = ""
    names: tuple[str, ...] = ()
    limits: Limits = Limits()

    @property
    def known_hosts(self) -> frozenset[str]:
        """The names under which a request may come; others are refused, so that no other site can point at this server."""
        return frozenset({*LOOPBACK, *self.names, *(() if self.host in ("0.0.0.0", "::") else (self.host,))})
