"""`kgscore ontology test`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgscore.resources import resource

Run = Callable[..., Any]


def test_one_concept_with_a_table_of_what_was_tried(kgscore: Run) -> None:
    ran = kgscore("ontology", "test", "--concept", "pneumothorax", "--all")
    head, *rows = ran.out.splitlines()[-12:]
    assert "made" in ran.out
    assert any(row.split()[:2] == ["other", "side"] for row in rows)
    assert "checks:" in ran.err
    assert head


def test_json_lines_end_with_the_counts(kgscore: Run) -> None:
    ran = kgscore("ontology", "test", "--concept", "optic_drusen", "--concept", "lower_lobe", "--format", "jsonl")
    *failures, counts = ran.lines
    assert counts["checks"] == sum(row["checks"] for row in counts["kinds"].values()) > 20
    assert counts["failed"] == len(failures)
    assert ran.code == (1 if failures or counts["stale"] else 0)
    assert all(set(line) >= {"check", "concept", "about", "first", "second", "wanted", "found", "read"} for line in failures)


def test_a_sample_of_a_shipped_module_is_drawn_by_seed_and_tells_nothing_stale(kgscore: Run) -> None:
    args = ("--module", "breast", "--sample", 200, "--seed", 4, "--format", "jsonl")
    one, other = (kgscore("ontology", "test", *args) for _ in range(2))
    assert one.out == other.out
    assert one.lines[-1]["checks"] == 200
    assert one.lines[-1]["stale"] == []


def test_a_module_of_ones_own_is_asked_of_its_terms_alone(kgscore: Run, tmp_path: Path) -> None:
    module = tmp_path / "own"
    module.mkdir()
    (module / "findings.tbl").write_text(
        "glimmer_sign | glimmer sign | is: lesion | site: liver ? | syn: glimmering liver focus; pneumothorax\n", encoding="utf-8"
    )
    ran = kgscore("ontology", "test", "--module", module, "--format", "jsonl")
    assert {line["concept"] for line in ran.lines[:-1]} <= {"glimmer_sign"}
    assert "wording" in ran.lines[-1]["kinds"]


def test_exceptions_of_ones_own_are_heard_and_told_when_stale(kgscore: Run, tmp_path: Path) -> None:
    rows = tmp_path / "mine.tsv"
    rows.write_text("check\tconcept\tabout\treason\nwording\tpneumothorax\t*\tnever\n", encoding="utf-8")
    ran = kgscore("ontology", "test", "--concept", "pneumothorax", "--exceptions", rows)
    assert ran.code == 1
    assert "stale exception: mine.tsv:2" in ran.out


def test_an_unknown_concept_is_one_clear_line(kgscore: Run) -> None:
    ran = kgscore("ontology", "test", "--concept", "pneumothoraxx")
    assert (ran.code, ran.out) == (1, "")
    assert "did you mean 'pneumothorax'?" in ran.err


def test_an_unknown_module_is_one_clear_line(kgscore: Run) -> None:
    ran = kgscore("ontology", "test", "--module", "no_such_region")
    assert ran.code == 1
    assert "no such file or folder" in ran.err


def test_it_needs_the_files_that_the_wheel_carries() -> None:
    assert resource("ontologies", "checks.yaml").is_file()
    assert resource("ontologies", "exceptions.tsv").is_file()
