"""Order relations between candidate reports: is the better one, clinically, scored higher, and what is equal alike?

File form: JSON lines with `kind`, `reference`, `candidates` (texts by name), `order` (relations "a > b", or "a = b": within
0.02), and `context` and `modality` where there are some (tests/judge/README.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.clinical.context import Context, context_of
from kgscore.config import HEADLINE, PLAIN
from kgscore.errors import InputError
from kgscore.records import read_rows
from kgscore.studies.bench._ask import CONTEST, Ask, benchmark
from kgscore.studies.bench._contest import Contest, Floats, Grid, means, rows_of

EQUAL = 0.02
_NEEDED = ("kind", "reference", "candidates", "order")


@dataclass(frozen=True, slots=True)
class Case:
    """One reference with its candidates by name, and the relations that should hold."""

    id: str
    kind: str
    reference: str
    candidates: Mapping[str, str]
    order: tuple[tuple[str, str, str], ...]
    context: Context


@benchmark(*CONTEST, "show", metrics=(HEADLINE, PLAIN))
def run(ask: Ask) -> dict[str, Any]:
    """Return the share of relations that each contender keeps, of all and by kind, with intervals by case."""
    cases = load(ask.path)
    contest = Contest(ask)
    pairs = [(case.reference, text) for case in cases for text in case.candidates.values()]
    found = contest.run(pairs, [case.context for case in cases for _ in case.candidates])
    kinds = sorted({case.kind for case in cases})

    def each(name: str) -> dict[str, Any]:
        kept = list(_kept(cases, found.upward(name)))
        if ask.show:
            _print(name, cases, kept, found.values[name])
        columns: dict[str, list[float]] = {"relations": [one.holds for one in kept]}
        columns |= {kind: [one.holds if kind == one.kind else np.nan for one in kept] for kind in kinds}
        return means(columns, ask.sampling, label="judge")

    relations = sum(len(case.order) for case in cases)
    return {"cases": len(cases), **contest.figures(each), "relations": relations, "kinds": kinds}


def grids(figures: Mapping[str, Any]) -> list[Grid]:
    """Return the share of relations that are kept, by kind."""
    columns = ("relations", *figures["kinds"])
    return [Grid("Judge cases: share of order relations that are kept", columns, rows_of(figures))]


def load(path: str | Path) -> list[Case]:
    """Return the cases of a file.

    Raises:
        InputError: it cannot be read, or a record does not follow the form; the message quotes no text.
    """
    cases = []
    for where, row in read_rows(str(path)):
        if isinstance(row, str):
            raise InputError(f"{where}: {row}")
        lacking = [name for name in _NEEDED if name not in row]
        if lacking or not isinstance(row["candidates"], dict) or not isinstance(row["order"], list):
            raise InputError(f"{where}: no '{lacking[0] if lacking else 'candidates'}' of the form in tests/judge/README.md")
        order = tuple(_relation(where, one, row["candidates"]) for one in row["order"])
        context = context_of(row.get("context") or {})
        cases.append(Case(str(row.get("id", where)), row["kind"], row["reference"], row["candidates"], order, context))
    return cases


def _relation(where: str, text: str, candidates: Mapping[str, str]) -> tuple[str, str, str]:
    parts = tuple(str(text).split())
    if len(parts) != 3 or parts[1] not in (">", "=") or not {parts[0], parts[2]} <= set(candidates):
        raise InputError(f"{where}: 'order' holds what is no relation of two candidates; write \"a > b\" or \"a = b\"")
    return parts[0], parts[1], parts[2]


@dataclass(frozen=True, slots=True)
class _Kept:
    case: int
    kind: str
    relation: tuple[str, str, str]
    holds: bool


def _kept(cases: Sequence[Case], upward: Floats) -> Iterator[_Kept]:
    """Yield every relation with whether it holds; one of a candidate without a score does not."""
    at = 0
    for number, case in enumerate(cases):
        scores = dict(zip(case.candidates, upward[at : at + len(case.candidates)], strict=True))
        at += len(case.candidates)
        for relation in case.order:
            one, sign, other = relation
            holds = scores[one] > scores[other] if sign == ">" else abs(scores[one] - scores[other]) <= EQUAL
            yield _Kept(number, case.kind, relation, bool(holds))


def _print(name: str, cases: Sequence[Case], kept: Sequence[_Kept], values: Floats) -> None:
    starts = np.cumsum([0, *(len(case.candidates) for case in cases)])
    for one in kept:
        if not one.holds:
            case = cases[one.case]
            scores = dict(zip(case.candidates, values[starts[one.case] :].round(3).tolist(), strict=False))
            print(name, case.id, case.kind, " ".join(one.relation), scores)
