"""What a report says about a statement, construct by construct: every row is read off the two texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.engine import Scorer

E, C, N = "entailed", "contradicted", "neutral"
TWO_NODULES = "12 mm nodule in the left upper lobe. 5 mm nodule in the right lower lobe."
# The side that a report speaks of, residues, what a normal quality denies, neutral names, the way in of a device.
FURTHER = [
    ("Left knee. No dislocation of the patella.", "No patellar dislocation.", E),
    ("Radiograph of the right hip. The hip joint is dislocated.", "Dislocation of the right hip.", E),
    ("No left pleural effusion.", "No pleural effusion.", N),
    ("Examination of the left kidney. There is a cyst in the kidney.", "Cyst of the left kidney.", E),
    ("The left kidney is small, the right kidney normal. There is a cyst in the kidney.", "Cyst of the left kidney.", N),
    ("The lungs are clear.", "Small calcified granuloma in the left upper lobe.", N),
    ("No calcified granuloma.", "Small calcified granuloma in the left upper lobe.", C),
    ("Normal signal of the posterior cruciate ligament.", "Tear of the posterior cruciate ligament.", C),
    ("Normal signal of the left hippocampus.", "Left mesial temporal sclerosis.", C),
    ("A lesion in the thymus.", "Thymoma.", N),
    ("Chest wall collection on the left.", "Chest wall infection.", N),
    ("A right femoral dialysis catheter is again seen.", "The dialysis catheter tip is in the right atrium.", N),
    ("Dialysis catheter with its tip in the right atrium.", "The dialysis catheter tip is in the inferior vena cava.", C),
    # what is free of a finding; adjectives that are a bone's and a vessel's; a flow void; two patterns of enhancement
    ("Stone-free bile ducts.", "Stone in the bile duct.", C),
    ("A tumor-free liver.", "Liver mass.", C),
    ("Left vertebral dissection.", "Dissection of the left vertebral artery.", E),
    ("Right radial occlusion.", "The right radial artery is occluded.", E),
    ("Normal flow void of the basilar artery.", "Basilar artery occlusion.", C),
    ("Homogeneous enhancement of the splenic mass.", "Heterogeneously enhancing mass in the spleen.", C),
]
ROWS = [
    # both sides, one side, an open side
    ("Left pleural effusion. Right pleural effusion.", "Bilateral pleural effusions.", E),
    ("Left pleural effusion.", "Bilateral pleural effusions.", N),
    ("No left pleural effusion. No right pleural effusion.", "Pleural effusion.", C),
    ("No left pleural effusion.", "Pleural effusion.", N),
    ("No left pleural effusion.", "Right pleural effusion.", N),
    ("No left pleural effusion. No right pleural effusion.", "No pleural effusion.", E),
    ("No left pleural effusion.", "No pleural effusion.", N),
    # the only one, the largest one, in one place only
    ("Nodule in the left upper lobe.", "The only nodule is in the right upper lobe.", C),
    ("Nodule in the left upper lobe.", "The only nodule is in the left upper lobe.", E),
    (TWO_NODULES, "The largest nodule is in the right lower lobe.", C),
    (TWO_NODULES, "The largest nodule is in the left upper lobe.", E),
    ("Consolidation in the left upper lobe and in the right lower lobe.", "Consolidation confined to the left upper lobe.", C),
    ("Consolidation in the left upper lobe.", "Consolidation confined to the left upper lobe.", E),
    ("Left pleural effusion. Right pleural effusion.", "Pleural effusion only on the left.", C),
    ("Left pleural effusion.", "Pleural effusion only on the left.", E),
    ("Right pleural effusion.", "Pleural effusion only on the left.", C),
    # more than a measure
    ("6 mm nodule in the left lung.", "No nodule exceeds 8 mm.", E),
    ("9 mm nodule in the left lung.", "No nodule exceeds 8 mm.", C),
    ("6 mm nodule in the left lung. 9 mm nodule in the right lung.", "No nodule exceeds 8 mm.", C),
    ("6 mm nodule in the left lung. Nodule in the right lung.", "No nodule exceeds 8 mm.", N),
    # changes
    ("Unchanged cardiomegaly.", "The heart size is unchanged.", E),
    ("Increased cardiomegaly.", "The heart size is unchanged.", C),
    ("New left pleural effusion.", "The left pleural effusion has decreased.", C),
    ("Left pleural effusion.", "The left pleural effusion has decreased.", N),
    ("The left pleural effusion has decreased.", "The left pleural effusion has decreased.", E),
    ("The left pneumothorax has resolved.", "The left pneumothorax has resolved.", E),
    ("The left pneumothorax has resolved.", "No left pneumothorax.", E),
    ("Left pneumothorax.", "The left pneumothorax has resolved.", C),
    # degrees
    ("Small left pleural effusion.", "No large left pleural effusion.", E),
    ("Large left pleural effusion.", "No large left pleural effusion.", C),
    ("Left pleural effusion.", "No large left pleural effusion.", N),
    ("Small left pleural effusion.", "Large left pleural effusion.", C),
    ("Moderate left pleural effusion.", "Large left pleural effusion.", E),  # a word of degree has its neighbours
    ("Small to moderate left pleural effusion.", "Large left pleural effusion.", C),  # a range is exact
    ("Left pleural effusion.", "Large left pleural effusion.", N),
    # measures
    ("12 mm nodule in the left lung.", "12 mm nodule in the left lung.", E),
    ("12 mm nodule in the left lung.", "Nodule of 1.2 cm in the left lung.", E),
    ("12 mm nodule in the left lung.", "20 mm nodule in the left lung.", C),
    ("Nodule in the left lung.", "20 mm nodule in the left lung.", N),
    # certainty
    ("Pneumonia in the left lower lobe.", "Possible pneumonia in the left lower lobe.", E),
    ("Possible pneumonia in the left lower lobe.", "Possible pneumonia in the left lower lobe.", E),
    ("Possible pneumonia in the left lower lobe.", "Pneumonia in the left lower lobe.", N),
    ("Probable pneumonia in the left lower lobe.", "Suspected pneumonia in the left lower lobe.", E),
    # several findings in a statement
    ("Cardiomegaly. No pneumothorax.", "Cardiomegaly without pneumothorax.", E),
    ("Cardiomegaly. Left pneumothorax.", "Cardiomegaly without pneumothorax.", C),
    ("Cardiomegaly.", "Cardiomegaly without pneumothorax.", N),
    # denials: broader, narrower, of the rest, of acute things
    ("No intracranial hemorrhage.", "No subdural hematoma.", E),
    ("No subdural hematoma.", "No intracranial hemorrhage.", N),
    ("The liver is unremarkable.", "No cyst in the liver.", E),
    ("No cyst in the liver.", "The liver is unremarkable.", N),
    ("The liver is normal in size and of normal density.", "The liver is unremarkable.", E),
    ("The liver is normal in size.", "The liver is unremarkable.", N),
    ("No acute fracture.", "No fracture.", N),
    ("No fracture.", "No acute fracture.", E),
    ("The lungs are clear.", "The lungs are clear.", E),
    ("Left basal atelectasis. The lungs are otherwise clear.", "Consolidation in the right upper lobe.", C),
    ("Left basal atelectasis. The lungs are otherwise clear.", "Atelectasis in the left lower lobe.", E),  # base and lobe are one
    # devices
    ("Endotracheal tube tip in the trachea.", "The endotracheal tube ends in the trachea.", E),
    ("Endotracheal tube tip in the right main bronchus.", "The endotracheal tube ends in the trachea.", C),
    ("Feeding tube coiled in the esophagus.", "The feeding tube ends in the stomach.", C),
    ("The right femoral nail is intact.", "The right femoral nail is fractured.", C),
    ("Right chest tube.", "Left chest tube.", N),
    # causes and proof must be in the words of the report
    ("Left hydronephrosis.", "Left hydronephrosis due to a stone.", N),
    ("Left hydronephrosis due to a stone.", "Left hydronephrosis due to a stone.", E),
    ("Mass in the liver.", "Biopsy-proven mass in the liver.", N),
    ("Biopsy-proven mass in the liver.", "Biopsy-proven mass in the liver.", E),
    # nothing is said
    ("", "Cardiomegaly.", N),
    ("Cardiomegaly.", "", N),
]  # fmt: skip
MORE = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("verdicts.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("report", "statement", "verdict"), [*ROWS, *FURTHER, *((*texts, verdict) for verdict, *texts in MORE)])
def test_what_a_report_says_about_a_statement(scorer: Scorer, report: str, statement: str, verdict: str) -> None:
    found = scorer.entails(report, statement)
    assert found.verdict == verdict
    assert bool(found.by) == bool(found.proof) == (verdict != N)


@pytest.mark.parametrize(
    ("report", "statement", "proof"),
    [
        ("Small left pleural effusion.", "No large left pleural effusion.", "pleural effusion excludes pleural effusion"),
        (
            "The endotracheal tube is well positioned.",
            "The endotracheal tube ends in the right main bronchus.",
            "endotracheal tube: well placed, it does not end in main bronchus",
        ),
        (
            "Left central venous catheter with its tip in the superior vena cava.",
            "Right central venous catheter with its tip in the superior vena cava.",
            "the only central venous catheter of the report ends on the left, not on the right",
        ),
        ("No interval change in the lungs.", "New opacity in the left lung.", "lung: no change and new exclude each other"),
        ("No interval change.", "New opacity in the left lung.", "examination: no change and new exclude each other"),
    ],
)
def test_the_proof_says_why(scorer: Scorer, report: str, statement: str, proof: str) -> None:
    assert scorer.entails(report, statement).proof == (proof,)
