"""What tests of corrections share: a scorer that corrects by the verdict, and what is corrected of a pair."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.engine import Scorer

Made = Callable[[str, str], list[tuple[int | None, str, str]]]


@pytest.fixture(scope="session")
def scorer() -> Scorer:
    return Scorer(metrics=("clinical", "fineradscore"))


@pytest.fixture(scope="session")
def made(scorer: Scorer) -> Made:
    """Give a function from reference and candidate to the corrections: line, action, new text."""

    def corrections(reference: str, candidate: str) -> list[tuple[int | None, str, str]]:
        found = scorer.correct(reference=reference, candidate=candidate).corrections
        return [(one.line, one.action, one.new_text) for one in found]

    return corrections
