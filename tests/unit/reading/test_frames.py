"""Frames: what is said after a noun and its place is said of the noun, whatever words of the lexicon the place begins."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def told(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its status, concept, sites, side and change, where they are not the usual ones."""
    return sorted(
        " ".join(one for one in (f.status, f.concept, *f.sites, f.side, f.change) if one and one != "present")
        for f in scorer.read(text).findings
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A stone within the gallbladder is not seen.", ["absent cholelithiasis gallbladder"]),
        ("A nodule in the thyroid gland is not seen.", ["absent thyroid_nodule thyroid_gland"]),
        ("A hematoma in the right kidney is absent.", ["absent renal_hematoma kidney right"]),
        ("On the right the kidney is absent.", ["nephrectomy kidney right"]),
    ],
)
def test_a_wording_with_a_verb_does_not_begin_after_a_preposition(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected
