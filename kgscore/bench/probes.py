"""Probes: single constructs that are hard to read, as statements about short reports. The same form and figures as `nli`."""

from __future__ import annotations

from kgscore.bench.nli import grids, run

__all__ = ["grids", "run"]
