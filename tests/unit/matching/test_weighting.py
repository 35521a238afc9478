"""What findings, entities, relations and details weigh: every table, the order they hold in, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from kgscore.engine import Scorer
from kgscore.errors import ProfileError
from kgscore.matching.weighting import Weighting
from kgscore.model import Detail, Finding
from kgscore.ontology.index import Index
from kgscore.profile import Profile, Weights


@pytest.fixture(scope="module")
def index(scorer: Scorer) -> Index:
    return scorer.index


def weighting(index: Index, **tables: Mapping[str, float]) -> Weighting:
    return Weighting(Profile(weights=Weights(**tables)), index)


def finding(concept: str | None, site: str = "", status: str = "present") -> Finding:
    return Finding("x", 0, 1, concept, "x", sites=(site,) if site else (), status=status)  # type: ignore[arg-type]


def test_without_tables_everything_weighs_one(index: Index) -> None:
    plain = weighting(index)
    assert plain.plain
    assert plain.finding(finding("pneumothorax")) == plain.entity("lung", "anatomy") == plain.relation("modify") == 1
    assert plain.detail("small", "size") == 1


@pytest.mark.parametrize("weight", [0.0, 0.1, 1.0])
def test_what_no_concept_covers_weighs_what_the_profile_says(index: Index, weight: float) -> None:
    found = Weighting(Profile(unlinked_weight=weight), index)
    assert (found.finding(finding(None)), found.finding(finding("pneumothorax"))) == (weight, 1.0)


def test_entity_types(index: Index) -> None:
    types = {
        "observation_present": 2.0, "observation_absent": 3.0, "device_present": 4.0, "device_absent": 5.0, "procedure": 6.0,
        "anatomy": 7.0, "descriptor": 8.0,
    }  # fmt: skip
    found = weighting(index, entity=types)
    assert {type: found.entity("pneumothorax", type) for type in types} == types
    assert found.finding(finding("pneumothorax")) == 2
    assert found.finding(finding("pneumothorax", status="absent")) == found.finding(finding("pneumothorax", status="normal")) == 3
    assert found.finding(finding("endotracheal_tube")) == 4
    assert found.finding(finding("endotracheal_tube", status="absent")) == 5
    assert found.finding(finding("craniotomy")) == 6
    assert found.finding(finding(None)) == pytest.approx(2 * Profile().unlinked_weight)


def test_a_concept_alone_is_not_its_subclasses(index: Index) -> None:
    found = weighting(index, concept={"hemorrhage": 5})
    assert [found.finding(finding(name)) for name in ("hemorrhage", "subdural_hematoma")] == [5, 1]


def test_a_subtree_reaches_every_kind_and_the_nearest_class_wins(index: Index) -> None:
    found = weighting(index, subtree={"hemorrhage": 5, "extra_axial_hemorrhage": 7}, concept={"epidural_hematoma": 9})
    names = ("hemorrhage", "intraparenchymal_hemorrhage", "subdural_hematoma", "epidural_hematoma", "infarct")
    assert [found.finding(finding(name)) for name in names] == [5, 5, 7, 9, 1]


def test_a_key_with_a_type_holds_for_that_type_alone_and_before_the_plain_one(index: Index) -> None:
    found = weighting(index, subtree={"observation_present/hemorrhage": 5}, entity={"observation_absent": 2})
    assert found.finding(finding("subdural_hematoma")) == 5
    assert found.finding(finding("subdural_hematoma", status="absent")) == 2
    found = weighting(index, concept={"hemorrhage": 3, "observation_absent/hemorrhage": 0})
    assert [found.finding(finding("hemorrhage", status=s)) for s in ("present", "absent")] == [3, 0]


def test_regions_the_narrowest_wins_and_other_is_the_rest(index: Index) -> None:
    found = weighting(index, region={"lung": 2, "upper_lobe": 3, "other": 0.5})
    sites = ("upper_lobe", "lower_lobe", "liver", "")
    assert [found.finding(finding("nodule", site)) for site in sites] == [3, 2, 0.5, 0.5]
    assert [found.entity(site, "anatomy") for site in sites[:3]] == [3, 2, 0.5]
    assert weighting(index, region={"lung": 2}).finding(finding("nodule", "liver")) == 1


def test_severity_multiplies(index: Index) -> None:
    found = weighting(index, severity={"4": 10, "2": 3}, concept={"pneumothorax": 2})
    assert index.severity("pneumothorax") == 4
    assert found.finding(finding("pneumothorax")) == found.entity("pneumothorax", "observation_present") == 20
    assert found.finding(finding("cardiomegaly")) == 3
    # What is unknown is taken as actionable, and weighs little.
    assert found.finding(finding(None)) == pytest.approx(3 * Profile().unlinked_weight)


def test_relations(index: Index) -> None:
    found = weighting(index, relation={"located_at": 0})
    assert (found.relation("located_at"), found.relation("modify")) == (0, 1)


def test_descriptors_by_value_class_and_category(index: Index) -> None:
    found = weighting(index, descriptor={"measurement": 0, "size_descriptor": 2, "small": 3, "inference": 4})
    assert found.detail("small", "size") == 3
    assert found.detail("large", "size") == 2
    assert found.detail("9 mm", "length") == found.detail("50 %", "percent") == 0
    assert found.detail("pneumonia", "inference") == 4
    assert found.detail("acute", "temporality") == 1
    assert found.entity("9 mm", "descriptor") == 0
    assert weighting(index, descriptor={"measurement": 0, "length": 2}).detail("9 mm", "length") == 2


def test_details_without_weight_are_not_compared(index: Index) -> None:
    found = weighting(index, descriptor={"measurement": 0})
    length, size = Detail("length", "9 mm", "9 mm"), Detail("size", "small", "small")
    one = Finding("x", 0, 1, "nodule", "nodule", details=(length, size))
    assert [f.details for f in found.lenient([one])] == [(size,)]


def test_measurements_cost_nothing_under_the_lenient_profile() -> None:
    one, other = "A 9 mm nodule in the left upper lobe.", "A 14 mm nodule in the left upper lobe."
    scorers = (Scorer(name, ("radsem", "headct_one")) for name in ("default", "lenient-measurements"))
    strict, lenient = (scorer.score(reference=one, candidate=other) for scorer in scorers)
    for name in ("radsem", "headct_one"):
        assert (strict.scores[name].value or 0) < 1
        assert lenient.scores[name].value == pytest.approx(1)


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ({"concept": {"hemorrage": 1}}, "weights: concept: 'hemorrage' is not an id of the ontology; did you mean 'hemorrhage'?"),
        ({"subtree": {"zzzzzz": 1}}, "weights: subtree: 'zzzzzz' is not an id of the ontology; `kgscore ontology show"),
        ({"region": {"lungg": 1}}, "weights: region: 'lungg' is not an id of the ontology; did you mean 'lung'?"),
        ({"descriptor": {"measurment": 1}}, "weights: descriptor: 'measurment' is not an id of the ontology"),
        ({"subtree": {"observation/hemorrhage": 1}}, "weights: subtree: 'observation' is no type of entity; known types:"),
        ({"concept": {"descriptor/hemorrage": 1}}, "'hemorrage' is not an id of the ontology"),
        ({"region": {"other": 1}, "concept": {"other": 1}}, "weights: concept: 'other' is not an id of the ontology"),
    ],
)
def test_unknown_names_are_refused_in_one_line(index: Index, tables: dict[str, dict[str, float]], said: str) -> None:
    with pytest.raises(ProfileError) as error:
        weighting(index, **tables)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_left_out_by_name_takes_its_relations_along_and_a_type_does_not(index: Index) -> None:
    found = weighting(index, entity={"anatomy": 0}, descriptor={"measurement": 0}, subtree={"hemorrhage": 0}, concept={"lung": 0})
    assert not found.left_out("brain", "anatomy")
    assert found.left_out("lung", "anatomy")
    assert found.left_out("9 mm", "descriptor", "length")
    assert found.left_out("9 mm", "descriptor")
    assert not found.left_out("small", "descriptor", "size")
    assert found.left_out("subdural_hematoma", "observation_present")
    assert not weighting(index).left_out("lung", "anatomy")
