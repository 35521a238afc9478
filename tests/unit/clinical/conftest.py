"""What the tests of wordings share: the errors that the clinical verdict names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.engine import Scorer

Errors = Callable[[str, str], list[str]]


@pytest.fixture(scope="session")
def errors() -> Errors:
    """Return the errors of a candidate beside a reference: each with its category and finding."""
    scorer = Scorer(metrics=("clinical",))

    def named(reference: str, candidate: str) -> list[str]:
        verdict = scorer.score(reference=reference, candidate=candidate).verdict
        assert verdict is not None
        return [f"{one.category}: {one.what}" for one in verdict.findings if one.is_error]

    return named
