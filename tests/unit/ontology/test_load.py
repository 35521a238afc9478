"""Loading: what the tables say comes back from the Turtle, and users' own modules load too."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgscore.errors import OntologyError
from kgscore.ontology.files import turtle_files
from kgscore.ontology.load import load_module, load_turtle
from kgscore.ontology.tables import Term, read_tables
from kgscore.ontology.write import build
from kgscore.resources import resource

ANATOMY = """
body | body | fma: 20394
lung | lung | part: body | paired | syn: lungs=both; pulmonary field | adj: pulmonary | fma: 7195; left 7310; right 7309
middle_lobe | middle lobe | part: lung; body | side: right | abbr: RML=right
territory | territory | part: body | overlaps: lung; middle_lobe | group
"""
FINDINGS = r"""
finding | finding | group
abnormality | abnormality | is: finding | tier: notable
gas | gas | is: abnormality | syn: "free" air; back\slash
pneumothorax | pneumothorax | is: abnormality; finding | def: gas @ lung | site: middle_lobe ?; lung !; body ? | lay: detail
several | several | is: abnormality | def: gas @ lung; gas @ *; abnormality @ body | implies: gas; pneumothorax | opp: gas
anywhere | anywhere | def: gas @ *
both | both | is: gas | def: gas @ * | with: gas + mild; gas + severe | variant | status
"""
DEVICES = "tube | tube | is: finding | kind: device | tip: lung; body | unique | abbr: ETT"
QUALITIES = "size | size | noun: size; dimension | dev: abnormality | up: gas | down: several | off: both | lost: anywhere"
NORMALS = "clear | clear | denies: gas @ lung; abnormality @ * | site: lung ?"
DESCRIPTORS = "mild | mild | syn: slight\nsevere | severe | opp: mild"


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    core = tmp_path / "tables" / "core"
    core.mkdir(parents=True)
    for kind, text in {
        "anatomy": ANATOMY, "findings": FINDINGS, "devices": DEVICES, "qualities": QUALITIES, "normals": NORMALS,
        "descriptors": DESCRIPTORS,
    }.items():
        (core / f"{kind}.tbl").write_text(text, encoding="utf-8")
    (tmp_path / "tables" / "chest").mkdir()
    (tmp_path / "tables" / "chest" / "findings.tbl").write_text("bulla | bulla | is: gas | site: lung !")
    (tmp_path / "tables" / "abdomen").mkdir()
    (tmp_path / "tables" / "abdomen" / "anatomy.tbl").write_text("liver | liver | part: body | syn: hepar")
    return tmp_path / "tables"


def placeless(terms: list[Term]) -> list[Term]:
    return [replace(term, where="") for term in terms]


def test_nothing_of_a_term_is_lost(tables: Path, tmp_path: Path) -> None:
    build(tables, tmp_path / "out")
    assert placeless(load_turtle(tmp_path / "out")) == placeless(read_tables(tables))


def test_where_is_the_file(tables: Path, tmp_path: Path) -> None:
    build(tables, tmp_path / "out")
    where = {term.id: term.where for term in load_turtle(tmp_path / "out")}
    assert (where["lung"], where["bulla"], where["mild"]) == ("core.ttl", "findings/chest.ttl", "descriptors.ttl")


def test_the_shipped_ontology_comes_back_whole() -> None:
    folder = resource("ontologies")
    assert placeless(load_turtle(folder)) == placeless(read_tables(folder / "tables"))


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="|;#={}[]"), min_size=1))
def test_any_wording_survives(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("wording")
    (folder / "tables" / "core").mkdir(parents=True)
    (folder / "tables" / "core" / "findings.tbl").write_text(f"finding | {text} | syn: {text}=left", encoding="utf-8")
    build(folder / "tables", folder)
    assert placeless(load_turtle(folder)) == placeless(read_tables(folder / "tables"))


def test_no_ontology_and_broken_turtle_give_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match=r"no \.ttl file"):
        load_turtle(tmp_path)
    (tmp_path / "core.ttl").write_text("this is no Turtle")
    with pytest.raises(OntologyError, match=r"core\.ttl: no readable Turtle"):
        load_turtle(tmp_path)


def test_a_class_without_a_label_is_named(tmp_path: Path) -> None:
    (tmp_path / "core.ttl").write_text(
        '@prefix kgs: <https://w3id.org/kgscore/> . kgs:x kgs:key "x" ; kgs:kind "findings" .'
    )
    with pytest.raises(OntologyError, match=r"core\.ttl: x: needs"):
        load_turtle(tmp_path)


def test_a_users_table_folder_is_a_module(tmp_path: Path) -> None:
    folder = tmp_path / "thyroid"
    folder.mkdir()
    (folder / "findings.tbl").write_text("goitre | goitre | is: enlargement")
    assert [(term.id, term.module) for term in load_module(folder)] == [("goitre", "thyroid")]
    assert [(term.id, term.module) for term in load_module(tmp_path)] == [("goitre", "thyroid")]


def test_a_users_turtle_file_is_a_module_and_knows_fma_classes(tables: Path, tmp_path: Path) -> None:
    build(tables, tmp_path / "out")
    file = tmp_path / "out" / "findings" / "chest.ttl"
    known = load_turtle(tmp_path / "out")
    (bulla,) = load_module(file, known)
    assert bulla.sites[0].structure == "lung"
    with pytest.raises(OntologyError, match="no term has the class"):
        load_module(file)


def test_a_module_must_hold_terms(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match="no term in it"):
        load_module(tmp_path)
    with pytest.raises(OntologyError, match="no such file"):
        load_module(tmp_path / "absent.ttl")
    (tmp_path / "nothing.xml").touch()
    with pytest.raises(OntologyError, match="a module is"):
        load_module(tmp_path / "nothing.xml")


def test_turtle_files_leave_the_tables_alone(tables: Path, tmp_path: Path) -> None:
    build(tables, tmp_path)
    (tables / "core" / "schema.ttl").write_text("")
    names = [path.relative_to(tmp_path).as_posix() for path in turtle_files(tmp_path)]
    assert names == ["core.ttl", "descriptors.ttl", "kgscore.ttl", "anatomy/abdomen.ttl", "findings/chest.ttl"]
