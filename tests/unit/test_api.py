"""The public face: small, lazy, and the same as the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kgscore


def test_every_public_name_is_there_and_documented() -> None:
    for name in kgscore.__all__:
        value = getattr(kgscore, name)
        assert name == "__version__" or value.__doc__
    with pytest.raises(AttributeError):
        kgscore.nothing  # noqa: B018


def test_score_many_names_bad_records_and_goes_on() -> None:
    good = {"id": "a", "reference": "No pneumothorax.", "candidate": "No pneumothorax."}
    results = list(kgscore.score_many([good, {"id": "b", "reference": "x"}, good]))
    assert [result.status for result in results] == ["scored", "failed", "failed"]
    assert [result.id for result in results] == ["a", "b", "a"]
    assert "missing" in results[1].reason
    assert "used before, at pair 1" in results[2].reason
    assert all(score.value is None for result in results[1:] for score in result.scores.values())


def test_a_scorer_scores_many_pairs() -> None:
    good = {"id": "a", "reference": "No pneumothorax.", "candidate": "No pneumothorax."}
    results = list(kgscore.Scorer(profile="fixed").score_many([good, {"id": "b"}]))
    assert [(result.id, result.status) for result in results] == [("a", "scored"), ("b", "failed")]


@pytest.mark.parametrize(
    "report", ["Die Lunge ist frei.", "Les poumons sont bien aérés.", "Kein Pneumothorax.", "Sin derrame pleural."]
)
def test_a_reference_in_another_language_fails_and_a_candidate_has_missed_everything(report: str) -> None:
    result = kgscore.score(reference=report, candidate="No pneumothorax.")
    assert (result.status, result.scores["radsem"].value) == ("failed", None)
    assert result.reason == "the reference report seems to be in another language; reports are read in English"
    result = kgscore.score(reference="No pneumothorax.", candidate=report)
    assert (result.status, result.scores["radsem"].value) == ("scored", 0.0)
    assert "another language" in result.reason


def test_advice_alone_says_nothing_of_the_reference() -> None:
    result = kgscore.score(reference="Cardiomegaly.", candidate="Clinical correlation is advised.")
    assert (result.status, result.scores["radsem"].value) == ("scored", 0.0)


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(kgscore.OntologyError, match=r"absent\.ttl: no such file"):
        kgscore.Scorer(modules=["absent.ttl"])


def test_errors_are_one_family() -> None:
    with pytest.raises(kgscore.KgscoreError):
        kgscore.score(reference="a", candidate="b", profile="no-such-profile")


PAIR = {"reference": "The heart is enlarged.", "candidate": "Cardiomegaly."}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: kgscore.score(**PAIR, metrics="radsem,radot"), "give a list of names, as in metrics=['radsem'], not text"),
        (lambda: kgscore.score(**PAIR, metrics=None), "metrics: give a list of names"),
        (lambda: kgscore.score(**PAIR, metrics=(3,)), "metrics: a number is no metric"),
        (lambda: kgscore.score(**PAIR, modules="a.ttl"), "modules: give a list of paths, as in modules=['a.ttl']"),
        (lambda: kgscore.score(reference=None, candidate=""), "reference: is None; give the report as text"),
        (lambda: kgscore.score(reference="", candidate=("a", "b")), "candidate: is a tuple; give the report as text"),
        (lambda: kgscore.read(7), "report: is a number"),
        (lambda: kgscore.relate("a", ["b"]), "b: is a list"),
        (lambda: kgscore.labels(None), "report: is None"),
        (lambda: kgscore.score_many(), "give pairs"),
        (lambda: kgscore.score_many("pairs.jsonl"), "pairs: is text"),
        (lambda: kgscore.score_many(references="a", candidates=["a"]), "references: is text; give a list of texts"),
        (lambda: list(kgscore.score_many(references=["a"], candidates=[])), "1 references and 0 candidates"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(call, said: str) -> None:
    with pytest.raises(kgscore.KgscoreError) as caught:
        call()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_lists_are_pairs_and_tuples_are_not() -> None:
    results = list(kgscore.score_many(references=[PAIR["reference"], "No effusion."], candidates=[PAIR["candidate"], ""]))
    assert [(one.id, one.scores["radsem"].value) for one in results] == [("1", 1.0), ("2", 0.0)]
    (bad,) = kgscore.score_many([("No effusion.", "No effusion.")])
    assert bad.status == "failed"
    assert "the pair is a tuple; give a mapping with id, reference, candidate, or two lists" in bad.reason


def test_results_are_plain_on_demand_and_their_types_are_public() -> None:
    result = kgscore.score(**PAIR, metrics=("radsem", "fineradscore"))
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["scores"]["radsem"]["value"] == 1.0
    assert plain["reference"]["findings"][0]["concept"] == "cardiomegaly"
    assert kgscore.relate("No effusion.", "No effusion.").to_dict()["relation"] == "equivalent"
    assert kgscore.labels("Pneumonia.").to_dict()["status"] == "read"
    seen = [result, result.scores["radsem"], result.reference, *result.reference.findings, *result.links]
    seen += [result.links[0].relation, kgscore.entails("Cardiomegaly.", "Cardiomegaly."), kgscore.labels("Pneumonia.")]
    for value in seen:
        assert getattr(kgscore, type(value).__name__) is type(value)


class Length:
    """How alike in length the reports are."""

    name = "length"

    def score(self, pair):
        one, other = len(pair.reference_text), len(pair.candidate_text)
        return min(one, other) / max(one, other) if one and other else None


def test_a_class_is_a_metric(tmp_path: Path) -> None:
    result = kgscore.Scorer(metrics=["radsem", Length]).score(**PAIR)
    assert result.scores["length"].value == len(PAIR["candidate"]) / len(PAIR["reference"])
    many = kgscore.score_many([{"id": "a", **PAIR}], metrics=[Length])
    assert [one.scores["length"].status for one in many] == ["scored"]
    path = tmp_path / "own.py"
    path.write_text("class Ends:\n    name = 'ends'\n    def score(self, pair): return pair.candidate_text.endswith('.')\n")
    scorer = kgscore.Scorer(metrics=[f"{path}:Ends"])
    assert scorer.score(**PAIR).scores["ends"].value == 1.0
    assert scorer.signature["ends"].startswith("own.py ")
    for spec, said in ((f"{path}:Begins", "the file has no Begins"), (f"{tmp_path}/none.py:X", "cannot be loaded")):
        with pytest.raises(kgscore.ProfileError, match=said):
            kgscore.Scorer(metrics=[spec])
