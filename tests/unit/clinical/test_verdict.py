"""The clinical verdict on single pairs: which errors it names, on which dimension, and what stays out of it."""

from __future__ import annotations

import pytest

from kgscore.clinical.context import Context, context_in
from kgscore.clinical.settings import settings
from kgscore.clinical.verdict import verdict_of
from kgscore.engine import Scorer
from kgscore.model import TIERS
from kgscore.verdict import Aligned
from tests.unit.clinical.conftest import verdict


@pytest.fixture(scope="module")
def clinical() -> Scorer:
    return Scorer(metrics=("clinical", "crimson-arithmetic", "radmatch-arithmetic"))


def dimensions(one: Aligned) -> dict[str, bool]:
    return {error.dimension: error.major for error in one.errors}


@pytest.mark.parametrize(
    ("reference", "candidate", "category", "errors"),
    [
        ("Small left pleural effusion.", "Small right pleural effusion.", "wrong", {"side": True}),
        ("Burst fracture of L1.", "Burst fracture of L4.", "wrong", {"place": True}),
        ("Tear of the medial meniscus.", "Tear of the lateral meniscus.", "wrong", {"place": True}),
        ("Fracture of the second metatarsal.", "Fracture of the fifth metatarsal.", "wrong", {"place": True}),
        ("Tear of the posterior horn of the meniscus.", "Tear of the anterior horn of the meniscus.", "minor", {"place": False}),
        ("Abscess of the left parietal lobe.", "Abscess of the left temporal lobe.", "wrong", {"place": True}),
        ("Small pleural effusion.", "Large pleural effusion.", "wrong", {"severity": True}),
        ("5 mm nodule in the right upper lobe.", "9 mm nodule in the right upper lobe.", "wrong", {"size": True}),
        ("20 mm nodule in the right upper lobe.", "24 mm nodule in the right upper lobe.", "minor", {"size": False}),
        ("Pneumothorax.", "Possible pneumothorax.", "minor", {"certainty": False}),
        ("New left pleural effusion.", "Decreased left pleural effusion.", "wrong", {"change": True}),
        (
            "Right internal jugular catheter with its tip in the superior vena cava.",
            "Right internal jugular catheter with its tip in the right ventricle.", "wrong", {"device": True},
        ),
        ("Cardiomegaly.", "The heart is normal in size.", "missed", {"presence": True}),
    ],
)  # fmt: skip
def test_an_error_is_named_on_its_dimension(clinical, reference, candidate, category, errors) -> None:
    (one,) = verdict(clinical, reference, candidate).findings
    assert one.category == category
    assert dimensions(one).items() >= errors.items()
    assert all(error.because for error in one.errors)


def test_an_umbrella_statement_binds_its_parts(clinical: Scorer) -> None:
    found = verdict(clinical, "Left pleural effusion. Right pleural effusion.", "Pleural effusions.").findings
    assert {one.category for one in found} <= {"correct", "minor"}
    assert len(found) == 2


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Displaced fracture of the left femoral neck.", "The left femoral neck is fractured and displaced."),
        ("Sternotomy wires.", "Sternal wires after a median sternotomy."),
        ("Emboli in the segmental arteries of the right lower lobe.", "Segmental pulmonary embolism in the right lower lobe."),
        ("The lungs are hyperinflated.", "Hyperinflated lungs."),
    ],
)
def test_what_is_only_said_otherwise_costs_hardly_anything(clinical: Scorer, reference: str, candidate: str) -> None:
    for texts in ((reference, candidate), (candidate, reference)):
        found = clinical.score(reference=texts[0], candidate=texts[1])
        assert found.scores["clinical"].value == pytest.approx(1.0, abs=0.02)
        assert {one.category for one in found.verdict.findings} <= {"correct", "minor"}


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Fracture of the proximal left fibula.", "Fracture of the proximal left tibia."),
        ("Aortic dissection, Stanford type B.", "Aortic dissection, Stanford type A."),
        ("Pleural effusions.", "Left pleural effusion. Nondisplaced fracture of the left femoral neck."),
    ],
)
def test_what_differs_stays_an_error(clinical: Scorer, reference: str, candidate: str) -> None:
    found = clinical.score(reference=reference, candidate=candidate)
    assert found.scores["clinical"].value < 0.9
    assert {one.category for one in found.verdict.findings} != {"correct"}


def test_the_sentence_names_what_is_grave_first(clinical: Scorer) -> None:
    said = verdict(clinical, "Cardiomegaly.", "The heart is normal in size. Tension pneumothorax on the left.")
    assert said.sentence == ("Invents left tension pneumothorax (critical); denies the cardiomegaly (notable).")
    assert [one.category for one in said.findings] == ["invented", "missed"]


