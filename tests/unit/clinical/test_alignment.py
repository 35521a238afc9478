"""Which statements of two reports are taken for one another, and what is left over."""

from __future__ import annotations

import pytest

from kgscore.clinical.settings import settings
from kgscore.engine import Scorer
from tests.unit.clinical.conftest import verdict

UPPER, LOWER = "Nodule in the left upper lobe.", "Nodule in the left lower lobe."
FIFTH, SIXTH = "Fracture of the left fifth rib.", "Fracture of the left sixth rib."
STENOSIS = "Mild stenosis of the left carotid bifurcation."


def outcome(scorer: Scorer, reference: str, candidate: str) -> list[tuple[str, str]]:
    return sorted((one.what, one.category) for one in verdict(scorer, reference, candidate).findings)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        # what one finding says already is its member: the vaguer one, whichever comes first
        ("Left pleural effusion. Small left pleural effusion.", 1),
        ("Pleural effusion. Left pleural effusion.", 1),
        ("Nodule in the left upper lobe. Nodule in the left lung.", 1),
        ("Nodule in the left lung. Nodule in the left upper lobe.", 1),
        ("Subdural hematoma. Intracranial hemorrhage.", 1),
        # what differs in side, place, change or quality stays a statement of its own
        ("Left pleural effusion. Right pleural effusion.", 2),
        (f"{UPPER} {LOWER}", 2),
        (f"{FIFTH} {SIXTH}", 2),
        ("Increased nodule in the left upper lobe. Decreased nodule in the left upper lobe.", 2),
        ("Cardiomegaly. Left pleural effusion.", 2),
        ("Calcified nodule in the left upper lobe. Noncalcified nodule in the left upper lobe.", 2),
        ("Left frontal subdural hematoma. Left frontal hematoma.", 1),
        ("Consolidation in the left lower lobe. Consolidation at the left lung base.", 1),  # places that are one in practice
        ("Diffuse and focal thickening of the bladder wall.", 2),
        ("No pleural effusion.", 0),
    ],
)
def test_a_report_asserts_each_thing_once(clinical, text: str, count: int) -> None:
    found = verdict(clinical, text, text).findings
    assert [one.category for one in found] == ["correct"] * count
    asserted = [i for i, f in enumerate(clinical.read(text).findings) if f.asserts]
    assert sorted(at for one in found for at in one.reference) == asserted


