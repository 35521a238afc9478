"""Constructs of reports of the abdomen and pelvis: in other words no actionable error, and one that is changed is an error."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from tests.unit.clinical.conftest import Errors, verdict

REWORDED = {
    "fat around an organ": ("The appendix is thickened, with periappendiceal fat stranding.",
                            "Thickened appendix; the surrounding fat is inflamed."),
    "fat around the gallbladder": ("Gallbladder wall thickening with pericholecystic stranding.",
                                   "The gallbladder wall is thickened and the adjacent fat shows stranding."),
    "adjective for a finding of a wall": ("Acute appendicitis. Appendiceal wall thickening.",
                                          "Acute appendicitis: appendix 11 mm, thick-walled."),
    "category as a detail": ("28 mm lesion in segment VI of the liver, hyperenhancing. LI-RADS 5.",
                             "Hyperenhancing lesion of 28 mm in liver segment 6 (LR-5)."),
    "perforated ulcer of the duodenum": ("Perforated duodenal ulcer with free air.",
                                         "Duodenal ulcer perforation with pneumoperitoneum."),
    "end-diastolic flow": ("Absent end-diastolic flow in the umbilical artery.",
                           "There is no end-diastolic flow in the umbilical artery."),
    "empty uterus": ("No evidence of intrauterine pregnancy.", "The uterine cavity is empty."),
    "extension as invasion": ("The tumour extends into the left parametrium.", "Left parametrial invasion."),
    "a finding and what it is read as": ("Wall thickening of the caecum. Acute typhlitis.",
                                         "Wall thickening of the caecum, i.e. acute typhlitis."),
    "kind named by two adjectives": ("Acute necrotizing pancreatitis.", "Necrotizing acute pancreatitis."),
    "signal for flow": ("Absent flow in the right ovary.", "The right ovary is without Doppler signal."),
    "index by its letters": ("Low pulsatility index in the umbilical artery.", "Reduced PI in the umbilical artery."),
    "beside the colon": ("Pericolic abscess at the descending colon.", "Abscess beside the descending colon."),
    "nodes that are large and reactive": ("Reactive inguinal lymph nodes.", "Enlarged inguinal lymph nodes, probably reactive."),
    "equal enhancement": ("The kidneys enhance symmetrically.", "The kidneys enhance equally."),
    "vessels inside, and the flow of the organ": ("Mass of the left testis with internal vascularity.",
                                                  "Left testicular mass with internal flow. Both testes are normally perfused."),
    "growth that is restricted": ("Fetal growth restriction.", "Growth-restricted fetus."),
    "abrupt change of calibre": ("Transition point in the left lower quadrant.",
                                 "Abrupt caliber change in the left lower quadrant."),
    "occluded by a thrombus": ("Thrombosis of the left renal vein.", "A thrombus occludes the left renal vein."),
    "nodes of a compartment": ("Suspicious mesorectal lymph node.", "Suspicious lymph node in the mesorectum."),
    "cord of a testis": ("Torsion of the right testis with a whirlpool sign of the spermatic cord.",
                         "Torsion of the right testis: the cord shows a whirlpool sign."),
    "granulomata": ("Multiple calcified granulomas in the spleen.", "The spleen contains several calcified granulomata."),
}  # fmt: skip
CHANGED = {
    "side of the organ before": ("The left kidney is enlarged. There is a cyst in the lower pole.",
                                 "The left kidney is enlarged. Cyst in the lower pole of the right kidney."),
    "side of the organ before, one of several": ("Two stones in the right kidney. The larger one lies in the renal pelvis.",
                                                 "Two stones in the left kidney. The larger one lies in the renal pelvis."),
    "nodal stage": ("Rectal cancer T3 N1.", "Rectal cancer T3 N0."),
    "stage of another tumour": ("FIGO stage IIB cervical carcinoma.", "FIGO stage IB1 cervical carcinoma."),
    "chorionicity": ("Dichorionic diamniotic twin pregnancy.", "Monochorionic diamniotic twin pregnancy."),
    "cyst, read as a metastasis": ("Two hypodense lesions in the spleen, suspicious for metastases.",
                                         "Two simple cysts in the spleen."),
    "cyst, read as an abscess": ("Collection of 5 cm in the left lobe of the liver, in keeping with an abscess.",
                                 "Simple cyst of 5 cm in the left lobe of the liver."),
    "haemangioma, read as a carcinoma": ("Lesion of 21 mm in liver segment 5, suspicious for hepatocellular carcinoma.",
                                         "Lesion of 21 mm in liver segment 5, a typical haemangioma."),
    "blood in the pelvis": ("Haemoperitoneum in the pouch of Douglas.", "The pouch of Douglas is free."),
    "open cervix": ("The internal os is closed.", "The internal os is open."),
    "sigmoid and caecum": ("Diverticulitis of the sigmoid colon.", "Diverticulitis of the caecum."),
    "head and tail of the pancreas": ("Mass in the head of the pancreas.", "Mass in the tail of the pancreas."),
    "flow and thrombus": ("Portal vein with normal hepatopetal flow.", "The portal vein is thrombosed."),
    "other half of the colon": ("Wall thickening of the ascending colon.", "Wall thickening of the descending colon."),
}  # fmt: skip


SURE = {
    "side beside an unknown word": ("Solid mass of the left testis.", "Bosselated solid mass of the right testis."),
    "denied finding beside an unknown word": ("No mass in the right testis.", "Bosselated mass in the right testis."),
    "denial of the finding and of its class": ("Normal flow in both testes, no torsion. Left hydrocele.",
                                               "The left testis is torted. Left hydrocele."),
    "words of parts": ("Diverticulitis of the sigmoid colon.", "Diverticulitis of the caecum, over a segment."),
}  # fmt: skip
GRAVER = {
    "number of a stenosis": ("Stenosis of 30 % of the left internal carotid artery.",
                             "Stenosis of 80 % of the left internal carotid artery."),
    "opposite lie": ("Cephalic presentation.", "Transverse lie."),
}  # fmt: skip


@pytest.mark.parametrize("construct", REWORDED)
def test_other_words_are_no_error(errors: Errors, construct: str) -> None:
    one, other = REWORDED[construct]
    assert errors(one, other) == errors(other, one) == []


@pytest.mark.parametrize("construct", CHANGED)
def test_a_change_is_an_error(errors: Errors, construct: str) -> None:
    assert errors(*CHANGED[construct])


@pytest.mark.parametrize("construct", SURE)
def test_an_error_is_not_doubtful(clinical: Scorer, construct: str) -> None:
    assert any(one.actionable and not one.doubts for one in verdict(clinical, *SURE[construct]).findings)


@pytest.mark.parametrize("construct", GRAVER)
def test_an_error_is_as_grave_as_what_is_said_instead(clinical: Scorer, construct: str) -> None:
    reference, candidate = GRAVER[construct]
    (own,), (said,) = (verdict(clinical, one, one).findings for one in (reference, candidate))
    (found,) = verdict(clinical, reference, candidate).findings
    assert (found.category, found.tier) == ("wrong", said.tier)
    assert own.tier < said.tier
