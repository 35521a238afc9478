"""ReXErr: which of the errors that were put into reports does a metric find?

An error is found where the text with it scores below the text against itself; a tie is not found, nor is what has no score. Of
reports, each holds several errors, so a category's share is that of the reports that hold one of it. A sentence is put
back into its report, so each error stands alone. `auroc` and `auprc` tell reports with errors from those without, as the
stress test of RadOT-Eval (section VI-B) does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kgscore.layouts.rexerr import Injected, read_errors
from kgscore.published.base import Floats, Found, Request, parted, scores_of, share
from kgscore.records import BadRecord
from kgscore.results.figure import Figure


def run(name: str, request: Request) -> Found:
    """Return by metric the share of errors found, of all and by category, for reports and for sentences, and how often a sentence
    that was changed without an error is taken for one."""
    found, bad = parted(read_errors(request.source, request.columns))
    values = scores_of(
        [(one.original, text) for one in found for text in (one.original, one.changed)], request
    )  # fmt: skip
    figures: list[Figure] = []
    for level in ("report", "sentence"):
        at = [place for place, one in enumerate(found) if one.level == level]
        for metric, scores in values.items():
            figures += _level(f"{level}s", [found[place] for place in at], metric, scores.reshape(-1, 2)[at], request)
    return Found(figures, bad)


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield the pairs of a text and the same with errors, with the categories."""
    for one in read_errors(request.source, request.columns):
        if isinstance(one, BadRecord):
            yield one
        else:
            texts = {"id": one.id, "reference": one.original, "candidate": one.changed, "study": one.study}
            yield texts | {"level": one.level, "errors": list(one.kinds)}


def _level(task: str, found: Sequence[Injected], metric: str, scores: Floats, request: Request) -> list[Figure]:
    """Return the figures of one metric for reports or sentences; `scores` holds that of the text itself, then with errors."""
    lower: NDArray[np.bool_] = np.asarray(np.less(scores[:, 1], scores[:, 0]))
    unscored: NDArray[np.bool_] = np.asarray(np.logical_not(np.isfinite(scores).all(axis=1)))
    wrong: NDArray[np.bool_] = np.asarray([bool(one.kinds) for one in found], dtype=np.bool_)
    kinds = sorted({kind for one in found for kind in one.kinds})
    groups: list[tuple[str, NDArray[np.bool_]]] = [("all errors", wrong), *((kind, _of_kind(found, kind)) for kind in kinds)]
    figures = [_found(task, of, metric, "found", mine, lower, unscored, found, request) for of, mine in groups if mine.any()]
    right = np.logical_not(wrong)
    if right.any():
        figures.append(_found(task, "no error, other words", metric, "false alarms", right, lower, unscored, found, request))
    both = scores[wrong & ~unscored]
    if task == "reports" and len(both):
        for measure, value in (("auroc", auroc(both[:, 0], both[:, 1])), ("auprc", auprc(both[:, 0], both[:, 1]))):
            figures.append(Figure(task, "all errors", metric, measure, value, None, None, 2 * len(both), int(unscored.sum())))
    return figures


def _of_kind(found: Sequence[Injected], kind: str) -> NDArray[np.bool_]:
    return np.asarray([kind in one.kinds for one in found], dtype=np.bool_)


def _found(
    task: str, of: str, metric: str, measure: str, mine: NDArray[np.bool_], lower: NDArray[np.bool_],
    unscored: NDArray[np.bool_], found: Sequence[Injected], request: Request,
) -> Figure:  # fmt: skip
    studies = [one.study or one.id for one, this in zip(found, mine, strict=True) if this]
    return share(task, of, metric, measure, lower[mine], request, studies, int(unscored[mine].sum()))


def auroc(good: Floats, bad: Floats) -> float:
    """Return how often a good text scores above a bad one, over all pairs of them; a tie counts a half."""
    ordered = np.sort(bad)
    below, up_to = np.searchsorted(ordered, good, "left"), np.searchsorted(ordered, good, "right")
    return float((below + up_to).sum() / (2 * len(good) * len(bad)))


def auprc(good: Floats, bad: Floats) -> float:
    """Return the average precision of finding bad texts from the lowest score up; texts of one score come together."""
    levels = np.unique(np.concatenate([good, bad]))
    hits = np.searchsorted(np.sort(bad), levels, "right")
    precision = hits / (hits + np.searchsorted(np.sort(good), levels, "right"))
    return float((np.diff(hits, prepend=0) * precision).sum() / len(bad))
