"""Kinds of one thing that exclude each other, what a normal value of a quality denies, and devices that are said to be whole."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.entailment.consistency import contradictions
from kgscore.ontology.index import Index


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("PI-RADS 4 in the left transition zone.", "PI-RADS 1 in the left transition zone."),
        ("LI-RADS 2 observation.", "LI-RADS 5 observation."),
        ("Right renal cyst, Bosniak category IIF.", "Bosniak class 4 cyst of the right kidney."),
        ("O-RADS score 3.", "O-RADS score 4."),
        ("Type 1 time-intensity curve.", "Plateau kinetics."),
        ("Composition type c of both breasts.", "Both breasts are extremely dense."),
        ("Pigeon chest.", "Sunken chest."),
        ("Placenta along the posterior wall.", "The placenta is anterior."),
        ("Direct hernia of the left groin.", "Left indirect inguinal hernia."),
        ("Intraperitoneal perforation of the bladder.", "Extraperitoneal rupture of the urinary bladder."),
        ("Retropectoral implant on the left.", "Prepectoral implant on the left."),
        ("Lipid-rich adenoma of the left adrenal gland.", "Lipid-poor adenoma of the left adrenal."),
        ("Ostium primum defect.", "Atrial septal defect of secundum type."),
        ("Frank breech position.", "Footling breech."),
        ("Total gastrectomy.", "Status post distal gastrectomy."),
        ("A collapsed IVC.", "Distended inferior vena cava."),
    ],
)  # fmt: skip
def test_kinds_of_which_a_thing_is_one_exclude_each_other(scorer: Scorer, one: str, other: str) -> None:
    assert scorer.relate(one, other).relation == "contradiction"
    assert scorer.relate(one, one).relation == "equivalent"


def test_a_report_may_tell_of_several_lesions_with_a_category_each(scorer: Scorer) -> None:
    read = scorer.read("Segment IV: LI-RADS 3 observation. Second observation in segment IV, LI-RADS 5.")
    assert {finding.concept for finding in read.findings} >= {"lirads_3", "lirads_5"}
    assert contradictions(scorer.relator, read.findings) == ()


def test_kinds_below_a_class_with_the_role_are_opposites(scorer: Scorer) -> None:
    index: Index = scorer.index
    assert index.opposed("vi_rads_1", "vi_rads_5") == ("vi_rads_1", "vi_rads_5")
    assert index.opposed("bosniak_3", "bosniak_3") is None
    assert index.opposed("bosniak_category", "bosniak_3") is None


@pytest.mark.parametrize(
    ("normal", "disease"),
    [
        ("Normal quantity of liquor.", "Hydramnios."),
        ("The growth of the fetus is normal.", "The fetus is large for dates."),
        ("The cervical canal is closed.", "Dilated cervix."),
        ("Placenta well away from the cervix.", "Low-lying placenta."),
        ("The nuchal translucency is within normal limits.", "Thickened nuchal translucency."),
        ("Normal cortical thickness of both kidneys.", "Thinned cortex of the right kidney."),
        ("The shape of the uterus is normal.", "Uterus didelphys."),
        ("Inguinal nodes of normal shape.", "Right inguinal lymphadenopathy."),
        ("Normal cardiac position.", "The heart lies on the right side."),
        ("The wall of the left ventricle is of normal thickness.", "Left ventricular hypertrophy."),
        ("No wall motion abnormality.", "Akinesia of the septum."),
        ("The aortic valve has three leaflets.", "Bicommissural aortic valve."),
        ("The ductus is closed.", "Open ductus arteriosus."),
        ("The wall of the abdomen is intact.", "Incisional hernia."),
        ("The spleen enhances homogeneously.", "Splenic infarct."),
        ("Fetal stomach bubble is visible.", "Nonvisualization of the fetal stomach."),
    ],
)  # fmt: skip
def test_a_normal_value_of_a_quality_denies_what_alters_it(scorer: Scorer, normal: str, disease: str) -> None:
    assert scorer.relate(normal, disease).relation == "contradiction"


@pytest.mark.parametrize(
    ("sound", "fault", "relation"),
    [
        ("The biliary stent is patent.", "Blocked biliary stent.", "contradiction"),
        ("Intact sternal wires.", "One sternal wire is broken.", "contradiction"),
        ("The pacemaker leads are intact.", "Broken pacemaker lead.", "contradiction"),
        ("The left breast implant is intact.", "Extracapsular rupture of the left implant.", "contradiction"),
        ("The left breast implant is intact.", "Rupture of the right implant.", "unrelated"),
        ("The right breast implant is intact.", "No rupture of the right breast implant.", "equivalent"),
        ("Intact sternal wires.", "Fracture of the sternum.", "unrelated"),
        ("The biliary stent is patent.", "Thrombosis of the portal vein.", "unrelated"),
    ],
)  # fmt: skip
def test_a_sound_device_has_no_fault_of_its_own(scorer: Scorer, sound: str, fault: str, relation: str) -> None:
    assert scorer.relate(sound, fault).relation == scorer.relate(fault, sound).relation == relation


@pytest.mark.parametrize(
    ("kind", "genus"),
    [
        ("Chylous effusion on the left.", "Left pleural effusion."),
        ("Tubal pregnancy on the left.", "Ectopic gestation."),
        ("Paraesophageal hernia.", "Hiatus hernia."),
        ("Petersen's hernia.", "Internal hernia."),
        ("Corrected transposition of the great vessels.", "Congenital heart disease."),
        ("Clear cell carcinoma of the right kidney.", "Renal cell carcinoma on the right."),
        ("Klatskin tumour.", "Cholangiocarcinoma."),
        ("TAVI prosthesis.", "Aortic valve replacement."),
        ("Oil cyst of the right breast.", "Fat necrosis in the right breast."),
        ("Blood in the uterine cavity.", "Fluid in the uterus."),
        ("Monochorionic twins.", "Twin gestation."),
        ("Total placenta praevia.", "Placenta praevia."),
    ],
)  # fmt: skip
def test_kinds_are_narrower(scorer: Scorer, kind: str, genus: str) -> None:
    found = scorer.relate(kind, genus)
    assert (found.relation, found.finding) == ("part_whole", "part_whole")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Left tubal gestation.", "Ectopic pregnancy in the left fallopian tube."),
        ("Ectopic left kidney in the pelvis.", "Left pelvic kidney."),
        ("Enlarged nodes beside the abdominal aorta.", "Periaortic lymphadenopathy."),
        ("Biapical caps.", "Apical caps on both sides."),
        ("Supernumerary left renal artery.", "Accessory renal artery on the left."),
        ("Fibrosis of both lungs.", "Lung fibrosis."),
        ("Large post-void residual.", "The bladder empties incompletely."),
        ("Fistula between the vagina and the rectum.", "Rectovaginal fistula."),
        ("Distension of the gallbladder.", "Hydrops of the gallbladder."),
        ("Hypertrophied left ventricle.", "LVH."),
        ("Fluid collection beside the right implant.", "Periprosthetic fluid collection on the right."),
        ("Dimpling of the skin of the right breast.", "Skin retraction, right breast."),
    ],
)  # fmt: skip
def test_other_words_for_one_thing(scorer: Scorer, one: str, other: str) -> None:
    assert scorer.relate(one, other).relation == "equivalent"
