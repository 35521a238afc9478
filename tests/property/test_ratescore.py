"""What must hold of RaTEScore on reports drawn from the pool of sentences, in the ontology form and, but for p, as published."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscore import metrics as registry
from kgscore.engine import Scorer
from kgscore.model import Score
from kgscore.profile import Profile

PAIRS = (
    ("Small left pleural effusion.", "No left pleural effusion."),
    ("There is cardiomegaly.", "No cardiomegaly."),
    ("A large right pneumothorax is present.", "There is no right pneumothorax."),
    ("Consolidation in the right lower lobe.", "No consolidation in the right lower lobe."),
    ("Acute fracture of the left clavicle.", "No fracture of the left clavicle."),
    ("Ascites is present.", "There is no ascites."),
    ("The spleen is enlarged.", "The spleen is not enlarged."),
    ("Acute subdural haematoma on the left.", "No left subdural haematoma."),
    ("Right hydronephrosis.", "No right hydronephrosis."),
    ("Pneumonia in the left upper lobe.", "No pneumonia in the left upper lobe."),
    ("Hepatic steatosis.", "No hepatic steatosis."),
    ("Appendicitis.", "No appendicitis."),
)
OTHERS = (
    "The lungs are clear.",
    "Both kidneys are unremarkable.",
    "The nodule in the right middle lobe has increased.",
    "Opacity in the left lower lobe, likely pneumonia.",
    "Endotracheal tube with its tip 4 cm above the carina.",
    "Wobbly blotch in the left lung.",
)
POOL = (*(sentence for pair in PAIRS for sentence in pair), *OTHERS)
CALM = settings(derandomize=True, deadline=None, max_examples=20)
reports = st.lists(st.sampled_from(POOL), min_size=1, max_size=7, unique=True)
FORMS: Mapping[str, Mapping[str, object]] = {
    "ontology": {},
    "published": {"entities": "words", "matrix": "long", "empty": "half"},
    "short": {"matrix": "short", "floor": 0.1},
}


@pytest.fixture(scope="module", params=sorted(FORMS))
def form(request: pytest.FixtureRequest, scorer: Scorer) -> Scorer:
    found = copy(scorer)
    found.profile, found.metrics = Profile(metrics={"ratescore": FORMS[request.param]}), ("ratescore",)
    found._metrics = registry.build(found.metrics, found.profile, scorer.index)
    return found


def rated(scorer: Scorer, reference: str, candidate: str) -> Score:
    return scorer.score(reference=reference, candidate=candidate).scores["ratescore"]


@pytest.mark.parametrize("sentence", POOL)
def test_a_sentence_scores_one_against_itself(form: Scorer, sentence: str) -> None:
    found = rated(form, sentence, sentence)
    assert found.parts["reference_entities"] > 0 or found.value == 0.5
    assert found.value == (pytest.approx(1) if found.parts["reference_entities"] else 0.5)


@CALM
@given(sentences=reports, data=st.data())
def test_the_order_of_sentences_is_irrelevant(form: Scorer, sentences: list[str], data: st.DataObject) -> None:
    report, turned = " ".join(sentences), " ".join(data.draw(st.permutations(sentences)))
    found = rated(form, report, turned)
    assert found.value == (pytest.approx(1) if found.parts["reference_entities"] else 0.5)


@CALM
@given(left=reports, right=reports)
def test_swapping_the_reports_swaps_recall_and_precision(form: Scorer, left: list[str], right: list[str]) -> None:
    one, other = (rated(form, " ".join(a), " ".join(b)) for a, b in ((left, right), (right, left)))
    assert one.value == pytest.approx(other.value)
    assert one.parts.get("recall") == pytest.approx(other.parts.get("precision"))
    assert one.value is not None
    assert 0 <= one.value <= 1


@CALM
@given(left=reports, right=reports)
def test_credits_add_up_to_the_score_and_costs_to_what_lacks(form: Scorer, left: list[str], right: list[str]) -> None:
    reference, candidate = " ".join(left), " ".join(right)
    result = form.score(reference=reference, candidate=candidate)
    pieces = form.contributions(result, reference=reference, candidate=candidate)["ratescore"]
    value = result.scores["ratescore"].value
    if pieces:
        assert sum(piece.credit for piece in pieces) == pytest.approx(value)
        assert sum(piece.cost for piece in pieces) == pytest.approx(1 - (value or 0), abs=1e-9)
    else:
        assert value == 0.5
    for piece in pieces:
        assert piece.credit >= 0
        assert piece.cost >= 0
        for span, text in ((piece.reference, reference), (piece.candidate, candidate)):
            assert span is not None
            assert text[span[0] : span[1]]


@pytest.fixture(scope="module")
def rate(scorer: Scorer) -> Scorer:
    found = copy(scorer)
    found.metrics, found._metrics = ("ratescore",), registry.build(("ratescore",), scorer.profile, scorer.index)
    return found


@CALM
@given(chosen=st.lists(st.sampled_from(range(len(PAIRS))), min_size=1, max_size=6, unique=True), data=st.data())
def test_in_the_ontology_form_a_reversal_lowers_the_score(rate: Scorer, chosen: list[int], data: st.DataObject) -> None:
    sides = [data.draw(st.integers(0, 1)) for _ in chosen]
    wrong = [data.draw(st.booleans()) for _ in chosen]
    flip = data.draw(st.sampled_from(range(len(chosen))))
    wrong[flip] = False
    reference = " ".join(PAIRS[n][side] for n, side in zip(chosen, sides, strict=True))
    before = [PAIRS[n][side ^ bad] for n, side, bad in zip(chosen, sides, wrong, strict=True)]
    after = list(before)
    after[flip] = PAIRS[chosen[flip]][1 - sides[flip]]
    first, second = (rated(rate, reference, " ".join(text)).value for text in (before, after))
    assert first is not None
    assert second is not None
    assert second < first
