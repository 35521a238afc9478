"""Scores do not depend on how a Python adds floats: left to right up to 3.11, with compensation from 3.12 on."""

from __future__ import annotations

import builtins
import json
import math
from collections.abc import Iterable
from typing import Any

import pytest

from kgscore import metrics
from kgscore.engine import Scorer
from kgscore.resources import resource


def left_to_right(items: Iterable[Any], /, start: Any = 0) -> Any:
    for one in items:
        start = start + one
    return start


def compensated(items: Iterable[Any], /, start: Any = 0) -> Any:
    listed = list(items)
    floats = any(type(one) is float for one in listed) and all(type(one) in (float, int) for one in listed)
    return math.fsum([start, *listed]) if floats else left_to_right(listed, start)


def test_every_score_and_share_is_the_same_however_floats_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [json.loads(line) for line in resource("examples", "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    texts = [row[name] for row in rows for name in ("reference", "candidate")]
    # Long reports, whose sums have many terms.
    pairs = [(" ".join(texts[at : at + 6]), " ".join(texts[at + 3 : at + 9])) for at in range(0, len(texts) - 9, 4)]
    whole = Scorer(metrics=tuple(metrics.names()))
    found = []
    for add in (left_to_right, compensated):
        monkeypatch.setattr(builtins, "sum", add)
        results = [whole.score(reference=one, candidate=other) for one, other in pairs]
        found.append([(one.scores, one.contributions) for one in results])
    assert found[0] == found[1]
