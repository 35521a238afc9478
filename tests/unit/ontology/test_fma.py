"""A small file in the form of the FMA's OWL release becomes a module that the checks accept."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kgscore.errors import InputError, OntologyError
from kgscore.lab.fma.names import Imported
from kgscore.lab.fma.structures import descendants_of, read_fma
from kgscore.lab.fma.terms import import_fma, table
from kgscore.ontology.author import check_module
from kgscore.ontology.modules import find_module
from kgscore.ontology.tables import Term, read_tables
from kgscore.resources import resource

FILE = Path(__file__).parent / "data" / "fma_form.owl"


@pytest.fixture(scope="module")
def shipped() -> list[Term]:
    return read_tables(resource("ontologies", "tables"))


@pytest.fixture(scope="module")
def imported(shipped: list[Term]) -> Imported:
    return import_fma(FILE, shipped, module="fma")


def test_classes_restrictions_from_both_ends_and_english_names_are_read() -> None:
    found = read_fma(FILE)
    assert len(found) == 22
    groove, recess, lung = found[900001], found[900009], found[7195]
    assert (groove.name, groove.parents, groove.wholes) == ("Apical groove of lung", {62955}, {7195})
    assert recess.wholes == {7195}  # said from the whole: regional_part
    assert lung.synonyms == ["Pulmonary organ", "Lungs | both"]
    assert set(descendants_of(found, {900001})) == {900001, 900002, 900003, 900010}


def test_a_packed_file_gives_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "fma.owl.gz"
    packed.write_bytes(gzip.compress(FILE.read_bytes()))
    assert read_fma(packed) == read_fma(FILE)


def test_shipped_concepts_are_kept_and_added_to(imported: Imported) -> None:
    terms = {term.id: term for term in imported.terms}
    assert terms["lung"].extends
    assert [form.text for form in terms["lung"].synonyms] == ["pulmonary organ"]
    assert terms["hemithorax"].fma == {"": "900008"}  # found by its name, and gets the number
    assert imported.counts["shipped concepts found by FMA number"] == 4
    assert imported.counts["new concepts"] == 12


def test_left_and_right_become_sides(imported: Imported) -> None:
    terms = {term.id: term for term in imported.terms}
    groove = terms["apical_groove_of_lung"]
    assert groove.flags == {"paired"}
    assert groove.fma == {"": "900001", "left": "900002", "right": "900003"}
    assert groove.parts == ("lung",)
    assert terms["digit_plate"].flags == {"sided"}  # there are several on the left
    assert terms["paravertebral_notch_of_left_lung"].values == {"side": "left"}


def test_a_wording_of_a_finding_is_left_to_it(imported: Imported) -> None:
    texts = {form.text for term in imported.terms for form in term.synonyms}
    assert "subclavian sulcus of lung" in texts
    assert not texts & {"air", "lungs | both", "lungs   both"}


def test_circles_are_cut(imported: Imported) -> None:
    assert imported.counts["steps of circles left out"] == 1


def test_the_module_passes_the_checks(imported: Imported, tmp_path: Path) -> None:
    folder = tmp_path / "fma"
    folder.mkdir()
    (folder / "anatomy.tbl").write_text("\n".join(table(imported.terms)), encoding="utf-8")
    checked = check_module(find_module(folder))
    assert {problem.severity for problem in checked.problems} <= {"warning"}
    assert len(checked.terms) == 12


@pytest.mark.parametrize("under", ["900001", "FMA:900001", "apical groove of lung"])
def test_under_takes_kinds_and_parts_only(shipped: list[Term], under: str) -> None:
    found = import_fma(FILE, shipped, module="fma", under=[under])
    assert [term.id for term in found.terms if not term.extends] == ["apical_groove_of_lung", "pneumocyte_cluster"]
    assert found.counts["classes chosen"] == 4


def test_what_is_no_fma_is_one_line(shipped: list[Term], tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match="no structure with this FMA number"):
        import_fma(FILE, shipped, module="fma", under=["nonesuch"])
    for name, text, words in (
        ("a.owl", "<rdf:RDF", "cannot be read as OWL"),
        ("b.ttl", "<https://example.org/x> a <https://example.org/y> .", "no class of the FMA"),
        ("c.txt", "", "not a supported format"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(OntologyError, match=words):
            read_fma(tmp_path / name)
    with pytest.raises(OntologyError, match="cannot be read"):
        read_fma(tmp_path / "missing.owl")


def test_the_folder_must_be_new(tmp_path: Path) -> None:
    from kgscore.lab.fma.terms import write_fma

    (tmp_path / "fma").mkdir()
    (tmp_path / "fma" / "kept.txt").write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        write_fma(FILE, tmp_path / "fma")
    assert (tmp_path / "fma" / "kept.txt").read_text() == "mine"
