"""What scoring costs, by stage and by length of report, and what others cost beside it on the same machine and the same texts.

    python benchmarks/stages.py                        # stages and peers, a Markdown table each
    python benchmarks/stages.py --words 50,100 --json figures.json --plot growth.svg
    python benchmarks/stages.py --encoders             # and encoders of RaTEScore's size, random weights (torch, transformers)

Times are of the process (others at work count little), one core, the least of some rounds. Every report is new: what is
remembered of sentences is switched off. Of writing and of the graph, what they cost for no pair at all is taken off.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any

from texts import pairs

from kgscore.engine import Scorer
from kgscore.graph.building import build
from kgscore.io.records import Record
from kgscore.lab import peers
from kgscore.matching.alignment import match
from kgscore.metrics.base import Matched
from kgscore.model import PairResult
from kgscore.reading.readers import DEFAULT, reader_of
from kgscore.reading.tokens import normal_form, tokenize
from kgscore.results.database import RunDatabase
from kgscore.results.layout import RunKey, tables_of
from kgscore.results.outcome import Case

LENGTHS = (25, 50, 100, 250, 500, 1000, 2000)
STAGES = ("tokenise", "link", "read", "match", "score", "explain", "write", "whole", "graph")
PEERS = ("overlap", "bleu-4", "rouge-l", "chrf")
ENTITY_WORDS, ENTITY_TOKENS, TOKENS_A_WORD = 3, 4, 1.4

Texts = Sequence[tuple[str, str]]


def main() -> None:
    """Measure and print."""
    given = _arguments()
    lengths = tuple(int(one) for one in given.words.split(","))
    figures: dict[str, dict[int, float]] = {}
    for words in lengths:
        texts = pairs(words, max(given.least, given.total // words))
        said = sum(len(text.split()) for pair in texts for text in pair) / 2 / len(texts)
        print(f"{words} words: {len(texts)} pairs of {said:.0f}", flush=True)
        for name, seconds in {**stages(texts, given.rounds), **others(texts, given.rounds, given.encoders)}.items():
            figures.setdefault(name, {})[words] = 1000 * seconds / len(texts)
    show(figures, lengths)
    if given.json:
        Path(given.json).write_text(json.dumps(figures, indent=1), encoding="utf-8")
    if given.plot:
        plot(figures, given.plot)


def _arguments() -> argparse.Namespace:
    asked = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    asked.add_argument("--words", default=",".join(map(str, LENGTHS)), help="lengths of a report, in words")
    asked.add_argument("--total", type=int, default=4000, help="words of references for each length")
    asked.add_argument("--least", type=int, default=3, help="pairs for each length, at the least")
    asked.add_argument("--rounds", type=int, default=3, help="rounds; the least time counts")
    asked.add_argument("--encoders", action="store_true", help="time encoders of RaTEScore's size")
    asked.add_argument("--json", help="write milliseconds a pair to this file")
    asked.add_argument("--plot", help="draw the growth to this .svg or .png file")
    return asked.parse_args()


def stages(texts: Texts, rounds: int) -> dict[str, float]:
    """Return the seconds that each stage takes for all pairs."""
    scorer = Scorer()
    scorer.reader = reader_of(DEFAULT, scorer.index, scorer.lexicon, remembered=0)
    scorer._read = scorer.reader.read
    lexicon = scorer.lexicon
    both = [text for pair in texts for text in pair]
    tokens = [tokenize(text) for text in both]
    readings = [scorer.read(text) for text in both]
    sides = list(zip(readings[::2], readings[1::2], strict=True))
    matched = [
        Matched(left, right, found.links, found.contradictions)
        for left, right in sides
        for found in [match(scorer.relator, left.findings, right.findings, scorer.profile)]
    ]
    results = scored(scorer, texts)
    metric = scorer._metrics["radsem"]

    write(scorer, texts[:1], results[:1], explain=False)  # what is loaded once is loaded
    work: dict[str, Callable[[], object]] = {
        "tokenise": lambda: [tokenize(text) for text in both],
        "link": lambda: [lexicon.scan(one) for one in tokens],
        "read": lambda: [scorer.read(text) for text in both],
        "match": lambda: [match(scorer.relator, left.findings, right.findings, scorer.profile) for left, right in sides],
        "score": lambda: [metric.score(pair) for pair in matched],
        "explain": lambda: [
            scorer.contributions(one, reference=a, candidate=b) for one, (a, b) in zip(results, texts, strict=True)
        ],
        "write": lambda: write(scorer, texts, results, explain=False),
        "whole": lambda: write(scorer, texts, scored(scorer, texts), explain=True),
        "graph": lambda: write(scorer, texts, results, explain=False, graph=True),
    }
    found = {name: least(action, rounds) for name, action in work.items()}
    # Opening a run folder and writing the ontology's part of it costs the same for one pair and for a million.
    opening = least(lambda: write(scorer, (), (), explain=False), rounds)
    schema = least(lambda: write(scorer, (), (), explain=False, graph=True), rounds) - opening
    graph = found["graph"] - found["write"] - schema
    return found | {name: max(0.0, found[name] - opening) for name in ("write", "whole")} | {"graph": max(0.0, graph)}


def scored(scorer: Scorer, texts: Texts) -> list[PairResult]:
    """Return the results of all pairs."""
    return [scorer.score(reference=one, candidate=other, id=str(at)) for at, (one, other) in enumerate(texts)]


def write(
    scorer: Scorer, texts: Texts, results: Sequence[PairResult], *, explain: bool, graph: bool = False
) -> None:
    """Write results to a run folder as `kgscore score --out` does; with `explain`, what scores are made of; with `graph`, make
    the graph from it."""
    with tempfile.TemporaryDirectory() as scratch:
        tables(Path(scratch), scorer, texts, results, explain=explain)
        if graph:
            build(Path(scratch))


def tables(folder: Path, scorer: Scorer, texts: Texts, results: Sequence[PairResult], *, explain: bool) -> None:
    """Write results to the tables of a run folder."""
    with RunDatabase(folder) as database:
        key = RunKey("pairs", "0", "default", scorer.metrics, scorer.signature)
        run, _ = database.start(key)
        database.add_concepts(run, scorer.index)
        cases = []
        for at, ((reference, candidate), result) in enumerate(zip(texts, results, strict=True)):
            record = Record("pairs", str(at), {"reference": reference, "candidate": candidate})
            made_of = scorer.contributions(result, reference=reference, candidate=candidate) if explain else {}
            cases.append(Case(at, record, replace(result, contributions=made_of)))
        database.load(tables_of(run, cases))
        database.finish(run)


def others(texts: Texts, rounds: int, encoders: bool) -> dict[str, float]:
    """Return the seconds that others take for the same pairs: the tokeniser of spaCy, word metrics, encoders."""
    both = [text for pair in texts for text in pair]
    found: dict[str, float] = {}
    if find_spec("spacy"):
        import spacy

        blank = spacy.blank("en")
        found["spaCy tokeniser"] = least(lambda: [blank.make_doc(text) for text in both], rounds)
    here = [name for name in PEERS if name in peers.available()]
    for name, made in peers.build(here).items():
        found[name] = least(lambda name=name, made=made: peers.scores(name, made, texts), rounds)
    if encoders:
        found["encoders of RaTEScore's size"] = _encoders(texts)
    return found


def _encoders(texts: Texts) -> float:
    """Return the seconds that two encoders of the size of RaTEScore's (DeBERTa-v3 base over sentences, MPNet base over entities)
    take for some pairs, scaled to all; weights and tokens are random, an entity for every three words."""
    import torch
    from transformers import DebertaV2Config, DebertaV2Model, MPNetConfig, MPNetModel

    torch.set_num_threads(1)
    finder = DebertaV2Model(
        DebertaV2Config(vocab_size=128100, relative_attention=True, pos_att_type=["p2c", "c2p"], position_buckets=256)
    ).eval()
    namer = MPNetModel(MPNetConfig()).eval()
    some = list(islice(texts, max(1, 300 // len(texts[0][0].split()))))
    with torch.no_grad():
        begin = time.process_time()
        for text in (text for pair in some for text in pair):
            for sentence in filter(str.strip, text.split(". ")):
                tokens = min(512, 2 + math.ceil(TOKENS_A_WORD * len(sentence.split())))
                finder(torch.randint(1000, (1, tokens)))
            namer(torch.randint(3, 1000, (max(1, len(text.split()) // ENTITY_WORDS), ENTITY_TOKENS + 2)))
        return (time.process_time() - begin) * len(texts) / len(some)


def least(action: Callable[[], object], rounds: int) -> float:
    """Return the least processor time of some rounds."""
    found = []
    for _ in range(rounds):
        normal_form.cache_clear()
        begin = time.process_time()
        action()
        found.append(time.process_time() - begin)
    return min(found)


def growth(row: dict[int, float]) -> float:
    """Return the exponent of growth from 100 words (or the shortest) to the longest: 1 is linear, 2 quadratic."""
    lengths = sorted(row)
    first = next((length for length in lengths if length >= 100), lengths[0])
    if first == lengths[-1]:
        return math.nan
    return math.log(row[lengths[-1]] / row[first]) / math.log(lengths[-1] / first)


def show(figures: dict[str, dict[int, float]], lengths: Sequence[int]) -> None:
    """Print milliseconds a pair, and how they grow."""
    print("\n| milliseconds a pair | " + " | ".join(f"{words} words" for words in lengths) + " | exponent |")
    print("|---" * (len(lengths) + 2) + "|")
    for name, row in figures.items():
        cells = " | ".join(f"{row[words]:.2f}" if row[words] < 100 else f"{row[words]:.0f}" for words in lengths)
        print(f"| {name} | {cells} | {growth(row):.2f} |")
    at = 100 if 100 in lengths else lengths[0]
    whole = figures["whole"][at]
    print(f"\n{1000 / whole:.0f} pairs/s at {at} words, read anew, with proofs and results written.")
    for name in ("spaCy tokeniser", "overlap", "encoders of RaTEScore's size"):
        if name in figures:
            print(f"{name}: {figures[name][at] / whole:.3g} times the time of kgscore.")


def plot(figures: dict[str, dict[int, float]], output: str) -> None:
    """Draw milliseconds a pair against words a report, both on logarithmic scales."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5), layout="constrained")
    ax: Any = figure.subplots()
    for name, row in figures.items():
        lengths = sorted(row)
        style = "-" if name in STAGES else "--"
        ax.plot(lengths, [row[words] for words in lengths], style, marker="o", markersize=3, label=name)
    ax.set(xscale="log", yscale="log", xlabel="words a report", ylabel="milliseconds a pair")
    ax.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(output)


if __name__ == "__main__":
    main()
