"""What people say of the errors that the verdict names: how many are right, how many it lacks, and how far people agree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from kgscore.lab.bench._ask import Ask, Figures, benchmark
from kgscore.lab.bench._contest import Grid, coefficients, share
from kgscore.lab.correlation import correlate
from kgscore.lab.feedback import ADDED, Feedback, read_feedback
from kgscore.model import TIERS
from kgscore.results.resampling import mean_interval
from kgscore.results.statistics import Sampling

_SHARES = ("named are right", "errors are named")


def _grids(figures: Figures) -> list[Grid]:
    people = Grid("Two people on the same errors", ("agreement", "kappa"), figures["people"])
    verdict = Grid("The verdict's errors according to people", _SHARES, figures["verdict"])
    return [verdict, *([people] if people.rows else [])]


@benchmark("sampling", grids=_grids)
def feedback(ask: Ask) -> dict[str, Any]:
    """Return, of all readers and of each, the share of judged errors that are right (`named are right`) and the share of all
    errors, those added too, that the verdict named (`errors are named`), by kind and tier too; and of every two readers, on the
    errors that both judged, the share on which they agree and Cohen's kappa; with intervals, cases drawn with replacement.

    File form: lines of feedback (docs/pages.md).
    """
    lines = read_feedback(ask.path)
    parts = {"all": lines, **{name: [one for one in lines if key(one) == name] for key in (_kind, _tier, _by) for name in
                              sorted({key(one) for one in lines} - {""})}}  # fmt: skip
    verdict = {name: row for name, part in parts.items() if (row := _verdict(part, ask.sampling))["judged"] or row[_SHARES[1]]}
    return {"verdict": verdict, "people": dict(_people(lines, ask.sampling))}


def _kind(one: Feedback) -> str:
    return f"kind: {one.kind}" if one.agree is not None else ""


def _tier(one: Feedback) -> str:
    return f"tier: {TIERS[one.tier]}" if one.tier else ""


def _by(one: Feedback) -> str:
    return f"reader: {one.by or 'without a name'}"


def _verdict(lines: Sequence[Feedback], sampling: Sampling) -> dict[str, Any]:
    judged = [one for one in lines if one.agree is not None]
    right = [one for one in lines if one.agree or one.kind == ADDED]
    asked = ((judged, [bool(one.agree) for one in judged]), (right, [one.kind != ADDED for one in right]))
    found: dict[str, Any] = {"cases": len({one.id for one in lines}), "judged": len(judged), "intervals": {}}
    for name, (of, values) in zip(_SHARES, asked, strict=True):
        found[name] = share(sum(values), len(values))
        ends = mean_interval(
            np.asarray(values, dtype=np.float64), clusters=[one.id for one in of], level=sampling.level,
            resamples=sampling.resamples, seed=sampling.seed, label=name,
        )  # fmt: skip
        if ends:
            found["intervals"][name] = [round(end, 3) for end in ends]
    return found


def _people(lines: Sequence[Feedback], sampling: Sampling) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the agreement of every two readers on the errors that both judged."""
    said: dict[str, dict[tuple[str, str, int], float]] = defaultdict(dict)
    for one in lines:
        if one.agree is not None:
            said[one.by][one.id, one.kind, one.number] = float(one.agree)
    for a, b in combinations(sorted(said), 2):
        both = sorted(said[a].keys() & said[b].keys())
        if both:
            mine, theirs = (np.asarray([said[by][key] for key in both]) for by in (a, b))
            measured = correlate(
                mine, theirs, metric=a, human=b, clusters=[id for id, _, _ in both], sampling=sampling,
                measures=("agreement", "kappa"),
            )  # fmt: skip
            yield f"{a or '–'} and {b or '–'}", {"cases": len({id for id, _, _ in both}), **coefficients(measured)}
