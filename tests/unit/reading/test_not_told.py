"""What asserts and denies nothing: what is not in the picture or cannot be judged, advice, people and places, masked words."""

from __future__ import annotations

from itertools import product

import pytest

from kgscore.engine import Scorer

FINDINGS = ("pneumothorax", "hydronephrosis", "appendicitis", "pulmonary embolism", "a meniscal tear", "microcalcifications")
STRUCTURES = ("lung apex", "left lung base", "pancreatic tail", "posterior fossa", "C7 vertebral body", "distal radius")
JUDGED = (
    "Exposure is too low to evaluate for {}.", "The image is too dark to evaluate for {}.", "Too much motion to exclude {}.",
    "{} may be difficult to appreciate on this technique.", "{} could be missed.", "Motion limits evaluation for {}.",
    "Motion limits the evaluation of {}.", "Evaluation for {} is limited.", "Assessment for {} is limited by motion.",
    "{} cannot be assessed.", "{} cannot be evaluated on this study.", "The study is not adequate to assess for {}.",
    "Sensitivity for {} is reduced.", "This examination is insensitive for {}.", "The technique is not suited to detect {}.",
    "{} may be obscured.", "It is not possible to assess for {}.", "Rotation makes it difficult to evaluate for {}.",
    "Limited evaluation for {} due to body habitus.", "Portable technique limits detection of {}.",
    "Insufficient quality to comment on {}.", "Cannot evaluate for {} without contrast.",
)  # fmt: skip
IMAGED = (
    "The {} is excluded.", "The {} is excluded from the field of view.", "The {} is cut off.",
    "The {} is not included in the field of view.", "The {} is obscured by the arm.",
    "The {} is obscured by overlying hardware.", "The {} is not imaged.", "The {} is outside the field of view.",
    "The {} is partially excluded from view.", "The {} is collimated off.", "The {} is off the image.",
    "The {} is only partly included.", "The {} is hidden by the monitor leads.", "The {} cannot be assessed.",
    "The {} is not well seen.", "The {} is not covered by this scan.", "The {} is incompletely visualized.",
    "The {} is not evaluated.", "The {} is poorly visualized because of motion.", "The {} is clipped.",
    "The {} is not on the image.",
)  # fmt: skip


@pytest.mark.parametrize(("frame", "names"), [*((f, FINDINGS) for f in JUDGED), *((f, STRUCTURES) for f in IMAGED)])
def test_what_is_not_imaged_or_cannot_be_judged_is_neither_asserted_nor_denied(
    scorer: Scorer, frame: str, names: tuple[str, ...]
) -> None:
    texts = [text[0].upper() + text[1:] for text in map(frame.format, names)]
    assert [text for text in texts if scorer.read(text).findings] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pneumothorax is excluded.", {("pneumothorax", "absent")}),
        ("A fracture has been excluded.", {("fracture", "absent")}),
        ("The left MCA is cut off.", {("intracranial_occlusion", "present")}),
        ("The lung apices are excluded, but the heart is enlarged.", {("cardiomegaly", "present")}),
        ("Small left effusion; the right costophrenic angle is cut off.", {("pleural_effusion", "present")}),
        ("There is ascites, although evaluation of the liver is limited.", {("ascites", "present")}),
    ],
)
def test_what_is_said_beside_it_is_read(scorer: Scorer, text: str, expected: set[tuple[str, str]]) -> None:
    assert {(one.concept, one.status) for one in scorer.read(text).findings} == expected


@pytest.mark.parametrize(
    "text",
    [
        "In suspected torsion an ultrasound is needed within the hour.", "In case of appendicitis surgery should be consulted.",
        "Whether an abscess is present should be checked by ultrasound.",
    "Whether there is a fracture needs to be clarified by CT.",
        "Retract the tube by about 3 cm.", "Advance the nasogastric tube by 5 cm.", "Pull back the catheter 2 cm.",
        "Repeat the CT for hemorrhage in six hours.", "With suspected scaphoid fracture an MRI is the next step.",
        "Withdraw the PICC by 4 cm.", "Recheck the effusion in two weeks.", "Obtain an MRI to exclude osteomyelitis.",
    ],
)  # fmt: skip
def test_advice_and_the_possible_are_no_findings(scorer: Scorer, text: str) -> None:
    assert scorer.read(text).findings == ()


