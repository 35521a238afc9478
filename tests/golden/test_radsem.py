"""The worked examples of the RadSEM paper (arXiv:2606.17062): Table 3 from its raw texts, and the formulas of section 3.4."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer
from kgscore.metrics.radsem import class_f1
from kgscore.model import PairResult

REFERENCE = (
    "The thoracic cage is symmetrical on both sides. The transparency of both lung fields is normal. "
    "Striated and patchy shadows are seen in both lung fields. Pulmonary markings are clear. "
    "No enlargement or increased density is observed in both pulmonary hila. "
    "The cardiac silhouette is normal in shape and size. "
    "Both diaphragmatic surfaces are smooth, and the costophrenic angles are sharp. "
    "Mild scoliosis of the spine is noted. The aortic knob is prominent."
)
GENERATED = (
    "Thoracic cage is symmetric. Left lung field is normally lucent. Right lung field is normally lucent. "
    "Left lung field contains linear opacities. Right lung field contains linear opacities. "
    "Left lung field contains patchy opacities. Right lung field contains patchy opacities. "
    "Left lung pulmonary markings are well delineated. Right lung pulmonary markings are well delineated. "
    "Left pulmonary hilum is not enlarged. Right pulmonary hilum is not enlarged. "
    "Left pulmonary hilum shows no increased density. Right pulmonary hilum shows no increased density. "
    "Cardiac silhouette has normal configuration. Cardiac silhouette is normal in size. "
    "Left hemidiaphragmatic contour is smooth. Right hemidiaphragmatic contour is smooth. "
    "Left costophrenic angle is sharply demarcated. Right costophrenic angle is sharply demarcated. "
    "Spine shows no scoliotic curvature. Aortic knob shows no prominence."
)


@pytest.fixture(scope="module", params=["radsem-published", "default"])
def table3(request: pytest.FixtureRequest) -> PairResult:
    return Scorer(request.param).score(reference=REFERENCE, candidate=GENERATED)


def test_table_3_has_21_findings_a_side(table3: PairResult) -> None:
    assert table3.reference is not None
    assert table3.candidate is not None
    for reading, abnormal in ((table3.reference, 6), (table3.candidate, 4)):
        assert (sum(f.asserts for f in reading.findings), len(reading.findings)) == (abnormal, 21)


def test_table_3_misses_two_abnormal_and_invents_two_normal_findings(table3: PairResult) -> None:
    assert table3.reference is not None
    assert table3.candidate is not None
    missed = {table3.reference.findings[i].concept for i in table3.unmatched_reference}
    invented = {table3.candidate.findings[i].concept for i in table3.unmatched_candidate}
    assert missed == invented == {"scoliosis", "prominent_aortic_knob"}


def test_table_3_scores_as_printed(published: Scorer) -> None:
    score = published.score(reference=REFERENCE, candidate=GENERATED).scores["radsem"]
    assert score.parts == pytest.approx(
        {
            "abnormal_matched": 4, "abnormal_unmatched_reference": 2, "abnormal_unmatched_candidate": 0, "abnormal_f1": 0.8,
            "normal_matched": 15, "normal_unmatched_reference": 0, "normal_unmatched_candidate": 2, "normal_f1": 0.9375,
        }
    )  # fmt: skip
    assert score.value == pytest.approx(0.81375)


def test_by_default_the_two_denials_of_what_is_there_count_as_errors_about_it() -> None:
    score = Scorer().score(reference=REFERENCE, candidate=GENERATED).scores["radsem"]
    assert score.parts["abnormal_unmatched_candidate"] == 2
    assert score.value == pytest.approx(0.9 * 8 / 12 + 0.1 * 0.9375)


def test_table_3_finds_the_two_statements_that_were_turned_round(table3: PairResult) -> None:
    assert table3.reference is not None
    clashes = {table3.reference.findings[link.reference].concept for link in table3.contradictions}
    assert clashes >= {"scoliosis", "prominent_aortic_knob"}


def test_one_part_whole_pair_without_shared_detail_and_nothing_unmatched(published: Scorer) -> None:
    result = published.score(reference="A nodule in the left upper lobe.", candidate="A 9 mm nodule in the left lung.")
    (link,) = result.links
    assert (link.relation.anatomy, link.relation.finding, link.relation.detail) == ("part_whole", "equivalent", "none")
    assert link.relation.weight == pytest.approx(1 / 6)
    assert result.unmatched_reference == result.unmatched_candidate == ()
    assert result.scores["radsem"].value == pytest.approx(0.791667, abs=1e-6)


@pytest.mark.parametrize("others", [0.0, 1.0, 2.5, 12.0])
@pytest.mark.parametrize("errors", [1, 3])
def test_behavior_of_partial_matches(others: float, errors: int) -> None:
    """A target finding met in full, in part, and unmatched on one side and on both, beside M0 credit and U0 errors."""

    def f1(credit: float, unmatched: int) -> float:
        return class_f1(others + credit, errors, unmatched, [1.0] * int(others) + [credit] * (credit > 0))

    full, partial, one, two = f1(1.0, 0), f1(1 / 3, 0), f1(0.0, 1), f1(0.0, 2)
    assert full == pytest.approx(2 * (others + 1) / (2 * (others + 1) + errors))
    assert partial == pytest.approx(2 * (others + 1 / 3) / (2 * (others + 1 / 3) + errors))
    assert one == pytest.approx(2 * others / (2 * others + errors + 1))
    assert two == pytest.approx(2 * others / (2 * others + errors + 2))
    assert full > partial > one >= two


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([1.0, 1.0], 1.0), ([], 1.0), ([1 / 6], 0.791667), ([1.0, 0.5], 0.955806), ([1 / 3] * 4, 0.916667)],
)
def test_nothing_unmatched_gives_one_less_a_quarter_over_root_n(weights: list[float], expected: float) -> None:
    assert class_f1(sum(weights), 0, 0, weights) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("reference", "candidate", "expected"),
    [
        ("Cardiomegaly. No pneumothorax.", "Cardiomegaly. No pneumothorax.", 1.0),
        ("Cardiomegaly. No pneumothorax.", "No pneumothorax.", 0.1),
        ("Cardiomegaly. No pneumothorax.", "Cardiomegaly.", 0.9),
        ("Cardiomegaly.", "Cardiomegaly.", 1.0),
        ("No pneumothorax.", "No pneumothorax.", 1.0),
        ("Cardiomegaly.", "No cardiomegaly.", 0.0),
    ],
)
def test_the_mixture_counts_only_classes_present(published: Scorer, reference: str, candidate: str, expected: float) -> None:
    assert published.score(reference=reference, candidate=candidate).scores["radsem"].value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [("", "Cardiomegaly."), (" \n", ""), ("TECHNIQUE: Axial images.", "Cardiomegaly.")],
)
def test_nothing_to_score_is_empty_and_no_number(published: Scorer, reference: str, candidate: str) -> None:
    result = published.score(reference=reference, candidate=candidate)
    assert (result.status, result.scores["radsem"].value) == ("empty", None)
    assert result.reason
