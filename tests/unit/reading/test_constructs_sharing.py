"""What coordinated findings share, and what only one of them has: places, sides, changes, hedges and denials."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def told(scorer: Scorer, text: str) -> list[str]:
    """Return each finding as its status, certainty, concept, site, side and change, where they are not the usual ones."""
    usual = ("present", "definite", None)
    return sorted(
        " ".join(one for one in (f.status, f.certainty, f.concept, *f.sites, f.side, f.change) if one and one not in usual)
        for f in scorer.read(text).findings
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("In addition to a cyst, the left kidney contains a mass.", ["renal_cyst kidney left", "renal_mass kidney left"]),
        (
            "Not only a hematoma but also an abscess is seen in the pons.",
            ["brain_abscess pons", "intraparenchymal_hemorrhage pons"],
        ),
        (
            "A nodule, but no cavity, is seen in the lingula.",
            ["absent lung_cavity lingula left", "pulmonary_nodule lingula left"],
        ),
        (
            "Decreased nodule but new cavity in the lingula.",
            ["lung_cavity lingula left new", "pulmonary_nodule lingula left decreased"],
        ),
        ("The lingula shows a nodule but no cavity.", ["absent lung_cavity lingula left", "pulmonary_nodule lingula left"]),
        ("A cyst in the spleen with no associated mass.", ["absent mass spleen", "splenic_cyst spleen"]),
        (
            "In addition to cardiomegaly, there is a nodule in the lingula.",
            ["cardiomegaly heart", "pulmonary_nodule lingula left"],
        ),
        ("Osteopenia, no fracture in the left wrist.", ["absent fracture wrist left", "osteopenia bone"]),
    ],
)
def test_findings_said_together_are_at_one_place(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Probable cyst in the spleen and possible mass in the liver.", ["possible mass liver", "probable splenic_cyst spleen"]),
        (
            "Neither gliosis in the pons nor a mass in the left thalamus.",
            ["absent brain_mass thalamus left", "absent gliosis pons"],
        ),
        (
            "The lingula shows a nodule and the right apex a cavity.",
            ["lung_cavity lung_apex right", "pulmonary_nodule lingula left"],
        ),
    ],
)
def test_a_finding_is_not_at_the_place_of_the_next(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A cyst and possible abscess are seen in the spleen.", ["possible splenic_abscess spleen", "splenic_cyst spleen"]),
        ("The pons shows gliosis and probably also an infarct.", ["gliosis pons", "probable infarct_brain pons"]),
        ("Osteopenia with no fracture is seen in the sternum.", ["absent sternal_fracture sternum", "osteopenia sternum"]),
        ("Absence of edema and gliosis in the pons.", ["absent cerebral_edema pons", "absent gliosis pons"]),
        ("There is no hypodense lesion in the spleen.", ["absent lesion spleen"]),
    ],
)
def test_what_is_unsure_or_denied_of_one_or_both(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Resolution of edema and hematoma in the pons.",
            ["absent cerebral_edema pons resolved", "absent intraparenchymal_hemorrhage pons resolved"],
        ),
        (
            "Unchanged gliosis in the pons and edema in the left thalamus.",
            ["cerebral_edema thalamus left stable", "gliosis pons stable"],
        ),
        (
            "The cyst in the spleen is stable, as is the cyst in the liver.",
            ["hepatic_cyst liver stable", "splenic_cyst spleen stable"],
        ),
        ("The spleen is normal and so is the liver.", ["normal abnormality liver", "normal abnormality spleen"]),
    ],
)
def test_a_change_or_predicate_is_shared(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gliosis in both the left thalamus and the pons.", ["gliosis pons", "gliosis thalamus left"]),
        ("Both gliosis and an infarct are seen in the pons.", ["gliosis pons", "infarct_brain pons"]),
        (
            "On the left, both the kidney and the ureter are normal.",
            ["normal abnormality kidney left", "normal abnormality ureter left"],
        ),
        (
            "Osteopenia of the left clavicle and the right humeral head.",
            ["osteopenia clavicle left", "osteopenia humeral_head right"],
        ),
        ("Gliosis in the right frontal and temporal lobes.", ["gliosis frontal_lobe right", "gliosis temporal_lobe right"]),
    ],
)
def test_both_opens_a_pair_and_a_full_name_takes_no_noun(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert told(scorer, text) == expected
