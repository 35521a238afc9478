"""What is read wrong is counted against a floor, and named; no list must match."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[2]
FILE = TESTS / "readings" / "wrong.txt"


def counted(right: Iterable[str], wrong: Iterable[str]) -> tuple[str, bool]:
    """Give what the count of the whole session says of these texts."""
    spec = importlib.util.spec_from_file_location("shared", TESTS / "conftest.py")
    assert spec
    assert spec.loader
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    count = module.GoldCount()
    gold = ("gold", ("readings", list(right), list(wrong)))
    count.pytest_runtest_logreport(pytest.TestReport("a", ("a", 0, "a"), {}, "passed", None, "call", user_properties=[gold]))
    ((words, fell),) = count.compared()
    return words, fell


def test_fewer_right_than_the_margin_allows_fails_and_other_changes_are_named() -> None:
    margin, *listed = FILE.read_text(encoding="utf-8").splitlines()
    allowed = int(margin.split()[1])
    new = [f"new{number}" for number in range(allowed + 1)]
    assert counted(["other"], listed)[1] is False
    assert counted(["other"], [*listed, *new]) == (
        "\n".join(
            [
                f"tests/readings: 1 of {len(listed) + len(new) + 1} right (floor 2); "
                f"{len(new)} changed, 0 better, {len(new)} worse against gold",
                *(f"  worse: {name}" for name in new),
            ]
        ),
        True,
    )
    words, fell = counted(listed[:1], [*listed[1:], *new])
    assert (fell, f"  better: {listed[0]}" in words) == (False, True)
