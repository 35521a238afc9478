"""From reports to a reader of one's own: annotate, check, train, evaluate, read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgscore.cli import main
from kgscore.resources import resource

REPORTS = resource("examples", "annotation", "reports.jsonl")
CHECKED = resource("examples", "annotation", "checked.txt")


def test_marks_go_to_each_tool_and_come_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    direct, brat, tasks, back = (tmp_path / name for name in ("direct.txt", "a.ann", "a.json", "back.txt"))
    assert main(["annotate", str(REPORTS), "-o", str(direct)]) == 0
    assert main(["annotate", str(direct), "--from", "marks", "--to", "brat", "-o", str(brat)]) == 0
    assert main(["annotate", str(brat), "--from", "brat", "--to", "label-studio", "-o", str(tasks)]) == 0
    assert main(["annotate", str(tasks), "--from", "label-studio", "-o", str(back)]) == 0
    assert back.read_text(encoding="utf-8") == direct.read_text(encoding="utf-8")
    assert {"annotation.conf", "label_studio.xml", "a.txt"} <= {path.name for path in tmp_path.iterdir()}
    assert "back.txt: 9 sentences" in capsys.readouterr().err
    assert main(["annotate", str(back), "--from", "marks", "--to", "brat", "-o", str(back.with_suffix(".ann"))]) == 2
    assert "would overwrite an input file" in capsys.readouterr().err
    assert back.read_text(encoding="utf-8") == direct.read_text(encoding="utf-8")


def test_a_form_that_does_not_fit_its_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["annotate", str(REPORTS), "--to", "brat", "-o", str(tmp_path / "a.txt")]) == 2
    assert "brat a .ann" in capsys.readouterr().err
    assert main(["annotate", str(REPORTS), "--modality", "x-ray", "-o", str(tmp_path / "a.txt")]) == 2
    assert "chest-xray" in capsys.readouterr().err


def test_the_checked_example_differs_from_what_is_proposed(tmp_path: Path) -> None:
    out = tmp_path / "a.txt"
    assert main(["annotate", str(REPORTS), "-o", str(out)]) == 0
    proposed, checked = (path.read_text(encoding="utf-8") for path in (out, CHECKED))
    assert [line for line in proposed.splitlines() if line.startswith("##")] == [
        line for line in checked.splitlines() if line.startswith("##")
    ]
    assert proposed != checked


def test_what_was_checked_trains_a_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    model = tmp_path / "my.model"
    assert main(["train", str(CHECKED), "-o", str(model), "--epochs", "30"]) == 0
    capsys.readouterr()
    assert main(["evaluate", str(model), str(CHECKED), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["heads"]["f1"] > 0.8
    assert any(line.get("types_of") == "HeadCT-ONE relations" for line in lines)
    assert main(["read", str(REPORTS), "--reader", str(model)]) == 0
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert "pleural_effusion" in [finding["concept"] for finding in first["findings"]]


def test_evaluate_counts_entities_and_relations_by_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "default", str(CHECKED), "--json"]) == 0
    lines = {one["types_of"]: one for line in capsys.readouterr().out.splitlines() if "types_of" in (one := json.loads(line))}
    assert lines["HeadCT-ONE entities"]["gold"] == sum(
        one["gold"] for name, one in lines.items() if name.startswith("HeadCT-ONE entities: ")
    )
    assert {"HeadCT-ONE relations: located_at", "RaTEScore entities: non_disease"} <= set(lines)


@pytest.mark.parametrize(
    "command",
    [
        ["coverage", "PAIRS"], ["explain", "PAIRS", "a"], ["report", "PAIRS", "-o", "OUT"], ["radsem", "export", "PAIRS"],
        ["demo", "--out", "OUT"], ["bench", "labels", "PAIRS"], ["bench", "iu", "PAIRS"], ["published", "rexval", "PAIRS"],
        ["fit", "corruptions", "PAIRS"],
    ],
)  # fmt: skip
def test_commands_that_read_say_when_there_is_no_such_reader(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "a", "reference": "Left effusion.", "candidate": "Left effusion."}), encoding="utf-8")
    names = {"PAIRS": str(pairs), "OUT": str(tmp_path / "out")}
    assert main([*(names.get(word, word) for word in command), "--reader", "none.model"]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert [line for line in errors if "no reader 'none.model'" in line] or command[0] in ("published", "bench")