NAMES = ("Cyst", "Fracture", "Stone", "Mass", "Edema", "Abscess")
PEOPLE = (
    "Findings discussed with Dr. {}.", "CC: Dr. {}", "Dr {} was informed of the findings.", "Referred by Dr. {}.",
    "Reported by: Dr. A. {}", "Seen by Prof. {} on the ward.", "Reviewed with Dr. Jane {}.", "Signed: John {}, MD",
    "Referring physician: Dr. {}", "Attending: Dr. {}", "Electronically signed by Dr. {} on 3/4/2020",
    "Results given to Mrs. {}.",
    "Nurse {} was notified.", "Called to Jane {}, RN at 14:05.",
)  # fmt: skip
PLACES = (
    "Referral to the {} clinic.", "The {} clinic was informed.", "Seen in the {} clinic.", "For discussion at the {} MDT.",
    "Copy to the {} service.", "The {} ward requested the study.", "Discussed with the {} team.", "Referred to a {} surgeon.",
    "A {} clinic appointment was made.",
)  # fmt: skip
CARED_FOR = ("fracture", "hernia", "aneurysm", "lung nodule", "stroke", "pneumonia")


@pytest.mark.parametrize(("frame", "names"), [*((f, NAMES) for f in PEOPLE), *((f, CARED_FOR) for f in PLACES)])
def test_names_of_people_and_of_places_are_no_findings(scorer: Scorer, frame: str, names: tuple[str, ...]) -> None:
    assert [name for name in names if scorer.read(frame.format(name)).findings] == []


@pytest.mark.parametrize("place", ["stroke unit", "cancer centre", "trauma center", "burns unit", "chest pain clinic"])
def test_units_and_centres_are_no_findings(scorer: Scorer, place: str) -> None:
    assert scorer.read(f"The patient was transferred to the {place}.").findings == ()
    assert [one.concept for one in scorer.read("Mass with a necrotic center.").findings] == ["mass"]


MARKS = ("XXXX", "___", "[REDACTED]", "[**Name**]", "█████")
MASKED = (
    "Heart size is {}.", "{}", "The lungs are {}.", "Hydronephrosis: {}", "The spleen measures {}.", "{} {}",
)  # fmt: skip


@pytest.mark.parametrize(("frame", "mark"), list(product(MASKED, MARKS)))
def test_what_a_mark_has_taken_out_is_no_finding(scorer: Scorer, frame: str, mark: str) -> None:
    reading = scorer.read(frame.replace("{}", mark))
    assert reading.findings == ()
    assert reading.unlinked == ()


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("There is a XXXX nodule in the right lung.", "pulmonary_nodule"),
        ("Compared to XXXX, the effusion is larger.", "pleural_effusion"),
        ("Lungs are XXXX, the heart is enlarged.", "cardiomegaly"),
        ("Gallstones were seen on [REDACTED].", "cholelithiasis"),
        ("XXXX sternotomy.", "sternotomy"),
    ],
)
def test_what_stands_beside_a_mark_is_read(scorer: Scorer, text: str, concept: str) -> None:
    assert [one.concept for one in scorer.read(text).findings] == [concept]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The pleural line is thin and regular.", {"pneumothorax": False}),
        ("Lower sternotomy wire is disrupted.", {"sternal_wire_fracture": True, "sternal_dehiscence": False}),
        ("The image shows the dark silhouette of a person.", {"silhouette_sign": False}),
    ],
)
def test_parts_of_other_things_are_not_findings_of_the_body(scorer: Scorer, text: str, said: dict[str, bool]) -> None:
    found = {one.concept for one in scorer.read(text).findings}
    assert {name: name in found for name in said} == said
