"""The worked example of the RaTEScore paper (A.1): from its printed cosines and weights, and from the raw texts."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from kgscore.engine import Scorer
from kgscore.metrics.facts import Place
from kgscore.metrics.ratescore import Nearest, direction, harmonic
from kgscore.metrics.ratescore_entities import RateEntity
from kgscore.resources import resource

REFERENCE, CANDIDATE = "A Foley catheter is in situ.", "A Foley catheter is not in place."
PENALTY, COSINE = 0.36, 0.83


def entity(type: str, name: str) -> RateEntity:
    return RateEntity(type, name, name, Place(name, 0, len(name)), "")


FOLEY = entity("anatomy", "Foley catheter")
PLACED, MISPLACED = entity("non_abnormality", "in situ"), entity("abnormality", "not in place")


def test_the_printed_directions_come_from_the_printed_cosines_and_weights() -> None:
    recall = direction([Nearest(FOLEY, FOLEY, 0.91, 1.0), Nearest(PLACED, MISPLACED, 0.94, COSINE, PENALTY)])
    precision = direction([Nearest(FOLEY, FOLEY, 0.91, 1.0), Nearest(MISPLACED, PLACED, 0.83, COSINE, PENALTY)])
    assert round(recall, 3) == 0.644
    # 0.6655: printed as 0.666
    assert precision == pytest.approx(0.666, abs=6e-4)
    # Formula 3 gives the harmonic mean, which lies between both. The printed 0.676 is above both, so it is no mean of them.
    assert round(harmonic(recall, precision), 3) == 0.654
    assert recall < harmonic(recall, precision) < precision < 0.676


@pytest.fixture(scope="module")
def without_model(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scorer]:
    """The presets with the similarity of the ontology in place of the embeddings."""
    folder = tmp_path_factory.mktemp("profiles")
    found = {}
    for name in ("long", "short"):
        path = folder / f"{name}.yaml"
        path.write_text(f"inherits: ratescore-published-{name}\nmetrics: {{ratescore: {{similarity: ontology}}}}\n")
        found[name] = Scorer(path, ("ratescore",))
    return found


@pytest.mark.parametrize("name", ["long", "short"])
def test_the_raw_texts_score_the_penalty(without_model: dict[str, Scorer], name: str) -> None:
    """The paper's recogniser finds the catheter (anatomy) and its position (a non-abnormality, an abnormality). This reader finds
    one entity, the catheter, there or not there: one crossing pair of cosine 1 on each side, so the score is p itself."""
    penalty = yaml.safe_load(resource("mappings", "ratescore.yaml").read_text())["matrices"][name]["penalty"]
    score = without_model[name].score(reference=REFERENCE, candidate=CANDIDATE).scores["ratescore"]
    assert score.value == pytest.approx(penalty)
    assert (score.parts["reference_entities"], score.parts["candidate_entities"]) == (1, 1)


def test_the_ontology_form_gives_a_reversal_nothing() -> None:
    scorer = Scorer("default", ("ratescore",))
    assert scorer.score(reference=REFERENCE, candidate=CANDIDATE).scores["ratescore"].value == 0
    assert scorer.score(reference=REFERENCE, candidate=REFERENCE).scores["ratescore"].value == pytest.approx(1)


def test_the_presets_hold_the_published_options() -> None:
    from kgscore.metrics import options
    from kgscore.profile import load_profile

    for name, penalty in (("long", 0.8716553966489615), ("short", 0.3611577852354489)):
        found = options("ratescore", load_profile(f"ratescore-published-{name}"))
        said = (found.entities, found.matrix, found.floor, found.similarity, found.pooling, found.tokens, found.empty)
        assert said == ("words", name, 0.0, "embedding", "cls", 30, "half")
        assert Path(found.model).name == "BioLORD-2023-C"
        table = yaml.safe_load(resource("mappings", "ratescore.yaml").read_text())["matrices"][name]
        assert table["penalty"] == penalty
