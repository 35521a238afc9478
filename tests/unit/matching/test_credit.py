"""Links and their credit: which pairs of findings count, by how many steps they are apart, what a contradiction takes away."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.matching.alignment import accept_links
from kgscore.matching.relation import DETAIL, content_key, depth_coefficient, weigh
from kgscore.model import Finding, Relation
from kgscore.profile import load_profile

PROFILE = load_profile("default")
FINDING = Finding("x", 0, 1, "nodule", "nodule")


def relation(kind: str, weight: float = 0.0) -> Relation:
    return Relation(kind, weight=weight)  # type: ignore[arg-type]


# ---- which links are kept --------------------------------------------------------------------------------------------
def test_a_link_is_kept_that_is_near_the_best_at_either_end() -> None:
    share = PROFILE.link_share
    best, far, near = relation("equivalent", 1.0), relation("part_whole", share * 0.9), relation("part_whole", share)
    rows = [(0, 0, best), (0, 1, far), (1, 1, near)]
    assert {(k.reference, k.candidate) for k in accept_links(rows, PROFILE).links} == {(0, 0), (0, 1), (1, 1)}
    rows[2] = (1, 1, best)
    assert {(k.reference, k.candidate) for k in accept_links(rows, PROFILE).links} == {(0, 0), (1, 1)}
    turned = [(j, i, found) for i, j, found in rows]
    assert {(k.reference, k.candidate) for k in accept_links(turned, PROFILE).links} == {(0, 0), (1, 1)}
    turned[2] = (1, 1, near)
    assert {(k.reference, k.candidate) for k in accept_links(turned, PROFILE).links} == {(0, 0), (1, 0), (1, 1)}
    rows[1] = (0, 1, near)  # just near enough
    assert {(k.reference, k.candidate) for k in accept_links(rows, PROFILE).links} == {(0, 0), (0, 1), (1, 1)}


@pytest.mark.parametrize("clash", [(0, 1), (1, 0)])
def test_kinship_of_what_is_contradicted_earns_nothing(clash: tuple[int, int]) -> None:
    rows = [(0, 0, relation("part_whole", 0.5)), (*clash, relation("contradiction"))]
    found = accept_links(rows, PROFILE)
    assert found.links == ()
    assert [(k.reference, k.candidate) for k in found.contradictions] == [clash]
    equal = accept_links([(0, 0, relation("equivalent", 1.0)), rows[1]], PROFILE)
    assert [k.flow for k in equal.links] == [1.0]  # the same finding, said by both
    other = accept_links([(2, 2, relation("part_whole", 0.5)), rows[1]], PROFILE)
    assert [k.flow for k in other.links] == [0.5]


@pytest.mark.parametrize(
    ("reference", "candidate", "contradicted"),
    [
        ("Left pleural effusion.", "No pleural effusion.", True),
        # a report that states the exception to its own denial
        ("Left basal atelectasis.", "The lungs are clear. Left basal atelectasis.", False),
        ("The lungs are clear. Left basal atelectasis.", "Left basal atelectasis.", False),
        ("Left basal atelectasis.", "The lungs are clear. Right basal atelectasis.", True),
        ("Consolidation in the left lower lobe.", "The lungs are clear.", True),
        # what both reports say is not contradicted by what one of them says besides
        ("High signal in the left thalamus.", "High and low signal in the left thalamus.", False),
        ("The left kidney is enlarged.", "The left kidney is small.", True),
    ],
)
def test_which_contradictions_stand(scorer: Scorer, reference: str, candidate: str, contradicted: bool) -> None:
    assert bool(scorer.score(reference=reference, candidate=candidate).contradictions) == contradicted
    assert bool(scorer.score(reference=candidate, candidate=reference).contradictions) == contradicted


# ---- what a relation weighs ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("detail", ["equivalent", "partial", "none", None])
def test_details_have_their_coefficient(detail: str | None) -> None:
    whole = Relation("equivalent", "equivalent", "equivalent", detail)  # type: ignore[arg-type]
    assert weigh(whole, FINDING, FINDING, PROFILE).weight == DETAIL[detail]
    assert (DETAIL["equivalent"], DETAIL["partial"], DETAIL["none"]) == (1.0, 0.75, 0.5)  # RadSEM 3.4


def test_each_axis_has_its_coefficient_by_its_steps() -> None:
    for depth in (1, 2, 3):
        place = Relation("part_whole", "part_whole", "equivalent", "equivalent", depths=(depth, 0))
        kind = Relation("part_whole", "equivalent", "part_whole", "equivalent", depths=(0, depth))
        both = Relation("part_whole", "part_whole", "part_whole", "equivalent", depths=(depth, depth))
        one, other = (depth_coefficient(depth, PROFILE.depth_decay, least) for least in
                      (PROFILE.anatomy_coefficient, PROFILE.finding_coefficient))  # fmt: skip
        found = [weigh(r, FINDING, FINDING, PROFILE).weight for r in (place, kind, both)]
        assert found == pytest.approx([one, other, one * other])


def test_a_coefficient_falls_with_the_steps_to_its_least() -> None:
    found = [depth_coefficient(depth, 0.5) for depth in (0, 1, 2, 3, 60)]
    assert found == pytest.approx([2 / 3, 2 / 3, 1 / 2, 5 / 12, 1 / 3])


@pytest.mark.parametrize("kind", ["contradiction", "unrelated"])
def test_what_does_not_agree_weighs_nothing(kind: str) -> None:
    given = Relation(kind)  # type: ignore[arg-type]
    assert weigh(given, FINDING, FINDING, PROFILE) is given


# ---- relations -------------------------------------------------------------------------------------------------------
RELATED = [
    # one lesion under two names, by its length
    ("Cystic lesion of 15 mm in the left lobe of the liver.", "15 mm cyst in the left lobe of the liver.", "equivalent"),
    ("Hemangioma of 15 mm in the spleen.", "Cyst of 15 mm in the spleen.", "part_whole"),
    ("Hemangioma of 15 mm in the spleen.", "Cyst of 18 mm in the spleen.", "unrelated"),
    ("Hemangioma of 15 mm in the spleen.", "Cyst of 15 mm in the liver.", "unrelated"),
    # several readings of one finding
    ("Opacity in the left lower lobe, likely pneumonia.", "Pneumonia in the left lower lobe.", "part_whole"),
    ("Opacity in the left lower lobe, likely pneumonia.", "Pneumonia in the right lower lobe.", "unrelated"),
    # removed organs
    ("The gallbladder is surgically absent.", "Gallstone in the gallbladder.", "contradiction"),
    ("The gallbladder is surgically absent.", "Stone in the left kidney.", "unrelated"),
    # opposites of one bearer
    ("The left kidney is enlarged.", "The left kidney is small.", "contradiction"),
    ("The left kidney is enlarged.", "The right kidney is small.", "unrelated"),
    ("Enlarged spleen.", "The left kidney is small.", "unrelated"),
    ("Low lung volumes.", "The left lung is hyperinflated.", "contradiction"),  # of the whole of both sides
    ("The left kidney is enlarged.", "A small kidney.", "unrelated"),  # of which it is, is not said
    # what exists once
    ("Midline shift to the left.", "Midline shift to the right.", "contradiction"),
    ("Midline shift to the left.", "Midline shift to the left.", "equivalent"),
    ("Endotracheal tube tip in the trachea.", "Endotracheal tube tip in the right main bronchus.", "contradiction"),
    ("Left chest tube.", "Right chest tube.", "unrelated"),
    # changes and details that exclude each other
    ("Stable left pleural effusion.", "Increased left pleural effusion.", "contradiction"),
    ("Stable left pleural effusion.", "Left pleural effusion.", "equivalent"),
    ("New left pleural effusion.", "Increased left pleural effusion.", "equivalent"),
    ("Stable left pleural effusion.", "Increased right pleural effusion.", "unrelated"),
    ("Displaced fracture of the left clavicle.", "Nondisplaced fracture of the left clavicle.", "contradiction"),
    ("The left nephroureteral stent is well positioned.", "The left nephroureteral stent has migrated.", "contradiction"),
    # denials
    ("No left pleural effusion.", "No right pleural effusion.", "unrelated"),
    ("No pleural effusion.", "No left pleural effusion.", "part_whole"),
    ("No mass in the left lung.", "No mass in the left upper lobe.", "part_whole"),
    ("No mass in the liver.", "No mass in the spleen.", "unrelated"),
    ("The heart is normal in size.", "No cardiomegaly.", "equivalent"),
    ("Normal chest.", "Normal.", "equivalent"),  # of what is examined as a whole, "normal" is said by itself
    ("Normal brain.", "Normal.", "part_whole"),
    # devices, and states after surgery, are no deviation of a structure
    ("Pacemaker.", "The heart is normal.", "unrelated"),
    ("Surgical clips in the gallbladder fossa.", "The gallbladder is unremarkable.", "unrelated"),
    # "no suspicious nodule" is of what may be malignant
    ("Nodule in the left lung, likely a metastasis.", "No suspicious nodule in the left lung.", "contradiction"),
    ("Nodule in the left lung, likely a granuloma.", "No suspicious nodule in the left lung.", "unrelated"),
    # an assertion against a denial
    ("Mass in the left upper lobe.", "No mass in the left lung.", "contradiction"),
    ("Mass in the left lung.", "No mass in the left upper lobe.", "unrelated"),
    ("Mass in the left lung.", "No mass in the right lung.", "unrelated"),
    ("Stable nodule in the left lung.", "No new nodule in the left lung.", "unrelated"),
    ("New nodule in the left lung.", "No new nodule in the left lung.", "contradiction"),
    # words without a concept
    ("Wobbly blotch in the left lung.", "Wobbly blotch in the left lung.", "equivalent"),
    ("Wobbly blotch in the left lung.", "Wobbly greenish blotch in the left lung.", "part_whole"),
    ("Wobbly blotch in the left lung.", "Frumious bander in the left lung.", "unrelated"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "kind"), RELATED)
def test_how_two_findings_stand_to_each_other(scorer: Scorer, a: str, b: str, kind: str) -> None:
    one, other = scorer.relate(a, b), scorer.relate(b, a)
    assert one.relation == other.relation == kind
    assert one.depths == other.depths


@pytest.mark.parametrize(
    ("a", "b", "depths"),
    [
        ("Subdural hematoma.", "Intracranial hemorrhage.", (2, 2)),
        ("Nodule in the left upper lobe.", "Nodule in the left lung.", (1, 0)),
        ("Pneumonia in the left lower lobe.", "Opacity in the left lower lobe.", (0, 1)),
        ("Cardiomegaly.", "The heart is enlarged.", (0, 0)),
        ("Calcified stone in the gallbladder.", "Calcification in the gallbladder.", (0, 1)),  # by what is said of it
    ],
)
def test_steps_are_counted_on_both_axes(scorer: Scorer, a: str, b: str, depths: tuple[int, int]) -> None:
    found = scorer.relate(a, b)
    assert found.depths == depths
    assert not any(line.endswith(": ") for line in found.proof)


def test_what_a_finding_says_leaves_out_where_it_stands(scorer: Scorer) -> None:
    (first,), (_, second) = (scorer.read(f"{before}Left pleural effusion.").findings for before in ("", "Cardiomegaly. "))
    assert content_key(first) == content_key(second)
    assert first.start != second.start


def test_the_proof_tells_place_and_side(scorer: Scorer) -> None:
    wide = " ".join(scorer.relate("Nodule in the left upper lobe.", "Nodule in the left lung.").proof)
    assert "left upper lobe lies in left lung (upper lobe < " in wide
    assert "both are pulmonary nodule" in wide
    unsaid = " ".join(scorer.relate("Mass in the left thigh.", "Mass.").proof)
    assert "the other names no site" in unsaid
    perhaps = scorer.relate("Mass in the left kidney, likely an abscess.", "No abscess.").proof
    assert "renal mass is said to be perhaps renal abscess" in perhaps
    assert scorer.relate("Cardiomegaly.", "Cardiomegaly.").proof == ("finding: both are cardiomegaly", "anatomy: same site")
    chain = " ".join(scorer.relate("Subdural hematoma.", "Intracranial hemorrhage.").proof)
    assert chain.count(" is a ") == 2
