"""Order relations between candidate reports, and a metric's rewards for gaming.

File form: JSON lines with `kind`, `reference`, `candidates` (texts by name), `order` (relations "a > b", or "a = b": within
0.02), and optionally `context` and `modality` (tests/judge/README.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kgscore.clinical.context import Context, context_of
from kgscore.config import HEADLINE, PLAIN
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.lab.bench._ask import CONTEST, Ask, benchmark
from kgscore.lab.bench._contest import Contest, Floats, Scores, means, tables

EQUAL = 0.02
STRATEGIES = ("silence", "all normal", "listing everything", "hedging everything", "the indication", "repeating")
HONEST = ("best candidate", "worst candidate")
_LISTED = 40
_NORMAL = "Normal examination. No acute abnormality."


@dataclass(frozen=True, slots=True)
class Case:
    """One reference with its candidates by name, and the relations that should hold."""

    id: str
    kind: str
    reference: str
    candidates: Mapping[str, str]
    order: Sequence[tuple[str, ...]]
    context: Context


def _cases(ask: Ask) -> Iterator[Case]:
    for number, row in enumerate(ask.records("kind", "reference", candidates=dict, order=list), 1):
        order = [tuple(str(relation).split()) for relation in row["order"]]
        for parts in order:
            if len(parts) != 3 or parts[1] not in (">", "=") or not {parts[0], parts[2]} <= set(row["candidates"]):
                said = "'order' has an invalid relation; write \"a > b\" or \"a = b\""
                raise InputError(f"{ask.path}: record {number}: {said}")
        context = context_of(row.get("context") or {})
        yield Case(str(row.get("id", number)), row["kind"], row["reference"], row["candidates"], order, context)


@benchmark(
    *CONTEST, "show", metrics=(HEADLINE, PLAIN),
    grids=lambda figures: tables(
        ("Judge cases: share of order relations that hold", ("relations", *figures["kinds"]))
    )(figures),
)  # fmt: skip
def judge(ask: Ask) -> dict[str, Any]:
    """Return the share of relations that hold for each contender, in all and by kind, with intervals by case. A relation with a
    candidate without a score does not hold."""
    cases = list(_cases(ask))
    contest = Contest(ask)
    pairs = [(case.reference, text) for case in cases for text in case.candidates.values()]
    found = contest.run(pairs, [case.context for case in cases for _ in case.candidates])
    kinds = sorted({case.kind for case in cases})
    starts = np.cumsum([0, *(len(case.candidates) for case in cases)])

    def contender_figures(mine: Scores) -> dict[str, Any]:
        columns: dict[str, list[float]] = {column: [] for column in ("relations", *kinds)}
        for case, start in zip(cases, starts[:-1], strict=True):
            scores, values = (dict(zip(case.candidates, given[start:], strict=False))
                              for given in (mine.signed_values, mine.values.round(3).tolist()))  # fmt: skip
            for one, sign, other in case.order:
                holds = bool(scores[one] > scores[other] if sign == ">" else abs(scores[one] - scores[other]) <= EQUAL)
                columns["relations"].append(holds)
                for kind in kinds:
                    columns[kind].append(holds if kind == case.kind else np.nan)
                if ask.show and not holds:
                    print(mine.name, case.id, case.kind, one, sign, other, values)
        return means(columns, ask.sampling, label="judge")

    relations = sum(len(case.order) for case in cases)
    return {"cases": len(cases), **contest.figures(found, contender_figures), "relations": relations, "kinds": kinds}


@benchmark(
    *CONTEST, metrics=(HEADLINE, PLAIN),
    grids=tables(
        ("Gaming: mean score of honest candidates, and of strategies that read no image", (*HONEST, *STRATEGIES, "pays"))
    ),
)  # fmt: skip
def gaming(ask: Ask) -> dict[str, Any]:
    """Return the mean score of honest candidates and of each strategy that does not read the image, by contender; `pays`: the
    greatest share of cases in which a strategy (except repeating) scores above the best candidate. `repeating` is compared with
    the candidate that it repeats.

    Each reference is answered with an empty report, a normal report, every frequent finding of the file (asserted, or
    hedged), its indication, and its worst candidate repeated three times."""
    cases = [case for case in _cases(ask) if len(case.candidates) > 1]
    contest = Contest(ask)
    lists = _frequent(contest.scorer, cases)

    def answers(case: Case) -> tuple[str, ...]:
        names = sorted(case.candidates)
        best, worst = case.candidates[names[0]], case.candidates[names[-1]]
        return best, worst, "", _NORMAL, *lists, case.context.indication, f"{worst} {worst} {worst}"

    rows = [[(case.reference, text) for text in answers(case)] for case in cases]
    found = contest.table(rows, [case.context for case in cases])

    def contender_figures(one: Scores) -> dict[str, Any]:
        columns = dict(zip((*HONEST, *STRATEGIES), one.values.T, strict=True))
        return {**means(columns, ask.sampling, label="gaming"), "pays": _gaming_share(one.signed_values)}

    return {"cases": len(cases), **contest.figures(found, contender_figures)}


def _frequent(scorer: Scorer, cases: Sequence[Case]) -> tuple[str, str]:
    """Return a report that lists the most frequent findings of the references, and one that hedges each."""
    findings = (finding for case in cases for finding in scorer.read(case.reference).findings)
    count = Counter(finding.label for finding in findings if finding.asserts and finding.concept)
    labels = [label for label, _ in sorted(count.items(), key=lambda item: (-item[1], item[0]))[:_LISTED]]
    return " ".join(f"There is {label}." for label in labels), " ".join(f"Possible {label}." for label in labels)


def _gaming_share(upward: Floats) -> float:
    """Return the greatest share of cases in which a strategy scores above the best candidate, or repeating above the repeated."""
    best, worst = upward[:, 0], upward[:, 1]
    gains = [*((upward[:, at] > best) for at in range(2, upward.shape[1] - 1)), upward[:, -1] > worst + 1e-9]
    return round(float(max(np.mean(gain) for gain in gains)), 3)
