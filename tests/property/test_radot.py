"""What must hold of RadOT-Eval on any pair of reports drawn from a pool of statements."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscore.engine import Scorer

POOL = (
    "Small left pleural effusion.", "No left pleural effusion.", "There is cardiomegaly.", "The heart is normal in size.",
    "A large right pneumothorax is present.", "There is no pneumothorax.", "Consolidation in the right lower lobe.",
    "The lungs are clear.", "Unchanged mass in the right upper lobe measuring 3.1 x 2.4 cm.", "Multiple nodules in both lungs.",
    "Endotracheal tube with its tip 4 cm above the carina.", "Opacity in the left lower lobe, likely pneumonia.",
    "Wobbly blotch in the left lung.", "New infarct in the right cerebellum.", "Severe stenosis of the left carotid artery.",
)  # fmt: skip
CALM = settings(derandomize=True, deadline=None, max_examples=25)
reports = st.lists(st.sampled_from(POOL), min_size=1, max_size=7, unique=True)


@pytest.fixture(scope="module", params=["default", "radot-published"])
def radot(request: pytest.FixtureRequest) -> Scorer:
    return Scorer(request.param, ("radot",))


@CALM
@given(left=reports, right=reports)
def test_the_explanation_adds_up_to_the_risk(radot: Scorer, left: list[str], right: list[str]) -> None:
    reference, candidate = " ".join(left), " ".join(right)
    result = radot.score(reference=reference, candidate=candidate)
    score = result.scores["radot"]
    made_of = radot.contributions(result, reference=reference, candidate=candidate)["radot"]
    assert score.value is not None
    assert score.value >= 0.0
    assert sum(piece.cost for piece in made_of) == pytest.approx(score.value)
    assert all(piece.credit == 0.0 <= piece.cost for piece in made_of)


@CALM
@given(left=reports, right=reports)
def test_swapping_the_reports_keeps_the_cost_and_swaps_the_units(radot: Scorer, left: list[str], right: list[str]) -> None:
    one = radot.score(reference=" ".join(left), candidate=" ".join(right)).scores["radot"].parts
    other = radot.score(reference=" ".join(right), candidate=" ".join(left)).scores["radot"].parts
    assert one["transport_cost"] == pytest.approx(other["transport_cost"], abs=1e-6)
    assert (one["reference_units"], one["candidate_units"]) == (other["candidate_units"], other["reference_units"])


@CALM
@given(sentences=reports, data=st.data())
def test_the_order_of_sentences_is_irrelevant(radot: Scorer, sentences: list[str], data: st.DataObject) -> None:
    reference, turned = " ".join(sentences), " ".join(data.draw(st.permutations(sentences)))
    own, other = (radot.score(reference=reference, candidate=text).scores["radot"].value for text in (reference, turned))
    assert other == pytest.approx(own, abs=1e-5)


@CALM
@given(left=reports, right=reports)
def test_only_as_published_a_report_has_risk_against_itself(radot: Scorer, left: list[str], right: list[str]) -> None:
    report = " ".join(left)
    own = radot.score(reference=report, candidate=report).scores["radot"].value
    other = radot.score(reference=report, candidate=" ".join(right)).scores["radot"].value
    assert own is not None
    assert other is not None
    if radot.profile.name == "default":
        assert own == 0.0
        assert other > 0.0 or {*left} == {*right}
    else:
        assert own > 0.0 or len(left) == 1
