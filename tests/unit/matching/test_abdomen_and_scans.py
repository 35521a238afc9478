"""What follows from statements of the abdomen, the pelvis, the vessels and of nuclear medicine."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

JUDGED = [
    # nuclear medicine
    ("PSMA-positive lymph nodes in the left pelvis.", "PSMA-avid pelvic lymph nodes on the left.", "entailed"),
    ("Small nodule in the right lower lobe.", "No FDG-avid nodule in the right lower lobe.", "neutral"),
    ("The lymph nodes are no longer metabolically active.", "Hypermetabolic lymph nodes.", "contradicted"),
    ("Complete metabolic response.", "Metabolic progression.", "contradicted"),
    ("MIBI-positive focus below the left lobe.", "Complete washout of sestamibi.", "contradicted"),
    ("The right kidney does not drain after furosemide.", "Obstructed drainage of the right kidney.", "entailed"),
    ("The right kidney drains promptly.", "Obstructive drainage pattern on the right.", "contradicted"),
    ("Both kidneys contribute equally.", "Reduced split function of the left kidney.", "contradicted"),
    ("Decreased function of the left kidney.", "Cardiac dysfunction.", "neutral"),
    # pregnancy
    ("Live singleton pregnancy.", "Twin pregnancy.", "contradicted"),
    ("Fetus in vertex presentation.", "Breech presentation.", "contradicted"),
    ("Empty uterine cavity.", "Intrauterine pregnancy.", "contradicted"),
    # parts of the organ that a finding names
    ("Cholecystitis with a stone lodged in the neck.", "Stone in the gallbladder neck.", "entailed"),
    ("Swollen pancreas with necrosis of the neck.", "Necrosis of the pancreatic neck.", "entailed"),
    # signs, parts and opposites
    ("Double duct sign.", "The pancreatic duct is not dilated.", "contradicted"),
    ("The common bile duct is not dilated.", "No extrahepatic biliary dilatation.", "entailed"),
    ("Solid enhancing mass in the left kidney.", "Solid renal mass on the left.", "entailed"),
    ("Hepatocellular carcinoma in segment 8.", "The lesion is a haemangioma.", "contradicted"),
    ("Adrenal nodule on the left, possibly a metastasis.", "The left adrenal nodule is an adenoma.", "neutral"),
    # vessels
    ("The left renal artery arises from the false lumen.", "The left renal artery is fed by the true lumen.", "contradicted"),
    ("The sac diameter is unchanged.", "The aneurysm sac has grown.", "contradicted"),
    ("Impaired perfusion of the left kidney.", "Cerebral perfusion deficit.", "neutral"),
]


@pytest.mark.parametrize(("report", "statement", "verdict"), JUDGED)
def test_what_follows(scorer: Scorer, report: str, statement: str, verdict: str) -> None:
    assert scorer.entails(report, statement).verdict == verdict
