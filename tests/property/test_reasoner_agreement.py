"""The compiled index and the OWL reasoner give the same answer to every question of subsumption that we draw.

The pairs are drawn from the terms alone (not from the index), with a fixed seed, from the whole shipped ontology: an
expression and a generalisation or specialisation of it along is-a, part-of, definitions, hard sites and side, often with
one step spoilt. More pairs are what the reader makes of sentences that are generated from the terms: class expressions as
the matcher meets them, finding ⊓ site ⊓ side. HermiT classifies the ontology and all expressions once.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from kgscore import Scorer
from kgscore.authoring.oracle.run import generate, sampled
from kgscore.model import Finding
from kgscore.ontology.compile import build_index
from kgscore.ontology.load import load_turtle
from kgscore.ontology.reason import Expression, lacking, subsumptions
from kgscore.ontology.tables import Term
from kgscore.resources import resource

PAIRS = 1500
READ = 600
# Kinds of generated checks of which both sentences assert a finding.
TELLING = ("parent", "definition", "genus", "part", "no side", "other side", "structure part", "structure no side", "wording")
SIDES = ("left", "right")


class Drawing:
    """Draws pairs of class expressions from terms."""

    def __init__(self, terms: Sequence[Term], seed: int) -> None:
        self.random = random.Random(seed)
        self.terms = {term.id: term for term in terms}
        self.findings = sorted(term.id for term in terms if term.kind in ("findings", "devices"))
        self.structures = sorted(term.id for term in terms if term.kind == "anatomy")
        self.defined = sorted(key for key in self.findings if any(d.site != "*" for d in self.terms[key].definitions))
        self.placed = sorted(key for key in self.findings if any(site.hard for site in self.terms[key].sites))
        self.sided = sorted(key for key in self.structures if "side" in self.terms[key].values)
        self.below: dict[str, list[str]] = {}
        for term in terms:
            for parent in term.parents + term.parts:
                self.below.setdefault(parent, []).append(term.id)

    def up(self, key: str, steps: int) -> str:
        for _ in range(steps):
            term = self.terms[key]
            genera = [d.genus for d in term.definitions] if len(term.definitions) == 1 else []
            above = [*term.parents, *term.parts, *genera]
            key = self.random.choice(above) if above else key
        return key

    def down(self, key: str, steps: int) -> str:
        for _ in range(steps):
            below = self.below.get(key)
            key = self.random.choice(below) if below else key
        return key

    def start(self) -> Expression:
        chance = self.random.random()
        pool = self.findings if chance < 0.5 else self.defined or self.findings if chance < 0.75 else self.placed
        concept = self.random.choice(pool or self.findings)
        term = self.terms[concept]
        near = [site.structure for site in term.sites] + [d.site for d in term.definitions if d.site != "*"]
        structure: str | None = None
        chance = self.random.random()
        if near and chance < 0.5:
            structure = self.down(self.random.choice(near), self.random.randrange(3))
        elif chance < 0.75:
            structure = self.random.choice(self.structures)
        elif chance < 0.82 and self.sided:
            structure = self.random.choice(self.sided)
        return concept, structure, self.random.choice((None, None, *SIDES))

    def general(self, narrow: Expression) -> Expression:
        concept, structure, side = narrow
        if structure is not None:
            chance = self.random.random()
            if chance < 0.2:
                structure = None
            elif chance < 0.8:
                structure = self.up(structure, self.random.randrange(1, 4))
        term = self.terms[self.up(concept, self.random.randrange(2))]
        hard = [site.structure for site in term.sites if site.hard]
        if hard and self.random.random() < 0.4:
            structure = self.up(self.random.choice(hard), self.random.randrange(3))
        if self.random.random() < 0.4:
            side = None
        return self.up(concept, self.random.randrange(3)), structure, side

    def by_definition(self) -> tuple[Expression, Expression]:
        """A definition that is met (broad is the defined class, narrow the genus below it at the site or a part of it)."""
        term = self.terms[self.random.choice(self.defined)]
        rule = self.random.choice([rule for rule in term.definitions if rule.site != "*"])
        side = self.random.choice((None, None, *SIDES))
        narrow = (
            self.down(rule.genus, self.random.randrange(3)), self.down(rule.site, self.random.randrange(4)), side
        )
        site = self.random.choice((None, rule.site, self.up(rule.site, 1)))
        return (self.up(term.id, self.random.randrange(2)), site, self.random.choice((None, side))), narrow

    def spoil(self, expression: Expression) -> Expression:
        concept, structure, side = expression
        what = self.random.randrange(4)
        if what == 0:
            return concept, structure, self.random.choice(SIDES)
        if what == 1:
            return self.random.choice(self.findings), structure, side
        if what == 2:
            near = structure and self.down(self.up(structure, 1), 1)
            return concept, near or self.random.choice(self.structures), side
        return self.down(self.up(concept, 1), 1), structure, side

    def pair(self) -> tuple[Expression, Expression]:
        if self.defined and self.random.random() < 0.3:
            broad, narrow = self.by_definition()
        else:
            narrow = self.start()
            broad = self.general(narrow)
        if self.random.random() < 0.1:
            broad, narrow = narrow, broad
        return (self.spoil(broad) if self.random.random() < 0.3 else broad), narrow


def disagreements(folder: Path, pairs: Sequence[tuple[Expression, Expression]]) -> tuple[list[str], list[bool]]:
    """Return the pairs on which index and reasoner differ, in words, and what the reasoner says of each pair."""
    index = build_index(load_turtle(folder))
    verdicts = subsumptions(folder, pairs)
    found = [
        f"{broad} contains {narrow}: reasoner {verdict}, index {not verdict}"
        for (broad, narrow), verdict in zip(pairs, verdicts, strict=True)
        if index.expression_subsumes(broad, narrow) != verdict
    ]
    return found, verdicts


def read_pairs(seed: int, count: int) -> list[tuple[Expression, Expression]]:
    """Return pairs of what the two sentences of generated checks read as: finding ⊓ site ⊓ side, in both directions."""
    scorer = Scorer()
    pairs: list[tuple[Expression, Expression]] = []
    for check in sampled([one for one in generate(scorer) if one.kind in TELLING], count, seed):
        first, second = (scorer.read(text).findings for text in (check.first, check.second))
        if len(first) == len(second) == 1 and len(first[0].sites) < 2 and len(second[0].sites) < 2:
            one, other = expression(first[0]), expression(second[0])
            if one is not None and other is not None:
                pairs += [(one, other), (other, one)]
    return pairs


def expression(finding: Finding) -> Expression | None:
    if finding.concept is None:
        return None
    return finding.concept, finding.sites[0] if finding.sites else None, finding.side


@pytest.mark.skipif(bool(lacking()), reason=lacking())
def test_index_and_reasoner_agree() -> None:
    folder = resource("ontologies")
    drawing = Drawing(load_turtle(folder), seed=20240501)
    drawn = [drawing.pair() for _ in range(PAIRS)]
    read = read_pairs(seed=20240501, count=READ)
    found, verdicts = disagreements(folder, [*drawn, *read])
    assert not found, f"{len(found)} of {len(verdicts)} pairs differ:\n" + "\n".join(found[:20])
    for pairs, holds in ((drawn, verdicts[:PAIRS]), (read, verdicts[PAIRS:])):
        assert len(pairs) >= PAIRS / 3
        lopsided = f"the draw is lopsided: {sum(holds)} of {len(pairs)} pairs hold"
        assert len(pairs) / 4 <= sum(holds) <= len(pairs) * 5 / 6, lopsided
