"""Runs made by hand: scores, input columns and contributions as a test wants them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kgscore.io.records import Record
from kgscore.model import Contribution, Finding, PairResult, Reading, Score
from kgscore.results.database import RunDatabase
from kgscore.results.layout import RunKey, tables_of
from kgscore.results.outcome import Case

EFFUSION = Finding("effusion", 0, 8, "pleural_effusion", "pleural effusion", ("pleural_space",))
MakeRun = Callable[..., Path]


def made_case(
    position: int, id: str, value: float | None, fields: Mapping[str, Any], reference: str, cost: float | None = None
) -> Case:
    record = Record(f"pairs.jsonl:{position + 1}", id, {"reference": reference, "candidate": "none"}, extra=fields)
    if value is None:
        return Case(position, record, PairResult(id, "empty", {"radsem": Score("radsem", "empty", None, "no finding")}))
    lost = 1 - value if cost is None else cost
    piece = Contribution("missed", "effusion", (0, 8), None, 0.0, lost, ("why",))
    result = PairResult(
        id, "scored", {"radsem": Score("radsem", "scored", value)}, Reading((EFFUSION,)), Reading(()),
        unmatched_reference=(0,), contributions={"radsem": (piece,)},
    )  # fmt: skip
    return Case(position, record, result)


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Give a function from a name and scores by id (None: empty) to a run folder with them."""

    def make(
        name: str, scores: Mapping[str, float | None], *, fields: Mapping[str, Mapping[str, Any]] | None = None,
        references: Mapping[str, str] | None = None, signature: Mapping[str, Any] | None = None,
    ) -> Path:
        folder = tmp_path / name
        cases = [
            made_case(at, id, value, (fields or {}).get(id, {}), (references or {}).get(id, "effusion"))
            for at, (id, value) in enumerate(scores.items())
        ]
        with RunDatabase(folder) as database:
            run, _ = database.start(RunKey("pairs.jsonl", "0" * 64, "default", ("radsem",), signature or {"kgscore": "0"}))
            database.load(tables_of(run, cases))
            database.finish(run)
        return folder

    return make
