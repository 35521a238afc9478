"""Preferences of radiologists between two candidates for one reference, as RadPref and its like hold them.

Pairwise accuracy: how often a metric scores the preferred candidate higher, of all preferences and by their strength; a tie of
the metric counts a half, one of the people is left out. Beside it, how the difference of the two scores goes with the preference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kgscore.layouts.preferences import Preference, read_preferences
from kgscore.published.base import Found, Request, agreement, parted, scores_of, share
from kgscore.records import BadRecord
from kgscore.results.figure import Figure


def run(name: str, request: Request) -> Found:
    """Return the accuracy of every metric, of all preferences and by strength, its ties, and the correlation with the values."""
    found, bad = parted(read_preferences(request.source, request.columns, request.scale))
    values = scores_of([(one.reference, text) for one in found for text in (one.first, one.second)], request)
    wanted = np.asarray([one.value for one in found])
    strengths = [one.strength for one in found]
    figures: list[Figure] = []
    for metric, scores in values.items():
        difference = scores.reshape(-1, 2)[:, 0] - scores.reshape(-1, 2)[:, 1]
        scored = np.isfinite(difference)
        hits = np.where(scored, (np.sign(np.nan_to_num(difference)) * np.sign(wanted) + 1) / 2, 0.0)
        for of in ("all", *dict.fromkeys(one for one in strengths if one)):
            mine = (wanted != 0) & np.asarray([of in ("all", one) for one in strengths])
            if mine.any():
                missing = int((mine & ~scored).sum())
                figures.append(share("preferences", of, metric, "accuracy", hits[mine], request, unscored=missing))
        mine = (wanted != 0) & scored
        figures.append(share("preferences", "all", metric, "ties", difference[mine] == 0, request))
        figures += agreement("difference of scores", "preference", metric, difference, wanted, request)
    ties = int((wanted == 0).sum())
    told = f"{ties} preference{'s are ties' if ties > 1 else ' is a tie'} of the readers and counted in no accuracy"
    return Found(figures, bad, [told] if ties else [])


def pairs(name: str, request: Request) -> Iterator[dict[str, Any] | BadRecord]:
    """Yield both candidates of each preference as pairs of their own, with the value from that candidate's side."""
    for one in read_preferences(request.source, request.columns, request.scale):
        if isinstance(one, Preference):
            for id, text, value in zip(one.ids, (one.first, one.second), (one.value, -one.value), strict=True):
                yield {"id": id, "reference": one.reference, "candidate": text, "study": one.id, "preference": value}
        else:
            yield one
