"""The page of tiers and rules."""

import re

import pytest

from kgscore.clinical.rules import Condition, Rule, load_rules
from kgscore.clinical.tables import _effect, page
from kgscore.engine import Scorer
from kgscore.ontology.load import load_turtle
from kgscore.ontology.tables import read_tables, sources
from kgscore.resources import resource


@pytest.fixture(scope="module")
def text(scorer: Scorer) -> str:
    return page(scorer.index, load_turtle(resource("ontologies")), load_rules(), sources())


@pytest.mark.parametrize(
    ("change", "effect"),
    [({"add": 1}, "1 higher"), ({"add": -1}, "1 lower"), ({"set": 2}, "notable"), ({"at_least": 3}, "at least urgent")],
)
def test_the_effect_of_a_rule_in_words(change: dict[str, int], effect: str) -> None:
    assert _effect(Rule("a", "acr", Condition(), **change)) == effect


def test_every_rule_and_every_assigned_tier_is_on_the_page(text: str) -> None:
    assert all(f"| `{rule.id}` |" in text for rule in load_rules().rules)
    given = [term for term in read_tables(resource("ontologies", "tables")) if term.tier is not None]
    rows = re.findall(r"^\| [^`].* \| `[\w-]+` \|$", text, re.MULTILINE)
    assert len(rows) == len(given)
    assert "No radiologist has reviewed this page yet" in text
