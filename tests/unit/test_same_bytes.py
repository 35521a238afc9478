"""Scores do not depend on what the process scored before, nor on how a Python adds floats: left to right up to 3.11, with
compensation from 3.12 on."""

from __future__ import annotations

import builtins
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from kgscore import metrics
from kgscore.engine import Scorer
from kgscore.knowledge import _read_file
from kgscore.resources import resource


def left_to_right(items: Iterable[Any], /, start: Any = 0) -> Any:
    for one in items:
        start = start + one
    return start


def compensated(items: Iterable[Any], /, start: Any = 0) -> Any:
    listed = list(items)
    floats = any(type(one) is float for one in listed) and all(type(one) in (float, int) for one in listed)
    return math.fsum([start, *listed]) if floats else left_to_right(listed, start)


def long_pairs() -> list[tuple[str, str]]:
    """Return pairs of long reports, whose sums have many terms and whose findings come again in other pairs."""
    files = [resource("examples", name).read_text(encoding="utf-8") for name in ("pairs.jsonl", "head_ct.jsonl")]
    rows = [json.loads(line) for file in files for line in file.splitlines()]
    texts = [text for row in rows for text in row.values() if isinstance(text, str) and len(text) > 20]
    return [(" ".join(texts[at : at + 4]), " ".join(texts[at + 2 : at + 6])) for at in range(0, len(texts) - 6, 12)]


def scored(pairs: Sequence[tuple[str, str]]) -> list[Any]:
    """Return everything behind the scores, by a scorer that has seen nothing yet."""
    _read_file.cache_clear()
    whole = Scorer(metrics=tuple(metrics.names()))
    results = [whole.score(reference=one, candidate=other) for one, other in pairs]
    return [(one.scores, one.contributions) for one in results]


def test_scores_depend_neither_on_what_was_scored_before_nor_on_how_floats_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    # Two denials of one concept, of which one was said as an enlargement.
    heart, denied = "The heart is normal in size.", ("No hilar lymphadenopathy.", "No enlarged mediastinal or hilar lymph nodes.")
    pairs = [(heart, denied[0]), *long_pairs(), (heart, denied[1])]
    monkeypatch.setattr(builtins, "sum", left_to_right)
    forwards = scored(pairs)
    monkeypatch.setattr(builtins, "sum", compensated)
    backwards = scored(pairs[::-1])
    assert forwards == backwards[::-1]
