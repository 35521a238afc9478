"""Mappings in SSSOM: what is shipped holds, faults are named, and the SSSOM library reads the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.errors import OntologyError
from kgscore.labelling.sets import generated_mappings, stale_files
from kgscore.ontology.sssom import EXACT, Mapping, MappingSet, check_mappings, check_sssom, metadata_of, read_sssom, write_sssom
from kgscore.ontology.tables import read_tables
from kgscore.resources import resource

FOLDER = resource("mappings")
FILES = sorted(FOLDER.glob("*.sssom.tsv"))
METADATA = metadata_of("x", "x", "for a test", {"X": "https://example.org/"})


def test_the_shipped_mappings_hold() -> None:
    wanted = {"fma", "oifm", "chexpert14", "ctrate18", "headct_one", "birads", "lungrads"}
    assert {path.name.partition(".")[0] for path in FILES} >= wanted
    assert check_mappings(FOLDER, read_tables(resource("ontologies", "tables"))) == []


def test_generated_mappings_are_what_their_sources_give() -> None:
    assert stale_files(FOLDER, generated_mappings(read_tables(resource("ontologies", "tables")))) == []


def test_a_stale_file_is_told(tmp_path: Path) -> None:
    found = MappingSet("x", METADATA, (Mapping("kgs:lung", object_id="X:1"),))
    problem = "error: x.sssom.tsv: does not match its source; run: kgscore ontology mappings --write"
    assert stale_files(tmp_path, [found]) == [problem]
    (tmp_path / "x.sssom.tsv").write_text(write_sssom(found), encoding="utf-8")
    assert stale_files(tmp_path, [found]) == []


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    rows = (
        Mapping("kgs:mass", "mass", "", "skos:narrowMatch", "X:2", ext_located_in="kgs:liver", ext_detail="kgs:large"),
        Mapping("kgs:lung", "lung", "Not", EXACT, "X:1", comment="a comment, with a comma"),
    )
    path = tmp_path / "x.sssom.tsv"
    path.write_text(write_sssom(MappingSet("x", METADATA, rows)), encoding="utf-8")
    found = read_sssom(path)
    assert [row.identity for row in found.mappings] == [rows[1].identity, rows[0].identity]
    assert found.mappings[0].comment == "a comment, with a comma"
    assert found.mappings[0].where.startswith("x.sssom.tsv:")
    assert {slot["slot_name"] for slot in found.metadata["extension_definitions"]} == {"ext_located_in", "ext_detail"}
    assert found.metadata["license"] == "https://creativecommons.org/licenses/by/4.0/"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Mapping("kgs:lungg", object_id="X:1"), "'kgs:lungg' is not an id of the ontology"),
        (Mapping("other:lung", object_id="X:1"), "'other:lung' is not an id of the ontology"),
        (Mapping("kgs:lung", object_id="X:1", ext_located_in="kgs:lung|kgs:livr"), "'kgs:livr' is not an id of the ontology"),
        (Mapping("kgs:lung", object_id="Y:1"), "'Y:1' has a prefix that is not in the curie_map"),
        (Mapping("kgs:lung", predicate_id="skos:sameMatch", object_id="X:1"), "'skos:sameMatch' is not a mapping predicate"),
        (Mapping("kgs:lung", object_id="X:1", mapping_justification="semapv:Guess"), "'semapv:Guess' is not a justification"),
        (Mapping("kgs:lung", predicate_modifier="Maybe", object_id="X:1"), "the modifier is 'Not' or nothing"),
    ],
)
def test_a_fault_is_named(row: Mapping, said: str) -> None:
    problems = check_sssom(MappingSet("x", METADATA, (row,)), {"lung"})
    assert [problem.severity for problem in problems] == ["error"]
    assert said in problems[0].message


def test_a_mapping_may_not_stand_twice() -> None:
    rows = (Mapping("kgs:lung", object_id="X:1", where="a:1"), Mapping("kgs:lung", object_id="X:1", where="a:2"))
    problems = check_sssom(MappingSet("x", METADATA, rows), {"lung"})
    assert [problem.message for problem in problems] == ["is duplicated (first at a:1); keep one"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("subject_id\tobject_id\n", "no column 'predicate_id'"),
        ("#a: [\nsubject_id\n", "the metadata is not YAML"),
        ("#just words\nsubject_id\n", "the metadata is not a mapping"),
    ],
)
def test_a_file_that_is_no_sssom_is_told_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.sssom.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OntologyError, match=r"bad\.sssom\.tsv") as error:
        read_sssom(path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.partition(".")[0])
def test_the_sssom_library_reads_the_same(path: Path) -> None:
    parsers = pytest.importorskip("sssom.parsers")
    ours, theirs = read_sssom(path), parsers.parse_sssom_table(str(path))
    assert theirs.metadata["mapping_set_id"] == ours.metadata["mapping_set_id"]
    keys = ["subject_id", "predicate_id", "object_id"]
    read = sorted(theirs.df[keys].itertuples(index=False, name=None))
    assert read == sorted((row.subject_id, row.predicate_id, row.object_id) for row in ours.mappings)
    document = parsers.to_mapping_set_document(theirs)
    assert len(document.mapping_set.mappings) == len(ours.mappings)
