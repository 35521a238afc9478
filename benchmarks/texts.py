"""Pairs of reports of a given length, drawn by a seed from the project's own sentences (tests/readings): only to measure cost."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_READINGS = Path(__file__).parent.parent / "tests" / "readings"
_KEPT, _CHANGED = 0.62, 0.90


def pairs(words: int, count: int, seed: int = 0) -> list[tuple[str, str]]:
    """Return pairs of about so many words a report. In a candidate, 62 % of the reference's statements are kept, 28 % are others,
    and 10 % are left out. No statement stands in a report twice."""
    return [_pair(random.Random(f"{seed} {words} {number}"), words) for number in range(count)]


def _pair(draw: random.Random, words: int) -> tuple[str, str]:
    pool = iter(_shuffled(draw))
    reference: list[str] = []
    while sum(len(text.split()) for text in reference) < words:
        reference.append(next(pool))
    candidate = []
    for text in reference:
        chance = draw.random()
        if chance < _CHANGED:
            candidate.append(text if chance < _KEPT else next(pool))
    return " ".join(reference), " ".join(candidate or reference[:1])


def _shuffled(draw: random.Random) -> Iterator[str]:
    order = list(_statements())
    draw.shuffle(order)
    return iter(order)


@cache
def _statements() -> tuple[str, ...]:
    found = []
    for path in sorted(_READINGS.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            for text in [record["text"]] if "text" in record else record["texts"]:
                said = " ".join(text.split())
                found.append(said if said.endswith(".") else f"{said}.")
    return tuple(dict.fromkeys(found))
