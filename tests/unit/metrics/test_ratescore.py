"""RaTEScore: entities, matrices, similarity, edge cases."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from pathlib import Path

import pytest

from kgscore import metrics as registry
from kgscore.engine import Scorer
from kgscore.errors import ProfileError
from kgscore.matching.weighting import Weighting
from kgscore.metrics.base import Matched
from kgscore.metrics.ratescore import Ratescore, direction
from kgscore.metrics.ratescore_entities import TYPES, Diseases, differ_in_polarity, entities_of_findings, entities_of_words
from kgscore.metrics.ratescore_similarity import Lin, information
from kgscore.model import Reading, Score
from kgscore.profile import Profile, load_profile


def with_profile(scorer: Scorer, profile: Profile) -> Scorer:
    """Return the scorer of the session under another profile, without reading the ontologies anew."""
    found = copy(scorer)
    found.profile, found.metrics = profile, ("ratescore",)
    found.weighting = Weighting(profile, scorer.index)
    found._metrics = registry.build(("ratescore",), profile, scorer.index)
    return found


@pytest.fixture(scope="module")
def rate(scorer: Scorer) -> Scorer:
    return with_profile(scorer, scorer.profile)


@pytest.fixture(scope="module")
def diseases(scorer: Scorer) -> Diseases:
    return Diseases(scorer.index)


@pytest.fixture
def profiled(scorer: Scorer, tmp_path: Path) -> Callable[[str], Scorer]:
    """Give a function from the options of the metric, as YAML, to a scorer."""

    def build(options: str, base: str = "default") -> Scorer:
        path = tmp_path / "own.yaml"
        path.write_text(f"inherits: {base}\nmetrics:\n  ratescore: {options}\n", encoding="utf-8")
        return with_profile(scorer, load_profile(path))

    return build


def score(scorer: Scorer, reference: str, candidate: str) -> Score:
    return scorer.score(reference=reference, candidate=candidate).scores["ratescore"]


# ---- entities ----------------------------------------------------------------------------------------------------


def test_eight_ordered_pairs_cross() -> None:
    assert sum(differ_in_polarity(one, other) for one in TYPES for other in TYPES) == 8


@pytest.mark.parametrize(
    "concept", ["pneumonia", "appendicitis", "mca_infarct", "lung_cancer", "multiple_sclerosis", "emphysema"]
)
def test_a_process_is_a_disease(diseases: Diseases, concept: str) -> None:
    assert concept in diseases


@pytest.mark.parametrize(
    "concept", ["pleural_effusion", "mass", "edema", "pulmonary_nodule", "subdural_hematoma", "spinal_stenosis", "foley_catheter"]
)
def test_what_is_seen_is_an_abnormality(diseases: Diseases, concept: str) -> None:
    assert concept not in diseases


def test_every_class_named_in_the_file_exists(scorer: Scorer, diseases: Diseases) -> None:
    assert [name for name in diseases._classes if name not in scorer.index.concepts] == []


def test_entities_of_findings(scorer: Scorer, diseases: Diseases) -> None:
    reading = scorer.read("Pneumonia in the left lower lobe. No pneumothorax. No appendicitis.")
    found = entities_of_findings(reading.findings, scorer.index, diseases)
    assert {(e.type, e.concept, e.side) for e in found if e.type != "anatomy"} == {
        ("disease", "pneumonia", "left"),
        ("non_abnormality", "pneumothorax", "left"),
        ("non_abnormality", "pneumothorax", "right"),
        ("non_disease", "appendicitis", ""),
    }
    places = [(e.concept, e.side) for e in found if e.type == "anatomy"]
    assert ("lower_lobe", "left") in places
    assert len(places) == len(set(places))


def test_entities_of_words_hold_the_words_that_describe(scorer: Scorer, diseases: Diseases) -> None:
    text = "Small left pleural effusion. The lungs are clear. No pneumonia."
    found = entities_of_words(scorer.read(text), text, scorer.index, diseases)
    assert [(e.type, e.name) for e in found] == [
        ("abnormality", "pleural effusion"),
        ("anatomy", "lungs"),
        ("non_abnormality", "clear"),
        ("non_disease", "pneumonia"),
    ]
    text = "Small pleural effusion."
    (one,) = entities_of_words(scorer.read(text), text, scorer.index, diseases)
    assert (one.name, text[one.said.start : one.said.end]) == ("small pleural effusion", "Small pleural effusion")


# ---- similarity --------------------------------------------------------------------------------------------------


def test_information_falls_upwards(scorer: Scorer) -> None:
    content = information(scorer.index)
    assert all(0 <= value <= 1 for value in content.values())
    for name, concept in scorer.index.concepts.items():
        for parent in concept.parents:
            assert content[parent] <= content[name] + 1e-12, (name, parent)


def test_lin_is_symmetric_bounded_and_one_for_the_same(scorer: Scorer) -> None:
    lin = Lin(scorer.index)
    names = ("pneumonia", "consolidation", "pleural_effusion", "pneumothorax", "fracture", "cardiomegaly")
    for one in names:
        assert lin.findings(one, (), one, ()) == 1
        for other in names:
            assert lin.findings(one, (), other, ()) == lin.findings(other, (), one, ())
            assert 0 <= lin.findings(one, (), other, ()) <= 1
    assert lin.findings("pneumonia", (), "consolidation", ()) > lin.findings("pneumonia", (), "fracture", ())
    assert lin.structures("lower_lobe", "lung") > lin.structures("lower_lobe", "liver")


def test_opposites_are_not_alike(scorer: Scorer) -> None:
    assert Lin(scorer.index).findings("enlargement", (), "small_size", ()) == 0


@pytest.mark.parametrize(
    ("near", "far"),
    [
        ("Left pleural effusion.", "Right pleural effusion."),
        ("Small left pleural effusion.", "Large left pleural effusion."),
        ("Pleural effusion.", "Right pleural effusion."),
        ("Left pleural fluid.", "Left pneumothorax."),
    ],
)
def test_side_size_and_kind_are_told_apart(rate: Scorer, near: str, far: str) -> None:
    reference = "Small left pleural effusion."
    one, other = (score(rate, reference, text).value for text in (near, far))
    assert one is not None
    assert other is not None
    assert one > other


def test_synonyms_score_one(rate: Scorer) -> None:
    assert score(rate, "The heart is enlarged.", "Cardiomegaly.").value == pytest.approx(1)


def test_opposite_changes_earn_nothing(rate: Scorer) -> None:
    """A contradiction of one polarity takes the penalty too."""
    same, turned = (
        score(rate, "The right pleural effusion has increased.", f"The right pleural effusion has {change}.").value
        for change in ("grown", "decreased")
    )
    assert same == pytest.approx(1)
    assert turned is not None
    assert turned < 0.5


# ---- edge cases --------------------------------------------------------------------------------------------------


def half_pair(scorer: Scorer) -> Matched:
    text = "Pleural effusion."
    return Matched(scorer.read(text), Reading(()), (), (), text, "-")


def test_a_candidate_without_entities_scores_nothing_and_half_as_published(
    scorer: Scorer, profiled: Callable[[str], Scorer]
) -> None:
    made, pair = Ratescore(scorer.profile, scorer.index), half_pair(scorer)
    found = made.score(pair)
    assert (found.status, found.value, found.parts["recall"]) == ("scored", 0.0, 0.0)
    pieces = made.explain(pair, found)
    assert {piece.kind for piece in pieces} == {"missed"}
    assert sum(piece.cost for piece in pieces) == pytest.approx(1)
    published = Ratescore(profiled("{empty: half}").profile, scorer.index)
    assert published.score(half_pair(scorer)).value == 0.5
    turned = Matched(pair.candidate, pair.reference, (), (), pair.candidate_text, pair.reference_text)
    assert (made.score(turned).status, made.score(turned).value) == ("empty", None)
    assert published.score(turned).value == 0.5


def test_nothing_that_weighs_is_zero(profiled: Callable[[str], Scorer]) -> None:
    row = "[0, 0, 0, 0, 0]"
    rows = ", ".join(f"{name}: {row}" for name in TYPES)
    assert score(profiled(f"{{weights: {{penalty: 1, {rows}}}}}"), "Cardiomegaly.", "Cardiomegaly.").value == 0
    assert direction([]) == 0


def test_a_floor_lifts_small_weights_only(profiled: Callable[[str], Scorer]) -> None:
    matrix = profiled("{matrix: long, floor: 0.5}")._metrics["ratescore"].matrix  # type: ignore[attr-defined]
    assert matrix.rows["non_abnormality"]["non_abnormality"] == 0.5
    assert matrix.rows["disease"]["abnormality"] == 0.8396510075734789


def test_weights_of_a_profile_count(scorer: Scorer, tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text("inherits: default\nweights: {subtree: {pleural_effusion: 0}}\n")
    own = with_profile(scorer, load_profile(path))
    one = score(own, "Cardiomegaly. Left pleural effusion.", "Cardiomegaly. No left pleural effusion.")
    assert one.parts["reference_entities"] == 3  # cardiomegaly, the heart, the pleural space
    assert one.value == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("{matrix: medium}", "'matrix' is one of long, short, graded"),
        ("{similarity: cosine}", "'similarity' is one of ontology, embedding, vectors"),
        ("{entities: all}", "'entities' is one of findings, words"),
        ("{empty: zero}", "'empty' is one of empty, half"),
        ("{weights: {penalty: 1}}", "a list of five weights"),
        ("{floors: 1}", "did you mean 'floor'"),
    ],
)
def test_wrong_options_are_told(profiled: Callable[[str], Scorer], options: str, said: str) -> None:
    with pytest.raises(ProfileError, match=said):
        profiled(options)


def test_shipped_vectors_say_what_is_alike_without_a_model(profiled: Callable[[str], Scorer]) -> None:
    own = profiled("{similarity: vectors}")
    same, near, far = (
        score(own, "Kidney stone.", text).value for text in ("Kidney stone.", "Stone in the ureter.", "Cerebral infarct.")
    )
    assert None not in (same, near, far)
    assert same == pytest.approx(1)
    assert near > far  # type: ignore[operator]
    metric = own._metrics["ratescore"]
    assert isinstance(metric, Ratescore)
    assert len(metric.signature["ratescore_vectors"]) == 16


def test_no_heavy_package_is_loaded_at_import() -> None:
    import subprocess
    import sys

    code = "import sys, kgscore.metrics.embeddings, kgscore.metrics.ratescore; print({'torch', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


# ---- what the published form does badly --------------------------------------------------------------------------


def test_a_reversed_negative_costs_little_as_published_and_much_here(rate: Scorer, profiled: Callable[..., Scorer]) -> None:
    reference, turned = "Cardiomegaly. No pleural effusion.", "Cardiomegaly. Pleural effusion."
    published = score(profiled("{similarity: ontology}", "ratescore-published-long"), reference, turned).value
    own = score(rate, reference, turned).value
    assert published is not None
    assert own is not None
    assert own < 0.7 < 0.85 < published < 1


def test_negatives_weigh_nothing_as_published(rate: Scorer, profiled: Callable[..., Scorer]) -> None:
    """Beside an invented finding, three right denials or one make no difference as published."""
    published = profiled("{similarity: ontology}", "ratescore-published-long")
    reference = "Left rib fracture. No pneumothorax. No pleural effusion. No cardiomegaly."
    kept = "Left rib fracture. Hepatic steatosis. No pneumothorax. No pleural effusion. No cardiomegaly."
    dropped = "Left rib fracture. Hepatic steatosis. No pneumothorax."
    for scorer, least, most in ((published, 0.0, 0.01), (rate, 0.1, 1.0)):
        one, other = (score(scorer, reference, text).value for text in (kept, dropped))
        assert one is not None
        assert other is not None
        assert least <= one - other < most
