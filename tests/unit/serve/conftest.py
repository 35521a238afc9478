"""An explorer over a small run, asked in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra 'serve' is not installed")

from fastapi.testclient import TestClient

from kgscore.cli import main
from kgscore.serve.app import create_app
from kgscore.serve.settings import Limits, Settings

PAIRS = (
    {"id": "agreed", "reference": "Small left pleural effusion.", "candidate": "Small left pleural effusion."},
    {"id": "clash", "reference": "Left pneumothorax.", "candidate": "No pneumothorax."},
    {"id": "partial", "reference": "Left lower lobe consolidation. Cardiomegaly.", "candidate": "Left lung consolidation."},
    {"id": "empty", "reference": "", "candidate": "Left pneumothorax."},
)
OTHERS = (PAIRS[0] | {"candidate": "Right pneumothorax."}, PAIRS[1] | {"candidate": "Left pneumothorax."}, PAIRS[2])


JUDGED = (
    {
        "id": "judged", "reference": "Left pneumothorax. The heart is enlarged.",
        "candidate": "No pneumothorax. Cardiomegaly. No pleural effusion.",
    },
)  # fmt: skip


def scored(folder: Path, pairs: tuple[dict[str, str], ...], metrics: str = "radsem,fineradscore") -> Path:
    source = folder.with_suffix(".jsonl")
    source.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), encoding="utf-8")
    assert main(["score", str(source), "--output", str(folder), "--metrics", metrics]) == 0
    return folder


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    root = tmp_path_factory.mktemp("runs")
    return scored(root / "one", PAIRS), scored(root / "two", OTHERS), scored(root / "three", JUDGED, "clinical")


Make = Callable[..., TestClient]


@pytest.fixture(scope="session")
def make(folders: tuple[Path, ...]) -> Iterator[Make]:
    """Give a function that makes a client of an explorer with other settings."""
    clients: list[TestClient] = []

    def client(base: str = "http://127.0.0.1:8642", limits: Limits | None = None, **values: Any) -> TestClient:
        app = create_app(Settings(folders, limits=limits or Limits(), **values))
        made = TestClient(app, base_url=base, follow_redirects=False)
        clients.append(made)
        return made

    yield client
    for one in clients:
        one.app.state.scoring.close()  # type: ignore[attr-defined]
        one.close()


@pytest.fixture(scope="session")
def client(make: Make) -> TestClient:
    return make()


def peak_memory(pid: int) -> int:
    """Return the most memory that a process has had so far, in bytes; 0 if it has ended or this system does not tell."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)
