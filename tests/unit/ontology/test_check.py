"""Each check fires on a small bad table, says what to do, and is silent on a good one."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.ontology import check, reason
from kgscore.ontology.check import Problem, check_reasoner, check_structure
from kgscore.ontology.tables import Definition, Term, read_tables
from kgscore.ontology.write import build
from kgscore.resources import resource

ANATOMY = """
body | body | role: roots
lung | lung | part: body | paired
lobe | lobe | part: lung | paired
middle_lobe | middle lobe | is: lobe_kind | part: lung | side: right
lobe_kind | lobe of lung | part: lung | group
"""
FINDINGS = """
finding | finding | group | role: roots
abnormality | abnormality | is: finding
gas | gas | is: abnormality | syn: air
pneumothorax | pneumothorax | is: abnormality | def: gas @ lung
"""
needs_java = pytest.mark.skipif(bool(reason.missing_requirement()), reason=reason.missing_requirement())


def tables(folder: Path, anatomy: str = "", findings: str = "", **more: str) -> Path:
    (folder / "core").mkdir(parents=True, exist_ok=True)
    for kind, text in {"anatomy": ANATOMY + anatomy, "findings": FINDINGS + findings, **more}.items():
        (folder / "core" / f"{kind}.tbl").write_text(text, encoding="utf-8")
    return folder


def problems(folder: Path, anatomy: str = "", findings: str = "", **more: str) -> list[Problem]:
    return check_structure(read_tables(tables(folder, anatomy, findings, **more)))


def test_a_role_of_one_concept_is_given_once(tmp_path: Path) -> None:
    twice = "one | one | is: abnormality | role: all_acute; lesions\nother | other | is: abnormality | role: lesions; all_acute"
    (problem,) = [found for found in problems(tmp_path, findings=twice) if found.severity == "error"]
    assert problem.term == "other"
    assert problem.message == "role 'all_acute' is for one concept only, and one has it; remove one"


def test_good_tables_have_no_problem(tmp_path: Path) -> None:
    good = "clear | clear | denies: gas @ lung; abnormality @ *\nclear_too | clear | denies: gas @ lobe"
    assert problems(tmp_path, normals=good, descriptors="air_like | air | adj: gas") == [
        Problem("warning", "core/anatomy.tbl:5", "middle_lobe", "part: lung follows from lobe_kind; drop it")
    ]


@pytest.mark.parametrize(
    ("anatomy", "findings", "severity", "term", "words"),
    [
        ("", "x |  | is: gas", "error", "x", "no label"),
        ("", "gas | wind | is: abnormality", "error", "gas", "the id is also defined at core/findings.tbl:4"),
        ("lung_left | left lung | part: body", "", "error", "lung_left", "made from 'lung'"),
        ("", "x | x | is: lost", "error", "x", "parent 'lost' is not known"),
        ("", "x | x | is: lung", "error", "x", "parent 'lung' is of kind anatomy"),
        ("", "x | x | is: gas | def: gas @ gas", "error", "x", "definition: 'gas' is of kind findings"),
        ("", "x | x | is: gas | site: lost !", "error", "x", "site 'lost' is not known"),
        ("", "x | x | is: abnormality | with: gas + lung", "error", "x", "definition: 'lung' is of kind anatomy"),
        ("", "x | x | is: abnormality | with: gas + lung", "error", "x", "x is not one; add 'is: gas'"),
        ("x | x", "", "error", "x", "no place in the body"),
        ("", "x | x", "error", "x", "no parent"),
        ("", "x | x | is: gas | syn: AIR", "error", "x", "the form 'AIR' also names gas"),
        ("", "x | x | is: abnormality | site: lung ? | syn: BREEZE\ny | y | is: abnormality | site: body ? | syn: breeze",
         "error", "y", "'breeze' is exact here and at x (core/findings.tbl"),
        ("x | x | part: body | abbr: mid-dle LOBE; middle-lobe", "", "error", "x", "the form 'middle-lobe' also names"),
        ("x | x | part: body | abbr: RX=right; rx=left", "", "error", "x", "listed with two sides"),
        ("", "x | x | is: y\ny | y | is: x", "error", "x", "a cycle of 'is': x → y → x"),
        ("x | x | part: y\ny | y | is: x", "", "error", "x", "a cycle of 'is and part'"),
        ("", "x | x | is: abnormality | def: z @ lung\nz | z | is: x", "error", "x", "is circular: z is a x"),
        ("", "x | x | is: gas | def: y @ lung\ny | y | is: gas | def: z @ lung\nz | z | is: gas | def: x @ lung",
         "error", "x", "definitions form a cycle"),
        ("", "x | x | is: gas | def: gas @ lobe; abnormality @ lobe", "warning", "x", "add 'site: lobe !'"),
        ("", "x | x | is: abnormality | def: gas @ lung", "warning", "x", "also defines pneumothorax"),
        ("x | x | part: middle_lobe | side: left", "", "error", "x", "it is left, but middle_lobe above it is right"),
        ("x | x | part: middle_lobe | paired", "", "error", "x", "it exists left and right, but middle_lobe"),
        ("x | x | part: body | paired | side: left", "", "error", "x", "left only and yet paired"),
        ("x | x | part: body | side: middle", "", "error", "x", "side is left or right"),
        ("x | x | part: body | fma: 1\ny | y | part: body | fma: 1", "", "error", "y", "FMA:1 is also x"),
        ("x | x | part: body | fma: 1\ny | y | part: body | paired | fma: left 1", "", "warning", "y", "FMA:1 is also x"),
        ("x | x | part: body | fma: left 1", "", "warning", "x", "neither 'paired' nor 'sided'"),
        ("", "x | x | is: gas; abnormality", "warning", "x", "is: abnormality follows from gas"),
        ("x | x | part: lobe; body", "", "warning", "x", "part: body follows from lobe"),
    ],
)
def test_each_check_fires(tmp_path: Path, anatomy: str, findings: str, severity: str, term: str, words: str) -> None:
    found = problems(tmp_path, anatomy, findings)
    assert any((one.severity, one.term) == (severity, term) and words in one.message for one in found), found


def test_a_part_that_carries_the_side_is_not_redundant(tmp_path: Path) -> None:
    found = problems(tmp_path, "region | region | part: lung\nx | x | part: region; lung | paired")
    assert not [one for one in found if one.term == "x"]


def test_a_problem_reads_as_one_line() -> None:
    assert str(Problem("error", "core.tbl:1", "lung", "no label")) == "error: core.tbl:1: lung: no label"


def test_fold() -> None:
    assert check.fold("Air-fluid  LEVEL") == "air fluid level"


@needs_java
def test_the_reasoner_is_content_with_good_tables(tmp_path: Path) -> None:
    build(tables(tmp_path / "tables"), tmp_path)
    assert check_reasoner(tmp_path) == []


@needs_java
def test_the_reasoner_finds_a_structure_with_two_sides(tmp_path: Path) -> None:
    build(tables(tmp_path / "tables", "x | x | part: middle_lobe | side: left"), tmp_path)
    assert ("error", "x") in {(one.severity, one.term) for one in check_reasoner(tmp_path)}


@needs_java
def test_the_reasoner_finds_two_names_of_one_class(tmp_path: Path) -> None:
    build(tables(tmp_path / "tables", findings="x | x | is: abnormality | def: gas @ lung"), tmp_path)
    (found,) = check_reasoner(tmp_path)
    assert (found.severity, found.term) == ("warning", "pneumothorax")
    assert "the same as x" in found.message


@needs_java
def test_the_reasoner_finds_inconsistency(tmp_path: Path) -> None:
    build(tables(tmp_path / "tables"), tmp_path)
    extra = "<urn:a> a kgs:Left , kgs:Right , <http://www.w3.org/2002/07/owl#NamedIndividual> .\n"
    with (tmp_path / "core.ttl").open("a") as file:
        file.write(extra)
    assert "inconsistent" in check_reasoner(tmp_path)[0].message


def test_without_java_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tables(tmp_path / "tables"), tmp_path)
    monkeypatch.setenv("PATH", "")
    (found,) = check_reasoner(tmp_path)
    assert found.severity == "error"
    assert "Java not found" in found.message


def test_without_owlready2_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tables(tmp_path / "tables"), tmp_path)
    monkeypatch.setattr(reason, "find_spec", lambda name: None)
    monkeypatch.setattr(reason.shutil, "which", lambda name: "java")
    (found,) = check_reasoner(tmp_path)
    assert "pip install 'kgscore[reasoner]'" in found.message


def test_without_compiled_files_one_clear_line(tmp_path: Path) -> None:
    (found,) = check_reasoner(tmp_path)
    assert found.severity == "error"
    assert "run `kgscore ontology build`" in found.message


def test_terms_without_a_table_are_checked_too() -> None:
    assert check_structure([Term("x", "x", "anatomy", "own", "own.ttl", parents=("body",))])[0].term == "x"


@pytest.mark.parametrize(
    ("label", "genus", "wrong"),
    [
        ("thymoma", "lesion", True), ("thymoma", "area", True), ("thymoma", "mass", False),
        ("thymic lesion", "lesion", False), ("abnormality of thymus", "lesion", False),
    ],
)  # fmt: skip
def test_a_lesion_of_a_place_is_no_disease_of_it(label: str, genus: str, wrong: bool) -> None:
    shipped = read_tables(resource("ontologies", "tables"))
    own = Term("own", label, "findings", "own", "own.tbl:1", parents=("lesion",), definitions=(Definition(genus, "thymus"),))
    messages = [problem.message for problem in check_structure([*shipped, own]) if problem.term == "own"]
    assert any("is too general" in message for message in messages) == wrong
