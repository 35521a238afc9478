"""The benchmark programs of tables and rewards run, and give figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kgscore.bench import rewards, tables


def test_tables(pairs: Callable[..., Path]) -> None:
    (figures,) = tables.run(pairs(6), sizes=(40,))
    assert figures["pairs"] == 40
    assert set(figures["views (s)"]) == set(tables.VIEWS)
    assert figures["compare (s)"] >= 0


def test_rewards(pairs: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewards, "SECONDS", 0.0)
    assert rewards.run(pairs(6))["radsem"] > 0
