"""The status of a head: how far a denial reaches."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


@pytest.mark.parametrize(
    "text",
    [
        "The left kidney does not show scattered, linear hyperdense foci.",
        "No stones with a fluid level are seen in the gallbladder.",
        "No abnormal density lesions with calcification are seen in the spleen.",
    ],
)
def test_a_denial_reaches_over_the_whole_noun_phrase(scorer: Scorer, text: str) -> None:
    assert {finding.status for finding in scorer.read(text).findings} <= {"absent", "normal"} != set()


def test_what_comes_with_a_denied_finding_after_a_comma_is_there(scorer: Scorer) -> None:
    found = scorer.read("No pneumothorax, with a small effusion on the right.").findings
    assert {finding.concept: finding.status for finding in found} == {"pneumothorax": "absent", "pleural_effusion": "present"}
