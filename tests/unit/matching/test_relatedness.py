"""How near findings are to each other beyond agreement, how places and classes lie to each other, what a denial covers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from kgscore.engine import Scorer
from kgscore.matching.axes import axes_of, sides_meet
from kgscore.matching.denials import Denials, denial_of_all, holds_all, organ_of
from kgscore.matching.relatedness import AFAR, Relatedness, same_length
from kgscore.model import Detail, Finding

One = Callable[[str], Finding]


@pytest.fixture(scope="module")
def kin(scorer: Scorer) -> Relatedness:
    return Relatedness(scorer.index)


@pytest.fixture(scope="module")
def one(scorer: Scorer) -> One:
    """Give a function from a text to its first finding, that of the left where a text speaks of both sides."""
    return lambda text: min(scorer.read(text).findings, key=lambda finding: finding.side == "right")


# ---- sides -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "b", "meet"),
    [("left", "left", True), ("left", "right", False), ("left", None, True), (None, "right", True), (None, None, True)],
)
def test_sides_meet_unless_both_are_said_and_differ(one: One, a: str | None, b: str | None, meet: bool) -> None:
    finding = one("Cardiomegaly.")
    assert sides_meet(replace(finding, side=a), replace(finding, side=b)) == meet


# ---- places ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "b", "axis"),
    [
        ("Mass in the left lung.", "Mass in the left lung.", ("equivalent", 0)),
        ("Mass in the left upper lobe.", "Mass in the left lung.", ("part_whole", 1)),
        ("Mass in the left lung.", "Mass in the left upper lobe.", ("part_whole", 1)),
        ("Mass in the liver.", "Mass in the spleen.", None),
        ("Fracture of L1.", "Fracture of L2.", None),
        ("Disc protrusion at L4-L5.", "Disc protrusion at L5-S1.", None),
        ("Lytic lesion in T4.", "Lytic lesion in T4 and T5.", ("part_whole", 1)),
        ("Renal parenchymal cyst on the left.", "Left renal cyst.", ("equivalent", 0)),
    ],
)
def test_how_places_lie_to_each_other(scorer: Scorer, a: str, b: str, axis: tuple[str, int] | None) -> None:
    axes = axes_of(scorer.index)
    sites = [tuple(dict.fromkeys(site for f in scorer.read(text).findings for site in f.sites)) for text in (a, b)]
    for pair in (sites, sites[::-1]):
        assert axes.sites(*pair) == axis


def test_lists_of_places_agree_by_one_place_that_they_share(scorer: Scorer) -> None:
    sites = axes_of(scorer.index).sites
    assert sites(("liver", "spleen"), ("femur", "tibia")) is None
    assert sites(("liver", "spleen"), ("spleen", "kidney")) == ("part_whole", 1)
    assert sites(("liver", "upper_lobe"), ("kidney", "lung")) == ("part_whole", 1)
    assert sites(("cortical_bone",), ("femur",)) == sites(("femur",), ("cortical_bone",)) == ("part_whole", 2)  # found all over
    assert sites(("cortical_bone",), ("liver",)) is None
    assert sites(("middle_lobe", "upper_lobe"), ("lung",)) == ("part_whole", 2)  # the farther one counts


def test_a_place_that_is_not_said_is_a_step_away(scorer: Scorer, one: One) -> None:
    axes = axes_of(scorer.index)
    mass = one("Mass in the left upper lobe.")
    assert axes.anatomy(mass, replace(mass, sites=())) == ("part_whole", 3)
    assert axes.anatomy(replace(mass, sites=(), side=None), replace(mass, sites=(), side=None)) == ("equivalent", 0)


def test_a_side_that_only_one_says_is_a_step(scorer: Scorer, one: One) -> None:
    axes = axes_of(scorer.index)
    mass = one("Mass in the left upper lobe.")
    unsided = replace(mass, side=None)
    assert axes.anatomy(mass, mass) == axes.anatomy(unsided, unsided) == ("equivalent", 0)
    assert axes.anatomy(mass, unsided) == axes.anatomy(unsided, mass) == ("part_whole", 1)
    assert axes.anatomy(replace(mass, both=True), replace(mass, both=True, side="right")) == ("equivalent", 0)
    assert axes.anatomy(replace(mass, both=True), replace(mass, side="right")) == ("part_whole", 1)


def test_meeting_and_lying_around(scorer: Scorer) -> None:
    axes = axes_of(scorer.index)
    assert axes.meet("upper_lobe", "lung")
    assert axes.meet("lung", "upper_lobe")
    assert not axes.meet("upper_lobe", "lower_lobe")
    assert axes.around(("lung",), ("upper_lobe", "lower_lobe"))
    assert not axes.around(("lung",), ("upper_lobe", "liver"))
    assert not axes.around(("lung", "upper_lobe"), ("upper_lobe",))
    assert not axes.around(("upper_lobe",), ("lung",))


# ---- concepts --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "b", "axis"),
    [
        ("Cardiomegaly.", "The heart is enlarged.", ("equivalent", 0)),
        ("Subdural hematoma.", "Intracranial hemorrhage.", ("part_whole", 2)),
        ("Pneumonia in the left lower lobe.", "Opacity in the left lower lobe.", ("part_whole", 1)),
        ("Pneumothorax.", "Pleural effusion.", None),
        ("Abnormality of the liver.", "Cyst in the liver.", None),  # asserted, "abnormality" is no agreement
        ("No abnormality of the liver.", "No cyst in the liver.", ("part_whole", 4)),
        ("Hypodense nodule in the liver.", "Nodular hypodensity in the liver.", ("equivalent", 0)),
    ],
)
def test_how_classes_lie_to_each_other(scorer: Scorer, one: One, a: str, b: str, axis: tuple[str, int] | None) -> None:
    found = axes_of(scorer.index).concept(one(a), one(b)), axes_of(scorer.index).concept(one(b), one(a))
    assert found[0] == found[1]
    assert (found[0] and found[0][0]) == (axis and axis[0])
    if axis and axis[0] == "part_whole" and axis[1] < 4:
        assert found[0] == axis


# ---- nearness --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("a", "b", "near"),
    [
        ("Cardiomegaly.", "Cardiomegaly.", 0),
        ("Pneumonia in the left lower lobe.", "Opacity in the left lower lobe.", 1),
        ("Subdural hematoma.", "Intracranial hemorrhage.", 2),
        ("Subdural hematoma.", "Epidural hematoma.", AFAR + 1),
        ("Pneumonia in the left lower lobe.", "Atelectasis in the left lower lobe.", AFAR + 1),
        ("Pneumonia in the left lower lobe.", "Atelectasis in the right lower lobe.", None),
        ("Pneumonia in the left lower lobe.", "Atelectasis in the left upper lobe.", None),
        ("Enlarged left atrium.", "Enlarged right atrium.", AFAR + 1),
        ("Pneumothorax.", "Fracture of the left clavicle.", None),
        ("Wobbly blotch in the left lung.", "Cardiomegaly.", None),
    ],
)
def test_how_near_a_finding_is_to_what_is_taken_for_it(kin: Relatedness, one: One, a: str, b: str, near: int | None) -> None:
    assert kin.nearness(one(a), one(b)) == kin.nearness(one(b), one(a)) == near


@pytest.mark.parametrize(
    ("yes", "no", "neighbours"),
    [
        ("Pneumonia in the left lower lobe.", "No consolidation in the left lower lobe.", True),
        ("Pneumonia in the left lower lobe.", "No consolidation.", True),
        ("Pneumonia in the left lower lobe.", "No consolidation in the right lung.", False),
        ("Pneumonia in the left lower lobe.", "No fracture.", False),
        ("Pneumonia in the left lower lobe.", "The lungs are clear.", True),
        ("Pneumonia in the left lower lobe.", "The liver is unremarkable.", False),
        ("Acute infarct in the left cerebellum.", "No acute intracranial abnormality.", True),
        ("Aortic dissection.", "No acute intracranial abnormality.", False),
        ("Left pneumothorax.", "No abnormality.", True),
        ("Acute fracture of the left clavicle.", "No old fracture.", False),
        ("Small left pneumothorax.", "No large left pleural effusion.", False),
        ("The liver is enlarged.", "The liver is of normal density.", False),
        ("Old fracture of the left clavicle.", "No acute fracture.", False),
        ("Opacity in the left lung.", "No pneumonia.", True),
        ("Fracture of the left clavicle.", "No dislocation of the left clavicle.", False),
        ("Wobbly blotch in the left lung.", "No pneumonia.", False),
    ],
)
def test_what_is_denied_in_place_of_what_is_there(kin: Relatedness, one: One, yes: str, no: str, neighbours: bool) -> None:
    assert kin.neighbours(one(yes), one(no)) == neighbours


def test_a_denial_of_several_places_at_once_covers_what_is_in_all(scorer: Scorer, one: One) -> None:
    denials, no = Denials(scorer.index), replace(one("No mass in the liver."), sites=("liver", "spleen"))
    assert not denials.covers(no, one("Mass in the liver."))
    assert denials.covers(no, replace(one("Mass in the liver."), sites=("liver", "spleen")))


def test_one_finding_covers_another_with_its_lengths(kin: Relatedness, one: One) -> None:
    large, plain = one("12 mm nodule in the left lung."), one("Nodule in the left lung.")
    assert kin.covers(large, plain)
    assert kin.covers(large, large)
    assert not kin.covers(plain, large)
    assert not kin.covers(one("9 mm nodule in the left lung."), large)
    assert not kin.covers(large, one("Cardiomegaly."))
    assert same_length(large, one("12 mm mass in the liver."))
    assert not same_length(large, plain)
    assert kin.related(large, plain) is not None
    assert kin.related(one("Cardiomegaly."), one("No cardiomegaly.")) is None


@pytest.mark.parametrize(
    ("said", "follows", "implied"),
    [
        ("Surgical clips in the gallbladder fossa.", "Cholecystectomy.", True),
        ("Cholecystectomy.", "Surgical clips in the gallbladder fossa.", False),
        ("Calcification of the left thalamus.", "Hyperdensity of the left thalamus.", True),
        ("Calcification of the left thalamus.", "Hyperdensity of the right thalamus.", False),
        ("Calcification of the left thalamus.", "Hypodensity of the left thalamus.", False),
        ("Wobbly blotch in the left lung.", "Cardiomegaly.", False),
    ],
)
def test_what_follows_from_a_finding(kin: Relatedness, one: One, said: str, follows: str, implied: bool) -> None:
    assert kin.implies(one(said), one(follows)) == implied


@pytest.mark.parametrize(
    ("site", "place", "alike"),
    [
        ("upper_lobe", "lower_lobe", True), ("upper_lobe", "liver", False), ("liver", "spleen", False), ("rib_5", "rib_6", True),
        ("left_atrium", "right_ventricle", True), ("kidney", "ureter", False),
    ],
)
def test_places_that_are_parts_of_one_thing(kin: Relatedness, site: str, place: str, alike: bool) -> None:
    assert kin.alike(site, place) == kin.alike(place, site) == alike


def test_a_region_is_in_hardly_anything(kin: Relatedness) -> None:
    assert kin.is_region("thorax")
    assert kin.is_region("abdominal_cavity")
    assert not kin.is_region("peritoneal_cavity")
    assert not kin.is_region("upper_lobe")


# ---- what a denial covers --------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def denials(scorer: Scorer) -> Denials:
    return Denials(scorer.index)


@pytest.mark.parametrize(
    ("no", "yes", "denied"),
    [
        ("No intracranial hemorrhage.", "Subdural hematoma.", True),
        ("No subdural hematoma.", "Intracranial hemorrhage.", False),
        ("No pneumonia.", "Opacity in the left lower lobe, likely pneumonia.", True),
        ("No acute abnormality.", "Acute appendicitis.", True),
        ("No acute abnormality.", "Aortic dissection.", True),
        ("No acute abnormality.", "Appendicitis.", True),  # just urgent
        ("No acute abnormality.", "Renal cyst.", False),
        ("No pleural effusion.", "Cardiomegaly.", False),
    ],
)
def test_the_class_that_is_denied(denials: Denials, one: One, no: str, yes: str, denied: bool) -> None:
    assert denials.denies(one(no), one(yes)) == denied


@pytest.mark.parametrize(
    ("no", "yes", "covered"),
    [
        ("No left pleural effusion.", "Left pleural effusion.", True),
        ("No left pleural effusion.", "Right pleural effusion.", False),
        ("No left pleural effusion.", "Pleural effusion.", False),
        ("No mass in the left lung.", "Mass in the left upper lobe.", True),
        ("No mass in the left upper lobe.", "Mass in the left lung.", False),
        ("No large pleural effusion.", "Large pleural effusion.", True),
        ("No large pleural effusion.", "Small pleural effusion.", False),
        ("No significant pleural effusion.", "Small pleural effusion.", True),
        ("No acute fracture of the left clavicle.", "Old fracture of the left clavicle.", False),
        ("No acute fracture of the left clavicle.", "Fracture of the left clavicle.", True),
        ("No old fracture of the left clavicle.", "Old fracture of the left clavicle.", True),
        ("No old fracture of the left clavicle.", "Fracture of the left clavicle.", False),
        ("No new nodule in the left lung.", "New nodule in the left lung.", True),
        ("No new nodule in the left lung.", "Stable nodule in the left lung.", False),
        ("No other fracture of the left clavicle.", "Fracture of the left clavicle.", False),
        ("No acute sinusitis.", "Sinusitis.", False),
        ("No acute compression deformity of L1.", "Mild compression deformity of L1.", False),  # not urgent, and of no age
        ("No acute sinusitis.", "Acute sinusitis.", True),
        ("No acute sinusitis.", "Chronic sinusitis.", False),
    ],
)
def test_what_a_denial_speaks_of(denials: Denials, one: One, no: str, yes: str, covered: bool) -> None:
    assert denials.covers(one(no), one(yes)) == covered


def test_what_is_significant_leaves_the_rest_of_a_restriction(denials: Denials, one: One) -> None:
    large, significant = one("No large pleural effusion."), Detail("severity_descriptor", "severe", "significant")
    no = replace(large, details=(significant, *large.details))
    assert denials.covers(no, one("Large pleural effusion."))
    assert not denials.covers(no, one("Small pleural effusion."))


def test_the_rest_is_lifted_from_a_denial_only(one: One) -> None:
    rest = one("The liver is otherwise unremarkable.")
    assert any(detail.value == "otherwise" for detail in rest.details)
    assert all(detail.value != "otherwise" for detail in denial_of_all(rest).details)
    assert not denial_of_all(rest).restricted
    for text in ("The liver is unremarkable.", "Mass in the liver."):
        assert denial_of_all(one(text)) is (denial_of_all(one(text)) and one(text)) or denial_of_all(one(text)) == one(text)
    asserted = replace(rest, status="present")
    assert denial_of_all(asserted) is asserted
    assert denial_of_all(replace(rest, change="new")).restricted


def test_the_substance_of_an_organ_is_the_organ(scorer: Scorer) -> None:
    index = scorer.index
    assert organ_of(index, "kidney_parenchyma") == "kidney"
    assert organ_of(index, "upper_lobe") == "upper_lobe"
    assert holds_all(index, {"upper_lobe"}, "lung")
    assert not holds_all(index, {"lung"}, "upper_lobe")
    assert not holds_all(index, set(), "lung")
    assert holds_all(index, {"soft_tissue", "foot"}, "soft_tissue_of_foot")  # a tissue of a region
    assert not holds_all(index, {"foot"}, "soft_tissue_of_foot")
