"""FineRadScore: which line is corrected how, with which severity and categories, and what the score is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kgscore.clinical.context import Context, context_of
from kgscore.engine import Scorer
from kgscore.metrics import metric
from kgscore.model import Correction


@pytest.fixture(scope="module")
def finerad(tmp_path_factory: pytest.TempPathFactory) -> Scorer:
    """Corrections by the rules of the paper alone, of patients wherever they are."""
    return with_options(tmp_path_factory.mktemp("profile"), "{published: true}")


@pytest.fixture(scope="module")
def usual() -> Scorer:
    """Corrections of the errors of the verdict."""
    return Scorer(metrics=("clinical", "fineradscore"))


def with_options(folder: Path, options: str, weights: str = "{}") -> Scorer:
    path = folder / "mine.yaml"
    path.write_text(f"inherits: default\nmetrics:\n  fineradscore: {options}\nweights: {weights}\n", encoding="utf-8")
    return Scorer(path, ("fineradscore",))


def corrections(
    scorer: Scorer, reference: str, candidate: str | Sequence[str], context: Context | None = None
) -> tuple[Correction, ...]:
    result = scorer.correct(reference=reference, candidate=candidate, context=context)
    assert result.status == "scored", result.reason
    return result.corrections


def brief(one: Correction) -> tuple[int | None, str, str, int, tuple[int, ...]]:
    return one.line, one.action, one.new_text, one.severity, one.categories


SINGLE = [
    # reference, candidate lines, what comes out
    ("Small left pleural effusion.", ["No pleural effusion"], (0, "substitute", "Small left pleural effusion", 3, (2,))),
    ("No pneumothorax.", ["Large right pneumothorax"], (0, "substitute", "No pneumothorax", 4, (1,))),
    ("Heart size is normal.", ["Normal heart size", "8 mm nodule in the right lung"], (1, "delete", "", 2, (1,))),
    (
        "Cardiomegaly. Left PICC with its tip in the mid SVC.", ["The heart is enlarged"],
        (0, "insert", "Left PICC with its tip in the mid SVC", 2, (2,)),
    ),
    ("Moderate right effusion.", ["Moderate left effusion"], (0, "substitute", "Moderate right effusion", 3, (3,))),
    ("Right pleural effusion.", ["Bilateral pleural effusions"], (0, "substitute", "Right pleural effusion", 3, (3,))),
    ("Bilateral pleural effusions.", ["Right pleural effusion"], (0, "substitute", "Bilateral pleural effusions", 3, (3,))),
    ("Severe cardiomegaly.", ["Mild cardiomegaly"], (0, "substitute", "Severe cardiomegaly", 2, (4,))),
    ("Moderate left effusion.", ["Small left effusion"], (0, "substitute", "Moderate left effusion", 3, (4,))),
    ("Left consolidation.", ["Left consolidation, unchanged"], (0, "substitute", "Left consolidation", 1, (5,))),
    ("Small left effusion, unchanged.", ["Small left effusion"], (0, "substitute", "Small left effusion, unchanged", 1, (6,))),
    ("Left consolidation has increased.", ["Left consolidation"], (0, "substitute", "Left consolidation has increased", 3, (6,))),
    (
        "The left lung is clear. Right effusion.", ["The right lung is clear", "Right effusion"],
        (0, "substitute", "The left lung is clear", 1, (3,)),
    ),
    ("Left epidural hematoma.", ["Left subdural hematoma"], (0, "substitute", "Left epidural hematoma", 4, (1, 2))),
    ("Right middle lobe pneumonia.", ["No focal consolidation"], (0, "substitute", "Right middle lobe pneumonia", 3, (2,))),
    ("Normal mediastinum.", ["Normal mediastinum", "Old healed fracture of the right fifth rib"], (1, "delete", "", 1, (1,))),
    (
        "Right PICC tip in the right atrium.", ["Right PICC tip in the SVC"],
        (0, "substitute", "Right PICC tip in the right atrium", 3, (3,)),
    ),
    (
        "Left consolidation with a small left effusion.", ["Left consolidation"],
        (0, "substitute", "Left consolidation with a small left effusion", 3, (2,)),
    ),
    ("Normal heart size. Small left effusion.", ["Normal heart size"], (0, "insert", "Small left effusion", 3, (2,))),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "candidate", "expected"), SINGLE, ids=[row[0] for row in SINGLE])
def test_one_error_gives_one_correction(finerad: Scorer, reference: str, candidate: list[str], expected: object) -> None:
    assert [brief(one) for one in corrections(finerad, reference, candidate)] == [expected]


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Mild cardiomegaly. No pleural effusion.", ["There is no fluid in the pleural space", "The heart is mildly enlarged"]),
        ("No pneumothorax. No effusion.", "No effusion or pneumothorax."),
        ("No effusion or pneumothorax.", "No pneumothorax. No effusion."),
        ("A 2.5 cm nodule in the left upper lobe.", "Left upper lobe nodule of 25 mm."),
        ("Left pleural effusion. The trachea is midline.", "Left pleural effusion."),
        ("Left pleural effusion.", "Left pleural effusion. The trachea is midline."),
        ("Rib fractures are again seen on the left.", "Left rib fractures."),
    ],
)
def test_rewording_order_and_normal_statements_left_out_need_none(
    finerad: Scorer, reference: str, candidate: str | list[str]
) -> None:
    result = finerad.correct(reference=reference, candidate=candidate)
    assert result.corrections == ()
    assert result.score is not None
    assert result.score.value == 0.0


def test_lines_end_at_full_stops_outside_numbers(finerad: Scorer) -> None:
    found = corrections(finerad, "No nodule. Cardiomegaly.", "A 2.5 cm nodule in the left lung. Normal heart size.")
    assert [(one.line, one.old_text) for one in found] == [
        (0, "A 2.5 cm nodule in the left lung."), (1, "Normal heart size."),
    ]  # fmt: skip


def test_new_text_is_trimmed_to_what_is_needed(finerad: Scorer) -> None:
    reference = "The heart is enlarged, there is a small left pleural effusion and a right chest tube is in place."
    found = corrections(finerad, reference, ["Cardiomegaly", "Right chest tube", "No pleural effusion"])
    assert [brief(one)[:3] for one in found] == [(2, "substitute", "There is a small left pleural effusion")]


def test_a_line_that_is_wrong_in_part_keeps_the_rest(finerad: Scorer) -> None:
    reference = "No pneumothorax. Small left pleural effusion."
    (one,) = corrections(finerad, reference, ["No pneumothorax or pleural effusion"])
    assert one.new_text == "No pneumothorax. Small left pleural effusion"


def test_several_insertions_are_a_list(finerad: Scorer) -> None:
    found = corrections(finerad, "Cardiomegaly. Pneumoperitoneum. Left clavicle fracture.", ["Cardiomegaly"])
    assert [(one.line, one.new_text) for one in found] == [(0, "Pneumoperitoneum"), (0, "Left clavicle fracture")]


EXAMPLES = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "examples" / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize("pair", EXAMPLES, ids=[pair["id"] for pair in EXAMPLES])
def test_corrections_are_of_the_errors_of_the_verdict_with_their_tiers(usual: Scorer, pair: dict[str, str]) -> None:
    result = usual.score(reference=pair["reference"], candidate=pair["candidate"])
    if result.verdict is None or result.reason:
        return
    assert result.reference is not None
    assert result.candidate is not None
    texts = (result.candidate.findings, result.reference.findings)
    told = [
        (one, [{findings[at].start for at in ends} for findings, ends in zip(texts, (one.candidate, one.reference), strict=True)])
        for one in result.verdict.findings
    ]
    of: dict[int, list[int]] = {}
    for number, made in enumerate(result.corrections):
        for one, starts in told:
            if any(span and any(span[0] <= at < span[1] for at in mine) for span, mine in zip(made.spans, starts, strict=True)):
                of.setdefault(number, []).append(one.tier)
        assert made.severity in of.get(number, [1])
    errors = [one for one in result.verdict.findings if one.category in ("wrong", "missed", "invented")]
    assert max((one.severity for one in result.corrections), default=0) >= max((one.tier for one in errors), default=0)


def test_a_finding_that_is_denied_goes_where_it_is_denied_not_over_an_invention(usual: Scorer) -> None:
    reference = "Small left apical pneumothorax. No focal consolidation."
    found = corrections(usual, reference, ["No pneumothorax", "Consolidation in the left lower lobe"])
    assert [(one.line, one.action, one.new_text) for one in found] == [
        (0, "substitute", "Small left apical pneumothorax"), (1, "substitute", "No focal consolidation"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("candidate", "actions"),
    [("Solid mass in the right kidney", ["substitute"]), ("Solid mass in the left kidney", ["delete", "insert"])],
)
def test_an_invention_is_replaced_by_what_is_left_out_at_its_place(usual: Scorer, candidate: str, actions: list[str]) -> None:
    found = corrections(usual, "Simple cyst in the right kidney. Gallstones.", [candidate, "Gallstones"])
    assert [one.action for one in found] == actions


@pytest.mark.parametrize(
    ("reference", "candidate", "comment"),
    [
        ("Two nodules in the right upper lobe.", "Four nodules in the right upper lobe", "two, not four"),
        ("Three cysts in the left kidney.", "Two cysts in the left kidney", "three, not two"),
        ("Acute appendicitis.", "Possible acute appendicitis", "definite, not possible"),
        ("Acute appendicitis.", "Suspected acute appendicitis", "definite, not probable"),
        ("Possible pneumonia in the left lower lobe.", "Pneumonia in the left lower lobe", "possible, not definite"),
    ],
)
def test_a_wrong_number_or_certainty_is_corrected(usual: Scorer, reference: str, candidate: str, comment: str) -> None:
    (found,) = corrections(usual, reference, [candidate])
    assert (found.action, found.new_text, found.comment.partition(": ")[2]) == ("substitute", reference.rstrip("."), comment)


def test_an_insertion_follows_the_last_line_about_the_nearest_structures(usual: Scorer) -> None:
    lines = ["The liver is normal", "The left kidney is normal", "The lungs are clear", "IMPRESSION: The left kidney is normal"]
    reference = "Cyst in the right kidney. Fracture of the left femur."
    assert [(one.line, one.action) for one in corrections(usual, reference, lines)] == [(1, "insert"), (2, "insert")]


def test_a_finding_left_out_of_findings_and_impression_is_inserted_once(usual: Scorer) -> None:
    reference = "FINDINGS: 7 mm nodule in the left lower lobe. IMPRESSION: Nodule in the left lower lobe."
    (found,) = corrections(usual, reference, ["No pleural effusion"])
    assert (found.action, found.new_text) == ("insert", "7 mm nodule in the left lower lobe")


def test_a_number_that_only_one_report_gives_needs_no_correction(usual: Scorer) -> None:
    assert not corrections(usual, "Three liver metastases.", ["Liver metastases"])


def test_a_correction_has_the_tier_of_the_finding_not_of_the_kind_of_error(usual: Scorer, finerad: Scorer) -> None:
    reference, candidate = "Left consolidation.", ["Left consolidation, unchanged"]
    assert [one.severity for one in corrections(usual, reference, candidate)] == [3]
    assert [one.severity for one in corrections(finerad, reference, candidate)] == [1]


def test_a_false_line_said_twice_is_deleted(finerad: Scorer) -> None:
    found = corrections(finerad, "Left pleural effusion.", ["No pleural effusion.", "No pleural effusion."])
    assert [(one.line, one.action, one.severity) for one in found] == [(0, "substitute", 3), (1, "delete", 1)]


def test_a_line_that_denies_what_another_rightly_says_is_deleted(finerad: Scorer) -> None:
    lines = ["Small left pleural effusion.", "No pleural effusion.", "The heart is enlarged."]
    (one,) = finerad.correct(reference="Small left pleural effusion. The heart is enlarged.", candidate=lines).corrections
    assert (one.line, one.action, one.new_text) == (1, "delete", "")
    lines = ["The heart is normal in size.", "The heart is enlarged."]
    (one,) = finerad.correct(reference="The heart is enlarged.", candidate=lines).corrections
    assert (one.line, one.action) == (0, "delete")


def test_uncertainty_has_categories_of_radevalx_only(tmp_path: Path) -> None:
    scorer = with_options(tmp_path, "{exact: true, published: true}")
    (one,) = corrections(scorer, "Left lower lobe pneumonia.", ["Possible left lower lobe pneumonia"])
    assert (one.categories, one.radevalx, one.severity, one.significant) == ((), (7,), 1, False)
    (one,) = corrections(scorer, "Possible left lower lobe pneumonia.", ["Left lower lobe pneumonia"])
    assert one.radevalx == (8,)


def test_exact_corrects_what_is_left_out_too(tmp_path: Path) -> None:
    scorer = with_options(tmp_path, "{exact: true}")
    found = corrections(scorer, "8 mm nodule in the left upper lobe. No effusion.", ["Nodule in the left upper lobe"])
    assert [brief(one) for one in found] == [
        (0, "substitute", "8 mm nodule in the left upper lobe", 2, (4,)), (0, "insert", "No effusion", 1, (2,)),
    ]  # fmt: skip


def test_the_score_is_the_sum_and_parts_tell_the_rest(finerad: Scorer) -> None:
    reference = "Small left pleural effusion. Cardiomegaly. NG tube in the stomach."
    candidate = "No effusion. Cardiomegaly. Nodule."
    result = finerad.score(reference=reference, candidate=candidate)
    score = result.scores["fineradscore"]
    found = corrections(finerad, reference, candidate)
    assert score.value == sum(one.severity for one in found) == 3 + 2 + 2
    assert dict(score.parts) == {"max_severity": 3.0, "deletes": 1.0, "substitutes": 1.0, "inserts": 1.0}
    made_of = finerad.contributions(result, reference=reference, candidate=candidate)["fineradscore"]
    assert sum(piece.cost for piece in made_of) == score.value
    assert [piece.kind for piece in made_of] == ["wrong", "invented", "missed"]


def test_lower_is_better_without_an_upper_bound() -> None:
    info = metric("fineradscore")
    assert (info.low, info.high, info.higher_is_better) == (0.0, None, False)


@pytest.mark.parametrize("candidate", ["", "I cannot interpret this image.", "No findings can be assessed.", "N/A"])
def test_who_says_nothing_lacks_every_line(finerad: Scorer, candidate: str) -> None:
    reference = "Small left pleural effusion. No pneumothorax. The heart is enlarged."
    result = finerad.correct(reference=reference, candidate=candidate)
    assert (result.status, result.reason) == ("scored", "the candidate says nothing")
    assert [(one.action, one.line) for one in result.corrections] == [("insert", None)] * 3
    assert [one.severity for one in result.corrections] == [3, 1, 2]
    assert result.score is not None
    assert result.score.value == 6
    normal = finerad.correct(reference="No pneumothorax. The lungs are clear.", candidate=candidate)
    assert [one.severity for one in normal.corrections] == [1, 1]


@pytest.mark.parametrize(("reference", "candidate", "status"), [("", "x", "empty"), ("TECHNIQUE: axial images.", "x", "empty")])
def test_failure_is_never_a_number(finerad: Scorer, reference: str, candidate: str, status: str) -> None:
    result = finerad.correct(reference=reference, candidate=candidate)
    assert (result.status, result.score, result.corrections) == (status, None, ())
    assert result.reason


SEVERITIES = [
    ("Right pneumothorax.", "No pneumothorax.", 4),
    ("Trace right pneumothorax.", "No pneumothorax.", 3),
    ("Tension pneumothorax on the right.", "No pneumothorax.", 4),
    ("Nondisplaced rib fracture on the left.", "No fracture.", 3),
    ("Old rib fracture on the left.", "No rib fracture.", 1),
    ("Left pleural effusion.", "Right pleural effusion.", 3),
    ("Endotracheal tube in the right main bronchus.", "Endotracheal tube tip 4 cm above the carina.", 4),
    ("Nasogastric tube with its tip in the oesophagus.", "Nasogastric tube with its tip in the stomach.", 3),
    ("Segmental pulmonary embolism in the right lower lobe.", "No pulmonary embolism.", 3),
    ("Collapse of the left lung.", "The left lung is clear.", 3),
    ("Minimal left basal atelectasis.", "Minimal right basal atelectasis.", 1),
    ("Emphysema.", "Lungs are clear.", 2),
]


@pytest.mark.parametrize(("reference", "candidate", "severity"), SEVERITIES)
def test_severity_comes_from_the_ontology_moved_by_rules(finerad: Scorer, reference: str, candidate: str, severity: int) -> None:
    assert max(one.severity for one in corrections(finerad, reference, candidate)) == severity


@pytest.mark.parametrize(
    ("reference", "candidate", "context", "without", "within"),
    [
        ("Left basal opacity.", "The lungs are clear.", Context(indication="Neutropenic fever"), 2, 3),
        ("8 mm nodule in the left lung.", "No nodule.", Context(indication="Staging of colon cancer"), 2, 3),
        ("NG tube in the stomach. No effusion.", "No effusion.", Context(setting="outpatient"), 2, 1),
    ],
)
def test_context_moves_severity(
    finerad: Scorer, reference: str, candidate: str, context: Context, without: int, within: int
) -> None:
    assert [corrections(finerad, reference, candidate, known)[0].severity for known in (None, context)] == [without, within]


def test_weights_of_the_profile_multiply_and_leave_out(tmp_path: Path) -> None:
    reference, candidate = "Cardiomegaly. Pneumoperitoneum.", "No effusion."
    plain = with_options(tmp_path, "{}")
    assert [one.severity for one in corrections(plain, reference, candidate)] == [2, 4]
    heavy = with_options(tmp_path, "{}", "{concept: {cardiomegaly: 1.5, pneumoperitoneum: 0}}")
    assert [one.severity for one in corrections(heavy, reference, candidate)] == [3]


def test_the_published_profile_grades_as_in_intensive_care() -> None:
    assert Scorer("fineradscore-published", ("fineradscore",)).profile.metrics["fineradscore"] == {
        "setting": "icu", "published": True,
    }  # fmt: skip


def test_the_signature_names_the_rules(finerad: Scorer) -> None:
    assert len(finerad.signature["significance"]) == 12
    assert "significance" not in Scorer(metrics="radsem").signature


@pytest.mark.parametrize("values", [{"weight": "80"}, {"age": "old"}, {"setting": 3}])
def test_a_context_that_cannot_be_used_is_refused(values: dict[str, object]) -> None:
    from kgscore.errors import InputError

    with pytest.raises(InputError, match=r"^context: "):
        context_of(values)
