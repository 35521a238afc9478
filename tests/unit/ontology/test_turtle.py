"""The compiled Turtle: axioms, names, order, and its agreement with the files in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib
from rdflib import OWL, RDF, RDFS, BNode, Graph, URIRef

from kgscore.errors import OntologyError
from kgscore.ontology.files import turtle_files
from kgscore.ontology.turtle import FMA, KGS, compile_tables, full_iri
from kgscore.ontology.write import build
from kgscore.resources import resource

CORE = {
    "anatomy": """
        body | body | fma: 20394
        thorax | thorax | part: body | fma: 9576
        heart | heart | part: thorax
    """,
    "findings": """
        finding | finding | group
        abnormality | abnormality | is: finding | tier: notable
        gas | gas | is: abnormality | syn: air; "free" air
        fluid | fluid | is: abnormality
        enlargement | enlargement | is: abnormality
        small_size | small size | is: abnormality | opp: enlargement
    """,
    "descriptors": "mild | mild | adj: slight",
}
CHEST = {
    "anatomy": """
        lung | lung | part: thorax | paired | fma: 7195; left 7310; right 7309
        upper_lobe | upper lobe | part: lung | paired | abbr: RUL=right
        middle_lobe | middle lobe | part: lung | side: right
        medial_segment | medial segment | part: middle_lobe; lung
        pleural_space | pleural space | part: thorax | sided
        pleural_recess | pleural recess | part: pleural_space | sided
    """,
    "findings": """
        pneumothorax | pneumothorax | is: abnormality | def: gas @ pleural_space | tier: critical
        effusion | effusion | is: abnormality | def: fluid @ pleural_space; fluid @ pleural_recess | site: pleural_space !; lung ?
        mild_pneumothorax | mild pneumothorax | is: pneumothorax | with: pneumothorax + mild
        anywhere | gas anywhere | is: abnormality | def: gas @ *
    """,
}


def write_tables(folder: Path, **modules: dict[str, str]) -> Path:
    for module, kinds in modules.items():
        for kind, text in kinds.items():
            (folder / module).mkdir(parents=True, exist_ok=True)
            (folder / module / f"{kind}.tbl").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, str]:
    return compile_tables(write_tables(tmp_path / "tables", core=CORE, chest=CHEST))


@pytest.fixture
def graph(texts: dict[str, str]) -> Graph:
    graph = Graph()
    for text in texts.values():
        graph.parse(data=text, format="turtle")
    return graph


def kgs(name: str) -> URIRef:
    return URIRef(KGS + name)


def restrictions(graph: Graph, subject: rdflib.term.Node, relation: str) -> set[rdflib.term.Node | None]:
    nodes = [node for node in graph.objects(subject, RDFS.subClassOf) if isinstance(node, BNode)]
    return {graph.value(node, OWL.someValuesFrom) for node in nodes if graph.value(node, OWL.onProperty) == kgs(relation)}


def equivalents(graph: Graph, subject: rdflib.term.Node) -> set[tuple[str, str, str]]:
    found = set()
    for node in graph.objects(subject, OWL.equivalentClass):
        genus, some = rdflib.collection.Collection(graph, graph.value(node, OWL.intersectionOf))  # type: ignore[arg-type]
        found.add((str(genus), str(graph.value(some, OWL.onProperty)), str(graph.value(some, OWL.someValuesFrom))))
    return found


def test_files_are_those_of_the_design(texts: dict[str, str]) -> None:
    assert set(texts) == {"core.ttl", "descriptors.ttl", "anatomy/chest.ttl", "findings/chest.ttl", "kgscore.ttl"}
    assert all("CC BY 4.0" in text and "do not edit" in text for text in texts.values())


def test_the_whole_imports_every_module(texts: dict[str, str], graph: Graph) -> None:
    whole = URIRef(KGS + "ontology/kgscore")
    imported = {str(iri).removeprefix(KGS + "ontology/") + ".ttl" for iri in graph.objects(whole, OWL.imports)}
    assert imported == set(texts) - {"kgscore.ttl"}
    assert URIRef(KGS + "ontology/anatomy/chest") in set(graph.objects(URIRef(KGS + "ontology/findings/chest"), OWL.imports))


def test_a_structure_with_an_fma_id_has_the_fma_iri_and_so_have_its_sides(graph: Graph) -> None:
    lung, left = URIRef(FMA + "7195"), URIRef(FMA + "7310")
    assert str(graph.value(lung, kgs("key"))) == "lung"
    assert equivalents(graph, left) == {(str(lung), KGS + "has_laterality", KGS + "Left")}
    assert graph.value(left, kgs("sideOf")) == lung


def test_a_sided_part_is_part_of_the_sided_whole(graph: Graph) -> None:
    assert restrictions(graph, kgs("upper_lobe"), "part_of") == {URIRef(FMA + "7195")}
    assert restrictions(graph, kgs("upper_lobe_left"), "part_of") == {URIRef(FMA + "7310")}


def test_what_exists_on_one_side_is_part_of_that_side_and_so_are_its_parts(graph: Graph) -> None:
    lung, right = URIRef(FMA + "7195"), URIRef(FMA + "7309")
    assert restrictions(graph, kgs("middle_lobe"), "part_of") == {lung, right}
    assert restrictions(graph, kgs("middle_lobe"), "has_laterality") == {kgs("Right")}
    assert restrictions(graph, kgs("medial_segment"), "part_of") == {kgs("middle_lobe"), lung, right}


def test_one_definition_is_an_equivalence(graph: Graph) -> None:
    assert equivalents(graph, kgs("pneumothorax")) == {(KGS + "gas", KGS + "located_in", KGS + "pleural_space")}


def test_of_several_definitions_each_is_sufficient_and_none_is_necessary(graph: Graph) -> None:
    assert not equivalents(graph, kgs("effusion"))
    assert restrictions(graph, kgs("effusion"), "located_in") == {kgs("pleural_space")}
    below = [node for node in graph.subjects(RDFS.subClassOf, kgs("effusion")) if isinstance(node, BNode)]
    assert len(below) == 2
    assert all(graph.value(node, OWL.intersectionOf) for node in below)


def test_a_finding_with_a_descriptor_may_be_a_named_concept(graph: Graph) -> None:
    (node,) = (node for node in graph.subjects(RDFS.subClassOf, kgs("mild_pneumothorax")) if isinstance(node, BNode))
    genus, some = rdflib.collection.Collection(graph, graph.value(node, OWL.intersectionOf))  # type: ignore[arg-type]
    assert genus == kgs("pneumothorax")
    assert (graph.value(some, OWL.onProperty), graph.value(some, OWL.someValuesFrom)) == (kgs("has_value"), kgs("mild"))


def test_a_definition_at_any_site_gives_its_genus(graph: Graph) -> None:
    assert (kgs("anywhere"), RDFS.subClassOf, kgs("gas")) in graph
    assert not equivalents(graph, kgs("anywhere"))


def test_opposites_of_findings_are_no_disjointness(graph: Graph) -> None:
    assert (kgs("small_size"), kgs("opposite"), kgs("enlargement")) in graph
    assert not list(graph.objects(kgs("small_size"), OWL.disjointWith))


def test_every_property_and_class_in_use_is_declared(graph: Graph) -> None:
    used = {predicate for predicate in graph.predicates() if str(predicate).startswith(KGS)}
    used |= set(graph.objects(None, OWL.onProperty))
    used |= {node for node in graph.objects(None, OWL.someValuesFrom) if isinstance(node, URIRef)}
    assert not {str(node) for node in used if not list(graph.objects(node, RDF.type))}


def test_same_tables_same_bytes(tmp_path: Path, texts: dict[str, str]) -> None:
    assert compile_tables(tmp_path / "tables") == texts


@pytest.mark.parametrize(
    ("kind", "line", "message"),
    [
        ("findings", "x | x | is: nothing_known", "unknown id 'nothing_known'"),
        ("findings", "x | x | is: abnormality | def: gas @ nowhere", "unknown id 'nowhere'"),
        ("findings", "x | x | is: gas | with: gas + strange", "unknown id 'strange'"),
        ("findings", "x | x | is: gas | with: gas @ lung", "write 'finding + descriptor'"),
        ("findings", "gas | gas | is: abnormality", "is also at"),
        ("findings", "part_of | part of | is: abnormality", "word of the schema"),
        ("anatomy", "lung_left | left lung | part: thorax", "already generated from 'lung'"),
        ("anatomy", "other_lung | other lung | part: thorax | fma: 7195", "share fma:7195"),
        ("anatomy", "odd | odd | part: thorax | side: middle", "side is left or right"),
    ],
)
def test_a_bad_line_gives_one_clear_line(tmp_path: Path, kind: str, line: str, message: str) -> None:
    tables = write_tables(tmp_path, core=CORE, chest=CHEST, late={kind: line})
    with pytest.raises(OntologyError) as caught:
        compile_tables(tables)
    assert message in str(caught.value)
    assert f"/{kind}.tbl:" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_build_writes_only_what_changed_and_drops_what_is_gone(tmp_path: Path) -> None:
    tables, out = write_tables(tmp_path / "tables", core=CORE, chest=CHEST), tmp_path / "out"
    assert len(build(tables, out)) == 5
    assert build(tables, out) == []
    (out / "anatomy" / "own.ttl").write_text("# a user's own file\n")
    (tables / "chest" / "findings.tbl").unlink()
    changed = {path.relative_to(out).as_posix() for path in build(tables, out)}
    assert changed == {"findings/chest.ttl", "kgscore.ttl"}
    assert not (out / "findings" / "chest.ttl").exists()
    assert (out / "anatomy" / "own.ttl").exists()


def test_full_iri() -> None:
    assert full_iri("kgs:lung") == "https://w3id.org/kgscore/lung"


def test_the_files_in_the_repository_agree_with_the_tables() -> None:
    folder = resource("ontologies")
    texts = compile_tables(folder / "tables")
    files = {path.relative_to(folder).as_posix(): path for path in turtle_files(folder)}
    assert set(files) == set(texts), "run `kgscore ontology build`"
    stale = [name for name, text in sorted(texts.items()) if files[name].read_text(encoding="utf-8") != text]
    assert not stale, f"run `kgscore ontology build`: {', '.join(stale)}"
