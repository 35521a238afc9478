"""Reports compared with changed copies: whether a score falls with the meaning, and not with the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.engine import Scorer
from kgscore.lab import LEVELS
from kgscore.lab.bench._ask import CONTEST, Ask, benchmark, groups, regions
from kgscore.lab.bench._contest import BASELINES, Contest, Floats, Scores, means, nan_mean, shares, tables
from kgscore.lab.correlation import kendall
from kgscore.metrics import metric
from kgscore.model import PairResult
from kgscore.results.statistics import Sampling

STEPS = tuple(f"{one}>{other}" for one, other in pairwise(LEVELS))
SELF = "same text"
_CHAIN = ("reference", *LEVELS)
VERSIONS = ("synonym", "antonym")
ERRORS = ("any_error", "obs_error", "anat_error", "desc_error")
KINDS = tuple(name.removesuffix("_error") for name in ERRORS)
REPHRASED = ("rephrased", *ERRORS)


@benchmark(
    *CONTEST, "sample", "show", metrics=("radsem",), baselines=BASELINES,
    grids=tables(
        ("SSREE: does the score fall from L1 to L5?", ("tau_b", "all pairs", "adjacent", "perfect")),
        ("Transitions: share of cases that fall", STEPS),
    ),
)  # fmt: skip
def ssree(ask: Ask) -> dict[str, Any]:
    """Return tau-b, concordance, adjacent accuracy and perfect chains of each contender (RadSEM 4.2), with intervals by case; for
    the first metric also by modality and region, with the share of texts that score best against themselves, and of L5 reports
    without a link between asserted findings.

    File form: `case`, `reference` and `L1` to `L5`, and `modality`; or, as SSREE was released, `type` (the modality) and `area`
    (regions, separated by commas).
    """
    contest = Contest(ask)
    rows = ask.records(*_CHAIN)
    found = contest.against(rows, "reference", _CHAIN)

    def contender_figures(one: Scores) -> dict[str, Any]:
        return {
            **_chains(one.ranks[:, 1:], ask.sampling),
            "without a score": int(np.isnan(one.values[:, 1:]).sum()),
            "means": means(dict(zip((SELF, *LEVELS), one.values.T, strict=True)), ask.sampling, label="means"),
        }

    first = found[contest.names[0]]
    chains, worst = first.ranks[:, 1:], first.results[len(LEVELS) :: len(_CHAIN)]
    if ask.show:
        for row, ranks, scores in zip(rows, chains.tolist(), first.values[:, 1:].round(3).tolist(), strict=True):
            if any(a <= b for a, b in pairwise(ranks)):
                print(row.get("case"), row.get("modality") or row.get("type"), scores)
    return contest.figures(found, contender_figures) | {
        **{group: _chains(chains[cases], ask.sampling) for group, cases in regions(rows)},
        "score(x, x) = 1": _best_against_self(contest.scorer, rows),
        "L5 without a link between asserted findings": f"{sum(not _has_asserted_link(one) for one in worst)}/{len(rows)}",
    }


def _best_against_self(scorer: Scorer, rows: Sequence[Mapping[str, str]]) -> str:
    """Return how many texts score best against themselves, by the first metric, out of those with a score."""
    name = scorer.metrics[0]
    best = metric(name).high if metric(name).higher_is_better else metric(name).low
    texts = [row[text] for row in rows for text in _CHAIN]
    own = [value for text in texts if (value := scorer.score(reference=text, candidate=text).scores[name].value) is not None]
    return f"{sum(best is not None and abs(value - best) < 1e-9 for value in own)}/{len(own)}"


def _has_asserted_link(result: PairResult) -> bool:
    one, other = result.reference, result.candidate
    return one is not None and other is not None and any(
        one.findings[link.reference].asserts and other.findings[link.candidate].asserts for link in result.links
    )


def _chains(ranks: Floats, sampling: Sampling) -> dict[str, Any]:
    """Return the figures of one contender from ranks, a case a row and a level a column; Kendall's τ_b with the falling order."""
    falls = ranks[:, :-1] > ranks[:, 1:]
    one, other = (ranks[:, list(side)] for side in zip(*combinations(range(len(LEVELS)), 2), strict=True))
    taus = [float(kendall(-np.arange(len(row), dtype=float), row)[0]) for row in ranks]
    columns = {
        "tau_b": [0.0 if isnan(tau) else tau for tau in taus],
        "all pairs": ((one > other) + 0.5 * (one == other)).mean(axis=1),
        "adjacent": falls.mean(axis=1),
        "perfect": falls.all(axis=1),
        **dict(zip(STEPS, falls.T, strict=True)),
    }
    return shares(columns, sampling, label="ssree")


