"""A run that is killed loses nothing, leaves no process behind, and goes on; `python benchmarks/kills.py` tries 200 instants."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import pytest


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_a_killed_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "benchmarks"))
    kills = import_module("kills")
    source = kills.pairs(24, tmp_path / "pairs.jsonl")
    for found in kills.instants(source, tmp_path, number=1, seed=4, warm=0):
        good = {"orphans": 0, "went on": True, "lost": False, "scored again": False, "graph remade": False}
        assert good.items() <= found.items()
