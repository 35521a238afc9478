"""Statements about the chest: what a number, a place, a suspicion or an intact device says."""

import pytest

from kgscore.engine import Scorer

_CASES = [
    # a measurement tells a degree
    ("75% stenosis of the left ICA.", "Severe stenosis of the left ICA.", "entailed"),
    ("Stenosis of 30% of the LAD.", "High-grade stenosis of the LAD.", "contradicted"),
    ("Pericardial effusion up to 26 mm.", "Large pericardial effusion.", "entailed"),
    ("LVEF 33%.", "Impaired left ventricular systolic function.", "entailed"),
    ("Ejection fraction 61%.", "Reduced left ventricular systolic function.", "contradicted"),
    # a score, and a supply type
    ("Agatston score 240.", "Coronary calcification is present.", "entailed"),
    ("Calcium score of 0.", "Coronary calcification is present.", "contradicted"),
    ("Left-dominant circulation.", "The right coronary artery is dominant.", "contradicted"),
    # in one place only
    ("Bronchiectasis of the middle lobe and the lingula.", "The bronchiectasis is confined to the right lung.", "contradicted"),
    ("Bronchiectasis of the middle lobe.", "The bronchiectasis is confined to the right lung.", "entailed"),
    # suspected, and proven
    ("Possible pneumonia of the left lower lobe.", "Pneumonia is suspected.", "entailed"),
    ("Mass of the left breast.", "The mass is histologically proven.", "neutral"),
    # a normal part is not what is spoken of
    ("Nodule of the left thyroid lobe. The isthmus is normal.", "The nodule shows increased vascularity.", "neutral"),
    # whole and broken devices
    ("Rupture of the left breast implant.", "Both breast implants are intact.", "contradicted"),
    ("The sternal wires are intact.", "No broken sternal wire.", "entailed"),
    # words of one region, in a statement
    ("Glottic tumor crossing the anterior commissure.", "The anterior commissure is free of tumor.", "contradicted"),
    # what a category or a diagnosis tells
    pytest.param(
        "Clustered calcifications of the right breast, BI-RADS 4.", "The calcifications are typically benign.", "contradicted",
        marks=pytest.mark.xfail(strict=True, reason="a category is a finding of its own, and no longer a detail"),
    ),
    ("Oval mass of the right breast, probably a fibroadenoma.", "Probably benign mass of the right breast.", "entailed"),
    ("Nodule of the right thyroid lobe, taller than wide.", "The nodule is wider than tall.", "contradicted"),
]


@pytest.mark.parametrize(("report", "statement", "verdict"), _CASES)
def test_statements_of_the_chest(scorer: Scorer, report: str, statement: str, verdict: str) -> None:
    assert scorer.entails(report, statement).verdict == verdict
