"""Sentences by construction: few are read otherwise than what was put into them, and the program counts what it draws."""

from __future__ import annotations

import random
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import kgscore

PROGRAMS = Path(__file__).parents[3] / "benchmarks"
# Of 400 each, seed 3, in November 2026: 15 of what is joined, 17 of what says several things.
MOST = {"joined": 24, "several": 24}


@pytest.fixture
def constructed(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(PROGRAMS))
    return import_module("constructed")


@pytest.mark.parametrize("kind", ["joined", "several"])
def test_few_are_read_otherwise(constructed: Any, kind: str) -> None:
    draw = random.Random(3)
    rows = list(constructed.joined(400, 3, draw) if kind == "joined" else constructed.several(400, draw))
    assert len({text for text, _, _ in rows}) > 350
    wrong = [text for text, canons, _ in rows if constructed.unlike(text, canons)]
    assert len(wrong) <= MOST[kind], wrong


def test_what_was_not_said_is_told_apart(constructed: Any) -> None:
    text = "There is a mass in the liver. The spleen is normal."
    assert not constructed.unlike(text, ["There is a mass in the liver.", "The spleen is normal."])
    lost, more = constructed.unlike(text, ["There is a cyst in the liver.", "The spleen is normal."])
    assert [one[0] for one in lost] == ["hepatic_cyst"]
    assert [one[0] for one in more] == [kgscore.read("There is a mass in the liver.").findings[0].concept]
