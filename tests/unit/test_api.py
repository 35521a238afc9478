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


def test_errors_are_one_family() -> None:
    with pytest.raises(kgscore.KgscoreError):
        kgscore.score(reference="a", candidate="b", profile="no-such-profile")
