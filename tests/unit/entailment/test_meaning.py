"""What statements mean beside each other, construct by construct: opposites, quantities, partitions, normality, devices."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.engine import Scorer

ROWS = [
    line.split("\t")
    for line in Path(__file__).with_name("meaning.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
VERDICTS = ("entailed", "contradicted", "neutral")


@pytest.mark.parametrize(("construct", "expected", "said", "statement"), ROWS)
def test_what_statements_mean(scorer: Scorer, construct: str, expected: str, said: str, statement: str) -> None:
    found = scorer.entails(said, statement).verdict if expected in VERDICTS else scorer.relate(said, statement).relation
    assert found == expected, construct
