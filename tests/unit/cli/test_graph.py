"""`kgscore query` in its formats, and `kgscore graph`."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyoxigraph
import pytest

Cli = Callable[..., Any]
PAIR = {
    "id": "flip", "modality": "CR",
    "reference": "Small left pleural effusion. No fracture.", "candidate": "Right pleural effusion. No fracture.",
}  # fmt: skip


@pytest.fixture
def run(kgscore: Cli, tmp_path: Path) -> Path:
    source = tmp_path / "model.jsonl"
    source.write_text(json.dumps(PAIR) + "\n")
    assert kgscore("score", source, "--output", tmp_path / "run").code == 0
    return tmp_path / "run"


def test_answers_come_in_every_format(kgscore: Cli, run: Path, tmp_path: Path) -> None:
    text = "SELECT ?status (COUNT(*) AS ?n) (1.5 AS ?half) { ?s a kgr:Case ; kgr:status ?status } GROUP BY ?status"
    row = {"status": "scored", "n": 1, "half": 1.5}
    assert kgscore("query", run, text).lines == [row]
    assert json.loads(kgscore("query", run, text, "--format", "json").out) == [row]
    assert list(csv.reader(io.StringIO(kgscore("query", run, text, "--format", "csv").out))) == [[*row], ["scored", "1", "1.5"]]
    table = kgscore("query", run, text, "--format", "table").out.split()
    assert (table[:3], table[-3:]) == (["status", "n", "half"], ["scored", "1", "1.500"])
    assert kgscore("query", run, text, "--format", "arrow", "--output", tmp_path / "a.arrow").code == 0
    with pyarrow.ipc.open_stream((tmp_path / "a.arrow").read_bytes()) as stream:
        assert stream.read_all().to_pylist() == [row]
    turtle = kgscore("query", run, "case-graph", "-p", "case=flip", "--format", "turtle").out
    found = list(pyoxigraph.parse(turtle, format=pyoxigraph.RdfFormat.TURTLE))
    assert any(quad.object == pyoxigraph.NamedNode("https://w3id.org/kgscore/pleural_effusion") for quad in found)
    for query, format in ((text, "turtle"), ("case-graph", "csv")):
        ran = kgscore("query", run, query, "--format", format, *(() if query == text else ("-p", "case=flip")))
        assert ran.code == 1
        assert len(ran.err.splitlines()) == 1


def test_queries_are_listed_shown_and_asked_by_name(kgscore: Cli, run: Path) -> None:
    listed = kgscore("query", "--list", "--format", "json").lines
    assert len(listed) >= 20
    assert "laterality-flips" in kgscore("query", "--list").out
    assert kgscore("query", "--show", "laterality-flips").out.startswith("# Findings that the candidate puts on the other side.")
    ran = kgscore("query", run, "laterality-flips", "--param", "kind=pleural effusion")
    assert [(line["case"], line["reference"], line["candidate"]) for line in ran.lines] == [("flip", "left", "right")]
    assert kgscore("query", run).code == 2
    assert "did you mean" in kgscore("query", run, "laterality-flip").err


def test_a_graph_is_checked_and_compared(kgscore: Cli, run: Path, tmp_path: Path) -> None:
    ran = kgscore("graph", "check", run)
    assert (ran.code, ran.out) == (0, "")
    assert "1 cases checked" in ran.err
    assert kgscore("query", run, "DELETE { ?s kgr:side ?o } INSERT { ?s kgr:side 'other' } WHERE { ?s kgr:side ?o }").code == 1
    change = "INSERT { ?s kgr:laterality 'upper' } WHERE { ?s kgr:laterality 'left' }"
    assert kgscore("query", run, change, "--update").code == 0
    ran = kgscore("graph", "check", run)
    assert ran.code == 1
    assert any(line["path"] == "kgr:laterality" for line in ran.lines)
    (line,) = kgscore("graph", "compare", run, "--format", "jsonl").lines
    assert (line["system"], line["cases"], line["whole"]["edges"]) == ("model", 1, pytest.approx(2 / 3, abs=0.4))
    assert "small" in {one["label"] for one in line["never"]}
    assert "CR" in kgscore("graph", "compare", run, "--by", "modality").out


def test_graphs_are_exported(kgscore: Cli, run: Path) -> None:
    corpus = json.loads(kgscore("graph", "corpus", run, "--format", "json").out)
    assert "finding:pleural_effusion" in {node["id"] for node in corpus["nodes"]}
    assert "<graphml" in kgscore("graph", "report", run, "flip").out
    assert "kgr:WeightedEdge" in kgscore("graph", "corpus", f"{run}@1", "--format", "turtle").out
    assert kgscore("graph", "load", run, "nowhere").code == 1
    assert kgscore("graph", "optimize", run).code == 0
    assert kgscore("query", run, "ASK { ?s a kgr:Case }").lines == [{"boolean": True}]
