"""Synthetic pairs for measuring size and speed, never quality: sentences drawn by a seed. FILE: where the pairs go (.jsonl)."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from kgscore.resources import resource
from kgscore.studies.bench._ask import Ask, benchmark

PAIRS = 5_000
_KEPT, _CHANGED, _DOUBLED = 0.62, 0.82, 0.90
_Said = list[tuple[str, str]]


@benchmark("sizes", sizes=(PAIRS,))
def run(ask: Ask) -> dict[str, Any]:
    """Write 5,000 pairs of about 75 words a report, the same on every machine, and return how many words they have. In a
    candidate, of the reference's sentences 62 % are kept, 20 % changed, 8 % kept beside a new one, and 10 % left out.

    `sizes` may say how many pairs, and how many sentences a reference has at most.
    """
    pairs, most = (*ask.options["sizes"], None)[:2]
    sentences: Mapping[str, Sequence[str]] = yaml.safe_load(resource("examples", "sentences.yaml").read_text(encoding="utf-8"))
    words = 0
    with ask.path.open("w", encoding="utf-8") as stream:
        for number in range(pairs or 0):
            pair = {"id": f"synthetic-{number:05}", **_pair(random.Random(number), sentences, most)}
            words += sum(len(pair[name].split()) for name in ("reference", "candidate"))
            stream.write(f"{json.dumps(pair)}\n")
    return {"pairs": pairs, "words a report": round(words / 2 / (pairs or 1), 1)}


def _pair(draw: random.Random, sentences: Mapping[str, Sequence[str]], most: int | None) -> dict[str, str]:
    reference = [(place, _one(draw, sentences[place])) for place in sentences for _ in range(draw.choice((1, 2, 2, 3)))]
    if most is not None and len(reference) > most:
        reference = [reference[at] for at in sorted(draw.sample(range(len(reference)), most))]
    candidate: _Said = []
    for place, sentence in reference:
        chance = draw.random()
        if chance < _KEPT or _CHANGED <= chance < _DOUBLED:
            candidate.append((place, sentence))
        if _KEPT <= chance < _DOUBLED:
            candidate.append((place, _one(draw, sentences[place])))
    return {"reference": _text(reference), "candidate": _text(candidate or reference[:1])}


def _one(draw: random.Random, choices: Sequence[str]) -> str:
    sentence = draw.choice(choices)
    values = {"s": draw.choice(("left", "right")), "m": draw.randint(3, 28), "c": draw.randint(2, 7), "v": draw.randint(5, 12)}
    return sentence.format(**values)


def _text(said: _Said) -> str:
    return "FINDINGS: " + " ".join(dict.fromkeys(sentence for _, sentence in said))
