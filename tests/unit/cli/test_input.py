"""Files as people have them: other names, delimiters, compression, lines; and what is refused with its remedy."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

Cli = Callable[..., Any]
ROW = ("1", "The heart is enlarged.", "Cardiomegaly.")


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.csv", "study_id;gt;pred\n1;The heart is enlarged.;Cardiomegaly.\n;;\n", ()),
        ("b.csv", "ID\tGround Truth\tModel-Output\n1\tThe heart is enlarged.\tCardiomegaly.\n", ()),
        ("c.csv", ",reference,candidate,\n1,The heart is enlarged.,Cardiomegaly.,\n\n,,,\n", ()),
        ("d.csv", "no,a,b\n1,The heart is enlarged.,Cardiomegaly.\n", ("--columns", "id=no,reference=a,candidate=b")),
        ("e.jsonl", json.dumps({"uid": 1, "ref": ROW[1], "hyp": ROW[2]}), ()),
        (
            "f.jsonl", json.dumps({"x": 1, "y": ROW[1], "z": ROW[2]}),
            ("--columns", "id=x,reference=y", "--columns", "candidate=z"),
        ),
    ],
)
def test_columns_may_be_called_otherwise(kgscore: Cli, tmp_path: Path, name: str, text: str, options: tuple[str, ...]) -> None:
    path = tmp_path / name
    path.write_text(text)
    ran = kgscore("score", path, *options)
    assert ran.code == 0, ran.err
    assert ran.lines == [{"id": "1", "status": "scored", "scores": {"clinical": 1.0, "radsem": 1.0}, "reason": ""}]
    taken = [line for line in ran.err.splitlines() if "--columns says otherwise" in line]
    assert len(taken) == (0 if options else 1)
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode(), mtime=0))
    assert kgscore("score", packed, *options).out == ran.out


def test_columns_of_parquet(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"key": ["1"], "target": [ROW[1]], "prediction": [ROW[2]], "site": ["x"]}), path)
    assert kgscore("score", path, "--output", tmp_path / "run").lines[0]["scores"] == {"clinical": 1.0, "radsem": 1.0}
    assert "site" in kgscore("sql", tmp_path / "run", "SELECT fields FROM cases").out


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"id,text\n1,x\n", "no column 'reference' (it needs id, reference, candidate; it has id, text)"),
        ("b.csv", b"id,gt,target,pred\n1,a,b,c\n", "gt, target could each be the reference; specify: --columns reference=NAME"),
        ("c.csv", b"id,reference,candidate,candidate\n1,a,b,c\n", "the column 'candidate' is duplicated in the header"),
        ("d.csv", b'id,reference,candidate\n1,a,b\n2,"a,b\n3,a,b\n', ":3: a quote is opened in this row and never closed"),
        ("e.xlsx", b"PK\x03\x04 rest", "save the sheet as CSV (UTF-8)"),
        ("f.csv", b"PK\x03\x04 rest", "is an Office file"),
        ("k.txt", b"MSH|^~\\&|RIS|HOSP\rOBX|1|TX|||Left effusion.\r", "is an HL7 v2 message"),
        ("l.jsonl", b"\x0bMSH|^~\\&|RIS\r", "save the text of its OBX segments"),
        ("m.csv", b"FHS|^~\\&|RIS\r", "is an HL7 v2 message"),
        ("g.jsonl", gzip.compress(b"{}", mtime=0), "end its name in .gz"),
        ("h.jsonl.gz", b"{}", "is not a complete .gz file"),
        ("i.jsonl.gz", gzip.compress(b'{"id": "1"}' * 99, mtime=0)[:40], "is not a complete .gz file"),
    ],
)
def test_a_file_that_cannot_be_read_says_what_to_do(kgscore: Cli, tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    ran = kgscore("score", path)
    assert ran.code == 1
    assert ran.err.splitlines()[-1].startswith(f"kgscore: {path}")
    assert said in ran.err.splitlines()[-1]


def test_a_key_that_stands_twice_is_refused(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "1", "reference": "a", "candidate": "b", "reference": "c"}\n')
    ran = kgscore("score", path)
    assert ran.code == 3
    assert f"{path}:1: the key 'reference' is duplicated; keep one" in ran.err
    whole = tmp_path / "p.json"
    whole.write_text('[{"id": "1",\n "id": "2"}]')
    assert "the key 'id' stands twice" in kgscore("score", whole).err


def test_a_column_that_is_not_there_is_named(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,reference,candidate\n1,a,b\n")
    assert "no column 'gt' for the reference; it has id, reference" in kgscore("score", path, "--columns", "reference=gt").err
    assert kgscore("score", path, "--columns", "reference").code == 2
    assert "'refrence' is not a field" in kgscore("score", path, "--columns", "refrence=reference").err


def test_two_files_of_lines(kgscore: Cli, tmp_path: Path) -> None:
    references, candidates = tmp_path / "refs.txt", tmp_path / "hyps.txt"
    references.write_bytes("The heart is enlarged.\r\nNo \u2028pneumothorax.\r\n".encode())
    candidates.write_text("Cardiomegaly.\n\n")
    ran = kgscore("score", "--lines", references, candidates)
    assert [(line["id"], line["scores"]["radsem"]) for line in ran.lines] == [("1", 1.0), ("2", 0.0)]
    assert f"{candidates}:2: record '2': the candidate says nothing" in ran.err
    candidates.write_text("Cardiomegaly.\n")
    uneven = kgscore("score", "--lines", references, candidates)
    assert (uneven.code, uneven.out) == (1, "")
    assert f"{candidates}: has 1 lines and {references} has 2" in uneven.err
    assert kgscore("score", references, "--lines", references, candidates).code == 2


def test_reports_of_pairs_are_read_by_every_command_that_reads(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("study_id,gt,pred\n1,The heart is enlarged.,Cardiomegaly.\n2,No effusion.,No effusion.\n")
    for command in (("read",), ("labels",), ("consistency",)):
        ran = kgscore(*command, path)
        assert ran.code == 0, ran.err
        assert [line["id"] for line in ran.lines] == ["1/reference", "1/candidate", "2/reference", "2/candidate"]
    assert kgscore("read", path, "--jobs", "2").out == kgscore("read", path).out
    assert [line["relation"] for line in kgscore("relate", path).lines] == ["equivalent"] * 2
    assert [line["verdict"] for line in kgscore("entails", path).lines] == ["entailed"] * 2
    assert [line["score"] for line in kgscore("correct", path, "--jobs", "2").lines] == [0.0, 0.0]
    assert "4 reports" in kgscore("ontology", "coverage", path).err


def test_an_hl7_message_is_refused_as_a_reference_and_scored_as_a_candidate(kgscore: Cli, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.jsonl"
    message = "MSH|^~\\&|RIS|HOSP\rOBX|1|TX|||No effusion.\r"
    rows = [{"id": "r", "reference": message, "candidate": "x"}, {"id": "c", "reference": "Left effusion.", "candidate": message}]
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ran = kgscore("score", pairs)
    assert "record 'r': field 'reference' is an HL7 v2 message" in ran.err
    assert "'c'" not in ran.err