def levels(path: Path, name: str, *, profile: str = "default") -> tuple[list[str], list[str], list[list[float]]]:
    """Return the mean score of a metric at each level, by modality and for all cases: names of rows and columns, means."""
    ask = Ask(path, profile, metrics=(name,))
    rows = ask.records(*_CHAIN)
    values = Contest(ask).against(rows, "reference", _CHAIN)[name].values
    modalities = {name.removeprefix("modality: "): mine for name, mine in regions(rows) if name.startswith("modality")}
    cases = {"all cases": list(range(len(rows))), **modalities}
    found = [[nan_mean(column) for column in values[mine].T] for mine in cases.values()]
    return [f"{row} ({len(mine)})" for row, mine in cases.items()], [SELF, *LEVELS], found


@benchmark(
    *CONTEST, "show", metrics=("radsem",), baselines=BASELINES,
    grids=tables(("Triplets: does a rewording score above a reversal?", ("accuracy", "ties"))),
)  # fmt: skip
def triplets(ask: Ask) -> dict[str, Any]:
    """Return the accuracy of each contender and how often both texts have the same score, with intervals by case; the accuracy of
    the first metric also by modality. A tie counts as wrong, and so does a pair without a score.

    File form: `original`, `synonym`, `antonym`, and optionally `modality`.
    """
    contest = Contest(ask)
    rows = ask.records("original", *VERSIONS)
    found = contest.against(rows, "original", VERSIONS)

    def figures(one: Scores, mine: Sequence[int]) -> dict[str, Any]:
        ranks, there = one.ranks[mine], np.isfinite(one.values[mine]).all(axis=1)
        columns = {"accuracy": (ranks[:, 0] > ranks[:, 1]) & there, "ties": (ranks[:, 0] == ranks[:, 1]) & there}
        return {**shares(columns, ask.sampling, label="triplets"), "without a score": int((~there).sum())}

    def contender_figures(one: Scores) -> dict[str, Any]:
        columns = dict(zip(VERSIONS, one.values.T, strict=True))
        return {**figures(one, range(len(rows))), "means": means(columns, ask.sampling, label="means")}

    first = found[contest.names[0]]
    for row, pair, (one, other) in zip(rows, first.values, first.ranks, strict=True) if ask.show else ():
        if not one > other:
            print(row.get("id"), row.get("modality"), pair.tolist())
            for name in ("original", *VERSIONS):
                print(f"  {name[0].upper()} {row[name]}")
    return contest.figures(found, contender_figures) | {name: figures(first, here) for name, here in groups(rows, ("modality",))}


@benchmark(
    *CONTEST, "show", metrics=("radsem", "headct_one"), baselines=BASELINES,
    grids=tables(
        ("Variants: score of a rewording, and gaps to errors", ("rephrased", *(f"rephrased - {kind}" for kind in KINDS))),
        ("Share of cases in which the rewording scores better", [f"wins over {kind}" for kind in KINDS]),
    ),
)  # fmt: skip
def variants(ask: Ask) -> dict[str, Any]:
    """Return by contender (HeadCT-ONE table 2): the mean score of the rewording, the mean gap to each kind of error, and the
    share of wins (the rewording scores better than the error), with intervals by case. A gap is positive if the rewording scores
    better, in either direction of scores. A pair without a score counts as the worst score if that is known, else is excluded; it
    is never a win, and `without a score` counts the rewordings without one.

    File form: `report`, `rephrased`, and `obs_error`, `anat_error`, `desc_error`, `any_error`.
    """
    contest = Contest(ask)
    found = contest.against(ask.records("report", *REPHRASED), "report", REPHRASED)

    def contender_figures(one: Scores) -> dict[str, Any]:
        values = dict(zip(REPHRASED, one.values.T, strict=True))
        worst = np.nan if one.worst is None else one.worst
        known = {version: np.where(np.isnan(column), worst, column) for version, column in values.items()}
        columns = {"rephrased": known["rephrased"]}
        for kind, error in zip(KINDS, ERRORS, strict=True):
            columns[f"rephrased - {kind}"] = one.sign * (known["rephrased"] - known[error])
            columns[f"wins over {kind}"] = one.sign * (values["rephrased"] - values[error]) > 0
        if ask.show:
            print(one.name, {version: column.round(3).tolist() for version, column in values.items()})
        return {
            **shares(columns, ask.sampling, label="variants"),
            "without a score": int(np.isnan(values["rephrased"]).sum()),
            "means": means(known, ask.sampling, label="means"),
        }

    return contest.figures(found, contender_figures)
