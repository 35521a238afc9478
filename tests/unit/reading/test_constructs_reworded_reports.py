"""Sentences as reports and their rewordings have them: negation by a verb, ranges, levels carried on, and former disease
("+concept site side": sign, concept, site, side)."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

_SIGNS = {"present": "+", "absent": "-", "normal": "="}


def placed(scorer: Scorer, text: str) -> list[str]:
    """Return the findings of a report: what, where and on which side."""
    return sorted({f"{_SIGNS[f.status]}{f.concept} {'+'.join(f.sites)}".strip() for f in scorer.read(text).findings})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The mass does not extend into the brain stem.", ["-brain_mass brainstem"]),
        ("The dissection does not involve the ascending aorta.", ["-type_a_dissection ascending_aorta"]),
        ("An abscess has not formed.", ["-abscess"]),
        ("No erosion that would indicate arthritis.", ["-arthritis joint", "-erosion"]),
        ("Midline structures remain centrally aligned with no displacement.", ["=midline_shift midline_structures"]),
        ("The supraspinatus tendon is torn completely.", ["+full_thickness_cuff_tear supraspinatus_tendon"]),
        ("No vascular flow voids around the cord.", ["-spinal_vascular_malformation spinal_canal"]),
    ],
)
def test_negation(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "High T2 signal in the cord between T10 and T12.",
            [f"+cord_hyperintensity vertebra_t{level}" for level in (10, 11, 12)],
        ),
        (
            "The L3-4 disc protrudes. The L4-5 disc protrudes. The dural sac is compressed.",
            ["+disc_protrusion disc_l3_l4", "+disc_protrusion disc_l4_l5", "+thecal_sac_compression thecal_sac"],
        ),
        ("The L4-5 disc protrudes. The dural sac is compressed.",
         ["+disc_protrusion disc_l4_l5", "+thecal_sac_compression thecal_sac_l4_l5"]),
        ("Sacral Tarlov cysts.", ["+tarlov_cyst sacrum"]),
        ("Emphysema of the right cheek.", ["+subcutaneous_gas_head cheek"]),
        (
            "There is a mass in the vastus lateralis. The nerve is displaced. Perilesional oedema.",
            ["+displacement nerve", "+mass vastus_lateralis", "+muscle_edema vastus_lateralis"],
        ),
        ("A prevesical hematoma is present.", ["+hematoma retropubic_space"]),
    ],
)  # fmt: skip
def test_places(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Further fractures involve the spinous process of T12.", ["+spinous_process_fracture spinous_process_t12"]),
        ("Further evaluation with MRI is suggested.", []),
        ("After chemotherapy for lymphoma, the spleen is enlarged.", ["+splenomegaly spleen"]),
        (
            "Compared with the previous study, the ventricular system has decreased in size.",
            ["+size_abnormality ventricular_system"],
        ),
        ("The L4-5 disc bulges and presses slightly on the dural sac.",
         ["+disc_bulge disc_l4_l5", "+thecal_sac_compression thecal_sac_l4_l5"]),
    ],
)  # fmt: skip
def test_what_is_stated(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected
