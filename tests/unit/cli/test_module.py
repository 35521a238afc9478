"""Modules on the command line: laid, checked, used by path and by profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscore.profile import as_mapping, load_profile
from kgscore.resources import resource

Cli = Callable[..., Any]
DENTAL = resource("examples", "dental_cbct", "dental_cbct")
PAIR = {"id": "a", "reference": "External root resorption of tooth 21.", "candidate": "Internal root resorption of tooth 21."}


@pytest.mark.parametrize("form", [(), ("--turtle",)])
def test_a_new_module_is_sound_and_its_examples_hold(kgscore: Cli, tmp_path: Path, form: tuple[str, ...]) -> None:
    ran = kgscore("ontology", "new", tmp_path / "oct", *form)
    assert ran.code == 0
    assert all(Path(line).is_file() for line in ran.out.splitlines())
    assert "NAME" not in "".join(Path(line).read_text() for line in ran.out.splitlines())
    checked = kgscore("ontology", "check", tmp_path / "oct", "--no-reasoner")
    assert (checked.code, checked.out) == (0, "")
    assert "0 errors, 0 warnings (no reasoner)" in checked.err
    assert kgscore("ontology", "new", tmp_path / "oct").code == 1


def test_check_ends_with_1_and_does_not_try_the_examples_of_a_wrong_module(kgscore: Cli, tmp_path: Path) -> None:
    (tmp_path / "findings.tbl").write_text("x | x | is: lesoin\n")
    ran = kgscore("ontology", "check", tmp_path, "--no-reasoner")
    assert ran.code == 1
    assert "x: parent 'lesoin' is not known; did you mean 'lesion'?" in ran.out
    assert "sentences and pairs not run" in ran.err


def test_the_example_module_is_sound(kgscore: Cli) -> None:
    ran = kgscore("ontology", "check", DENTAL, "--no-reasoner")
    assert ran.code == 0
    assert all(line.startswith("note: ") for line in ran.out.splitlines())


def test_every_command_that_reads_takes_a_module(kgscore: Cli, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps(PAIR))
    with_module = ("--module", DENTAL)
    (plain_line,), (line,) = kgscore("score", pairs).lines, kgscore("score", pairs, *with_module).lines
    assert line["scores"]["radsem"] < plain_line["scores"]["radsem"]
    (relation,) = kgscore("relate", PAIR["reference"], PAIR["candidate"], *with_module).lines
    assert relation["relation"] == "contradiction"
    assert "external root resorption" in kgscore("explain", pairs, "a", *with_module).out
    (corrected,) = kgscore("correct", pairs, *with_module).lines
    assert corrected["corrections"]
    rows = json.dumps({"id": "1", "report": PAIR["reference"], "statement": "Root resorption of tooth 21."}).encode()
    (read,) = kgscore("read", "-", *with_module, stdin=rows).lines
    assert read["findings"][0]["concept"] == "external_root_resorption"
    (entailed,) = kgscore("entails", "-", *with_module, stdin=rows).lines
    assert entailed["verdict"] == "entailed"
    (consistent,) = kgscore("consistency", "-", *with_module, stdin=rows).lines
    assert consistent["contradictions"] == []
    assert kgscore("coverage", "-", *with_module, stdin=rows).out == kgscore(
        "ontology", "coverage", "-", *with_module, stdin=rows
    ).out


def test_labels_demo_and_report_take_a_module(kgscore: Cli, tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text("labels: [{name: Resorption, any: [external_root_resorption]}]\n")
    rows = json.dumps({"id": "1", "report": PAIR["reference"]}).encode()
    (labelled,) = kgscore("labels", "-", "--set", tmp_path / "set.yaml", "--module", DENTAL, stdin=rows).lines
    assert labelled["labels"] == {"Resorption": "present"}
    assert kgscore("labels", "-", "--set", tmp_path / "set.yaml", stdin=rows).code == 1
    assert kgscore("demo", "--output", tmp_path / "demo", "--module", DENTAL).code == 0
    (found,) = kgscore("sql", tmp_path / "demo", "SELECT name FROM modules").lines
    assert found == {"name": "dental_cbct"}
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps(PAIR))
    assert kgscore("report", pairs, "-o", tmp_path / "r.html", "--module", DENTAL).code == 0
    assert "external root resorption" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_a_fit_says_which_modules_it_was_made_with(kgscore: Cli, tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    table = tmp_path / "rated.jsonl"
    texts = [f"{kind} root resorption of tooth {tooth}." for kind in ("External", "Internal") for tooth in (11, 21, 31)]
    rows = [{"id": f"{a}{b}", "study": str(a), "reference": texts[a], "candidate": texts[b], "human": float(a == b)}
            for a in range(6) for b in range(6)]  # fmt: skip
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    out = tmp_path / "mine.yaml"
    ran = kgscore("fit", "radsem", table, "--output", out, "--trials", "2", "--folds", "2", "--module", DENTAL)
    assert ran.code == 0
    assert "modules dental_cbct" in out.read_text(encoding="utf-8")


def test_a_run_is_explained_without_the_modules_that_made_it(kgscore: Cli, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps(PAIR))
    assert kgscore("score", pairs, "--module", DENTAL, "--output", tmp_path / "run").code == 0
    ran = kgscore("explain", tmp_path / "run", "a")
    assert ran.err == ""
    assert "present: external root resorption" in ran.out
    assert ran.out == kgscore("explain", tmp_path / "run", "a", "--module", DENTAL).out


def test_a_profile_names_modules_from_its_own_folder(
    kgscore: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "teeth").symlink_to(DENTAL)
    (tmp_path / "base.yaml").write_text("modules: [teeth]\n")
    (tmp_path / "heir.yaml").write_text("inherits: base.yaml\nlink_share: 0.5\n")
    monkeypatch.chdir(tmp_path.parent)
    assert load_profile(tmp_path / "heir.yaml").modules == (str(tmp_path / "teeth"),)
    assert as_mapping(load_profile(tmp_path / "heir.yaml"))["modules"] == [str(tmp_path / "teeth")]
    assert "modules" not in as_mapping(load_profile("default"))
    (relation,) = kgscore("relate", PAIR["reference"], PAIR["candidate"], "--profile", tmp_path / "heir.yaml").lines
    assert relation["relation"] == "contradiction"
    assert kgscore("profile", "check", tmp_path / "heir.yaml").code == 0


@pytest.mark.parametrize(
    ("text", "words"), [("modules: teeth", "a list of paths"), ("modules: [nowhere]", "'nowhere' not found")]
)
def test_wrong_modules_of_a_profile_are_one_line(kgscore: Cli, tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "p.yaml").write_text(text)
    ran = kgscore("relate", "a", "b", "--profile", tmp_path / "p.yaml")
    assert ran.code == 1
    assert words in ran.err
    assert ran.err.count("\n") == 1


def test_diff_prints_what_changes_and_the_totals(kgscore: Cli, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    same_again = {"id": "b", "reference": "Pneumothorax.", "candidate": "Pneumothorax."}
    pairs.write_text(f"{json.dumps(PAIR)}\n{json.dumps(same_again)}\n")
    ran = kgscore("ontology", "diff", "shipped", DENTAL, pairs)
    (line,) = ran.lines
    assert line["id"] == "a"
    assert list(line["scores"]["radsem"]) == ["before", "after"]
    assert "2 records, 1 changed, 2 readings changed" in ran.err
    same = kgscore("ontology", "diff", DENTAL, DENTAL, pairs)
    assert (same.code, same.out) == (0, "")


def test_import_fma_lays_a_module(kgscore: Cli, tmp_path: Path) -> None:
    source = Path(__file__).parents[1] / "ontology" / "data" / "fma_form.owl"
    ran = kgscore("ontology", "import-fma", source, "--output", tmp_path / "fma", "--under", "900001")
    assert ran.out == f"{tmp_path / 'fma' / 'anatomy.tbl'}\n"
    assert "2 new concepts" in ran.err
    text = "Gas in the left apical groove of the lung."
    (found,) = kgscore("read", "-", "--module", tmp_path / "fma", stdin=json.dumps({"id": "1", "report": text}).encode()).lines
    assert [(f["sites"], f["side"]) for f in found["findings"]] == [(["apical_groove_of_lung"], "left")]


def test_export_writes_one_file_in_the_format_that_its_name_says(kgscore: Cli, tmp_path: Path) -> None:
    (tmp_path / "small" / "core").mkdir(parents=True)
    (tmp_path / "small" / "core" / "anatomy.tbl").write_text("body | body\n")
    for name, begin in (("all.owl", "<?xml"), ("all.nt", "<https://w3id.org/kgscore/ontology/merged>"), ("all.ttl", "@prefix")):
        ran = kgscore("ontology", "export", "--module", tmp_path / "small", "-o", tmp_path / name)
        assert (ran.code, ran.err.endswith(" triples\n")) == (0, True)
        assert (tmp_path / name).read_text().startswith(begin)
    assert kgscore("ontology", "export", "--module", tmp_path / "small").out == (tmp_path / "all.ttl").read_text()
    refused = kgscore("ontology", "export", "-o", tmp_path / "all.txt")
    assert (refused.code, "give --format" in refused.err) == (2, True)
