"""HeadCT-ONE by hand: sets, weights, the published quirks, and what the ontology form makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.errors import ProfileError
from kgscore.metrics.base import Matched
from kgscore.metrics.facts import Fact, compounds_of, facts_of_words
from kgscore.metrics.headct_one import HeadctOne
from kgscore.model import Detail, Entity, EntityRelation, Finding, Reading
from kgscore.profile import Profile, Weights

PUBLISHED: dict[str, Any] = {"entities": "words", "partial": False, "average": "both"}
Spec = tuple[str, str]
PLAIN: tuple[Spec, ...] = (("observation_present", "infarct"), ("anatomy", "frontal_lobe"), ("descriptor", "acute"))
TIES = ((0, 1, "located_at"), (2, 0, "modify"))


def words(entities: Sequence[Spec], ties: Sequence[tuple[int, int, str]] = ()) -> Reading:
    made = tuple(Entity(concept, n, n + 1, type, concept) for n, (type, concept) in enumerate(entities))  # type: ignore[arg-type]
    relations = tuple(EntityRelation(*tie) for tie in ties)  # type: ignore[arg-type]
    return Reading((), (), lambda: (made, relations))


def said(concept: str, *sites: str, **more: Any) -> Finding:
    return Finding(concept, 0, 1, concept, concept, sites=sites, **more)


def metric(scorer: Scorer, options: dict[str, Any] | None = None, **weights: dict[str, float]) -> HeadctOne:
    return HeadctOne(Profile(weights=Weights(**weights), metrics={"headct_one": options or {}}), scorer.index)


def value(made: HeadctOne, left: Reading, right: Reading) -> float:
    pair = Matched(left, right, ())
    score = made.score(pair)
    assert score.value is not None
    pieces = made.explain(pair, score)
    assert sum(piece.credit for piece in pieces) == pytest.approx(score.value)
    assert sum(piece.cost for piece in pieces) == pytest.approx(1 - score.value)
    return score.value


# --- as published ---


def test_identical_reports_score_one_with_relations_and_a_half_without(scorer: Scorer) -> None:
    published = metric(scorer, PUBLISHED)
    assert value(published, words(PLAIN, TIES), words(PLAIN, TIES)) == 1
    assert value(published, words(PLAIN), words(PLAIN)) == 0.5
    assert value(metric(scorer, {**PUBLISHED, "average": "present"}), words(PLAIN), words(PLAIN)) == 1


def test_the_mean_of_two_set_f1_by_hand(scorer: Scorer) -> None:
    """Two of three entities shared, one of two relations: (4/6 + 2/4) / 2."""
    other = (PLAIN[0], PLAIN[1], ("descriptor", "chronic"))
    assert value(metric(scorer, PUBLISHED), words(PLAIN, TIES), words(other, TIES)) == pytest.approx((4 / 6 + 2 / 4) / 2)


def test_how_often_a_thing_is_said_is_not_counted(scorer: Scorer) -> None:
    twice = words((*PLAIN, *PLAIN), (*TIES, (3, 4, "located_at")))
    assert value(metric(scorer, PUBLISHED), words(PLAIN, TIES), twice) == 1


def test_the_type_belongs_to_the_entity(scorer: Scorer) -> None:
    denied = (("observation_absent", "infarct"), *PLAIN[1:])
    assert value(metric(scorer, PUBLISHED), words(PLAIN[:1]), words(denied[:1])) == 0


def test_devices_and_procedures_fold_into_observations(scorer: Scorer) -> None:
    graph = facts_of_words(words((("device_absent", "shunt"), ("procedure", "craniotomy"))), scorer.index, lambda fact: None)
    assert list(graph.facts) == [Fact("observation_absent", "shunt"), Fact("observation_present", "craniotomy")]


ONLY_PRESENT = {
    "anatomy": 0.0, "observation_present": 1.0, "observation_absent": 0.0, "device_present": 1.0, "device_absent": 0.0,
    "procedure": 1.0, "descriptor": 0.0,
}  # fmt: skip
NORMAL: tuple[Spec, ...] = (("observation_absent", "infarct"), ("anatomy", "calvarium"))


def test_normal_against_normal_is_one_where_only_what_is_present_weighs(scorer: Scorer) -> None:
    other = (("observation_absent", "fracture"), ("anatomy", "ventricular_system"))
    published = metric(scorer, PUBLISHED, entity=ONLY_PRESENT)
    assert value(published, words(NORMAL), words(other)) == 1
    assert value(published, words(NORMAL), words(PLAIN, TIES)) == 0


def test_what_a_weighted_relation_touches_weighs_one(scorer: Scorer) -> None:
    """Of the present only: infarct 1, and lobe and acute 1 since a weighted relation touches them; the calvarium stays at 0."""
    published = metric(scorer, PUBLISHED, entity=ONLY_PRESENT)
    score = published.score(Matched(words((*PLAIN, *NORMAL), TIES), words((PLAIN[0],)), ()))
    assert (score.parts["entity_reference_weight"], score.parts["relation_reference_weight"]) == (3, 2)
    assert score.value == pytest.approx((2 / 4 + 0) / 2)
    heavy = metric(scorer, PUBLISHED, entity={**ONLY_PRESENT, "observation_present": 3.0})
    parts = heavy.score(Matched(words(PLAIN, TIES), words(PLAIN[:1]), ())).parts
    # The infarct weighs 1 on the reference side, though its type weighs 3; what both hold takes the weight of the reference.
    assert (parts["entity_reference_weight"], parts["entity_candidate_weight"], parts["relation_reference_weight"]) == (3, 1, 6)


def test_a_relation_weighs_as_its_heavier_end_times_its_type(scorer: Scorer) -> None:
    made = metric(scorer, entity={"anatomy": 5, "descriptor": 0.5}, relation={"modify": 2})
    finding = said("infarct_brain", "frontal_lobe", details=(Detail("temporality", "acute", "acute"),))
    parts = made.score(Matched(Reading((finding,)), Reading((finding,)), ())).parts
    assert parts["entity_reference_weight"] == 1 + 5 + 0.5
    assert parts["relation_reference_weight"] == 5 + 2


def test_compounds_are_taken_apart_as_the_published_ontology_has_none(scorer: Scorer) -> None:
    compounds = compounds_of(scorer.index)
    assert compounds["subdural_hematoma"] == ("hemorrhage", "subdural_space")
    assert "hemorrhage" not in compounds
    published = metric(scorer, PUBLISHED)
    one, other = (words((("observation_present", name),)) for name in ("subdural_hematoma", "epidural_hematoma"))
    # Haemorrhage is shared, the space and where it is are not: entities 2/4, relations 0/2.
    assert value(published, one, other) == pytest.approx((0.5 + 0) / 2)


def test_a_compound_that_the_profile_weighs_stays_whole(scorer: Scorer) -> None:
    published = metric(scorer, PUBLISHED, concept={"subdural_hematoma": 3})
    score = published.score(Matched(words((("observation_present", "subdural_hematoma"),)), words(PLAIN), ()))
    assert score.parts["entity_reference_weight"] == 3


def test_left_and_right_are_two_places_as_published() -> None:
    published = Scorer("headct-one-published", ("headct_one",))

    def value(reference: str, candidate: str) -> float | None:
        return published.score(reference=reference, candidate=candidate).scores["headct_one"].value

    left, right = "Left thalamic infarct.", "Right thalamic infarct."
    # Infarct is shared, left and right thalamus are not, nor what is located there.
    assert value(left, right) == pytest.approx((2 / 4 + 0) / 2)
    assert value(left, left) == 1
    assert value(left, f"{left} There is an infarct of the left thalamus.") == 1
    assert value("Infarcts in both thalami.", left) == value("Infarcts in both thalami.", right) != 1


# --- of the findings ---


def test_other_words_for_one_finding_are_one_set(scorer: Scorer) -> None:
    one, other = "The heart is enlarged.", "Cardiomegaly."
    ontology = Scorer(metrics=("headct_one",)).score(reference=one, candidate=other).scores["headct_one"]
    assert ontology.value == pytest.approx(1)


def test_a_wider_finding_has_part_of_the_credit(scorer: Scorer) -> None:
    """One step from haemorrhage to intracranial haemorrhage: 1/3 + 2/3 · 0.5; the place is the same."""
    left, right = (Reading((said(name, "brain"),)) for name in ("intracranial_hemorrhage", "hemorrhage"))
    like = 1 / 3 + 2 / 3 * 0.5
    assert value(metric(scorer), left, right) == pytest.approx(((like + 1) / 2 + like) / 2)
    assert value(metric(scorer, {"partial": False}), left, right) == pytest.approx((0.5 + 0) / 2)


def test_two_kinds_of_a_weighted_class_are_alike_only_as_kin(scorer: Scorer) -> None:
    left, right = (Reading((said(name),)) for name in ("subdural_hematoma", "epidural_hematoma"))
    assert value(metric(scorer, {"kin": True}), left, right) == 0
    assert value(metric(scorer, subtree={"hemorrhage": 1}), left, right) == 0
    # One step up and one down, to extra-axial haemorrhage and back.
    found = value(metric(scorer, {"kin": True}, subtree={"hemorrhage": 1}), left, right)
    assert found == pytest.approx(1 / 3 + 2 / 3 * 0.25)


def test_sides_differ_and_a_missing_side_is_wider(scorer: Scorer) -> None:
    left, right, none = (Reading((said("infarct", "thalamus", side=side),)) for side in ("left", "right", None))
    made = metric(scorer)
    assert value(made, left, right) == pytest.approx((1 / 2 + 0) / 2)
    assert value(made, left, right) < value(made, left, none) < value(made, left, left) == 1


def test_nothing_that_weighs_on_either_side_agrees(scorer: Scorer) -> None:
    denied = Reading((said("infarct", "brain", status="absent"),))
    other = Reading((said("hemorrhage", "brain", status="absent"),))
    assert value(metric(scorer, entity=ONLY_PRESENT), denied, other) == 1


def test_who_says_nothing_agrees_with_nothing_but_as_published(scorer: Scorer) -> None:
    denied = Reading((said("infarct", "brain", status="absent"),))
    made = metric(scorer, entity=ONLY_PRESENT)
    pair = Matched(denied, Reading(()), ())
    score = made.score(pair)
    assert (score.status, score.value, score.reason) == ("scored", 0.0, "the candidate says nothing")
    assert sum(piece.cost for piece in made.explain(pair, score)) == 1
    published = metric(scorer, {"entities": "words", "average": "both"}, entity=ONLY_PRESENT)
    assert value(published, denied, Reading(())) == 1


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("entities: sentences", "metrics: headct_one: 'entities' is one of findings, words"),
        ("average: all", "metrics: headct_one: 'average' is one of present, both"),
        ("partial: 1", "metrics: headct_one: 'partial' must be a bool"),
        ("partal: true", "metrics: headct_one: unknown key 'partal'; did you mean 'partial'?"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"metrics:\n  headct_one: {{{text}}}\n")
    with pytest.raises(ProfileError, match=wrong):
        Scorer(path, ("headct_one",))
