"""Settings of the explorer: what it serves, access, and limits."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a request: bytes of a body and the seconds to receive it, characters of a report, seconds of scoring
    and of a query, rows of an answer, bytes of memory of a query and of its answer, concurrent queries, and concurrent
    requests. One pair is scored at a time. Others wait, at most `waiting` seconds."""

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
    """The run folders to show, the address to listen on, the token required of requests ("": none), further host
    names to accept, and the limits."""

    folders: tuple[Path, ...]
    host: str = "127.0.0.1"
    port: int = 8642
    token: str = ""
    names: tuple[str, ...] = ()
    limits: Limits = Limits()

    @property
    def known_hosts(self) -> frozenset[str]:
        """The host names accepted; others are rejected, which prevents DNS rebinding."""
        return frozenset({*LOOPBACK, *self.names, *(() if self.host in ("0.0.0.0", "::") else (self.host,))})
