"""Reading by construct: signs and abbreviations, normal reports in few words, addenda, denied lists, dictation without stops."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

SIGN = {"present": "+", "absent": "-", "normal": "="}
NORMAL = "=abnormality"
UNCHANGED = "-interval_change"


@pytest.fixture(scope="module")
def headline() -> Scorer:
    """Return a scorer of the headline and of a published metric."""
    return Scorer(metrics=("clinical", "radsem"))


def told(scorer: Scorer, text: str) -> set[str]:
    """Return what a text says: sign, concept, side where one is asserted, and change."""
    found = scorer.read(text).findings
    sides = [f" {one.side}" if one.side and one.status == "present" else "" for one in found]
    return {
        f"{SIGN[one.status]}{one.concept}{side}{f' {one.change}' if one.change else ''}"
        for one, side in zip(found, sides, strict=True)
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pneumonia w/o effusion.", {"+pneumonia", "-pleural_effusion"}),
        ("Gallstones w/o cholecystitis.", {"+cholelithiasis", "-cholecystitis"}),
        ("Fracture w/out displacement of the distal radius.", {"+distal_radius_fracture"}),
        ("Cholelithiasis w/ cholecystitis.", {"+cholelithiasis", "+cholecystitis"}),
        ("-ve for hydronephrosis.", {"-hydronephrosis"}),
        ("+ve for appendicitis.", {"+appendicitis"}),
        ("Neg for subdural hematoma.", {"-subdural_hematoma"}),
        ("Pos for pulmonary embolism.", {"+pulmonary_embolism"}),
        ("Study positive for DVT.", {"+deep_vein_thrombosis"}),
        ("Ø ascites.", {"-ascites"}),
        ("Ø midline shift, Ø hydrocephalus.", {"-midline_shift", "-hydrocephalus"}),
        ("∅ splenomegaly", {"-splenomegaly"}),
        ("↑ heart size.", {"+cardiomegaly"}),
        ("Liver size ↑.", {"+hepatomegaly"}),
        ("↓ lung volumes.", {"+low_lung_volumes"}),
        ("Pleural effusion ↑.", {"+pleural_effusion increased"}),
        ("-hydronephrosis", {"-hydronephrosis"}),
        ("-pneumothorax -ascites +consolidation", {"-pneumothorax", "-ascites", "+consolidation"}),
        ("+hydrocephalus, -midline shift", {"+hydrocephalus", "-midline_shift"}),
        ("-PTX", {"-pneumothorax"}),
    ],
)
def test_signs_and_abbreviations_are_read_as_their_words(scorer: Scorer, text: str, expected: set[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- hydronephrosis", {"+hydronephrosis"}),
        ("-Hydronephrosis", {"+hydronephrosis"}),
        ("-Left hydronephrosis\n-No ascites", {"+hydronephrosis left", "-ascites"}),
        ("-left hydronephrosis\n-no ascites", {"+hydronephrosis left", "-ascites"}),
        ("+ ascites", {"+ascites"}),
        ("Right -sided pneumothorax.", {"+pneumothorax right"}),
        ("Mild -moderate hydronephrosis.", {"+hydronephrosis"}),
        ("An air -fluid level.", {"+fluid_level"}),
        ("CT head w/o contrast.", set()),
    ],
)
def test_hyphens_and_bullets_are_no_signs(scorer: Scorer, text: str, expected: set[str]) -> None:
    assert told(scorer, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "No abnormality detected.", "No significant abnormality.", "Normal.", "Unremarkable.", "Within normal limits.", "WNL.",
        "NAD.", "Negative.", "Normal study.", "Nothing abnormal.", "Nil of note.", "Nothing to report.", "All normal.",
        "Everything is normal.", "Completely normal.", "Entirely unremarkable.", "No abnormality seen on this examination.",
        "Impression: negative", "FINDINGS: Normal.\nIMPRESSION: WNL.", "Lungs clear.\nIMPRESSION: Normal.",
    ],
)  # fmt: skip
def test_a_normal_report_in_few_words_speaks_of_all_that_was_examined(scorer: Scorer, text: str) -> None:
    (finding,) = (one for one in scorer.read(text).findings if one.concept == "abnormality")
    assert (finding.status, finding.sites, finding.restricted) == ("normal", (), False)


@pytest.mark.parametrize(
    ("text", "site"),
    [
        ("EXAM: CT head\nFINDINGS: Normal.", "head"),
        ("Examination: MRI of the left knee\nImpression: Negative.", "knee_joint"),
        ("CHEST RADIOGRAPH\nNAD.", "thorax"),
        ("Chest radiograph. Two views. Unremarkable.", "thorax"),
        ("Ultrasound of the abdomen. Within normal limits.", "abdomen"),
        ("Spleen: normal.", "spleen"),
        ("SPLEEN\nUnremarkable.", "spleen"),
    ],
)
def test_a_title_or_heading_says_what_is_normal(scorer: Scorer, text: str, site: str) -> None:
    assert [(one.status, one.sites) for one in scorer.read(text).findings] == [("normal", (site,))]


def test_several_regions_in_the_technique_are_all_that_was_examined(scorer: Scorer) -> None:
    assert [one.sites for one in scorer.read("TECHNIQUE: CT of the head, chest and pelvis.\nFINDINGS: Normal.").findings] == [()]


@pytest.mark.parametrize(
    "reference",
    [
        "Normal chest radiograph.",
        "The lungs are clear. Heart size is normal. No pleural effusion.",
        "Liver, spleen and kidneys are unremarkable. No free fluid.",
        "No fracture. The joint spaces are preserved.",
    ],
)
def test_normal_in_one_word_has_missed_nothing_of_a_normal_reference(headline: Scorer, reference: str) -> None:
    assert headline.score(reference=reference, candidate="Normal.").scores["clinical"].value == 1.0
    assert headline.score(reference="Normal.", candidate=reference).scores["clinical"].value == 1.0


def test_normal_without_a_region_is_as_exact_as_with_that_of_the_other_report(headline: Scorer) -> None:
    assert headline.score(reference="Normal chest radiograph.", candidate="WNL.").scores["radsem"].value == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "Unchanged.", "Stable.", "No change.", "No interval change.", "No significant interval change.", "Stable exam.",
        "Essentially unchanged.", "Stable compared to prior.", "No significant change since the previous study.",
    ],
)  # fmt: skip
def test_unchanged_alone_is_one_statement_that_denies_nothing_else(headline: Scorer, text: str) -> None:
    assert told(headline, text) == {UNCHANGED}
    for reference in ("Right pleural effusion.", "The lungs are clear.", "Normal.", "Stable nodule of the left kidney."):
        mine, silent = (headline.score(reference=reference, candidate=one) for one in (text, ""))
        assert mine.scores["clinical"].value == silent.scores["clinical"].value
        assert not mine.links
        assert not mine.contradictions
    assert headline.score(reference=text, candidate=text).scores["radsem"].value == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Right effusion. Unchanged.", {"+pleural_effusion right stable"}),
        ("Gallstones.\nStable.", {"+cholelithiasis stable"}),
        ("Normal. No change.", {NORMAL, UNCHANGED}),
    ],
)
def test_unchanged_after_a_finding_is_said_of_it(scorer: Scorer, text: str, expected: set[str]) -> None:
    assert told(scorer, text) == expected


ADDED = [
    "ADDENDUM: {}", "Addendum #1: {}", "ADDENDUM 2: {}", "Addendum (dictated 3 March): {}", "ADDENDUM\n{}", "Addenda:\n{}",
    "Amended report: {}", "AMENDED IMPRESSION: {}", "Corrected report:\n{}", "Addendum by Dr. Stone: {}", "Late entry: {}",
    "Preliminary report: {}", "Final report: {}", "Addendum dictated by J. Stone: {}", "Supplementary report: {}",
]  # fmt: skip


@pytest.mark.parametrize("layout", ADDED)
@pytest.mark.parametrize("before", ["IMPRESSION: No ascites.\n\n", "HISTORY: Trauma.\n", ""])
def test_an_addendum_is_read(scorer: Scorer, layout: str, before: str) -> None:
    text = before + layout.format("There is a fracture of the left clavicle.")
    assert told(scorer, text) >= {"+fracture left"}
    assert not any("stone" in one for one in told(scorer, text))


@pytest.mark.parametrize("evidence", ["features of", "signs of", "evidence of", "sign of"])
@pytest.mark.parametrize(
    ("frame", "concepts"),
    [
        ("No consolidation, {} edema, pneumothorax, or effusion.", "consolidation pulmonary_edema pneumothorax pleural_effusion"),
        ("No hydronephrosis, {} pyelonephritis, or ascites.", "hydronephrosis pyelonephritis ascites"),
        ("There is no midline shift, {} hydrocephalus, or hemorrhage.", "midline_shift hydrocephalus intracranial_hemorrhage"),
        ("No fracture, dislocation, or {} osteomyelitis.", "fracture dislocation osteomyelitis"),
        ("No cord compression, {} discitis, or disc herniation.", "cord_compression discitis disc_herniation"),
    ],
)
def test_what_a_denied_list_has_signs_of_is_denied(scorer: Scorer, evidence: str, frame: str, concepts: str) -> None:
    assert told(scorer, frame.format(evidence)) == {f"-{name}" for name in concepts.split()}


RUNNING = [
    "heart size is normal. lungs are clear. no effusion or pneumothorax",
    "the heart is enlarged. lungs are clear",
    "gallbladder is distended. common bile duct is dilated. no ascites",
    "the aorta is calcified. heart is enlarged",
    "acl is torn. medial meniscus is intact. no joint effusion",
    "the uterus is normal in size. ovaries are normal. no free fluid",
    "disc heights are maintained. alignment is normal. no fracture",
    "kidneys are normal in size. bladder is unremarkable",
    "ventricles are normal. no midline shift. no hemorrhage",
    "there is a right pleural effusion. the heart is normal",
    "there is consolidation in the right lower lobe. heart size is normal",
    "no fracture is seen. joint spaces are preserved. soft tissues are normal",
    "the liver is enlarged. spleen is normal. no ascites",
    "the liver is cirrhotic. spleen is enlarged. there is ascites",
    "prostate is enlarged. bladder wall is thickened",
    "the appendix is normal. cecum is unremarkable. no free fluid",
    "right kidney is atrophic. left kidney is normal. no hydronephrosis",
    "thyroid is enlarged. trachea is midline",
    "endotracheal tube is in place. lungs are clear",
    "the pancreas is atrophic. gallbladder is normal",
    "the aorta is tortuous. heart is normal",
    "mastoids are clear. orbits are normal. no fracture",
]


@pytest.mark.parametrize("text", RUNNING)
def test_dictation_without_stops_reads_as_with_them(scorer: Scorer, text: str) -> None:
    assert told(scorer, text.replace(".", "")) == told(scorer, text)


@pytest.mark.parametrize(
    "text",
    [
        "The nodule in the right lung is stable.", "The right lower lobe bronchus is patent.",
        "The mass is adjacent to the aorta which is normal.", "The nodule seen in the right upper lobe is stable.",
        "The lesion that was seen on the prior study is now smaller.", "The lungs are clear and the heart is normal.",
        "The cyst is unchanged in size since the prior.", "There is a mass in the liver which is hypodense.",
        "No pleural effusion pneumothorax is seen.", "The opacity is seen in the right lung where it is dense.",
        "Heart size is normal with clear lungs.", "There is a fracture of the left sixth rib that is displaced.",
    ],
)  # fmt: skip
def test_a_sentence_of_one_clause_is_not_cut(scorer: Scorer, text: str) -> None:
    assert len(scorer.reader.trace(text)) == 1  # type: ignore[attr-defined]
