"""Words of head, neck and spine that have another meaning elsewhere, ranges of levels, and numbers that have moved
("+concept site side": sign, concept, site, side)."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.model import WORDING

_SIGNS = {"present": "+", "absent": "-", "normal": "="}


def placed(scorer: Scorer, text: str) -> list[str]:
    """Return the findings of a report: what, where and on which side."""
    found = scorer.read(text).findings
    return sorted({f"{_SIGNS[f.status]}{f.concept} {'+'.join(f.sites)} {f.side or ''}".strip() for f in found})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MRI of the brain. Mass in the right CP angle.", ["+extra_axial_mass cerebellopontine_angle right"]),
        ("Chest radiograph. The right CP angle is blunted.", ["+costophrenic_blunting costophrenic_angle right"]),
        ("The left CP angle is blunted.", ["+costophrenic_blunting costophrenic_angle left"]),
        ("MRI lumbar spine. Epidural lipomatosis flattens the sac.",
         ["+epidural_lipomatosis epidural_fat", "+thecal_sac_compression thecal_sac"]),
        ("CT of the aorta. Thrombus in the sac.", ["+thrombosis aneurysm_sac"]),
        ("MRI of the spine. Epidural abscess at L2.", ["+spinal_epidural_abscess vertebra_l2"]),
        ("MRI of the brain. Epidural abscess over the left frontal lobe.", ["+epidural_empyema_cranial frontal_lobe left"]),
        ("No flow voids on the surface of the cord.", ["-spinal_vascular_malformation spinal_canal"]),
        ("Gyriform contrast uptake.", ["+gyriform_enhancement cerebral_cortex"]),
        ("Burst fracture of L2. A fragment of the posterior wall is displaced into the canal.",
         ["+burst_fracture vertebral_body_l2", "+retropulsion spinal_canal"]),
    ],
)  # fmt: skip
def test_words_mean_what_they_mean_in_their_region(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert placed(scorer, text) == expected


def test_a_word_that_is_clear_in_its_region_is_no_loose_one(scorer: Scorer) -> None:
    (one,) = scorer.read("MRI of the spine. Epidural abscess at L2.").findings
    assert WORDING not in {detail.category for detail in one.details}


@pytest.mark.parametrize(
    ("text", "concept", "levels"),
    [
        ("The spinal cord is swollen from C4 to C6.", "cord_expansion", ("c4", "c5", "c6")),
        ("The cord is thickened from T10 down to T12.", "cord_expansion", ("t10", "t11", "t12")),
        ("A lipoma presses on the dural sac from L2 to L4.", "thecal_sac_compression", ("l2", "l3", "l4")),
        ("The cord is atrophic at C3 through C5.", "cord_atrophy", ("c3", "c4", "c5")),
    ],
)
def test_a_structure_along_a_range_of_levels_bears_the_finding(scorer, text: str, concept: str, levels: tuple[str, ...]) -> None:
    found = {(f.concept, f.sites) for f in scorer.read(text).findings if f.concept != "lipoma"}
    assert found == {(concept, (f"vertebra_{level}",)) for level in levels}


@pytest.mark.parametrize(
    ("text", "status", "change"),
    [
        ("The midline shift has gone from 4 to 9 mm.", "present", None),
        ("The hematoma has come down from 4 to 2 cm.", "present", "decreased"),
        ("Some clearing of the pneumonia.", "present", "decreased"),
        ("The pleural effusion has gone down.", "present", "decreased"),
        ("The pleural effusion has gone.", "absent", "resolved"),
    ],
)
def test_what_has_gone_from_one_value_to_another_is_still_there(scorer, text: str, status: str, change: str | None) -> None:
    assert {(f.status, f.change) for f in scorer.read(text).findings} == {(status, change)}


def test_atheroma_and_plaque_are_one_thing(scorer: Scorer) -> None:
    one, other = (f"Calcified {word} of the left carotid artery." for word in ("plaque", "atheroma"))
    assert scorer.relate(one, other).weight > 0
