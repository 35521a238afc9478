"""Chest reports in other words, and with one thing changed: which errors the clinical verdict names, and how grave they are."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.model import TIERS
from kgscore.verdict import Aligned
from tests.unit.clinical.conftest import verdict


def actionable(scorer: Scorer, reference: str, candidate: str) -> list[Aligned]:
    return [one for one in verdict(scorer, reference, candidate).findings if one.actionable]


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("A large right pneumothorax.", "There is a large collection of gas in the right pleural space."),
        ("Viral bronchiolitis.", "The child has a viral infection of the small airways."),
        ("Palsy of the right phrenic nerve.", "Paralysis of the right phrenic nerve."),
        ("The celiac trunk arises from the false lumen.", "The false lumen gives rise to the celiac trunk."),
        ("High-resolution CT of the lungs. Small hiatal hernia.", "There is a small hiatal hernia."),
        ("Low-dose CT of the chest. Small hiatal hernia.", "There is a small hiatal hernia."),
        ("The fourth left rib is fractured.", "The fourth left rib is broken in two places."),
        # what is graver in one sentence is named in another
        ("A 5 cm mass in the right lower lobe. Conclusion: lung cancer.", "Lung cancer of 5 cm in the right lower lobe."),
        ("Small effusions on both sides, larger on the left.", "Small effusions on both sides, the left being the larger."),
        ("CT signs of right heart strain.", "The right ventricle is dilated, in keeping with right heart strain."),
        ("The endotracheal tube is well positioned.", "The ETT tip is 5 cm above the carina."),
    ],
)
def test_other_words_are_no_error(clinical, reference, candidate) -> None:
    assert actionable(clinical, reference, candidate) == []


@pytest.mark.parametrize(
    ("reference", "candidate", "finding", "tier"),
    [
        # a line or tube that ends where it should not
        ("Endotracheal tube 5 cm above the carina.", "The ETT ends in the left main bronchus.", "tube", "critical"),
        ("The ETT ends in the left main bronchus.", "The endotracheal tube is well positioned.", "tube", "critical"),
        ("The left PICC ends in the SVC.", "The tip of the left PICC is in the azygos vein.", "catheter", "urgent"),
        ("The port catheter ends in the right atrium.", "The port catheter ends in the right ventricle.", "port", "urgent"),
        ("The pacemaker leads are in place.", "The atrial pacemaker lead is displaced.", "pacemaker lead", "urgent"),
        ("The nasogastric tube is malpositioned.", "A nasogastric tube is present.", "nasogastric tube", "urgent"),
        # an age that the name of a finding excludes
        ("Acute left pulmonary embolism.", "Chronic left pulmonary embolism.", "embolism", "critical"),
        ("Healed fracture of the left sixth rib.", "Acute fracture of the left sixth rib.", "rib fracture", "urgent"),
        # structures that are no neighbours of each other
        ("Severe stenosis of the right coronary artery.", "Severe stenosis of the LAD.", "coronary artery stenosis", "notable"),
        ("Thrombus in the left ventricle.", "Thrombus in the left atrium.", "thrombus", "urgent"),
        ("Aneurysm of the ascending aorta of 60 mm.", "Aneurysm of the descending aorta of 60 mm.", "aneurysm", "urgent"),
        ("A 6 cm mass in the posterior mediastinum.", "A 6 cm mass in the anterior mediastinum.", "mediastinal mass", "notable"),
        # what was reported in its place is graver
        ("Atelectasis at the left lung base.", "Consolidation at the left lung base.", "atelectasis", "urgent"),
        # a reading that matters, and something harmless in its place
        ("A 2 cm lesion in the spleen, likely metastatic.", "A 2 cm cyst in the spleen.", "lesion", "urgent"),
        # "free" of gas denies nothing
        ("No free gas in the peritoneal cavity.", "Free gas is seen in the peritoneal cavity.", "pneumoperitoneum", "critical"),
        # an opacity that may be an infection is no sign of emphysema
        ("Emphysema. New opacity in the left upper zone, possibly pneumonia.", "Emphysema.", "lung opacity", "urgent"),
        # a denial of another bone is no reason for doubt
        ("Right clavicle, scapula intact.", "The right scapula is intact. Fracture of the right clavicle.", "fracture", "urgent"),
    ],
)
def test_one_change_is_a_sure_error(clinical, reference, candidate, finding, tier) -> None:
    found = [one for one in actionable(clinical, reference, candidate) if not one.doubts]
    assert [TIERS[one.tier] for one in found if finding in one.what] == [tier]


def test_a_misplaced_device_is_one_error(clinical) -> None:
    (one,) = actionable(clinical, "The pacemaker leads are in place.", "The atrial pacemaker lead is displaced.")
    assert [error.because for error in one.errors if error.major] == ["displaced is added"]
