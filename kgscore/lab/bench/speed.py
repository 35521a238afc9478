"""Throughput in pairs per second, time to the first score, and synthetic pairs to measure both."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from kgscore.engine import Scorer
from kgscore.errors import InputError, RunError
from kgscore.lab import LEVELS
from kgscore.lab.bench._ask import Ask, benchmark
from kgscore.reading.readers import reader_of
from kgscore.reading.tokens import normal_form
from kgscore.resources import yaml_of

_ROUNDS, _TIMES = 3, 5
_CANDIDATES = ("candidate", *LEVELS)
_SCORE = "import json, sys, kgscore; kgscore.score(**json.load(sys.stdin))"
_TELL = "import kgscore.cli, sys; sys.exit(kgscore.cli.main(['--version']))"
_PAIRS = 5_000
_KEPT, _CHANGED, _DOUBLED = 0.62, 0.82, 0.90
_Metrics = tuple[str, ...]


@benchmark("reader", "metrics", metrics=("radsem",))
def speed(ask: Ask) -> dict[str, Any]:
    """Return pairs/s and words per report on one core, in batches: with every sentence read anew,
    and as in use, with cached sentences. FILE: any set with `reference`, and `candidate` or `L1` to `L5`.

    With metrics other than radsem alone, both are timed in turn, the least of three rounds each (process time, so that
    other load matters little), with the remaining share of the speed of radsem alone.
    """
    start = time.perf_counter()
    own = Scorer(ask.profile, ask.metrics, reader=ask.reader).metrics
    ready = time.perf_counter() - start
    # By candidate, so that a reference is not read, and prepared for, together with the last pair that has it.
    rows = [*ask.records()]
    pairs = [(row["reference"], row[level]) for level in _CANDIDATES for row in rows if level in row]
    words = sum(len(a.split()) + len(b.split()) for a, b in pairs)
    alone: _Metrics = ("radsem",)
    wanted = tuple(dict.fromkeys((own, alone)))
    anew, remembering = (_best_times(wanted, ask, pairs, anew=anew) for anew in (True, False))
    figures: dict[str, Any] = {
        "pairs": len(pairs),
        "words a report": round(words / 2 / len(pairs), 1),
        "pairs/s": round(len(pairs) / anew[own], 1),
        "pairs/s at 100 words a report": round(words / 200 / anew[own], 1),
        "pairs/s at 100 words a report, sentences remembered": round(words / 200 / remembering[own], 1),
        "start (s, warm cache)": round(ready, 3),
    }
    if len(wanted) > 1:
        figures["share of radsem alone"] = round(anew[alone] / anew[own], 2)
        figures["share of radsem alone, sentences remembered"] = round(remembering[alone] / remembering[own], 2)
    return figures


def _best_times(wanted: Sequence[_Metrics], ask: Ask, pairs: Sequence[tuple[str, str]], *, anew: bool) -> dict[_Metrics, float]:
    """Return the least time that new scorers take for the pairs, by their metrics; several are timed in turn."""
    found: dict[_Metrics, list[float]] = {metrics: [] for metrics in wanted}
    for _ in range(_ROUNDS if len(wanted) > 1 else 1):
        for metrics in wanted:
            scorer = Scorer(ask.profile, metrics, reader=ask.reader)
            if anew:
                scorer.reader = reader_of(ask.reader, scorer.index, scorer.lexicon, remembered=0)
                scorer._read = scorer.reader.read  # else the caching reader would still be used
            found[metrics].append(_seconds(scorer, pairs))
    return {metrics: min(times) for metrics, times in found.items()}


def _seconds(scorer: Scorer, pairs: Sequence[tuple[str, str]]) -> float:
    """Return the time that a scorer without cached pairs takes for them, after a warm-up pair."""
    normal_form.cache_clear()
    scorer.score(reference=pairs[0][0], candidate=pairs[0][1])
    references, candidates = zip(*pairs, strict=True)
    start = time.process_time()
    for _ in scorer.score_many(references=references, candidates=candidates):
        pass
    return time.process_time() - start


@benchmark()
def start(ask: Ask) -> dict[str, Any]:
    """Return the median seconds of five new processes, including interpreter startup: until one pair is scored, with
    a cached index, and until `kgscore --version` has finished. FILE: any set with `reference`, and `candidate` or `L1`
    (its first record)."""
    row = ask.records("reference")[0]
    candidate = row.get("candidate") or row.get("L1")
    if not isinstance(candidate, str):
        raise InputError(f"{ask.path}: no text in 'candidate' or 'L1'; the benchmark needs one of them")
    pair = {"reference": row["reference"], "candidate": candidate, "profile": ask.profile}
    _process_seconds(_SCORE, pair)  # fills the cache
    return {
        "first score (s)": round(median(_process_seconds(_SCORE, pair) for _ in range(_TIMES)), 2),
        "kgscore --version (s)": round(median(_process_seconds(_TELL, {}) for _ in range(_TIMES)), 2),
    }


def _process_seconds(program: str, given: dict[str, str]) -> float:
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", program], input=json.dumps(given), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RunError(f"a new process ended with exit code {done.returncode}; run `kgscore --version` to see why")
    return time.perf_counter() - begin


@benchmark("sizes", sizes=(_PAIRS,))
def synthetic(ask: Ask) -> dict[str, Any]:
    """Write 5,000 pairs of about 75 words per report to FILE, the same on every machine, for measuring size and speed, never
    quality; return their number of words. In a candidate, 62 % of the reference's sentences are unchanged, 20 % changed, 8 %
    followed by a new one, and 10 % omitted.

    `sizes` may give the number of pairs, and the maximum number of sentences of a reference.
    """
    pairs, most = (*ask.sizes, None)[:2]
    sentences: Mapping[str, Sequence[str]] = yaml_of("examples", "sentences.yaml")
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
    candidate: list[tuple[str, str]] = []
    for place, sentence in reference:
        chance = draw.random()
        if chance < _KEPT or _CHANGED <= chance < _DOUBLED:
            candidate.append((place, sentence))
        if _KEPT <= chance < _DOUBLED:
            candidate.append((place, _one(draw, sentences[place])))
    said = {"reference": reference, "candidate": candidate or reference[:1]}
    return {name: f"FINDINGS: {' '.join(dict.fromkeys(sentence for _, sentence in own))}" for name, own in said.items()}


def _one(draw: random.Random, choices: Sequence[str]) -> str:
    sentence = draw.choice(choices)
    values = {"s": draw.choice(("left", "right")), "m": draw.randint(3, 28), "c": draw.randint(2, 7), "v": draw.randint(5, 12)}
    return sentence.format(**values)
