"""The public face: small, lazy, and the same as the command line."""

from __future__ import annotations

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
def test_a_report_in_another_language_fails_and_says_so(report: str) -> None:
    result = kgscore.score(reference="No pneumothorax.", candidate=report)
    assert (result.status, result.scores["radsem"].value) == ("failed", None)
    assert "candidate" in result.reason
    assert "English" in result.reason


def test_advice_alone_says_nothing_of_the_reference() -> None:
    result = kgscore.score(reference="Cardiomegaly.", candidate="Clinical correlation is advised.")
    assert (result.status, result.scores["radsem"].value) == ("scored", 0.0)


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(kgscore.OntologyError, match=r"absent\.ttl: no such file"):
        kgscore.Scorer(modules=["absent.ttl"])


def test_errors_are_one_family() -> None:
    with pytest.raises(kgscore.KgscoreError):
        kgscore.score(reference="a", candidate="b", profile="no-such-profile")
