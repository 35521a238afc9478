"""Questions that go wrong get the names that may be meant; SQL comes from files and line by line too."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscore.cli import main

Cli = Callable[..., Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asking")
    pair = {"id": "a", "reference": "Left pneumothorax.", "candidate": "No pneumothorax."}
    (folder / "p.jsonl").write_text(json.dumps(pair))
    assert main(["score", str(folder / "p.jsonl"), "-q", "-o", str(folder / "run")]) == 0
    return folder / "run"


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("sql", "SELECT idd FROM scores"), 1, "did you mean 'id'?"),
        (("sql", "SELECT label FROM findings JOIN concepts USING (concep)"), 1, "did you mean 'concept'?"),
        (("sql", "SELECT region FROM cases"), 1, "it is a column of by_region, "),
        (("sql", "SELECT avg(clinical) FROM scores"), 1, "scores are rows: value … WHERE metric = 'clinical'"),
        (("sql", "SELECT qqqq FROM scores"), 1, "`kgscore tables RUN` lists the columns"),
        (("query", "SELECT (count(*) AS ?n) { ?s kgr:txt ?o }"), 0, "kgr:txt is not in the vocabulary; did you mean 'text'?"),
        (("query", "SELECT ?s { ?s kgr:metric ?m OPTIONAL { ?s kgr:valu ?v } }"), 0, "kgr:valu is not in the vocabulary"),
        (("sql", "SELECT id FROM score"), 1, 'did you mean "scores"?'),
        (("query", "SELECT ?s { ?s kgx:text ?o }"), 1, "the prefix 'kgx:' is not known; did you mean 'kgs'?"),
        (("query", "SELECT ?s { ?s kgr:txt ?o }"), 0, "kgr:txt is not in the vocabulary; did you mean 'text'?"),
        (("query", "SELECT ?s { ?s kgr:text ?o"), 1, "the query is not SPARQL: error at 1:27"),
    ],
)
def test_what_may_be_meant_is_named_in_one_line(kgscore: Cli, run: Path, args: tuple[str, str], code: int, said: str) -> None:
    ran = kgscore(args[0], run, args[1])
    assert (ran.code, ran.err.count("\n")) == (code, 1)
    assert said in ran.err


def test_a_label_without_its_language_is_english(kgscore: Cli, run: Path) -> None:
    for literal in ('"pneumothorax"', '"pneumothorax"@en', "'pneumothorax'"):
        ran = kgscore("query", run, f"SELECT ?c {{ ?c skos:prefLabel {literal} }}")
        assert ran.lines == [{"c": "https://w3id.org/kgscore/pneumothorax"}]
    assert kgscore("query", run, 'SELECT ?c { ?c skos:prefLabel "pneumothorax"@de }').lines == []


def test_sql_of_a_file_and_of_standard_input(kgscore: Cli, run: Path, tmp_path: Path) -> None:
    path = tmp_path / "q.sql"
    path.write_text("-- how many\nSELECT count(*) AS n FROM cases")
    assert kgscore("sql", run, path).lines == [{"n": 1}]
    assert kgscore("sql", run, stdin=b"SELECT count(*) AS n FROM cases").lines == [{"n": 1}]
    assert kgscore("sql", run, path, "--format", "markdown").out == "| n |\n| --: |\n| 1 |\n"


def test_the_shell_answers_line_by_line(run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    typed = "SELECT id\nFROM cases;\n.tables\nSELECT nothing;\n\nSELECT 41 + 1 AS x;\n.quit\nSELECT 7;\n"
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    assert main(["sql", str(run)]) == 0
    said = capsys.readouterr()
    assert "case_overview" in said.out
    assert said.out.count("42") == 1
    assert "7" not in said.out.split("42")[1]
    assert 'Referenced column "nothing"' in said.err
