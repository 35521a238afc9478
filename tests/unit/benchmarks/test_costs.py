"""The programs that measure what tables and rewards cost run, and give figures."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    return lambda name: import_module(f"costs.{name}")


def test_tables(program: Callable[[str], Any], pairs: Callable[..., Path]) -> None:
    tables = program("tables")
    (figures,) = tables.run(pairs(6), sizes=(40,))
    assert figures["pairs"] == 40
    assert set(figures["views (s)"]) == set(tables.VIEWS)
    assert figures["compare (s)"] >= 0


def test_rewards(program: Callable[[str], Any], pairs: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    rewards = program("rewards")
    monkeypatch.setattr(rewards, "SECONDS", 0.0)
    assert rewards.run(pairs(6))["radsem"] > 0
