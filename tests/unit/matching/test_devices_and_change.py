"""What a report says about devices, states after operations, sides and change, by class of construct."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

# Report, statement and verdict.
CASES = {
    "a device that ends elsewhere than it should is misplaced": [
        ("The ET tube terminates in the right main bronchus.", "Malpositioned endotracheal tube.", "entailed"),
        ("The ET tube terminates in the right main bronchus.", "The endotracheal tube is well positioned.", "contradicted"),
        ("The endotracheal tube is well positioned.", "Endotracheal tube tip in the right main bronchus.", "contradicted"),
        ("Tracheal tube 5 cm above the carina.", "The tracheal tube is too high.", "neutral"),
    ],
    "the side of a device is its own, and not that of the vein where it ends": [
        ("Left PICC, tip in the SVC.", "Left PICC with its tip in the right subclavian vein.", "contradicted"),
        ("PICC tip at the lower SVC.", "The tip of the PICC lies in the upper third of the SVC.", "contradicted"),
    ],
    "there is one generator": [
        ("Right pectoral pacemaker.", "The pulse generator is in the left chest wall.", "contradicted"),
        ("Right chest tube.", "Left chest tube.", "neutral"),
    ],
    "implants and operations stay": [
        ("Mitral valve replacement.", "No evidence of previous cardiac surgery.", "contradicted"),
        ("Aortocoronary bypass.", "Previous operation of the mediastinum.", "entailed"),
        ("Prior spinal instrumentation.", "Hardware of the spine.", "entailed"),
        ("The left knee joint has been replaced.", "Left knee arthroplasty.", "entailed"),
    ],
    "what has been taken out is not there": [
        ("She has been extubated.", "The endotracheal tube was removed.", "entailed"),
        ("The tip of the feeding tube is not visualized.", "No feeding tube.", "contradicted"),
    ],
    "the only side, and the side of a comparison": [
        ("Plaques of both pleurae.", "Pleural plaques are confined to the left side.", "contradicted"),
        ("Right basal scar.", "The scarring is only on the left.", "contradicted"),
        ("Basal atelectasis on both sides, worse on the right.", "Basal atelectasis is more marked on the left.", "contradicted"),
        ("Pulmonary edema.", "Edema of the lungs.", "entailed"),
    ],
    "two structures that are stable are stable each": [
        ("Stable heart size and hilar contours.", "The heart is larger than before.", "contradicted"),
        ("Unchanged cardiomegaly.", "The heart size has not changed.", "entailed"),
    ],
    "what there is, if any, is small": [
        ("Pleural effusion, if any, is minimal.", "Large left pleural effusion.", "contradicted"),
        ("Small right pleural effusion.", "No large right pleural effusion.", "entailed"),
        ("Pleural effusion, if any, is minimal.", "Pleural effusion.", "neutral"),
    ],
    "a normal word that is said is said, whatever else there is": [
        ("Lungs are clear. Calcified granuloma of the left lung.", "The lungs are clear.", "entailed"),
        ("Lungs are clear. Calcified granuloma of the left lung.", "Calcified granuloma of 5 mm.", "neutral"),
        ("The lungs are normally inflated.", "Hyperinflated lungs.", "contradicted"),
    ],
    "a cause must be told": [
        ("Scars at the lung bases.", "Scars at the lung bases from previous surgery.", "neutral"),
    ],
}


@pytest.mark.parametrize(
    ("report", "statement", "verdict"), [case for cases in CASES.values() for case in cases], ids=lambda text: text[:40]
)
def test_verdict(scorer: Scorer, report: str, statement: str, verdict: str) -> None:
    assert scorer.entails(report, statement).verdict == verdict
