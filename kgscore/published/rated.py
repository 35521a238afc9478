"""ReXVal and RadEvalX: do scores fall as the errors that radiologists counted rise?

ReXVal (Yu et al. 2023): Kendall's τ_b with total and with clinically significant errors, the mean over six readers, 200 pairs.
RadEvalX (Calamida et al. 2024): the same with significant and insignificant errors of eight categories, 100 pairs. Scores that
the download brings for each pair stand beside kgscore's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from kgscore.batch import Settings, scorer_for
from kgscore.layouts.pairs import read_pairs
from kgscore.layouts.tables import RatedPair, quality
from kgscore.published.base import Floats, Found, Request, agreement, f1_figures, parted, scores_of
from kgscore.records import BadRecord
from kgscore.results.figure import Figure

TARGETS = ("total", "significant", "insignificant")
# The categories of errors (RadEvalX; ReXVal has the first six).
CATEGORIES = (
    "false finding", "omission", "wrong location", "wrong severity", "unsupported comparison", "omitted comparison",
    "unsupported uncertainty", "omitted uncertainty",
)  # fmt: skip
_COUNT = {"rexval": 6, "radevalx": 8}


def run(name: str, request: Request) -> Found:
    """Return the agreement of every metric with every count of errors, and that of kgscore's corrections with the categories in
    which a reader counted an error (FineRadScore, appendix D)."""
    found, bad = parted(read_pairs(request.source, name, request.columns))
    figures = correlated("errors counted", TARGETS, found, request)
    return Found([*figures, *_categories(name, found, request)], bad)


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield the pairs with study and ratings."""
    for one in read_pairs(request.source, name, request.columns):
        if isinstance(one, BadRecord):
            yield one
        else:
            texts = {"id": one.id, "reference": one.reference, "candidate": one.candidate, "study": one.study}
            yield texts | dict(one.ratings)


def correlated(task: str, targets: Sequence[str], found: Sequence[RatedPair], request: Request) -> list[Figure]:
    """Return the agreement of all metrics, and of the scores in the download, with each of the ratings that are there."""
    values = scores_of([(pair.reference, pair.candidate) for pair in found], request)
    for other in dict.fromkeys(name for pair in found for name in pair.given):
        values[f"{other} (in the download)"] = np.asarray([pair.given.get(other, np.nan) for pair in found])
    studies = [pair.study for pair in found]
    figures = []
    for target in targets:
        rated = _ratings(found, target)
        if np.isfinite(rated).any():
            for metric, scores in values.items():
                figures += agreement(task, target, metric, scores, rated, request, studies)
    return figures


def _ratings(found: Sequence[RatedPair], target: str) -> Floats:
    """Return a rating turned so that higher is better, NaN where a pair has none."""
    values = (quality(pair, target) for pair in found)
    return np.asarray([np.nan if value is None else value for value in values])


def _categories(name: str, found: Sequence[RatedPair], request: Request) -> list[Figure]:
    """Return how well the categories of the corrections meet those in which people counted an error."""
    count = _COUNT[name]
    scorer = scorer_for(Settings(request.settings.profile, ("fineradscore",), request.settings.modules))
    rows: list[list[list[bool]]] = []
    for pair in found:
        made = scorer.correct(reference=pair.reference, candidate=pair.candidate)
        if made.status != "scored":
            continue
        said = {n for one in made.corrections for n in (one.categories if name == "rexval" else one.radevalx)}
        due = {n for n in range(1, count + 1) if pair.ratings.get(f"category_{n}", 0) > 0}
        sides = [(n in said, n in due) for n in range(1, count + 1)]
        rows.append([[one and other, one and not other, other and not one] for one, other in sides])
    if not rows:
        return []
    counts = np.asarray(rows, dtype=np.int64)
    task, figures = "categories of corrections", f1_figures("categories of corrections", "all", "corrections", counts, request)
    for n in range(count):
        if counts[:, n].any():
            figures += f1_figures(task, f"{n + 1} {CATEGORIES[n]}", "corrections", counts[:, n : n + 1], request)
    return figures