@pytest.mark.parametrize(
    ("reference", "sentence"),
    [
        ("Small bilateral pleural effusions.", "Misses the bilateral pleural effusion (notable)."),
        (
            "Lytic lesion in the sternum. Lytic lesion in the sacrum.",
            "Misses the lytic lesion of the sternum and the sacrum (notable).",
        ),
        (
            "Anterior osteophytes at L1, L2, L3, L4 and L5.",
            "Misses the vertebral osteophyte (5 places).",
        ),
    ],
)
def test_the_sentence_says_nothing_twice(clinical: Scorer, reference: str, sentence: str) -> None:
    assert verdict(clinical, reference, "The gallbladder is normal.").sentence == sentence


def test_what_has_one_name_is_told_apart_by_its_place() -> None:
    missed, invented = Aligned("fracture", "missed", 3, reference=(0,)), Aligned("fracture", "invented", 3, candidate=(0,))
    said = verdict_of([missed, invented], where=lambda one: ("clavicle",) if one is missed else ("tibia",)).sentence
    assert said == "Misses the fracture of the clavicle (urgent); invents fracture of the tibia (urgent)."


def test_the_sentence_names_the_organ_unless_the_finding_implies_it(clinical: Scorer) -> None:
    reference = "Fracture of the left fibula. Small left pleural effusion. Right hydronephrosis."
    assert verdict(clinical, reference, "No fracture of the left fibula.").sentence == (
        "Denies the fracture of the left fibula (urgent); misses the left pleural effusion (notable) and the right "
        "hydronephrosis (notable)."
    )


def test_the_sentence_has_at_most_35_words_and_says_how_many_errors_are_left() -> None:
    found = [Aligned(f"left finding number {n}", "missed", 2, reference=(n,)) for n in range(20)]
    said = verdict_of([*found, Aligned("rupture", "invented", 4, candidate=(0,))]).sentence
    assert said.startswith("Invents rupture (critical); misses the left finding number 0 (notable), ")
    assert said.endswith("; and 15 more.")
    assert len(said.split()) <= 38  # with what is left over


def test_an_error_beside_words_that_no_concept_covers_is_doubtful(clinical: Scorer) -> None:
    reference = "Small left pleural effusion. Wobbly consolidation in the right lung."
    sure, doubtful = sorted(verdict(clinical, reference, "Normal heart.").findings, key=lambda one: len(one.doubts))
    assert (sure.what, sure.doubts) == ("left pleural effusion", ())
    assert (doubtful.what, doubtful.doubts) == (
        "right consolidation", ("doubtful: no concept covers “Wobbly” beside it",),
    )  # fmt: skip
    said = verdict(clinical, reference, "Normal heart.").sentence
    assert said == "Misses the right consolidation (urgent, doubtful) and the left pleural effusion (notable)."
    (right,) = verdict(clinical, "Wobbly consolidation in the right lung.", "Right consolidation.").findings
    assert right.doubts == ()


def test_sure_errors_come_before_doubtful_ones_of_their_tier() -> None:
    doubtful = Aligned("mass", "missed", 3, reference=(0,), cost=4.0, doubts=("doubtful",))
    found = [Aligned("cyst", "missed", 2, reference=(1,)), doubtful, Aligned("fracture", "missed", 3, reference=(2,), cost=1.0)]
    assert [one.what for one in verdict_of(found).findings] == ["fracture", "mass", "cyst"]


def test_words_that_no_concept_covers_are_never_an_actionable_error(clinical: Scorer) -> None:
    reference = "Wobbly blotch in the left lung. Small left pleural effusion."
    found = verdict(clinical, reference, "Gribbly smear in the right kidney.")
    raw = [one for one in found.findings if one.tier == 1]
    assert raw
    assert [one.what for one in found.findings if one.actionable] == ["left pleural effusion"]


def test_a_number_that_no_finding_holds_is_compared(clinical: Scorer) -> None:
    reports = ("Ascites. Nuchal translucency 1.6 mm.", "Ascites. Nuchal translucency 5.6 mm.")
    one, _ = verdict(clinical, *reports).findings
    assert (one.category, one.tier, dimensions(one)) == ("wrong", 3, {"size": True})
    assert one.cost == pytest.approx(settings().weights[3] * one.errors[0].share)


