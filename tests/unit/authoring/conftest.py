"""The example module, and a scorer with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.resources import resource


@pytest.fixture(scope="session")
def dental() -> Path:
    return resource("examples", "dental_cbct", "dental_cbct")


@pytest.fixture(scope="session")
def dentist(dental: Path) -> Scorer:
    return Scorer(modules=[dental])
