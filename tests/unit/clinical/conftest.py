"""What the tests of wordings share: the errors that the clinical verdict names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.engine import Scorer
from kgscore.verdict import Verdict

Errors = Callable[[str, str], list[str]]


@pytest.fixture(scope="session")
def clinical() -> Scorer:
    """Return a scorer of `clinical` alone."""
    return Scorer(metrics=("clinical",))


def verdict(scorer: Scorer, reference: str, candidate: str) -> Verdict:
    """Return the verdict on a candidate beside a reference."""
    found = scorer.score(reference=reference, candidate=candidate).verdict
    assert found is not None
    return found


@pytest.fixture(scope="session")
def errors(clinical: Scorer) -> Errors:
    """Return the errors of a candidate beside a reference: each with its category and finding."""

    def named(reference: str, candidate: str) -> list[str]:
        found = verdict(clinical, reference, candidate).findings
        return [f"{one.category}: {one.what}" for one in found if one.is_error]

    return named