def test_the_arithmetic_of_others(clinical: Scorer) -> None:
    same = clinical.score(reference="Left pneumothorax. Ascites.", candidate="Left pneumothorax. Ascites.").scores
    assert (same["crimson-arithmetic"].value, same["radmatch-arithmetic"].value) == (1.0, 0.0)
    worse = clinical.score(reference="Left pneumothorax.", candidate="No pneumothorax. Aortic dissection.").scores
    assert worse["crimson-arithmetic"].value == pytest.approx(-0.5)  # nothing credited, one urgent finding invented
    assert worse["radmatch-arithmetic"].value == 2.0


def test_the_context_of_a_record_reaches_the_verdict() -> None:
    told = {"age": "71 years", "sex": "F", "setting": "ICU", "modality": "CT"}
    assert context_in(told) == Context(71.0, "female", setting="ICU")
    assert context_in({"age": "adult", "context": {"indication": "fall"}}) == Context(indication="fall")
    assert context_in({"modality": "CT"}) == Context()


def test_what_is_known_of_the_patient_changes_the_tier_and_no_credit(clinical: Scorer) -> None:
    cyst = "Right ovarian cyst of 4 cm."
    pairs = [clinical.score(reference=cyst, candidate=cyst, context=Context(age=age)) for age in (54, 55)]
    found = [one for pair in pairs if pair.verdict for one in pair.verdict.findings]
    assert [one.tier for one in found] == [1, 2]
    assert found[0].credit == found[1].credit


