"""Inputs with everything in them that a partition could get wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from tests.unit.conftest import REPORTS

Write = Callable[..., Path]
BUNDLE = {
    "resourceType": "Bundle",
    "entry": [{"resource": {"resourceType": "DiagnosticReport", "id": f"r{n}", "conclusion": "No effusion."}} for n in range(3)],
}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give a function that writes so many pairs as JSON lines with a further field; those divisible by `again` have the id of
    pair 1. Lines that are blank, no JSON, without an id or a Bundle stand between them where `odd`."""

    def make(count: int, name: str = "pairs.jsonl", again: int = 10**6, odd: bool = True) -> Path:
        lines = []
        for number in range(count):
            id = "0001" if number and number % again == 0 else f"{number:04}"
            pair = {"id": id, "reference": REPORTS[number % 4], "candidate": REPORTS[number // 4 % 4], "modality": "CR"}
            lines.append(json.dumps(pair))
            if odd and number % 9 == 4:
                lines += ["", "  ", "{no json", json.dumps({"reference": "", "candidate": ""})]
            if odd and number == 12:
                lines.append(json.dumps(BUNDLE))
        path = tmp_path / name
        path.write_text("\ufeff" + "\n".join(lines), encoding="utf-8")
        return path

    return make


@pytest.fixture
def write_parquet(tmp_path: Path) -> Write:
    """Give a function that writes so many pairs as Parquet in groups of seven rows; those divisible by `again` as above."""

    def make(count: int, name: str = "pairs.parquet", again: int = 10**6) -> Path:
        numbers = range(count)
        table = pa.table(
            {
                "id": ["0001" if n and n % again == 0 else f"{n:04}" for n in numbers],
                "candidate": [REPORTS[n // 4 % 4] for n in numbers],
                "site": list(numbers),
                "reference": [None if n == 5 else REPORTS[n % 4] for n in numbers],
            }
        )
        path = tmp_path / name
        pyarrow.parquet.write_table(table, path, row_group_size=7)
        return path

    return make
