"""Statement pairs: are two statements matched, and labelled, as a person would?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from kgscore.bench._text import records
from kgscore.engine import Scorer

RELATIONS = ("equivalent", "part_whole", "contradiction", "unrelated")


def run(path: str | Path, *, profile: str = "default", show: bool = False) -> dict[str, Any]:
    """Return macro-F1 of the relation, label accuracy, and the share of contradictions that were given credit."""
    scorer = Scorer(profile)
    confusion: Counter[tuple[str, str]] = Counter()
    by: dict[str, Counter[str]] = {}
    labels: Counter[str] = Counter()
    for record in records(path):
        found = scorer.relate(record["a"], record["b"])
        confusion[record["relation"], found.relation] += 1
        by.setdefault(record["modality"], Counter()).update({"right": found.relation == record["relation"], "cases": 1})
        if record["relation"] in RELATIONS[:2] and found.relation in RELATIONS[:2]:
            labels["cases"] += 1
            for name in ("anatomy", "finding", "detail"):
                labels[name] += getattr(found, name) == record[name]
        if show and found.relation != record["relation"]:
            print(record["id"], record["modality"], record["relation"], "<>", found.relation, "|", record["a"], "||", record["b"])
    scores = {name: _f1(confusion, name) for name in RELATIONS}
    clashes = sum(n for (gold, _), n in confusion.items() if gold == "contradiction")
    credited = sum(n for (gold, got), n in confusion.items() if gold == "contradiction" and got in RELATIONS[:2])
    return {
        "macro-F1": round(sum(scores.values()) / 4, 3),
        **{f"F1 {k}": round(v, 3) for k, v in scores.items()},
        "credit to a contradiction": round(credited / max(1, clashes), 3),
        "labels on credited pairs": {n: round(labels[n] / max(1, labels["cases"]), 3) for n in ("anatomy", "finding", "detail")},
        **{f"modality: {m}": {"accuracy": round(c["right"] / c["cases"], 3), "cases": c["cases"]} for m, c in sorted(by.items())},
    }


def _f1(confusion: Counter[tuple[str, str]], name: str) -> float:
    hit = confusion[name, name]
    gold = sum(n for (g, _), n in confusion.items() if g == name)
    got = sum(n for (_, g), n in confusion.items() if g == name)
    return 2 * hit / (gold + got) if gold + got else 0.0
