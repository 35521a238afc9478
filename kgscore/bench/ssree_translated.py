"""SSREE on reports translated into English: the same figures as `ssree`."""

from __future__ import annotations

from kgscore.bench.ssree import grids, run

__all__ = ["grids", "run"]
