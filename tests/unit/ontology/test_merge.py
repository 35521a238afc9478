"""All modules as one OWL file: what other tools load is what the modules state, in every format, the same bytes each time."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest

from kgscore.ontology.modules import distinct_modules
from kgscore.ontology.write import FORMATS, write_merged

KGS, OWL = "https://w3id.org/kgscore/", "http://www.w3.org/2002/07/owl#"
HEAD = """@prefix kgs: <https://w3id.org/kgscore/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<https://example.org/own> a owl:Ontology ; owl:imports <https://w3id.org/kgscore/ontology/core> .
"""
SIGN = """<https://example.org/own#turtle_sign> a owl:Class ; kgs:key "turtle_sign" ; kgs:kind "findings" ;
    skos:prefLabel "turtle sign"@en ; rdfs:label "turtle sign"@en ; rdfs:subClassOf kgs:abnormality ;
    <https://example.org/own#note> "kept as it is" .
"""


@pytest.fixture
def modules(tmp_path: Path) -> list[Path]:
    """A small core in the place of the shipped ontologies, and a module of tables and Turtle."""
    whole, own = tmp_path / "small", tmp_path / "own"
    (whole / "core").mkdir(parents=True)
    (whole / "core" / "anatomy.tbl").write_text("body | body\nchest_x | chest | part: body\nlung_x | lung | part: chest_x\n")
    (whole / "core" / "findings.tbl").write_text("finding | finding\nabnormality | abnormality | is: finding | site: lung_x !\n")
    own.mkdir()
    (own / "findings.tbl").write_text("table_sign | table sign | is: abnormality\n")
    (own / "own.ttl").write_text(HEAD + SIGN)
    return [whole, own]


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_holds_the_same_classes_once_without_imports(modules: list[Path], tmp_path: Path, format: str) -> None:
    texts = []
    for number in range(2):
        with (tmp_path / f"{number}").open("wb") as output:
            count = write_merged(distinct_modules(modules), output, format)
        texts.append((tmp_path / f"{number}").read_bytes())
    assert texts[0] == texts[1]
    triples = [quad.triple for quad in ox.parse(texts[0], format=FORMATS[format])]
    assert len(triples) == len(set(triples)) == count
    found = {(one.subject.value, one.object.value) for one in triples if one.predicate.value.endswith("#type")}
    assert [iri for iri, kind in found if kind == f"{OWL}Ontology"] == [f"{KGS}ontology/merged"]
    assert not [one for one in triples if one.predicate.value == f"{OWL}imports"]
    assert {(iri, f"{OWL}Class") for iri in (f"{KGS}table_sign", "https://example.org/own#turtle_sign", f"{KGS}finding")} <= found
    assert '"kept as it is"' in {str(one.object) for one in triples}


def test_owlready2_loads_it(modules: list[Path], tmp_path: Path) -> None:
    owlready2 = pytest.importorskip("owlready2", reason="owlready2 is not installed")
    for format, end in (("rdfxml", "owl"), ("ntriples", "nt")):
        path = tmp_path / f"merged.{end}"
        with path.open("wb") as output:
            write_merged(distinct_modules(modules), output, format)
        world = owlready2.World()
        try:
            loaded = world.get_ontology(f"file://{path}").load()
            sign = world["https://example.org/own#turtle_sign"]
            assert (sign.label.en, sign.is_a) == (["turtle sign"], [world[f"{KGS}abnormality"]])
            assert world[f"{KGS}table_sign"] in set(loaded.classes())
            assert loaded.imported_ontologies == []
        finally:
            world.close()
