"""What each error of a finding is called, whether it is major, and what it costs: the shares of `mappings/clinical.yaml`."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from kgscore.clinical.compare import Comparer
from kgscore.clinical.settings import settings
from kgscore.engine import Scorer
from kgscore.verdict import Aligned
from tests.unit.clinical.conftest import verdict

SHARES = settings().shares


def share(name: str, steps: int = 1) -> float:
    return 1.0 - (1.0 - SHARES[name]) ** steps


EFFUSION, NODULE = "left pleural effusion.", "nodule in the right upper lobe."
# Reference, candidate, and the errors: dimension, whether it is major, the name of its share, and how many steps.
ERRORS = [
    # sides: another one, one that only the reference says, one that only the candidate says
    (f"Small {EFFUSION}", "Small right pleural effusion.", [("side", True, "side", 1)]),
    (f"Small {EFFUSION}", "Small pleural effusion.", [("specificity", False, "side_unsaid", 1)]),
    ("Small pleural effusion.", f"Small {EFFUSION}", []),
    ("Right pleural effusion.", "Right pleural effusion.", []),
    # places: a neighbour, another structure, told less and more exactly, not told
    ("Nodule in the left upper lobe.", "Nodule in the left lower lobe.", [("place", False, "place_near", 1)]),
    ("Fracture of the left fifth rib.", "Fracture of the left sixth rib.", [("place", False, "place_near", 1)]),
    ("Cyst in segment 6 of the liver.", "Cyst in segment 7 of the liver.", [("place", False, "place_near", 1)]),
    ("Cyst in segment 3 of the liver.", "Cyst in segment 7 of the liver.", [("place", True, "place_apart", 1)]),
    ("Burst fracture of L1.", "Burst fracture of L4.", [("place", True, "place_apart", 1)]),
    ("Nodule in the left lung.", "Nodule in the left upper lobe.", [("place", False, "place_narrower", 1)]),
    ("Nodule in the left upper lobe.", "Nodule in the left lung.", [("specificity", False, "place_unsaid", 1)]),
    ("Hematoma in the left thigh.", "Hematoma.",
     [("specificity", False, "side_unsaid", 1), ("specificity", False, "place_unsaid", 1)]),
    ("Cyst in segment 4 of the liver.", "Cyst in the abdomen.",
     [("specificity", False, "wider_concept", 1), ("specificity", False, "place_wider", 4)]),
    # what it may be
    ("Mass in the liver, likely a metastasis.", "Mass in the liver, likely a metastasis.", []),
    ("Mass in the liver, likely a metastasis.", "Mass in the liver, likely a cyst.", [("presence", True, "conflict_major", 1)]),
    # certainty, a step at a time
    ("Pneumothorax.", "Probable pneumothorax.", [("certainty", False, "certainty_step", 1)]),
    ("Probable pneumothorax.", "Possible pneumothorax.", [("certainty", False, "certainty_step", 1)]),
    ("Pneumothorax.", "Possible pneumothorax.", [("certainty", False, "certainty_step", 2)]),
    ("Possible pneumothorax.", "Pneumothorax.", [("certainty", False, "certainty_step", 2)]),
    # change: turned round, another word, left out and added, for what is worse and for what is as it was
    (f"Increased {EFFUSION}", f"Decreased {EFFUSION}", [("change", True, "change_turned", 1)]),
    (f"Decreased {EFFUSION}", f"New {EFFUSION}", [("change", True, "change_turned", 1)]),
    (f"New {EFFUSION}", f"Increased {EFFUSION}", [("change", False, "change_other", 1)]),
    (f"Increased {EFFUSION}", EFFUSION, [("change", False, "change_unsaid", 1)]),
    (f"Stable {EFFUSION}", EFFUSION, [("change", False, "stable_unsaid", 1)]),
    (EFFUSION, f"Increased {EFFUSION}", [("change", True, "change_added", 1)]),
    (EFFUSION, f"Stable {EFFUSION}", [("change", False, "stable_added", 1)]),
    # what it is: a sibling, a broader term by its steps, a narrower one, a graver one, what it looks like, one lesion by its size
    ("Subdural hematoma.", "Epidural hematoma.", [("presence", True, "sibling", 1)]),
    ("Subdural hematoma.", "Intracranial hemorrhage.", [("specificity", False, "wider_concept", 2)]),
    ("Tension pneumothorax.", "Pneumothorax.", [("specificity", False, "wider_concept", 1)]),
    ("Pneumothorax.", "Tension pneumothorax.", [("overinterpretation", False, "narrower_concept", 1)]),
    ("Intracranial hemorrhage.", "Subdural hematoma.", [("overinterpretation", False, "narrower_concept", 2)]),
    ("Miliary tuberculosis of the left lung.", "Opacity in the right lung.",
     [("specificity", True, "wider_concept", 3), ("side", True, "side", 1)]),  # three steps up, and on the other side
    ("Pneumonia in the left lower lobe.", "Opacity in the left lower lobe.", [("specificity", True, "wider_concept", 1)]),
    ("Opacity in the left lower lobe.", "Pneumonia in the left lower lobe.", [("overinterpretation", True, "overread", 1)]),
    ("Opacity in the left lower lobe, likely pneumonia.", "Pneumonia in the left lower lobe.",
     [("overinterpretation", False, "narrower_concept", 1)]),  # the reference offers it itself
    ("Hypodensity in the liver.", "Nodule in the liver.", [("specificity", False, "appearance", 1)]),  # both are only seen
    # degrees
    ("Small pleural effusion.", "Moderate pleural effusion.", [("severity", False, "degree_step", 1)]),
    ("Small pleural effusion.", "Large pleural effusion.", [("severity", True, "degree_far", 1)]),
    ("Severe cardiomegaly.", "Mild cardiomegaly.", [("severity", True, "degree_far", 1)]),
    (f"Small to moderate {EFFUSION}", f"Moderate {EFFUSION}", []),  # a range holds both
    (f"Small to moderate {EFFUSION}", f"Large {EFFUSION}", [("severity", False, "degree_step", 1)]),
    ("Small pleural effusion.", "Pleural effusion.", [("specificity", False, "degree_unsaid", 1)]),
    ("Pleural effusion.", "Small pleural effusion.", [("severity", False, "degree_added", 1)]),
    ("Small nodule in the left lung.", "5 mm nodule in the left lung.", []),  # a size says how small it is
    ("5 mm nodule in the left lung.", "Small nodule in the left lung.", []),
    ("5 mm nodule in the left lung.", "Nodule in the left lung.", [("specificity", False, "size_unsaid", 1)]),
    ("Nodule in the left lung.", "5 mm nodule in the left lung.", []),
    # qualities: opposites, qualities that decide, others, one or two left out, one added
    ("Well-defined mass in the spleen.", "Ill-defined mass in the spleen.", [("morphology", True, "conflict_major", 1)]),
    ("Acute fracture of the left clavicle.", "Old fracture of the left clavicle.", [("morphology", True, "conflict_major", 1)]),
    ("Round mass in the spleen.", "Lobulated mass in the spleen.", [("morphology", False, "conflict", 1)]),
    ("Focal thickening of the bladder wall.", "Diffuse thickening of the bladder wall.",
     [("severity", True, "conflict_major", 1)]),
    ("Multiple gallstones.", "Single gallstone.", [("severity", True, "conflict_major", 1)]),
    ("Calcified nodule in the left lung.", "Nodule in the left lung.", [("specificity", False, "detail_unsaid", 1)]),
    ("Nodule in the left lung.", "Calcified nodule in the left lung.", [("morphology", False, "detail_added", 1)]),
    ("Anterior calcified nodule in the left lung.", "Nodule in the left lung.", [("specificity", False, "detail_unsaid", 1)]),
    # how a finding shows for the finding; a form that is another thing
    ("Perinephric stranding on the left.", "Perinephric fluid on the left.", [("specificity", False, "shown_as", 1)]),
    ("Opacity in the left lower lobe.", "Consolidation in the left lower lobe.", [("specificity", False, "shown_as", 1)]),
    ("Infarct in the left thalamus.", "Hypodensity in the left thalamus.", [("specificity", True, "appearance", 1)]),
    ("Hyperdensity in the left thalamus.", "Hemorrhage in the left thalamus.", [("specificity", True, "appearance", 1)]),
    ("Nodule in the left lower lobe.", "Patchy opacity in the left lower lobe.", [("presence", True, "sibling", 1),
     ("severity", False, "detail_added", 1)]),
    # contradictions of two assertions
    ("The left kidney is enlarged.", "The left kidney is small.", [("presence", True, "opposite", 1)]),
    ("Endotracheal tube tip in the trachea.", "Endotracheal tube tip in the right main bronchus.", [("device", True, "tip", 1)]),
    ("Hyperdense lesion in the liver.", "Hypodense lesion in the liver.", [("morphology", True, "conflict_major", 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "candidate", "errors"), ERRORS)
def test_an_error_has_its_dimension_and_its_price(clinical, reference, candidate, errors) -> None:
    (one,) = verdict(clinical, reference, candidate).findings
    found = [(error.dimension, error.major, error.share) for error in one.errors]
    assert found == [(dimension, major, pytest.approx(share(name, steps))) for dimension, major, name, steps in errors]
    assert (one.category == "wrong") == any(major for _, major, *_ in errors)


@pytest.mark.parametrize(("reference", "candidate", "errors"), ERRORS)
def test_errors_multiply_and_something_wrong_is_better_than_nothing(clinical, reference, candidate, errors) -> None:
    (one,) = verdict(clinical, reference, candidate).findings
    left = math.prod(1.0 - share(name, steps) for *_, name, steps in errors)
    kept = 1.0 - SHARES["left_out"] * (1.0 - left)
    (right,) = verdict(clinical, reference, reference).findings
    assert one.tier >= right.tier
    assert one.credit == pytest.approx(settings().weights[right.tier] * kept)
    assert one.cost >= settings().weights[right.tier] - one.credit - 1e-9  # more, where it is graver than what it stands for


# ---- sizes -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("ours", "theirs", "major", "crossed"),
    [
        (20, 24, False, ""), (10, 19, False, ""), (10, 20, True, ""), (10, 25, True, ""), (10, 29, True, ""), (25, 10, True, ""),
        (5, 6, False, ""),  # a threshold between numbers that are a millimetre apart is not crossed
        (5, 6.5, True, "across 6"), (6.5, 5, True, "across 6"), (20, 31, True, "across 30"), (30, 20, True, "across 30"),
    ],
)  # fmt: skip
def test_a_wrong_size_costs_by_its_ratio_or_by_a_threshold_whichever_is_more(clinical, ours, theirs, major, crossed) -> None:
    (one,) = verdict(clinical, f"{ours} mm {NODULE}", f"{theirs} mm {NODULE}").findings
    (error,) = one.errors
    apart = math.log(max(ours, theirs) / min(ours, theirs)) / math.log(settings().size_far)
    assert (error.dimension, error.major) == ("size", major)
    assert error.share == pytest.approx(max(SHARES["size"] * apart, SHARES["size_threshold"] if crossed else 0.0))
    assert error.because.startswith(f"{theirs} mm, not {ours} mm")
    assert (crossed in error.because) if crossed else ("across" not in error.because)


@pytest.mark.parametrize(
    ("reference", "candidate", "ours", "theirs"),
    [
        ("Nodule larger than 8 mm in the left lung.", "7 mm nodule in the left lung.", 8, 7),  # more than a number: that number
        ("Nodules of 10 and 30 mm in the liver.", "Nodules of 29 and 90 mm in the liver.", 10, 90),  # the nearest are paired
        ("Nodules of 10 and 30 mm in the liver.", "Nodules of 30 and 40 mm in the liver.", 10, 40),  # what is equal is set aside
    ],
)  # fmt: skip
def test_which_of_several_numbers_are_compared(clinical, reference, candidate, ours, theirs) -> None:
    (one,) = verdict(clinical, reference, candidate).findings
    assert [error.share for error in one.errors] == pytest.approx([SHARES["size"] * settings().apart(*sorted((ours, theirs)))])


def test_a_distance_is_of_the_device_and_never_far(clinical) -> None:
    """Where a tube ends may differ by a factor of three between two of its normal places."""
    tube = "Endotracheal tube tip {} cm above the carina."
    near, far = ([one for one in verdict(clinical, tube.format(a), tube.format(b)).findings if one.reference] for a, b in
                 ((2.1, 6.9), (5, 1)))  # fmt: skip
    assert [(e.dimension, e.major) for one in near for e in one.errors] == [("device", False)]
    assert [(e.dimension, e.major) for one in far for e in one.errors] == [("device", True)]


# ---- a clash, a miss, an invention ----------------------------------------------------------------------------------
def cost(scorer: Scorer, reference: str, candidate: str, category: str) -> Aligned:
    (one,) = (one for one in verdict(scorer, reference, candidate).findings if one.category == category)
    return one


def test_what_is_denied_costs_all_and_what_is_left_out_a_part(clinical) -> None:
    weight = settings().weights[2]
    missed = ("missed", ("Cardiomegaly.", "No cardiomegaly."), ("Cardiomegaly. Ascites.", "Ascites."))
    invented = ("invented", ("No cardiomegaly.", "Cardiomegaly."), ("Ascites.", "Cardiomegaly. Ascites."))
    for category, more, less in (missed, invented):
        assert cost(clinical, *more, category).cost == pytest.approx(weight)
        share = SHARES["left_out" if category == "missed" else "added"]
        assert cost(clinical, *less, category).cost == pytest.approx(weight * share)
        for pair, why in ((more, "denies it"), (less, "does not say it")):
            assert cost(clinical, *pair, category).credit == 0
            (error,) = cost(clinical, *pair, category).errors
            assert (error.dimension, error.major, error.because.endswith(why)) == ("presence", True, True)


def test_what_is_said_and_denied_is_half_right(clinical) -> None:
    (one,) = verdict(clinical, "Left pleural effusion.", "Left pleural effusion. No pleural effusion.").findings
    assert one.credit == one.cost == pytest.approx(settings().weights[2] * (1 - SHARES["denied_too"]))
    assert [(e.dimension, e.major) for e in one.errors] == [("presence", True)]
    assert one.category == "wrong"


def test_a_side_that_is_turned_round_is_one_error_though_the_other_is_denied(clinical) -> None:
    (one,) = verdict(clinical, "Left pneumothorax.", "Right pneumothorax. No left pneumothorax.").findings
    assert [(e.dimension, e.share) for e in one.errors] == [("side", SHARES["side"])]


def test_what_is_invented_where_something_is_missed_costs_less(clinical) -> None:
    hemangioma = "Hemangioma of 18 mm in the left lobe of the liver."
    one = cost(clinical, "Cyst of 15 mm in the left lobe of the liver.", hemangioma, "invented")
    alone = cost(clinical, "Ascites.", f"Ascites. {hemangioma}", "invented")
    assert one.cost == pytest.approx(alone.cost * (1 - SHARES["instead"]))
    denied = cost(clinical, "Cyst in the left lobe of the liver.", f"No cyst in the liver. {hemangioma}", "invented")
    assert denied.cost == pytest.approx(alone.cost)  # the cyst is not overlooked


def test_something_graver_said_in_its_place_costs_the_difference(clinical) -> None:
    texts = {"reference": "The right jugular catheter ends in the superior vena cava.",
             "candidate": "The right jugular catheter ends in the right ventricle."}  # fmt: skip
    (one,) = verdict(clinical, **texts).findings
    (vaguer,) = verdict(clinical, "Pneumonia in the left lower lobe.", "Opacity in the left lower lobe.").findings
    weights = settings().weights
    (right,) = verdict(clinical, texts["reference"], texts["reference"]).findings
    weight, (graver,) = weights[right.tier], (weights[tier] for tier, _ in verdict(clinical, **texts).said)
    assert weights[one.tier] == graver > weight  # and the error is as grave as that
    assert one.cost == pytest.approx(weight - one.credit + (graver - weight) * (1 - one.credit / weight))
    assert vaguer.cost == pytest.approx(settings().weights[vaguer.tier] - vaguer.credit)
    (lesion,) = verdict(clinical, "Hepatic cyst.", "Hepatic lesion.").findings  # vaguer, though a lesion weighs more than a cyst
    assert lesion.cost == pytest.approx(settings().weights[lesion.tier] - lesion.credit)


def test_words_that_no_concept_covers_weigh_little(clinical) -> None:
    one = cost(clinical, "Cardiomegaly.", "Wobbly blotch in the left lung. Cardiomegaly.", "invented")
    assert (one.tier, one.cost) == (1, pytest.approx(settings().unlinked * SHARES["added"]))


def test_a_mere_sign_weighs_a_part(clinical) -> None:
    text = "Infarct in the left thalamus. T2 hyperintensity in the left thalamus."
    infarct, sign = verdict(clinical, text, text).findings
    assert infarct.credit == settings().weights[infarct.tier]
    (alone,) = verdict(clinical, *["T2 hyperintensity in the left thalamus."] * 2).findings
    assert (sign.tier, sign.credit) == (1, pytest.approx(settings().weights[alone.tier] * settings().sign))
    assert alone.credit == settings().weights[alone.tier]


@pytest.mark.parametrize("sides", ["Pleural effusions.", "Pleural effusion."])
def test_what_is_said_of_no_side_is_nearly_right_of_both(clinical, sides: str) -> None:
    found = verdict(clinical, "Left pleural effusion. Right pleural effusion.", sides).findings
    assert [one.category for one in found] == ["correct"] * 2
    assert [error.share for one in found for error in one.errors] == pytest.approx([SHARES["sides_unsaid"]] * 2)
    weight = settings().weights[2]
    assert [one.credit for one in found] == pytest.approx([weight * (1 - SHARES["left_out"] * SHARES["sides_unsaid"])] * 2)


def test_a_shift_to_the_other_side_is_an_error_of_side(clinical) -> None:
    """The reader tells the way of a shift as a detail; another reader may give it a side."""
    (shift,) = clinical.read("Midline shift.").findings
    found = Comparer(clinical.relator).between(replace(shift, side="left"), replace(shift, side="right"), (0, 1))
    assert found is not None
    assert [(error.dimension, error.major, error.share) for error in found.errors] == [("side", True, SHARES["side"])]


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Nodule in the liver.", "Nodule in the spleen."),
        ("Pneumothorax.", "Aortic dissection."),
        ("Cardiomegaly.", "Left pleural effusion."),
    ],
)
def test_two_things_are_a_miss_and_an_invention(clinical, reference: str, candidate: str) -> None:
    assert sorted(one.category for one in verdict(clinical, reference, candidate).findings) == ["invented", "missed"]
