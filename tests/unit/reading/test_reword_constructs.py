"""One content in the words of two radiologists: both are read alike ("+concept site side": sign, concept, site, side)."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

_SIGNS = {"present": "+", "absent": "-", "normal": "="}


def placed(scorer: Scorer, text: str) -> list[str]:
    """Return the findings of a report, sorted: what, where and on which side."""
    found = scorer.read(text.replace("//", "\n")).findings
    return sorted(f"{_SIGNS[f.status]}{f.concept} {'+'.join(f.sites)} {f.side or ''}".strip() for f in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "- Extra-axial: no collection//- Parenchyma: mild global involution",
            ["+cerebral_atrophy brain", "-extra_axial_collection extra_axial_space"],
        ),
        ("Nodes: right hilar adenopathy.", ["+hilar_lymphadenopathy hilar_lymph_node right"]),
        (
            "L5/S1: the disc protrudes. No vertebral body height loss.",
            ["+disc_protrusion disc_l5_s1", "-vertebral_height_loss vertebral_body"],
        ),
    ],
)
def test_a_label_holds_for_what_it_can_bear(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Small right pleural effusion with adjacent basilar atelectasis.",
            ["+basal_atelectasis lung_base right", "+pleural_effusion pleural_space right"],
        ),
        ("Periventricular hypodensities of chronic small vessel disease.", ["+hypodensity periventricular_white_matter"]),
        ("Right jugular line, tip mid-SVC.", ["+internal_jugular_catheter mid_superior_vena_cava right"]),
    ],
)
def test_what_stands_beside_tells_where(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thickened lining of the left maxillary antrum.", ["+sinus_mucosal_thickening maxillary_sinus left"]),
        (
            "Brain MRI. Tonsils normally positioned.",
            ["=tonsillar_ectopia cerebellar_tonsil left", "=tonsillar_ectopia cerebellar_tonsil right"],
        ),
        ("Diffusion is not restricted.", ["=restricted_diffusion brain"]),
        ("Vertebrae: normal stature.", ["=vertebral_height_loss vertebral_body"]),
    ],
)
def test_words_for_it(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected
