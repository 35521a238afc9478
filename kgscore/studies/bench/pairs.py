"""Statement pairs: are two statements matched, and labelled, as a person would?

File form: JSON lines with `a`, `b`, `relation` (equivalent, part_whole, contradiction, unrelated), and `anatomy`, `finding`,
`detail`, `modality`. Metrics and baselines score the statements as if they were reports: does the order of their scores tell
statements that agree from those that contradict each other, or have nothing to do with each other?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.model import Relation
from kgscore.results.correlation import correlate
from kgscore.results.resampling import draws, generator
from kgscore.results.statistics import Sampling
from kgscore.studies.bench._ask import CONTEST, Ask, benchmark, must
from kgscore.studies.bench._contest import Contest, Floats, Grid, Scores, interval, mean, rows_of

RELATIONS = ("equivalent", "part_whole", "contradiction", "unrelated")
AGREE = RELATIONS[:2]
OTHERS = RELATIONS[2:]
COLUMNS = tuple(f"agree above {other}" for other in OTHERS)


@benchmark(*CONTEST, "show")
def run(ask: Ask) -> dict[str, Any]:
    """Return macro-F1 of the relation with its interval by case, label accuracy, and the share of contradictions that were given
    credit; of each contender, how often statements that agree score above others (`separation`)."""
    rows = statements(ask)
    scorer = ask.scorer()
    found = [scorer.relate(row["a"], row["b"]) for row in rows]
    figures = {**_relations(rows, found, ask.sampling), "contenders": [], "signatures": {}}
    if ask.metrics or ask.baselines:
        contest = Contest(ask, ("radsem",))
        scores = contest.run((row["a"], row["b"]) for row in rows)
        figures |= contest.figures(lambda name: separation(scores, name, [row["relation"] for row in rows], ask.sampling))
    for row, one in zip(rows, found, strict=True) if ask.show else ():
        if one.relation != row["relation"]:
            print(row.get("id"), row.get("modality"), row["relation"], "<>", one.relation, "|", row["a"], "||", row["b"])
    return figures


def statements(ask: Ask) -> list[dict[str, Any]]:
    """Return the records of a file of statement pairs.

    Raises:
        InputError: a record lacks a field, or its relation is none of the four.
    """
    rows = ask.records("a", "b", "relation")
    must(ask.path, rows, "relation", RELATIONS)
    return rows


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the relations, and what contenders make of the same pairs."""
    own = Grid("Relation of two statements, by the ontology", ("macro-F1", *(f"F1 {k}" for k in RELATIONS)), {"kgscore": figures})
    rows = rows_of(figures)
    title = "Scores: share of (pair that agrees, pair that does not) in the right order"
    return [own, *([Grid(title, COLUMNS, rows)] if rows else [])]


def separation(scores: Scores, name: str, relations: Sequence[str], sampling: Sampling) -> dict[str, Any]:
    """Return how often a contender scores statements that agree above those of another relation (area under the ROC curve, a tie
    counts a half), with intervals by case, and its mean score of each relation."""
    gold = np.asarray(relations)
    values, ranks = scores.values[name], scores.ranks(name)
    figures: dict[str, Any] = {"cases": len(gold), "intervals": {}, "without a score": int(np.isnan(values).sum())}
    agree = np.isin(gold, AGREE)
    for column, other in zip(COLUMNS, OTHERS, strict=True):
        here = agree | (gold == other)
        right = agree[here].astype(np.float64)
        (area,) = correlate(ranks[here], right, metric=name, human=other, sampling=sampling, measures=("preference",))
        figures[column] = None if area.value is None else round(area.value, 3)
        if area.low is not None and area.high is not None:
            figures["intervals"][column] = [round(area.low, 3), round(area.high, 3)]
    figures["means"] = {relation: mean(values[gold == relation]) for relation in RELATIONS if (gold == relation).any()}
    return figures


def _relations(rows: Sequence[Mapping[str, Any]], found: Sequence[Relation], sampling: Sampling) -> dict[str, Any]:
    sides = [row["relation"] for row in rows], [one.relation for one in found]
    gold, got = (np.asarray([RELATIONS.index(relation) for relation in side]) for side in sides)
    by: dict[str, Counter[str]] = {}
    labels: Counter[str] = Counter()
    for row, one in zip(rows, found, strict=True):
        by.setdefault(row.get("modality", ""), Counter()).update({"right": one.relation == row["relation"], "cases": 1})
        if row["relation"] in AGREE and one.relation in AGREE:
            labels["cases"] += 1
            for name in ("anatomy", "finding", "detail"):
                labels[name] += getattr(one, name) == row.get(name)
    clash = gold == RELATIONS.index("contradiction")
    credited = int((clash & (got < len(AGREE))).sum())
    return {
        **_f1s(gold, got, sampling),
        "cases": len(rows),
        "credit to a contradiction": round(credited / max(1, int(clash.sum())), 3),
        "labels on credited pairs": {n: round(labels[n] / max(1, labels["cases"]), 3) for n in ("anatomy", "finding", "detail")},
        **{f"modality: {m}": {"accuracy": round(c["right"] / c["cases"], 3), "cases": c["cases"]} for m, c in sorted(by.items())},
    }


def _f1s(gold: NDArray[np.int_], got: NDArray[np.int_], how: Sampling) -> dict[str, Any]:
    """Return F1 of each relation and their mean, with percentile intervals from resampled cases."""
    names = ("macro-F1", *(f"F1 {relation}" for relation in RELATIONS))
    whole = _table(gold[None, :], got[None, :])[0]
    figures: dict[str, Any] = {name: round(float(value), 3) for name, value in zip(names, whole, strict=True)}
    if len(gold) > 1:
        blocks = [_table(gold[at], got[at]) for at in draws(len(gold), how.resamples, generator(how.seed, "relations"))]
        estimates = np.concatenate(blocks)
        ends = {name: interval(estimates[:, column], how.level) for column, name in enumerate(names)}
        figures["intervals"] = {name: both for name, both in ends.items() if both}
    return figures


def _table(gold: NDArray[np.int_], got: NDArray[np.int_]) -> Floats:
    """Return macro-F1 and the F1 of each relation for each row of cases; a relation that nobody has counts 0."""
    found = []
    for at in range(len(RELATIONS)):
        hit = ((gold == at) & (got == at)).sum(axis=1)
        said = (gold == at).sum(axis=1) + (got == at).sum(axis=1)
        found.append(np.where(said > 0, 2 * hit / np.maximum(said, 1), 0.0))
    return np.stack([np.mean(found, axis=0), *found], axis=1)
