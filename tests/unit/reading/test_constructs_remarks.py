"""Remarks on the examination beside findings; empty subjects; what lies among the lobes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.model import Finding

Said = Callable[[str], list[str]]
Only = Callable[[str], Finding]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Left pleural effusion, unchanged since the comparison film.", ["+pleural_effusion left"]),
        ("Compared with the comparison study, the left effusion has increased.", ["+pleural_effusion left"]),
        ("The lateral view shows a fracture of the left radius.", ["+fracture left"]),
        ("Erect film shows free gas under the diaphragm.", ["+pneumoperitoneum"]),
        ("Limited evaluation of the abdomen shows gallstones.", ["+cholelithiasis"]),
        ("Limited by motion, there is a small left subdural hematoma.", ["+subdural_hematoma left"]),
        ("Although limited by motion, no midline shift is seen.", ["-midline_shift"]),
        ("Given the rotated position, the heart appears enlarged.", ["+cardiomegaly"]),
        ("Right apical pneumothorax seen only on the expiratory film.", ["+pneumothorax right"]),
        ("Evaluation of the lung bases is limited.", []),
        ("Comparison: CT of 2019.", []),
        ("PA and lateral views were obtained.", []),
    ],
)
def test_a_remark_on_the_examination_is_no_finding_and_hides_none(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == expected


def test_what_is_seen_better_has_not_become_better(only: Only) -> None:
    assert only("Small left effusion, better seen on the lateral view.").change is None


@pytest.mark.parametrize(
    ("text", "concept", "site"),
    [
        ("Changes in the left lower lobe consistent with pneumonia.", "pneumonia", "lower_lobe"),
        ("Appearances in the left lower lobe suggest pneumonia.", "pneumonia", "lower_lobe"),
        ("Area in the left frontal lobe consistent with infarct.", "infarct_brain", "frontal_lobe"),
        ("LLL: bronchiectasis.", "bronchiectasis", "lower_lobe"),
        ("In the left lower lobe there is bronchial wall thickening.", "bronchial_wall_thickening", "lower_lobe"),
    ],
)
def test_the_place_of_an_empty_subject_or_label_is_kept(only: Only, text: str, concept: str, site: str) -> None:
    found = only(text)
    assert (found.concept, found.sites, found.side) == (concept, (site,), "left")