def test_others_arithmetic_takes_the_verdict_that_the_pair_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the order in which the metrics are named, a pair is judged once, and each says what it says alone."""
    from kgscore.metrics import clinical as module

    judged = []
    real = module.align
    monkeypatch.setattr(module, "align", lambda *given: judged.append(1) or real(*given))
    texts = {"reference": "Small left pleural effusion. Cardiomegaly.", "candidate": "Large right pleural effusion. Ascites."}
    names = ("radmatch-arithmetic", "crimson-arithmetic", "clinical")
    together = Scorer(metrics=names).score(**texts).scores
    assert len(judged) == 1
    assert tuple(together) == names
    for name in names:
        assert Scorer(metrics=(name,)).score(**texts).scores[name].value == together[name].value


def test_what_the_same_words_say_of_several_places_conflicts_with_each(clinical: Scorer) -> None:
    places = "of the right upper and lower lobes."
    found = verdict(clinical, "Increased consolidation of the right lung.", f"Decreased consolidation {places}").findings
    assert [(one.category, one.candidate) for one in found] == [("wrong", (0, 1))]
    found = verdict(clinical, f"Increased consolidation {places}", f"Decreased consolidation {places}").findings
    assert [(one.category, dimensions(one)) for one in found] == [("wrong", {"change": True})] * 2


def test_findings_that_details_say_are_known(clinical: Scorer) -> None:
    told = settings().told
    assert {*told, *(value for values in told.values() for value in values)} <= clinical.index.concepts.keys()


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("The pituitary lesion is solid.", "The pituitary lesion is cystic."),
        pytest.param(
            "The renal mass enhances avidly.", "The renal mass does not enhance.",
            marks=pytest.mark.xfail(strict=True, reason="that a lesion does not enhance is a routine error"),
        ),
        ("Solid nodule in the right lung.", "Ground-glass nodule in the right lung."),
        ("Solid nodule in the right lung.", "Part-solid nodule in the right lung."),
        ("Nodule of the lingula, smooth and not spiculated.", "Spiculated nodule of the lingula."),
        ("Right lower lobe pneumonia.", "Right lower lobe lung cancer."),
        ("Normal origin of the coronary arteries.", "Anomalous origin of the right coronary artery."),
        ("Right lower lobe bronchiectasis.", "Right lower lobe bronchiectasis and consolidation."),
        ("Right upper lobectomy.", "Right upper lobectomy. New nodule in the right upper lobe."),
    ],
)
def test_what_excludes_the_reference_is_actionable(clinical: Scorer, reference: str, candidate: str) -> None:
    assert any(one.actionable for one in verdict(clinical, reference, candidate).findings)


@pytest.mark.parametrize(
    ("reference", "candidate", "tier"),
    [
        ("Hemangioma in the body of L3.", "Metastasis in the body of L3.", "urgent"),
        ("Old fracture of the right orbital floor.", "Acute fracture of the right orbital floor.", "urgent"),
        ("Endotracheal tube tip in the trachea.", "Endotracheal tube tip in the right main bronchus.", "critical"),
        ("Metastasis in the body of L3.", "Hemangioma in the body of L3.", "urgent"),
        ("Old lacunar infarct in the right thalamus.", "Acute lacunar infarct in the right thalamus.", "urgent"),
    ],
)
def test_a_graver_finding_said_in_its_place_gives_the_error_its_tier(clinical, reference, candidate, tier) -> None:
    assert [(one.category, TIERS[one.tier]) for one in verdict(clinical, reference, candidate).findings] == [("wrong", tier)]


def test_a_sign_that_the_reference_denies_is_an_error_of_its_own(clinical: Scorer) -> None:
    reference = "Meningioma of the left frontal convexity. The leptomeninges do not enhance."
    candidate = "Meningioma of the left frontal convexity. There is leptomeningeal enhancement over the left frontal lobe."
    (one,) = [one for one in verdict(clinical, reference, candidate).findings if one.actionable]
    assert (one.category, one.what) == ("invented", "left leptomeningeal enhancement")


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("The liver mass enhances. A cyst in the liver does not enhance.", "Enhancing mass and a cyst of the liver."),
        ("There is cavitation within the right upper lobe mass.", "The right upper lobe mass is cavitating."),
        ("Complete opacification of the right hemithorax.", "The right hemithorax is fully opacified."),
        ("Ground-glass nodule in the right lung.", "The right lung nodule is of ground-glass density."),
        ("Arteriovenous fistula in the left forearm is patent.", "Patent left forearm AV fistula."),
    ],
)
def test_one_thing_in_other_words_is_no_actionable_error(clinical: Scorer, reference: str, candidate: str) -> None:
    assert not any(one.actionable for one in verdict(clinical, reference, candidate).findings)


@pytest.mark.parametrize(
    ("reference", "candidate", "sentence"),
    [
        ("Three cysts in the left kidney.", "Two cysts in the left kidney.", "the left renal cyst (severity: two, not three)"),
        ("Two liver metastases.", "Four liver metastases.", "the metastasis of the liver (urgent, severity: four, not two)"),
    ],
)
def test_another_number_of_lesions_is_a_minor_error(clinical: Scorer, reference: str, candidate: str, sentence: str) -> None:
    assert verdict(clinical, reference, candidate).sentence == f"Only minor errors: {sentence}."
    right = clinical.score(reference=reference, candidate=reference).scores["clinical"].value
    wrong = clinical.score(reference=reference, candidate=candidate).scores["clinical"].value
    assert right == 1 > wrong > 0.9


@pytest.mark.parametrize(
    ("reference", "candidate", "category", "concept"),
    [
        # Of one length and place, and yet not one: their kinds exclude each other.
        ("Left frontal subdural hematoma, 7 mm.", "Left frontal epidural hematoma, 7 mm.", "wrong", "subdural hematoma"),
        ("Solid nodule of 21 mm in the left thyroid lobe.", "Cyst of 21 mm in the left thyroid lobe.", "wrong", "thyroid nodule"),
        ("Anterior dislocation of the left shoulder.", "Posterior shoulder dislocation, left.", "wrong", "shoulder dislocation"),
        # A detail of the one is the opposite of a finding of the other.
        (
            "Transverse fracture of the right tibial shaft, lateral displacement of the distal fragment.",
            "Nondisplaced transverse fracture of the right tibial shaft.", "wrong", "displacement",
        ),
        # What an assessment rests on, or shares its words with a lesser finding, is said in its own right.
        ("Mammogram. BI-RADS 4.", "Mammogram. Mass in the left breast. BI-RADS 4.", "invented", "breast mass"),
        (
            "Moderate background enhancement of both breasts.",
            "Moderate background enhancement of both breasts. Enhancing mass of the left breast.", "invented", "breast mass",
        ),
    ],
)  # fmt: skip
def test_what_is_another_finding_is_named(clinical, reference, candidate, category, concept) -> None:
    named = [one for one in verdict(clinical, reference, candidate).findings if one.category == category]
    assert any(concept in one.what and one.actionable for one in named)


def test_an_error_is_as_grave_as_the_graver_of_two_findings_that_it_confuses(clinical) -> None:
    (one,) = verdict(clinical, "Mammogram. BI-RADS 2.", "Mammogram. BI-RADS 5.").findings
    (said,) = verdict(clinical, "Mammogram. BI-RADS 5.", "Mammogram. BI-RADS 5.").findings
    assert (one.category, one.tier) == ("wrong", said.tier)


def test_a_lesion_without_flow_is_no_emergency(clinical) -> None:
    found = verdict(clinical, "Cyst of the right breast.", "Cyst of the right breast without flow.").findings
    assert {(one.what, one.tier) for one in found} == {("right cyst", 1), ("right absent flow", 1)}
