"""Constructs of reports of the abdomen and pelvis: in other words no actionable error, and one that is changed is an error."""

from __future__ import annotations

import pytest

from tests.unit.clinical.conftest import Errors

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
    "other half of the colon": ("Wall thickening of the ascending colon.", "Wall thickening of the descending colon."),
}  # fmt: skip


@pytest.mark.parametrize("construct", REWORDED)
def test_other_words_are_no_error(errors: Errors, construct: str) -> None:
    one, other = REWORDED[construct]
    assert errors(one, other) == errors(other, one) == []


@pytest.mark.parametrize("construct", CHANGED)
def test_a_change_is_an_error(errors: Errors, construct: str) -> None:
    assert errors(*CHANGED[construct])
