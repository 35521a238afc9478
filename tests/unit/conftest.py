"""What several test modules share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

REPORTS = (
    "Small left pleural effusion. No pneumothorax.",
    "No pleural effusion or pneumothorax. The heart is normal in size.",
    "Large right pneumothorax. The heart is enlarged.",
    "The heart is enlarged. No pleural effusion.",
)


@pytest.fixture
def pairs(tmp_path: Path) -> Callable[..., Path]:
    """Give a function that writes a file of so many pairs; ids may be made long."""

    def write(count: int, name: str = "pairs.jsonl", id_length: int = 6) -> Path:
        path = tmp_path / name
        lines = (
            json.dumps(
                {
                    "id": f"{number:0{id_length}}",
                    "reference": REPORTS[number % 4],
                    "candidate": REPORTS[number // 4 % 4],
                }
            )
            for number in range(count)
        )
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return write
