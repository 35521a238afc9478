"""The page of tiers and rules."""

import re

import pytest

from kgscore.clinical.rules import load_rules
from kgscore.clinical.tables import page
from kgscore.engine import Scorer
from kgscore.ontology.load import load_turtle
from kgscore.ontology.tables import read_tables, sources
from kgscore.resources import resource


@pytest.fixture(scope="module")
def text(scorer: Scorer) -> str:
    return page(scorer.index, load_turtle(resource("ontologies")), load_rules(), sources())


def test_every_rule_and_every_assigned_tier_is_on_the_page(text: str) -> None:
    assert all(f"| `{rule.id}` |" in text for rule in load_rules().rules)
    effects = re.findall(r"^\| `[\w-]+` \| (\d+ (?:higher|lower)) \|", text, re.MULTILINE)
    added = [rule.add for rule in load_rules().rules if rule.add and rule.set is None]
    assert effects == [f"{abs(add)} {'higher' if add > 0 else 'lower'}" for add in added]
    given = [term for term in read_tables(resource("ontologies", "tables")) if term.tier is not None]
    rows = re.findall(r"^\| [^`].* \| `[\w-]+` \|$", text, re.MULTILINE)
    assert len(rows) == len(given)
    assert "No radiologist has reviewed this page yet" in text