def test_what_a_vaguer_statement_adds_is_kept(clinical) -> None:
    """The detail of one statement and the place of another are of one finding."""
    joint = "Small pleural effusion. Left pleural effusion."
    assert outcome(clinical, joint, "Small left pleural effusion.") == [("left pleural effusion", "correct")]
    ((what, category),) = outcome(clinical, joint, "Large left pleural effusion.")
    assert (what, category) == ("left pleural effusion", "wrong")


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # the better of two answers is taken, in whichever order they come
        (UPPER, f"{LOWER} {UPPER}", ["correct", "invented"]),
        (UPPER, f"{UPPER} {LOWER}", ["correct", "invented"]),
        (f"{FIFTH} {SIXTH}", SIXTH, ["correct", "missed"]),
        # one that conflicts answers one only
        ("Small left pleural effusion. Large right pleural effusion.", "Small right pleural effusion.", ["missed", "wrong"]),
        (
            "Small left pleural effusion. Nodule in the right upper lobe.",
            f"Small right pleural effusion. {UPPER} {LOWER}",
            ["invented", "wrong", "wrong"],
        ),
        # one that conflicts in nothing may answer several
        ("Left pleural effusion. Right pleural effusion.", "Pleural effusions.", ["correct", "correct"]),
        ("Fractures of the left fifth and sixth ribs.", "Left rib fractures.", ["minor", "minor"]),
        # a denial stands against what it denies, not against what is near it
        ("Cardiomegaly. Left pleural effusion.", "No cardiomegaly. Left pleural effusion.", ["correct", "missed"]),
        ("Left pleural effusion.", "No pleural effusion. Ascites.", ["invented", "missed"]),
        # a broad denial of a report that states its exception denies the rest only
        ("Fracture of the left distal radius.", "Fracture of the left distal radius. No other fracture.", ["correct"]),
        ("Left basal atelectasis.", "The lungs are clear. Left basal atelectasis.", ["correct"]),
        (f"{FIFTH} No other rib fracture.", f"{FIFTH}", ["correct"]),
        (f"{STENOSIS} No stenosis of the arteries.", STENOSIS, ["correct"]),
        # what is seen does not answer a finding that says what it is
        ("Cyst in the liver.", "Hypodensity in the liver.", ["missed"]),
        ("Hypodensity in the liver.", "Cyst in the liver.", ["correct", "invented"]),
        # several lesions of one size are several
        ("2 mm nodules in the left upper and left lower lobe.", "2 mm nodule in the left lower lobe.", ["correct", "missed"]),
        # what is only another wording is no error
        ("Cholecystectomy.", "Cholecystectomy. Surgical clips in the gallbladder fossa.", ["correct", "invented"]),
        ("Cholecystectomy.", "Surgical clips in the gallbladder fossa.", ["correct", "invented"]),
        ("Surgical clips in the gallbladder fossa.", "Cholecystectomy.", ["missed"]),
        ("Fracture of the left clavicle. Displacement of the left clavicle.", "Displaced fracture of the left clavicle.",
         ["correct", "minor"]),
        ("Fracture of the left clavicle. Displacement of the left clavicle.", "Fracture of the left clavicle.",
         ["correct", "minor"]),
        # what is said twice is as sure as the surer of both
        ("Possible left pneumothorax. Left pneumothorax.", "Left pneumothorax.", ["correct"]),
        ("Left pneumothorax.", "Possible left pneumothorax. Left pneumothorax.", ["correct"]),
        ("Possible left pneumothorax.", "Left pneumothorax. Possible left pneumothorax.", ["minor"]),
    ],
)
def test_what_answers_what(clinical, reference: str, candidate: str, expected: list[str]) -> None:
    found = verdict(clinical, reference, candidate)
    assert sorted(one.category for one in found.findings) == expected


def test_the_fuller_statement_comes_first(clinical) -> None:
    (one,) = verdict(clinical, "Left pleural effusion. Small left pleural effusion.", "Left pleural effusion.").findings
    assert one.reference == (1, 0)


def test_of_equal_answers_each_has_its_turn(clinical) -> None:
    other = "Fracture of the left seventh rib. Fracture of the left eighth rib."
    found = verdict(clinical, f"{FIFTH} {SIXTH}", other).findings
    assert [(one.reference, one.candidate) for one in found] == [((0,), (0,)), ((1,), (1,))]


@pytest.mark.parametrize("candidate", ["Loculated left pleural effusion. Right pleural effusion.",
                                       "Right pleural effusion. Loculated left pleural effusion."])  # fmt: skip
def test_of_several_answers_the_best_counts(clinical, candidate: str) -> None:
    (one,) = (one for one in verdict(clinical, "Pleural effusion.", candidate).findings if one.reference)
    assert (one.category, one.errors) == ("correct", ())


