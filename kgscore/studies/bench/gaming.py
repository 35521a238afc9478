"""Does it pay to game a metric? What strategies without any reading of the image score, beside honest candidates.

FILE: judge cases (tests/judge/README.md). Each reference is answered with nothing, with a normal report, with every finding that
is frequent in the file (asserted, or hedged), with its indication, and with its worst candidate said three times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kgscore.config import HEADLINE, PLAIN
from kgscore.engine import Scorer
from kgscore.studies.bench._ask import CONTEST, Ask, benchmark
from kgscore.studies.bench._contest import Contest, Floats, Grid, means, rows_of
from kgscore.studies.bench.judge import Case, load

STRATEGIES = ("silence", "all normal", "listing everything", "hedging everything", "the indication", "repeating")
HONEST = ("best candidate", "worst candidate")
COLUMNS = (*HONEST, *STRATEGIES, "pays")
_LISTED = 40
_NORMAL = "Normal examination. No acute abnormality."


@benchmark(*CONTEST, metrics=(HEADLINE, PLAIN))
def run(ask: Ask) -> dict[str, Any]:
    """Return the mean score of honest candidates and of each strategy, by contender; `pays`: the greatest share of cases in which
    a strategy (repeating apart) scores above the best candidate. `repeating` is compared with the candidate that it repeats."""
    cases = [case for case in load(ask.path) if len(case.candidates) > 1]
    contest = Contest(ask)
    lists = _frequent(contest.scorer, cases)
    pairs = [[(case.reference, text) for text in _answers(case, lists)] for case in cases]
    found = contest.table(pairs, [case.context for case in cases])

    def each(name: str) -> dict[str, Any]:
        columns = dict(zip((*HONEST, *STRATEGIES), found.values[name].T, strict=True))
        return {**means(columns, ask.sampling, label="gaming"), "pays": _pays(found.upward(name))}

    return {"cases": len(cases), **contest.figures(each)}


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the means of each strategy."""
    title = "Gaming: mean score of honest candidates, and of strategies that read no image"
    return [Grid(title, COLUMNS, rows_of(figures))]


def _frequent(scorer: Scorer, cases: Sequence[Case]) -> tuple[str, str]:
    """Return a report that lists the findings that are most frequent in the references, and one that hedges each."""
    count = Counter(
        finding.label
        for case in cases
        for finding in scorer.read(case.reference).findings
        if finding.asserts and finding.concept
    )
    labels = [label for label, _ in sorted(count.items(), key=lambda item: (-item[1], item[0]))[:_LISTED]]
    return " ".join(f"There is {label}." for label in labels), " ".join(f"Possible {label}." for label in labels)


def _answers(case: Case, lists: tuple[str, str]) -> Iterator[str]:
    names = sorted(case.candidates)
    best, worst = case.candidates[names[0]], case.candidates[names[-1]]
    yield from (best, worst, "", _NORMAL, *lists, case.context.indication, f"{worst} {worst} {worst}")


def _pays(upward: Floats) -> float:
    """Return the greatest share of cases in which a strategy scores above the best candidate, or repeating above the repeated."""
    best, worst = upward[:, 0], upward[:, 1]
    gains = [*((upward[:, at] > best) for at in range(2, upward.shape[1] - 1)), upward[:, -1] > worst + 1e-9]
    return round(float(max(np.mean(gain) for gain in gains)), 3)
