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

import pyoxigraph as ox
import pytest

from kgscore import Scorer
from kgscore.authoring.ontology_checks.run import generate, sample
from kgscore.model import Finding
from kgscore.ontology.compile import build_index, reachable
from kgscore.ontology.files import turtle_files
from kgscore.ontology.index import Index
from kgscore.ontology.load import load_turtle
from kgscore.ontology.reason import class_iris, classify, logical_triples, missing_requirement
from kgscore.ontology.tables import Term
from kgscore.ontology.turtle import KGS, full_iri
from kgscore.ontology.write import build
from kgscore.resources import resource

# A finding's id, the id of its structure or None, and its side (`left`, `right`) or None.
Expression = tuple[str, str | None, str | None]
SMALL = {
    "anatomy": """
body | body | role: roots
lung | lung | part: body | paired
lobe | lobe | part: lung | paired
middle_lobe | middle lobe | is: lobe_kind | part: lung | side: right
lobe_kind | lobe of lung | part: lung | group
""",
    "findings": """
finding | finding | group | role: roots
abnormality | abnormality | is: finding
gas | gas | is: abnormality | syn: air
pneumothorax | pneumothorax | is: abnormality | def: gas @ lung
""",
}
needs_java = pytest.mark.skipif(bool(missing_requirement()), reason=missing_requirement())
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


def contains(index: Index, broad: Expression, narrow: Expression) -> bool:
    """Return whether one expression contains another, by the index."""
    concept, site, side = narrow
    classes = index.derived(concept, (site,) if site else ())
    sites = {place for name in classes for place in index.sites_implied(name)} | ({site} if site else set())
    where = {around for place in sites for around in index.within.get(place, (place,))}
    sides = {index.concepts[place].values.get("side") for place in where if place in index.concepts} | {side}
    return broad[0] in classes and broad[1] in (None, *where) and broad[2] in (None, *sides)


def subsumptions(folder: Path, pairs: Sequence[tuple[Expression, Expression]]) -> list[bool]:
    """Return for each pair whether its first expression contains its second, as HermiT infers it.

    An expression (concept, structure, side) means Concept ⊓ ∃located_in.Structure ⊓ ∃on_side.Side; what is None is left
    out. As the contained side of a pair it is what a report states, ∃inheres_in.Structure: the structure said bears the
    finding itself. Every expression becomes a fresh class with that definition, and the whole is classified once.
    """
    iris = class_iris(folder)
    fresh: dict[tuple[str, Expression], str] = {}
    for broad, narrow in pairs:
        for key in (("located_in", broad), ("inheres_in", narrow)):
            fresh.setdefault(key, f"{KGS}expression/{len(fresh)}")
    text = "\n".join(_defined(iri, expression, relation, iris) for (relation, expression), iri in fresh.items())
    extra = ox.serialize(
        (quad.triple for quad in ox.parse(text.encode(), format=ox.RdfFormat.TURTLE, rename_blank_nodes=True)),
        format=ox.RdfFormat.N_TRIPLES,
    )
    taxonomy = classify(logical_triples(turtle_files(folder)) + (extra or b""))
    empty = taxonomy.unsatisfiable()
    known = (taxonomy.parents, taxonomy.equals)
    steps = {iri: frozenset().union(*(part.get(iri, ()) for part in known)) for part in known for iri in part}
    above = {iri: reachable([iri], steps) for (relation, _), iri in fresh.items() if relation == "inheres_in"}
    verdicts = []
    for broad, narrow in pairs:
        stated = fresh["inheres_in", narrow]
        verdicts.append(fresh["located_in", broad] in above[stated] or stated in empty)
    return verdicts


def _defined(iri: str, expression: Expression, relation: str, iris: dict[str, str]) -> str:
    concept, structure, side = expression
    owl = full_iri("owl:")
    parts = [f"<{iris[concept]}>"]
    if structure is not None:
        parts.append(_some(KGS + relation, iris[structure]))
    if side is not None:
        parts.append(_some(KGS + "on_side", KGS + side.capitalize()))
    joint = parts[0] if len(parts) == 1 else f"[ a <{owl}Class> ; <{owl}intersectionOf> ( {' '.join(parts)} ) ]"
    return f"<{iri}> a <{owl}Class> ; <{owl}equivalentClass> {joint} ."


def _some(relation: str, filler: str) -> str:
    owl = full_iri("owl:")
    return f"[ a <{owl}Restriction> ; <{owl}onProperty> <{relation}> ; <{owl}someValuesFrom> <{filler}> ]"


def disagreements(folder: Path, pairs: Sequence[tuple[Expression, Expression]]) -> tuple[list[str], list[bool]]:
    """Return the pairs on which index and reasoner differ, in words, and what the reasoner says of each pair."""
    index = build_index(load_turtle(folder))
    verdicts = subsumptions(folder, pairs)
    found = [
        f"{broad} contains {narrow}: reasoner {verdict}, index {not verdict}"
        for (broad, narrow), verdict in zip(pairs, verdicts, strict=True)
        if contains(index, broad, narrow) != verdict
    ]
    return found, verdicts


def read_pairs(seed: int, count: int) -> list[tuple[Expression, Expression]]:
    """Return pairs of what the two sentences of generated checks read as: finding ⊓ site ⊓ side, in both directions."""
    scorer = Scorer()
    pairs: list[tuple[Expression, Expression]] = []
    for check in sample([one for one in generate(scorer) if one.kind in TELLING], count, seed):
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


@needs_java
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
        assert len(pairs) / 4 <= sum(holds) <= len(pairs) * 7 / 8, lopsided


@needs_java
def test_subsumption_composes_definition_part_and_side(tmp_path: Path) -> None:
    (tmp_path / "tables" / "core").mkdir(parents=True)
    for kind, text in SMALL.items():
        (tmp_path / "tables" / "core" / f"{kind}.tbl").write_text(text, encoding="utf-8")
    build(tmp_path / "tables", tmp_path)
    yes: list[tuple[Expression, Expression]] = [
        (("pneumothorax", None, None), ("gas", "lobe", "left")),
        (("gas", "body", "left"), ("pneumothorax", "lobe", "left")),
        (("abnormality", "lung", "right"), ("gas", "middle_lobe", None)),
        (("pneumothorax", "lung", "left"), ("pneumothorax", None, "left")),
    ]
    no: list[tuple[Expression, Expression]] = [
        (("gas", "lobe", None), ("pneumothorax", None, None)),
        (("gas", "lung", "left"), ("gas", "lung", "right")),
        (("gas", "lung", "left"), ("gas", "lung", None)),
    ]
    found, verdicts = disagreements(tmp_path, yes + no)
    assert found == []
    assert verdicts == [True] * len(yes) + [False] * len(no)
