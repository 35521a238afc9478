"""How many completions a reward scores in a second, as a trainer asks it: batches of several completions for each reference.

FILE: pairs. Each batch holds 8 references with the candidates of 8 pairs as completions each.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from kgscore.integrations.reward import Reward
from kgscore.io.records import PAIR_FIELDS, Record, read_records

GENERATIONS = 8
SECONDS = 10.0


def run(path: str | Path, *, profile: str = "default", metrics: tuple[str, ...] = ("radsem",)) -> dict[str, Any]:
    """Return completions a second of each metric, in one process, over about ten seconds after the first batch."""
    records = [record.fields for record in read_records(str(path), PAIR_FIELDS) if isinstance(record, Record)]
    figures: dict[str, Any] = {"pairs": len(records), "completions a reference": GENERATIONS}
    for name in metrics:
        reward = Reward(name, profile)
        done, begin = 0, None
        for at in range(0, 10**9, GENERATIONS):
            batch = [
                (records[n % len(records)]["reference"], records[(n * 7 + k) % len(records)]["candidate"])
                for n in range(at, at + GENERATIONS) for k in range(GENERATIONS)
            ]  # fmt: skip
            # Full stops make every completion a new text, as a policy's are: only references are met again.
            reward(completions=[f"{words} {'.' * (at % 997)}" for _, words in batch], reference=[words for words, _ in batch])
            if begin is None:
                begin = time.perf_counter()
                continue
            done += len(batch)
            if time.perf_counter() - begin > SECONDS:
                break
        figures[name] = round(done / (time.perf_counter() - (begin or 0.0)), 1)
    return figures
