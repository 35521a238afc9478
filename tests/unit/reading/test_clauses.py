"""Reading by construct: what each common form of words says, as briefs ("-pleural_effusion left": sign, concept, side)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kgscore.engine import Scorer
from kgscore.model import Finding

Said = Callable[[str], list[str]]
Only = Callable[[str], Finding]


def both(brief: str) -> list[str]:
    return [f"{brief} left", f"{brief} right"]


EFFUSION, PNEUMOTHORAX, CONSOLIDATION = both("-pleural_effusion"), both("-pneumothorax"), both("-consolidation")


@pytest.mark.parametrize(
    "text",
    [
        "No consolidation, pneumothorax or pleural effusion.",
        "Consolidation, pneumothorax and pleural effusion are absent.",
        "There is no consolidation, no pneumothorax and no pleural effusion.",
        "No evidence of consolidation, pneumothorax, or pleural effusion is seen.",
        "Negative for consolidation, pneumothorax and effusion.",
        "Neither consolidation nor pneumothorax nor pleural effusion is identified.",
        "Without consolidation, effusion or pneumothorax.",
        "No pleural effusion or pneumothorax. No consolidation.",
    ],
)
def test_negation_reaches_the_whole_list(said: Said, text: str) -> None:
    assert said(text) == sorted(EFFUSION + PNEUMOTHORAX + CONSOLIDATION)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No effusion but cardiomegaly.", [*EFFUSION, "+cardiomegaly"]),
        ("Cardiomegaly without effusion.", [*EFFUSION, "+cardiomegaly"]),
        ("No pneumothorax; small left effusion.", [*PNEUMOTHORAX, "+pleural_effusion left"]),
        ("There is no effusion, however there is cardiomegaly.", [*EFFUSION, "+cardiomegaly"]),
        ("Consolidation in the right lower lobe without effusion.", [*EFFUSION, "+consolidation right"]),
        ("Left effusion with no pneumothorax.", [*PNEUMOTHORAX, "+pleural_effusion left"]),
    ],
)
def test_negation_ends(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("No change in the left effusion.", "stable"),
        ("The left effusion has not changed.", "stable"),
        ("The left effusion has not resolved.", "stable"),
        ("No significant interval change in the left effusion.", "stable"),
        ("Left effusion without significant change.", "stable"),
        ("Left effusion, not only small.", None),
    ],
)
def test_pseudo_negation_denies_nothing(scorer: Scorer, text: str, change: str | None) -> None:
    (finding,) = scorer.read(text).findings
    assert (finding.concept, finding.side, finding.status) == ("pleural_effusion", "left", "present")
    if change:
        assert finding.change == change


def test_not_only_asserts_both(said: Said) -> None:
    assert said("Not only cardiomegaly but also a left pleural effusion is seen.") == ["+cardiomegaly", "+pleural_effusion left"]


@pytest.mark.parametrize(
    ("text", "status", "certainty"),
    [
        ("Pneumonia.", "present", "definite"),
        ("Likely pneumonia.", "present", "probable"),
        ("Probable pneumonia.", "present", "probable"),
        ("Findings suspicious for pneumonia.", "present", "probable"),
        ("Pneumonia is suspected.", "present", "probable"),
        ("Possible pneumonia.", "present", "possible"),
        ("There may be pneumonia.", "present", "possible"),
        ("Pneumonia cannot be excluded.", "present", "possible"),
        ("? Pneumonia.", "present", "possible"),
        ("Pneumonia is unlikely.", "absent", "probable"),
        ("No pneumonia.", "absent", "definite"),
    ],
)
def test_certainty(scorer: Scorer, text: str, status: str, certainty: str) -> None:
    findings = scorer.read(text).findings
    assert {(f.concept, f.status, f.certainty) for f in findings} == {("pneumonia", status, certainty)}


@pytest.mark.parametrize("text", ["Opacity in the left lung, likely pneumonia.", "Left lung opacity suggestive of pneumonia."])
def test_an_inference_is_an_alternative_of_one_finding(only: Only, text: str) -> None:
    finding = only(text)
    assert (finding.concept, finding.side, finding.certainty) == ("lung_opacity", "left", "definite")
    assert finding.alternatives == ("pneumonia",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The lungs are clear except for a nodule in the right upper lobe.", ["+pulmonary_nodule right", *both("=lung_opacity")]),
        ("Apart from a small left effusion, the chest is normal.", ["+pleural_effusion left", "=abnormality"]),
        ("No abnormality other than cardiomegaly.", ["+cardiomegaly", "-abnormality"]),
        ("Small right effusion. The chest is otherwise normal.", ["+pleural_effusion right", "=abnormality"]),
    ],
)
def test_exceptions_leave_the_rest_denied(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    ["The lungs are clear except for a nodule in the right upper lobe.", "Cardiomegaly. The chest is otherwise normal."],
)
def test_what_is_otherwise_normal_does_not_contradict_its_exception(scorer: Scorer, text: str) -> None:
    assert scorer.consistency(text) == ()


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("The left pleural effusion has increased.", "increased"),
        ("Worsening left pleural effusion.", "increased"),
        ("The left pleural effusion is smaller.", "decreased"),
        ("Interval decrease in the left pleural effusion.", "decreased"),
        ("New left pleural effusion.", "new"),
        ("The left pleural effusion is unchanged.", "stable"),
        ("Stable left pleural effusion.", "stable"),
        ("Left pleural effusion.", None),
    ],
)
def test_change(only: Only, text: str, change: str | None) -> None:
    finding = only(text)
    assert (finding.concept, finding.side, finding.status, finding.change) == ("pleural_effusion", "left", "present", change)


@pytest.mark.parametrize(
    "text",
    [
        "The left pleural effusion has resolved.",
        "Left pleural effusion is no longer seen.",
        "Complete resolution of the left pleural effusion.",
    ],
)
def test_what_has_resolved_is_absent(only: Only, text: str) -> None:
    finding = only(text)
    assert (finding.concept, finding.side, finding.status, finding.change) == ("pleural_effusion", "left", "absent", "resolved")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("A 12 mm nodule in the left upper lobe.", "12 mm"),
        ("A nodule in the left upper lobe measures 1.2 cm.", "12 mm"),
        ("Left upper lobe nodule measuring 12 x 9 mm.", "12 x 9 mm"),
        ("Left upper lobe nodule (1.2 cm).", "12 mm"),
        ("Nodule of 12 mm in the left upper lobe.", "12 mm"),
    ],
)
def test_a_measurement_belongs_to_its_finding(only: Only, text: str, value: str) -> None:
    finding = only(text)
    assert (finding.concept, finding.sites, finding.side) == ("pulmonary_nodule", ("upper_lobe",), "left")
    assert [d.value for d in finding.details] == [value]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Small left effusion.", {"small"}),
        ("Multiple calcified nodules in the right lung.", {"multiple", "calcified_value"}),
        ("Acute left subdural haematoma.", {"acute"}),
    ],
)
def test_details(only: Only, text: str, values: set[str]) -> None:
    assert {d.value for d in only(text).details} == values or {d.text for d in only(text).details} == values


def test_a_number_of_findings_is_a_detail(scorer: Scorer) -> None:
    assert scorer.relate("Three nodules in the right lung.", "Three nodules in the right lung.").detail == "equivalent"


def test_another_number_of_findings_is_another_detail(scorer: Scorer) -> None:
    assert scorer.relate("Three nodules in the right lung.", "Two nodules in the right lung.").detail == "none"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Left effusion.", ["+pleural_effusion left"]),
        ("Effusion on the left.", ["+pleural_effusion left"]),
        ("Left-sided pleural effusion.", ["+pleural_effusion left"]),
        ("There is an effusion in the left pleural space.", ["+pleural_effusion left"]),
        ("Effusion.", ["+pleural_effusion"]),
        ("Bilateral effusions.", both("+pleural_effusion")),
        ("Effusions on both sides.", both("+pleural_effusion")),
        ("Left and right pleural effusions.", both("+pleural_effusion")),
        ("Left effusion and right pneumothorax.", ["+pleural_effusion left", "+pneumothorax right"]),
        ("No left effusion.", ["-pleural_effusion left"]),
        ("No effusion.", EFFUSION),
        ("Nodules in the left upper lobe and right middle lobe.", ["+pulmonary_nodule left", "+pulmonary_nodule right"]),
    ],
)
def test_laterality(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("Small left and large right pleural effusions.", {"left": "small", "right": "large"}),
        ("Small left effusion and large right effusion.", {"left": "small", "right": "large"}),
        ("Small and large effusions on the left and right, respectively.", {"left": "small", "right": "large"}),
    ],
)
def test_each_side_has_its_own_detail(scorer: Scorer, text: str, sizes: dict[str, str]) -> None:
    found = {f.side: [d.value for d in f.details] for f in scorer.read(text).findings if f.concept == "pleural_effusion"}
    assert found == {side: [size] for side, size in sizes.items()}


@pytest.mark.parametrize("text", ["Bilateral effusions, right greater than left.", "Bilateral effusions, larger on the right."])
def test_a_comparison_of_sides_keeps_both(scorer: Scorer, text: str) -> None:
    found = {f.side: [d.value for d in f.details] for f in scorer.read(text).findings}
    assert found == {"right": ["larger"], "left": ["smaller"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lungs: Clear.", both("=lung_opacity")),
        ("Pleura: No effusion.", EFFUSION),
        ("Heart: Enlarged.", ["+cardiomegaly"]),
        ("Heart: Normal in size.", ["=size_abnormality"]),
        ("HISTORY: Pneumonia.\nFINDINGS: No effusion.", EFFUSION),
        ("Technique: CT without contrast.", []),
        ("Comparison: None.", []),
        ("Indication: Rule out pneumothorax.", []),
        ("Follow-up CT is recommended.", []),
        ("Comparison is made with a prior film.", []),
        ("FINDINGS:\n- Left effusion\n- Cardiomegaly", ["+cardiomegaly", "+pleural_effusion left"]),
        ("1. Left effusion.\n2. Cardiomegaly.", ["+cardiomegaly", "+pleural_effusion left"]),
    ],
)
def test_headings_and_sections(said: Said, text: str, expected: list[str]) -> None:
    assert said(text) == sorted(expected)


def test_a_heading_gives_the_site(only: Only) -> None:
    assert only("Left kidney: 6 mm cyst.").side == "left"
    assert "kidney" in only("Left kidney: 6 mm cyst.").sites


@pytest.mark.parametrize(
    ("text", "concept", "tip"),
    [
        ("The endotracheal tube tip lies 4 cm above the carina.", "endotracheal_tube", "trachea"),
        ("Feeding tube coursing into the left main bronchus, tip in the left lower lobe.", "feeding_tube", "lower_lobe"),
        ("Central line in the left subclavian vein with its tip in the right atrium.", "central_venous_catheter", "right_atrium"),
        ("A central line runs through the subclavian vein, tip in the azygos vein.", "central_venous_catheter", "azygos_vein"),
        ("Enteric tube, side port beyond the gastro-oesophageal junction and tip in the stomach.", "enteric_tube", "stomach"),
        ("The nasogastric tube ends in the stomach.", "nasogastric_tube", "stomach"),
        ("A right internal jugular catheter ends in the superior vena cava.", "internal_jugular_catheter", "superior_vena_cava"),
    ],
)
def test_devices_have_a_tip(only: Only, text: str, concept: str, tip: str) -> None:
    finding = only(text)
    assert (finding.concept, finding.status, finding.tip) == (concept, "present", (tip,))


def test_a_removed_device_is_absent_now(only: Only) -> None:
    finding = only("The left chest tube has been removed.")
    assert (finding.concept, finding.side, finding.status, finding.change) == ("chest_tube", "left", "absent", "resolved")


@pytest.mark.parametrize(
    "wordings",
    [
        ("Cardiomegaly.", "The heart is enlarged.", "Enlarged heart.", "Increased size of the heart.", "Cardiac enlargement."),
        ("Left subdural haematoma.", "Blood in the left subdural space.", "Left-sided subdural hemorrhage."),
        ("Left pneumothorax.", "Air in the left pleural space.", "There is a pneumothorax on the left."),
        ("Splenomegaly.", "The spleen is enlarged.", "Enlargement of the spleen."),
        ("The lungs are clear.", "Both lungs are clear.", "Clear lungs."),
        ("The heart is normal in size.", "Normal heart size.", "Heart size is normal.", "The heart is of normal size."),
        ("Fatty liver.", "Hepatic steatosis.", "Steatosis of the liver."),
    ],
)
def test_wordings_with_one_reading(scorer: Scorer, wordings: tuple[str, ...]) -> None:
    readings = {frozenset((f.concept, f.sites, f.side, f.status) for f in scorer.read(text).findings) for text in wordings}
    assert len(readings) == 1


def test_unknown_words_stay_an_unlinked_finding(scorer: Scorer) -> None:
    reading = scorer.read("Wobbly blotch in the left lung.")
    assert [(f.concept, f.side, f.status) for f in reading.findings] == [(None, "left", "present")]
    assert "".join(u.text for u in reading.unlinked).startswith("Wobbly blotch")


@pytest.mark.parametrize(
    ("text", "concept", "site"),
    [
        ("Left Quillback noted, its tip in the right atrium.", "central_venous_catheter", "right_atrium"),
        ("Left Quillback noted, its tip in the duodenum.", None, "duodenum"),
        ("Enlarged inguinal lymph ___ on the left.", "inguinal_lymphadenopathy", "inguinal_lymph_node"),
    ],
)
def test_words_around_an_unknown_name_tell_what_it_is(scorer: Scorer, text: str, concept: str | None, site: str) -> None:
    assert [(f.concept, f.sites, f.side) for f in scorer.read(text).findings] == [(concept, (site,), "left")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Findings consistent with pneumonia.", "+pneumonia probable"),
        ("Findings may represent pneumonia or, less often, atelectasis.", "+pneumonia possible"),
        ("There may also be a small left effusion.", "+pleural_effusion left possible"),
        ("Pericardial fluid is a possibility.", "+pericardial_effusion possible"),
        ("Suspect small patch of consolidation in the left lower lobe.", "+consolidation left probable"),
        ("No drainable collection, in keeping with acute pancreatitis.", "+pancreatitis probable"),
    ],
)
def test_hedges_reach_what_they_speak_of(scorer: Scorer, text: str, expected: str) -> None:
    said = [
        " ".join(filter(None, (f"{'+' if f.asserts else '-'}{f.concept}", f.side, f.certainty)))
        for f in scorer.read(text).findings
    ]
    assert expected in said


def test_an_inference_of_unknown_words_leaves_its_subject_certain(scorer: Scorer) -> None:
    finding = next(f for f in scorer.read("Clustered nodules suggest wobbly spread.").findings if f.concept)
    assert finding.certainty == "definite"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Small stomach.", ["+small_size@stomach"]),
        ("Large ventricles and sulci.", ["+sulcal_widening@cerebral_sulci", "+ventriculomegaly@ventricular_system"]),
        ("The spleen is slightly increased in size.", ["+splenomegaly@spleen"]),
        ("CBD stent. Pneumobilia.", ["+biliary_stent@common_bile_duct", "+pneumobilia@biliary_tree"]),
        ("The joint space of the right knee is preserved.", ["-joint_space_narrowing@knee_joint right"]),
        ("Pancreas normal. Duct not dilated.", ["-abnormality@pancreas", "-pancreatic_duct_dilatation@pancreatic_duct"]),
        ("Metastasis to the left pedicle of T8.", ["+vertebral_metastasis@pedicle_t8 left"]),
        ("No # or dislocation.", ["-dislocation@joint", "-fracture@bone"]),
        ("CT head: normal.", ["-abnormality@head"]),
        ("Thickened, irregular bladder wall.", ["+bladder_wall_thickening@bladder_wall", "+irregularity@bladder_wall"]),
        (
            "Gas is seen in the bowel wall and in the portal vein.",
            ["+pneumatosis_intestinalis@bowel_wall", "+portal_venous_gas@portal_vein"],
        ),
        (
            "Neither dissection nor intramural haematoma of the aorta is seen.",
            ["-aortic_dissection@aorta", "-intramural_hematoma@aorta"],
        ),
        (
            "Intra- and extrahepatic ducts not dilated.",
            [
                "-extrahepatic_biliary_dilatation@extrahepatic_bile_duct",
                "-intrahepatic_biliary_dilatation@intrahepatic_bile_duct",
            ],
        ),
        (
            "C5-C6: Disc osteophyte complex with moderate right and mild left foraminal narrowing.",
            [
                "+disc_osteophyte_complex@disc_c5_c6",
                "+foraminal_stenosis@neural_foramen_c5_c6 left",
                "+foraminal_stenosis@neural_foramen_c5_c6 right",
            ],
        ),
        (
            "Diffuse cerebral oedema with effacement of sulci and basal cisterns.",
            ["+cerebral_edema@brain", "+cisternal_effacement@basal_cisterns", "+sulcal_effacement@cerebral_sulci"],
        ),
        (
            "The endotracheal tube tip lies 4 cm above the carina and a nasogastric tube is seen in the stomach.",
            ["+endotracheal_tube@trachea", "+nasogastric_tube@stomach"],
        ),
        (
            "Two clips in the right upper quadrant after cholecystectomy.",
            ["+cholecystectomy@gallbladder", "+surgical_clips@upper_quadrant right"],
        ),
        ("Postsurgical changes from right lumpectomy.", ["+lumpectomy@breast right"]),
        (
            "L4-5: moderate central canal stenosis and bilateral foraminal narrowing, left worse than right.",
            [
                "+foraminal_stenosis@neural_foramen_l4_l5 left",
                "+foraminal_stenosis@neural_foramen_l4_l5 right",
                "+spinal_stenosis@spinal_canal_l4_l5",
            ],
        ),
        ("Left PICC has been withdrawn and now terminates in the axillary vein.", ["+picc@axillary_vein left"]),
    ],
)
def test_where_a_clause_puts_its_findings(scorer: Scorer, text: str, expected: list[str]) -> None:
    said = [
        f"{'+' if f.asserts else '-'}{f.concept}@{','.join(f.sites)} {f.side or ''}".strip() for f in scorer.read(text).findings
    ]
    assert sorted(said) == expected


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("Healed left rib fractures.", "The left rib fractures are healed."), "+healed_rib_fracture left"),
        (("Right tension pneumothorax.", "Pneumothorax on the right under tension."), "+tension_pneumothorax right"),
        (("Obstructive hydrocephalus.", "Hydrocephalus, obstructive."), "+obstructive_hydrocephalus"),
        (("Complex left meniscal tear.", "The left meniscal tear is complex."), "+complex_meniscal_tear left"),
    ],
)
def test_a_finding_and_its_descriptor_apart_have_one_name(said: Said, texts: tuple[str, ...], expected: str) -> None:
    assert {text: said(text) for text in texts} == {text: [expected] for text in texts}
