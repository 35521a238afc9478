"""SSREE on reports translated into English: the same figures as `ssree`."""

from __future__ import annotations

from kgscore.bench.ssree import run

__all__ = ["run"]