def test_findings_that_conflict_answer_one_each(clinical) -> None:
    effusions = "{} left pleural effusion. {} right pleural effusion."
    found = verdict(clinical, effusions.format("Small", "Large"), effusions.format("Large", "Small")).findings
    assert sorted((one.what, one.reference, one.candidate, one.category) for one in found) == [
        ("left pleural effusion", (0,), (0,), "wrong"), ("right pleural effusion", (1,), (1,), "wrong"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reference", "candidate", "right"),
    [
        ("Cardiomegaly.", "Cardiomegaly.", [True]),
        ("Cardiomegaly.", "Left pleural effusion.", [False]),
        ("Small left pleural effusion.", "Large left pleural effusion.", [False]),
        ("Small left pleural effusion.", "Left pleural effusion.", [True]),
        ("No pleural effusion.", "Left pleural effusion.", [False]),
        ("Surgical clips in the gallbladder fossa.", "Cholecystectomy.", [True]),  # the reference implies it
        ("Left pleural effusion. Cardiomegaly.", "Left pleural effusion. No pleural effusion. Cardiomegaly.", [False, True]),
    ],
)
def test_each_assertion_of_the_candidate_is_right_or_not(clinical, reference: str, candidate: str, right: list[bool]) -> None:
    assert [one for _, one in verdict(clinical, reference, candidate).said] == right


def test_a_normal_number_that_crosses_a_threshold_is_told(clinical) -> None:
    (one,) = verdict(clinical, "The spleen is not enlarged, 12 cm.", "The spleen is not enlarged, 19 cm.").findings
    assert (one.category, [(e.dimension, e.major) for e in one.errors]) == ("wrong", [("size", True)])
    assert (one.credit, one.cost) == (0.0, settings().weights[one.tier])
    assert verdict(clinical, "The spleen is not enlarged, 11 cm.", "The spleen is not enlarged, 12 cm.").findings == ()
    others = "Cardiomegaly. No ascites. The spleen is not enlarged, {} cm."
    assert outcome(clinical, others.format(12), others.format(19)) == [("cardiomegaly", "correct"), ("splenomegaly", "wrong")]
    asserted = outcome(clinical, "The spleen is not enlarged, 12 cm.", "The spleen is enlarged, 19 cm.")
    assert asserted == [("splenomegaly", "invented")]


def test_positions_name_the_findings_of_both_reports(clinical) -> None:
    found = verdict(clinical, "Cardiomegaly. Ascites. No pneumothorax.", "Left pneumothorax. Ascites. No cardiomegaly.").findings
    assert {one.what: (one.category, one.reference, one.candidate) for one in found} == {
        "cardiomegaly": ("missed", (0,), (2,)),
        "ascites": ("correct", (1,), (1,)),
        "left pneumothorax": ("invented", (3,), (0,)),  # of both sides that are denied, the right one is the first
    }


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        # two forms are two things, and neither answers for the other
        ("Patchy and linear opacities in the left lung.", "Linear opacities and patchy airspace opacities in the left lung.",
         ["correct", "minor"]),
        # a density beside the lesion of the other report is no second finding; neither is an area or a change
        ("Mass in the pancreatic head.", "Mass in the pancreatic head. The pancreatic head is hypodense.", ["correct"]),
        ("Mass in the pancreatic head. The pancreatic head is hypodense.", "Mass in the pancreatic head.", ["correct"] * 2),
        # what a fuller statement of one report answers for is said there
        ("Consolidation. Consolidation in the right lower lobe.",
         "Consolidation in the right lower lobe. Consolidation in the left lung.", ["correct"]),
        # one lesion by its size, wherever it is put
        ("Nodule adjacent to the spleen, 17 mm.", "Lesion in the perisplenic space, 17 mm.", ["wrong"]),
        # a denial of a class leaves room for what the report has of it elsewhere only if that is kin
        ("Linear opacity in the left lung. Cyst in the left upper lobe.",
         "No opacity in the left lung. Cyst in the left upper lobe.", ["correct", "missed"]),
        # a denial of one form is not limited by a kin finding without that form
        ("Patchy opacities in the right lung. Atelectasis of the right lung.",
         "No patchy opacities in the right lung. Atelectasis of the right lung.", ["correct", "missed"]),
    ],
)  # fmt: skip
def test_one_thing_is_counted_once(clinical, reference: str, candidate: str, expected: list[str]) -> None:
    assert [category for _, category in sorted(outcome(clinical, reference, candidate), key=lambda one: one[1])] == expected


