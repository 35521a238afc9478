"""The example module, a scorer with it, and what the ontology is asked about itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.authoring.ontology_checks.run import generate
from kgscore.authoring.ontology_checks.world import Check
from kgscore.engine import Scorer
from kgscore.resources import resource


@pytest.fixture(scope="session")
def checks(scorer: Scorer) -> list[Check]:
    """All that the ontology is asked about itself."""
    return generate(scorer)


@pytest.fixture(scope="session")
def dental() -> Path:
    return resource("examples", "dental_cbct", "dental_cbct")


@pytest.fixture(scope="session")
def dentist(dental: Path) -> Scorer:
    return Scorer(modules=[dental])
