"""The page of tiers and rules."""

import re
from pathlib import Path

from kgscore.clinical.rules import load_rules
from kgscore.clinical.tables import page
from kgscore.engine import Scorer
from kgscore.ontology.load import load_turtle
from kgscore.ontology.tables import read_tables, sources
from kgscore.resources import resource

PAGE = Path(__file__).parents[3] / "docs" / "tiers.md"


def test_the_page_is_up_to_date(scorer: Scorer) -> None:
    terms = load_turtle(resource("ontologies"))
    made = page(scorer.index, terms, load_rules(), sources())
    assert made == PAGE.read_text(encoding="utf-8"), "run: kgscore ontology tiers > docs/tiers.md"


def test_every_rule_and_every_assigned_tier_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"| `{rule.id}` |" in text for rule in load_rules().rules)
    given = [term for term in read_tables(resource("ontologies", "tables")) if term.tier is not None]
    rows = re.findall(r"^\| [^`].* \| `[\w-]+` \|$", text, re.MULTILINE)
    assert len(rows) == len(given)
    assert "No radiologist has reviewed this page yet" in text