@pytest.mark.parametrize(("text", "tier"), [("A shadow in the stomach.", 1), ("A 3 cm shadow in the stomach.", 2)])
def test_an_empty_head_of_which_nothing_is_told_is_routine(clinical, text: str, tier: int) -> None:
    assert [one.tier for one in verdict(clinical, text, text).findings] == [tier]


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Stenosis of the left renal artery. The arteries show no stenosis.", "Stenosis of the left renal artery."),
        ("Fracture of the fifth rib on the left. No rib fracture.", "Fracture of the left fifth rib."),
        ("Cyst of the left kidney upper pole. No renal cyst.", "Cyst in the upper pole of the left kidney."),
    ],
)
def test_what_a_report_asserts_is_not_wrong_because_it_denies_more(clinical, reference: str, candidate: str) -> None:
    assert {category for _, category in outcome(clinical, reference, candidate)} == {"correct"}
    assert "invented" in {category for _, category in outcome(clinical, reference.split(". ")[1], candidate)}


@pytest.mark.parametrize(("side", "invented"), [("right", []), ("left", ["left stenosis"])])
def test_a_reference_denies_only_what_it_does_not_say_itself(clinical, side: str, invented: list[str]) -> None:
    reference = "Mild stenosis of the right subclavian artery. The vessel walls are smooth without luminal stenosis."
    found = verdict(clinical, reference, f"Mild stenosis of the {side} subclavian artery.").findings
    assert [one.what for one in found if one.category == "invented"] == invented


@pytest.mark.parametrize(
    ("reference", "candidate", "wrong"),
    [
        # Mass effect is said of the shift too, and a tumour is a mass: neither stands for what is described otherwise.
        (
            "Midline shift of 9 mm to the left with mass effect.", "Mass effect with midline shift of 3 mm to the left.",
            "midline shift",
        ),
        (
            "A 45 mm mass lies in the right parietal lobe, probably a glioblastoma.",
            "A 15 mm mass lies in the right parietal lobe, probably a glioblastoma.", "right intracranial mass",
        ),
    ],
)  # fmt: skip
def test_one_finding_described_otherwise_is_wrong_whatever_else_is_said(clinical, reference, candidate, wrong) -> None:
    found = verdict(clinical, reference, candidate).findings
    assert [(one.category, one.what) for one in found if one.is_error] == [("wrong", wrong)]


def test_what_is_said_of_the_whole_leaves_a_denial_at_the_very_part(clinical) -> None:
    reference = "Cerebral venous sinus thrombosis. The straight sinus is patent."
    candidate = "Cerebral venous sinus thrombosis. The straight sinus is thrombosed."
    found = verdict(clinical, reference, candidate).findings
    assert [one.what for one in found if one.category == "invented"] == ["cerebral venous sinus thrombosis"]


@pytest.mark.parametrize(
    ("reference", "candidate", "missed"),
    [
        ("Patchy opacity in the right lung.", "Right hilar lymphadenopathy.", "missed: right lung opacity"),
        ("T1 hypointensity in the left thalamus.", "DWI hyperintensity in the left thalamus.", "missed: left T1 hypointensity"),
        ("T2 hyperintensity of the pons.", "Abnormal signal of the pancreas.", "missed: T2 hyperintensity"),
    ],
)
def test_an_appearance_is_not_said_by_what_cannot_look_so(errors, reference, candidate, missed) -> None:
    assert missed in errors(reference, candidate)


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Hypodense lesion in segment 6 of the liver.", "Cyst in segment 6 of the liver."),
        ("Opacity in the left lower lobe.", "Atelectasis in the left lower lobe."),
        ("Enhancement of the left adrenal gland.", "Hyperplasia of the left adrenal gland."),
    ],
)
def test_an_appearance_is_said_by_what_looks_so(errors, reference, candidate) -> None:
    assert not [error for error in errors(reference, candidate) if error.startswith("missed")]


def test_what_is_denied_at_a_place_earns_nothing_for_another(clinical) -> None:
    reference = "Thickening of the supraspinatus tendon. The infraspinatus tendon is not thickened."
    candidate = "Thickening of the infraspinatus tendon."
    assert sum(one.credit for one in verdict(clinical, reference, candidate).findings) == 0
