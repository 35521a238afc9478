"""Generated pairs: what they are made of, what must hold of them, and that a wrong one is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
import yaml

from kgscore.engine import Scorer
from kgscore.lab.bench.invariance import Trial, invariance, relation_holds, trials
from kgscore.resources import yaml_of


@cache
def scorer() -> Scorer:
    return Scorer(remember=1000)


def shipped() -> Mapping[str, Any]:
    found: Mapping[str, Any] = yaml_of("mappings", "bench", "invariance.yaml")
    return found


@cache
def made() -> tuple[Trial, ...]:
    return tuple(trials(scorer(), shipped()))


def test_every_frame_speaks_of_what_the_ontology_has_in_every_module() -> None:
    assert Counter(trial.test for trial in made()).keys() == {frame["test"] for frame in shipped()["tests"]}
    assert {"abdomen", "breast", "chest", "head", "msk", "spine", "vascular"} <= {trial.module for trial in made()}
    texts = {(trial.first, trial.second) for trial in made() if trial.test == "not seen"}
    assert ("A stone in the gallbladder is not seen.", "There is no stone in the gallbladder.") in texts
    assert not [trial for trial in made() if "{" in trial.first + trial.second or trial.first == trial.second]


def test_a_finding_is_where_it_can_be_and_no_name_says_the_place() -> None:
    denied = {trial.second for trial in made() if trial.test == "absent"}
    assert "There is no fracture in the femoral neck." in denied
    assert not {"There is no fracture in the thyroid gland.", "There is no hepatic cyst in the liver."} & denied


def test_words_lists_and_articles_are_filled_in() -> None:
    data = yaml.safe_load("""
      bodies: [stone]
      uncounted: [gas]
      words: {density: [[hypodense, low-density]], head: [[area, focus]]}
      lists: {ranges: [{said: 2nd to 3rd ribs, each: [2nd rib, 3rd rib], findings: [erosion]}]}
      tests:
        - {test: w, draw: placed, want: kin, first: "{a} is a {head} in the {site}.", second: "A {density2} {head2}."}
        - {test: r, draw: ranges, want: same, first: "{a} of the {said}.", second: "There is {a} of the {each}."}
    """)
    found = list(trials(scorer(), data))
    assert ("A stone is an area in the gallbladder.", "A low-density focus.") in {(one.first, one.second) for one in found}
    each = "There is an erosion of the 2nd rib. There is an erosion of the 3rd rib."
    assert found[-1] == Trial("r", "", "An erosion of the 2nd to 3rd ribs.", each, "same")


@pytest.mark.parametrize(
    ("want", "first", "second", "right"),
    [
        ("same", "There is a cyst of the liver.", "There is a cyst in the liver.", True),
        ("same", "There is a cyst of the left kidney.", "There is a cyst in the kidney.", False),
        ("says", "There is a cyst of the left kidney.", "There is a cyst in the kidney.", True),
        ("says", "There is a cyst of the kidney.", "There is no cyst in the kidney.", False),
        ("kin", "There is a mass in the liver.", "There is a lesion in the liver.", True),
        ("kin", "There is a mass in the liver.", "There is a stone in the kidney.", False),
        ("contradiction", "There is a cyst in the liver.", "There is no cyst in the liver.", True),
        ("contradiction", "There is a cyst in the liver.", "There is a cyst in the kidney.", False),
        ("alone", "There is a cyst of the liver. The spleen is enlarged.", "There is a cyst of the liver.", False),
        ("alone", "There is a large cyst of the liver.", "There is a cyst of the liver.", True),
    ],
)
def test_what_must_hold(want: str, first: str, second: str, right: bool) -> None:
    assert relation_holds(scorer(), Trial("t", "", first, second, want)) is right


def test_shares_by_test_and_module_of_a_sample() -> None:
    figures = invariance.run(sample=1)
    assert figures["cases"] == len(shipped()["tests"])
    assert figures["test: of, in, within"]["cases"] == 2
    assert figures["right"] > 0.5
    assert figures["test: of, in, within"]["right"] == 1.0
