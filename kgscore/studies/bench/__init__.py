"""The benchmark programs of `kgscore bench`: each is a module with `run` (what it takes and gives) and, where it prints tables,
`grids` or `table`."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

# What is asked of a program under another name: the same form and figures, another set.
_SAME = {"probes": "nli", "ssree_translated": "ssree"}
PROGRAMS = (
    "all", "bioscope", "consistency", "corrections", "correlation", "floors", "gaming", "headct_one", "iu", "judge", "labels",
    "nli", "pairs", "polarity", "probes", "readings", "speed", "ssree", "ssree_translated", "start", "synthetic", "triplets",
    "variants",
)  # fmt: skip


def program(name: str) -> ModuleType:
    """Return the program of a name, one of `PROGRAMS`."""
    return import_module(f"kgscore.studies.bench.{_SAME.get(name, name)}")
