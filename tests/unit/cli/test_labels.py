"""`kgscore labels`, `kgscore bench labels`, `kgscore ontology mappings` and `resolve`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscore.labelling.sets import load_set

Cli = Callable[..., Any]
REPORTS = (
    {"id": "a", "report": "Possible left lower lobe pneumonia. No pneumothorax. Pacemaker in place."},
    {"id": "b", "report": "Normal chest radiograph."},
)


@pytest.fixture
def reports(tmp_path: Path) -> Path:
    path = tmp_path / "reports.jsonl"
    path.write_text("".join(json.dumps(report) + "\n" for report in REPORTS), encoding="utf-8")
    return path


def test_labels_are_lines_in_the_order_of_the_input(kgscore: Cli, reports: Path) -> None:
    ran = kgscore("labels", reports)
    assert (ran.code, ran.err) == (0, "")
    assert [(line["id"], line["set"], line["status"], line["reason"]) for line in ran.lines] == [
        ("a", "chexpert14", "read", ""),
        ("b", "chexpert14", "read", ""),
    ]
    names = [label.name for label in load_set("chexpert14").labels]
    assert list(ran.lines[0]["labels"]) == names
    assert ran.lines[0]["labels"]["Pneumonia"] == "uncertain"
    assert ran.lines[1]["labels"]["No Finding"] == "present"


def test_a_table_has_the_numbers_of_chexpert(kgscore: Cli, reports: Path) -> None:
    ran = kgscore("labels", reports, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [row["id"] for row in rows] == ["a", "b"]
    found = {name: rows[0][name] for name in ("Pneumonia", "Pneumothorax", "Support Devices", "Fracture", "No Finding")}
    assert found == {"Pneumonia": "-1", "Pneumothorax": "0", "Support Devices": "1", "Fracture": "", "No Finding": ""}
    assert rows[1]["No Finding"] == "1"


def test_explain_gives_words_and_proof(kgscore: Cli, reports: Path) -> None:
    decided = kgscore("labels", reports, "--explain", "--mentioned").lines[0]["decided"]
    assert decided["Pneumonia"] == {
        "value": "uncertain",
        "text": "left lower lobe pneumonia",
        "start": 9,
        "end": 34,
        "status": "present",
        "certainty": "possible",
        "proof": ["pneumonia is pneumonia"],
    }
    assert decided["Support Devices"]["proof"] == ["pacemaker is a cardiac implantable electronic device is a device"]
    assert decided["Lung Opacity"]["proof"] == ["pneumonia is a lung opacity"]


def test_what_is_not_mentioned_can_be_left_out(kgscore: Cli, reports: Path) -> None:
    first = kgscore("labels", reports, "--mentioned", "--set", "oifm").lines[0]["labels"]
    assert first
    assert "not_mentioned" not in first.values()
    assert kgscore("labels", reports, "--mentioned", "--format", "csv").code == 2


def test_reports_that_cannot_be_labelled_are_told(kgscore: Cli) -> None:
    lines = b'{"id": "a", "report": ""}\n{"id": "b"}\n{"id": "c", "report": "Das Herz ist nicht vergroessert, kein Erguss."}\n'
    ran = kgscore("labels", "-", stdin=lines)
    assert ran.code == 3
    assert [line["status"] for line in ran.lines] == ["empty", "failed", "failed"]
    assert [line.get("labels", {}) for line in ran.lines] == [{}, {}, {}]
    table = kgscore("labels", "-", "--format", "csv", stdin=lines)
    rows = list(csv.reader(io.StringIO(table.out)))
    assert {len(row) for row in rows} == {16}
    assert [row[1] for row in rows[1:]] == ["empty", "failed", "failed"]
    assert not any(cell for row in rows[1:] for cell in row[2:])


def test_a_notice_of_a_set_is_shown(kgscore: Cli, reports: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("notice: keep this notice\nlabels: [{name: A, any: [pneumonia]}]\n", encoding="utf-8")
    ran = kgscore("labels", reports, "--set", mine)
    assert (ran.err, ran.lines[0]["labels"]) == ("keep this notice\n", {"A": "uncertain"})
    wrong = kgscore("labels", reports, "--set", "chexpret14")
    assert (wrong.code, wrong.out) == (1, "")
    assert "did you mean 'chexpert14'?" in wrong.err


def test_label_f1_of_a_pair_and_its_explanation(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    pair = {
        "id": "p",
        "reference": "Left lower lobe consolidation. Small left pleural effusion.",
        "candidate": "Left lower lobe consolidation. Right pneumothorax.",
    }
    path.write_text(json.dumps(pair), encoding="utf-8")
    scored = kgscore("score", path, "--metrics", "label_f1").lines[0]
    assert scored["scores"]["label_f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    shown = kgscore("explain", path, "p", "--metrics", "label_f1").out
    for word in ("Consolidation", "Lung Opacity", "Pleural Effusion", "Pneumothorax", "missed", "invented"):
        assert word in shown
    five = tmp_path / "five.yaml"
    five.write_text("metrics: {label_f1: {subset: five}}\n", encoding="utf-8")
    line = kgscore("score", path, "--metrics", "label_f1", "--profile", five).lines[0]
    assert line["scores"]["label_f1"] == pytest.approx(2 / 3)
    six = tmp_path / "six.yaml"
    six.write_text("metrics: {label_f1: {subset: eleven}}\n", encoding="utf-8")
    assert "no subset 'eleven'; it has: five" in kgscore("score", path, "--metrics", "label_f1", "--profile", six).err


def test_the_benchmark_sums_counts_over_pairs(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    pairs = [
        {"id": "1", "reference": "Left pleural effusion.", "candidate": "Right pleural effusion."},
        {"id": "2", "reference": "Cardiomegaly.", "candidate": "Normal heart. No effusion."},
        {"id": "3", "reference": "Cardiomegaly.", "candidate": ""},
    ]
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    figures = kgscore("bench", "labels", path).lines[0]
    assert figures["set"] == "chexpert14"
    assert figures["pairs without labels"] == 1
    assert figures["five"]["micro"] == pytest.approx(2 / 3)
    assert figures["five"]["labels"]["Pleural Effusion"] == 1.0
    assert figures["five"]["labels"]["Cardiomegaly"] == 0.0
    assert figures["five"]["labels"]["Edema"] is None
    assert figures["support"]["Cardiomegaly"] == 1


def test_mappings_are_listed_and_hold(kgscore: Cli) -> None:
    ran = kgscore("ontology", "mappings")
    assert ran.code == 0
    assert {line.split()[0] for line in ran.out.splitlines()} >= {"fma", "oifm", "chexpert14"}


def test_resolve_prints_shares_and_writes_what_it_found(kgscore: Cli, tmp_path: Path) -> None:
    table, out = tmp_path / "vocabulary.tsv", tmp_path / "mine.sssom.tsv"
    table.write_text("id\tname\tsynonyms\ttags\n1\tpneumothorax\t\tchest\n2\tfrobnication\t\tchest|XR\n", encoding="utf-8")
    ran = kgscore("ontology", "resolve", table, "--prefix", "M=https://example.org/", "--output", out)
    shares = [(line["tag"], line["terms"], line["resolved"]) for line in ran.lines]
    assert shares == [("all", 2, 0.5), ("chest", 2, 0.5), ("XR", 1, 0.0)]
    assert "kgs:pneumothorax\tpneumothorax\tskos:exactMatch\tM:1\tsemapv:LexicalMatching" in out.read_text(encoding="utf-8")
    missing = kgscore("ontology", "resolve", table, "--missing").lines
    assert missing == [{"id": "2", "name": "frobnication", "how": "none", "broader": []}]
    ran = kgscore("labels", "-", "--set", out, stdin=b'{"id": "a", "report": "No pneumothorax."}')
    assert ran.lines[0]["labels"] == {"1": "absent"}
    assert kgscore("ontology", "resolve", table, "--prefix", "M").code == 2
