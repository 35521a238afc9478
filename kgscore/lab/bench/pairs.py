"""Pairs of statements, and texts compared with their opposites."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.lab.bench._ask import CONTEST, Ask, Figures, benchmark
from kgscore.lab.bench._contest import (
    BASELINES,
    Contest,
    Floats,
    Grid,
    Scores,
    coefficients,
    mean,
    means,
    nan_mean,
    rounded_intervals,
    share,
    shares,
    tables,
)
from kgscore.lab.bench.texts import VERSIONS
from kgscore.lab.correlation import correlate
from kgscore.lab.published.base import intervals
from kgscore.model import Relation
from kgscore.results.statistics import Sampling

RELATIONS = ("equivalent", "part_whole", "contradiction", "unrelated")
AGREE, OTHERS = RELATIONS[:2], RELATIONS[2:]
COLUMNS = tuple(f"agree above {other}" for other in OTHERS)
_AXES = ("anatomy", "finding", "detail")
_RIGHT, _DROP = "right order", "drop"
_TRIPLET = ("original", *VERSIONS)


def _grids(figures: Figures) -> list[Grid]:
    own = {"kgscore": figures}
    grid = Grid("Relation of two statements, by the ontology", ("macro-F1", *(f"F1 {k}" for k in RELATIONS)), own)
    title = "Scores: share of (agreeing pair, other pair) in the right order"
    return [grid, *tables((title, COLUMNS))(figures)]


@benchmark(*CONTEST, "show", grids=_grids)
def pairs(ask: Ask) -> dict[str, Any]:
    """Return macro-F1 of the relation with its interval by case, label accuracy, and the share of contradictions given
    credit; for each contender, which scores the statements like reports, how often agreeing statements score above
    others (`separation`).

    File form: `a`, `b`, `relation` (equivalent, part_whole, contradiction, unrelated), `anatomy`, `finding`, `detail`,
    `modality`.
    """
    rows = ask.records("a", "b", "relation", relation=RELATIONS)
    scorer = ask.scorer()
    found = [scorer.relate(row["a"], row["b"]) for row in rows]
    figures = {**_relations(rows, found, ask.sampling), "contenders": [], "signatures": {}}
    if ask.metrics or ask.baselines:
        contest = Contest(ask, ("radsem",))
        scores = contest.run((row["a"], row["b"]) for row in rows)
        figures |= contest.figures(scores, lambda one: separation(one, [row["relation"] for row in rows], ask.sampling))
    for row, one in zip(rows, found, strict=True) if ask.show else ():
        if one.relation != row["relation"]:
            print(row.get("id"), row.get("modality"), row["relation"], "<>", one.relation, "|", row["a"], "||", row["b"])
    return figures


def separation(scores: Scores, relations: Sequence[str], sampling: Sampling) -> dict[str, Any]:
    """Return how often a contender scores agreeing statements above those of another relation (area under the ROC curve, a tie
    counts a half), with intervals by case, and its mean score of each relation."""
    gold = np.asarray(relations)
    values, ranks = scores.values, scores.ranks
    figures: dict[str, Any] = {"cases": len(gold), "intervals": {}, "without a score": int(np.isnan(values).sum())}
    agree = np.isin(gold, AGREE)
    for column, other in zip(COLUMNS, OTHERS, strict=True):
        here = agree | (gold == other)
        right = agree[here].astype(np.float64)
        rows = correlate(ranks[here], right, metric=scores.name, human=other, sampling=sampling, measures=("preference",))
        area = coefficients(rows)
        figures[column] = area["preference"]
        if area["intervals"]:
            figures["intervals"][column] = area["intervals"]["preference"]
    figures["means"] = {relation: mean(values[gold == relation]) for relation in RELATIONS if (gold == relation).any()}
    return figures


def _relations(rows: Sequence[Mapping[str, Any]], found: Sequence[Relation], sampling: Sampling) -> dict[str, Any]:
    gold, got = np.asarray([[RELATIONS.index(said) for said in (row["relation"], one.relation)]
                            for row, one in zip(rows, found, strict=True)]).T  # fmt: skip
    by: defaultdict[str, Counter[str]] = defaultdict(Counter)
    labels: Counter[str] = Counter()
    for row, one in zip(rows, found, strict=True):
        by[row.get("modality", "")].update({"right": one.relation == row["relation"], "cases": 1})
        if row["relation"] in AGREE and one.relation in AGREE:
            labels.update({"cases": 1, **{name: getattr(one, name) == row.get(name) for name in _AXES}})
    clash = gold == RELATIONS.index("contradiction")
    return {
        **_f1s(gold, got, sampling),
        "cases": len(rows),
        "credit to a contradiction": share((clash & (got < len(AGREE))).sum(), clash.sum(), 0.0),
        "labels on credited pairs": {name: share(labels[name], labels["cases"], 0.0) for name in _AXES},
        **{f"modality: {m}": {"accuracy": share(c["right"], c["cases"]), "cases": c["cases"]} for m, c in sorted(by.items())},
    }


def _f1s(gold: NDArray[np.int_], got: NDArray[np.int_], how: Sampling) -> dict[str, Any]:
    """Return F1 of each relation and their mean, with percentile intervals from resampled cases."""
    names = ("macro-F1", *(f"F1 {relation}" for relation in RELATIONS))
    whole = _table(gold[None, :], got[None, :])[0]
    figures: dict[str, Any] = {name: round(float(value), 3) for name, value in zip(names, whole, strict=True)}
    if len(gold) > 1:
        ends = intervals(names, len(gold), lambda rows: _table(gold[rows], got[rows]), how, "relations")
        figures["intervals"] = rounded_intervals(ends)
    return figures


def _table(gold: NDArray[np.int_], got: NDArray[np.int_]) -> Floats:
    """Return macro-F1 and the F1 of each relation for each row of cases; a relation that never occurs counts 0."""
    due, said = (np.stack([side == at for at in range(len(RELATIONS))], axis=1) for side in (gold, got))
    every = due.sum(axis=2) + said.sum(axis=2)
    found = 2 * (due & said).sum(axis=2) / np.maximum(every, 1)
    return np.concatenate([found.mean(axis=1, keepdims=True), found], axis=1)


@benchmark(
    *CONTEST, metrics=("radsem",), baselines=BASELINES,
    grids=tables(("Polarity: does an agreeing text score above its opposite?", (_RIGHT, _DROP))),
)  # fmt: skip
def polarity(ask: Ask) -> dict[str, Any]:
    """Return for each contender: `right order`, the share of comparisons where an agreeing text beats a reversed one, a tie
    counting a half (0.5 is chance), and `drop`, the mean score of agreeing texts minus that of reversed ones, as a share of a
    text's score against itself. Intervals are by case.

    File form: that of `triplets`, where a rewording is compared with the reversal of the same text; or that of `pairs`, where
    every agreeing pair is compared with every contradiction. Whether the *reader* handles polarity is measured by
    `kgscore bench bioscope`.
    """
    triplets = _TRIPLET[0] in ask.records()[0]
    return {"form": "triplets" if triplets else "pairs", **(_of_triplets(ask) if triplets else _of_pairs(ask))}


def _of_triplets(ask: Ask) -> dict[str, Any]:
    contest = Contest(ask)
    found = contest.against(ask.records(*_TRIPLET), _TRIPLET[0], _TRIPLET)

    def contender_figures(one: Scores) -> dict[str, Any]:
        _, mine, reverse = one.ranks.T
        same, synonym, antonym = one.signed_values.T
        drop = (synonym - antonym) / _self_score_range(one, same)
        texts = dict(zip(("same text", "synonym", "antonym"), one.values.T, strict=True))
        return {
            **shares({_RIGHT: (mine > reverse) + 0.5 * (mine == reverse), _DROP: drop}, ask.sampling, label="polarity"),
            "means": means(texts, ask.sampling),
            "without a score": int((np.isnan(synonym) | np.isnan(antonym)).sum()),
        }

    return contest.figures(found, contender_figures)


def _self_score_range(scores: Scores, same: Floats) -> float:
    """Return how far a text's score against itself lies above the worst score; 1 if unbounded (a drop in the score's units)."""
    if scores.worst is None:
        return 1.0
    whole = nan_mean(same) - scores.sign * scores.worst
    return whole if whole > 0 else 1.0


def _of_pairs(ask: Ask) -> dict[str, Any]:
    contest = Contest(ask)
    rows = [row for row in ask.records("a", "b", "relation", relation=RELATIONS) if row["relation"] != "unrelated"]
    agree = np.asarray([row["relation"] in AGREE for row in rows])
    found = contest.against(rows, "a", ("a", "b"))

    def contender_figures(one: Scores) -> dict[str, Any]:
        same, across = one.signed_values.T
        parted = separation(replace(one, values=one.values[:, 1]), [row["relation"] for row in rows], ask.sampling)
        drop = (nan_mean(across[agree]) - nan_mean(across[~agree])) / _self_score_range(one, same)
        ends = parted["intervals"].get(COLUMNS[0])
        return {
            "cases": len(rows),
            _RIGHT: parted[COLUMNS[0]],
            _DROP: round(drop, 3) if np.isfinite(drop) else None,
            "intervals": {_RIGHT: ends} if ends else {},
            **{same: parted[same] for same in ("means", "without a score")},
        }

    return contest.figures(found, contender_figures)
