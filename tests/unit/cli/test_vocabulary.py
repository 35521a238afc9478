"""One vocabulary of options: what every command takes, old spellings, settings of a file, the end of `score`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscore.cli import _COMMANDS, _GROUPS

Cli = Callable[..., Any]
PAIRS = (
    {"id": "same", "reference": "The heart is enlarged.", "candidate": "Cardiomegaly."},
    {"id": "clash", "reference": "Small left pleural effusion.", "candidate": "No pleural effusion."},
    {"id": "odd", "reference": "", "candidate": "No effusion."},
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in PAIRS))
    return path


def test_the_first_screen_has_six_groups_and_twenty_commands(kgscore: Cli) -> None:
    screen = kgscore("-h").out
    assert [line[:-1] for line in screen.splitlines() if line[:-1] in _GROUPS] == list(_GROUPS)
    told = [line for line in screen.splitlines() if line[:2] == "  " != line[1:3] and line.split()[0] in _COMMANDS]
    assert len(told) <= 20
    assert {word for name in _COMMANDS for word in [name] if name not in screen} == set()
    for variable in ("KGSCORE_CACHE", "KGSCORE_CONFIG", "KGSCORE_TOKEN"):
        assert variable in screen


def _leaves(name: str) -> list[list[str]]:
    from kgscore.cli import _Commands

    command = _Commands()[name]
    return [[name, one] for one in command.commands] if hasattr(command, "commands") else [[name]]


@pytest.mark.parametrize("path", [leaf for name in _COMMANDS for leaf in _leaves(name)], ids=" ".join)
def test_every_command_takes_h_and_q_and_no_old_spelling(kgscore: Cli, path: list[str]) -> None:
    ran = kgscore(*path, "-h")
    assert ran.code == 0
    assert "-q, --quiet" in ran.out
    for old in ("--out ", "--json", "--column ", "--baselines"):
        assert old not in ran.out
    assert ("--output" in ran.out) == ("-o, --output" in ran.out)


def test_score_ends_with_means_intervals_coverage_and_the_signature(kgscore: Cli, source: Path) -> None:
    ran = kgscore("score", source, "--metrics", "radsem,fineradscore")
    tally, head, _, radsem, fine, *_, signature = [line for line in ran.err.splitlines() if line.strip()][1:]
    assert tally == "3 pairs: 2 scored, 1 empty, 0 failed"
    assert head.split() == ["metric", "pairs", "mean", "95", "%", "interval", "of", "pairs", "of", "words"]
    assert radsem.split() == ["radsem", "2", "0.500", "[0.000,", "1.000]", "66.7", "%", "100.0", "%"]
    assert fine.startswith("fineradscore ↓")
    assert signature.startswith("radsem, fineradscore | kgscore ")
    assert signature == kgscore("score", "--signature", "--metrics", "radsem,fineradscore").out.strip()
    quiet = kgscore("score", source, "--metrics", "radsem,fineradscore", "-q")
    assert quiet.out == ran.out
    assert quiet.err == f"{source}:3: record 'odd': the reference report is empty\n"


def test_of_records_of_one_reason_three_are_named_and_silence_is_not_with_q(kgscore: Cli, tmp_path: Path) -> None:
    path = tmp_path / "blank.jsonl"
    texts = [("Cardiomegaly.", "")] * 9 + [("", "Cardiomegaly.")] * 5 + [("Cardiomegaly.", 7)] * 4
    rows = [{"id": str(n), "reference": reference, "candidate": candidate} for n, (reference, candidate) in enumerate(texts)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    loud, quiet = kgscore("score", path), kgscore("score", path, "-q")
    assert len(loud.lines) == len(quiet.lines) == 18
    assert loud.err.count(": the candidate says nothing\n") == 3 + 1
    assert "6 more: the candidate says nothing\n" in loud.err
    assert "the candidate says nothing" not in quiet.err
    more = "2 more: the reference report is empty\n1 more: field 'candidate' is a number; make it text\n"
    assert quiet.err.endswith(f"{more}4 failed records; see the reasons above\n")
    assert quiet.err.count("\n") == 3 + 3 + 2 + 1


def test_a_run_that_goes_on_ends_with_the_same(kgscore: Cli, source: Path, tmp_path: Path) -> None:
    def end(ran: Any) -> list[str]:
        return [line for line in ran.err.splitlines() if line.startswith("radsem ")]

    first = kgscore("score", source, "--metrics", "radsem")
    assert end(first) == end(kgscore("score", source, "-o", tmp_path / "run", "--metrics", "radsem"))
    (mean,) = kgscore("summary", tmp_path / "run", "--format", "jsonl").lines
    assert f"[{mean['low']:.3f}, {mean['high']:.3f}]" in first.err


def test_old_spellings_work_with_a_warning(kgscore: Cli, source: Path, tmp_path: Path) -> None:
    ran = kgscore("score", source, "--out", tmp_path / "run")
    assert ran.code == 0
    assert ran.err.startswith("kgscore: --out is now --output; the old name will be removed in version 0.3\n")
    old, new = kgscore("summary", tmp_path / "run", "--json"), kgscore("summary", tmp_path / "run", "--format", "jsonl")
    assert old.out == new.out
    assert "--json is now --format=jsonl" in old.err
    exported = kgscore("export", tmp_path / "run")
    assert exported.out == kgscore("graph", "export", tmp_path / "run").out
    assert "export is now graph export" in exported.err
    title = kgscore("report", source, "--output", tmp_path / "r.html", "--title=--json")
    assert title.code == 0


@pytest.mark.parametrize("name", ["kgscore.toml", "pyproject.toml"])
def test_settings_of_a_file_are_defaults(kgscore: Cli, source: Path, tmp_path: Path, name: str, monkeypatch: Any) -> None:
    text = 'metrics = ["radsem", "fineradscore"]\nprofile = "fixed"\n'
    (tmp_path / name).write_text(text if name == "kgscore.toml" else f"[tool.other]\nx = 1\n[tool.kgscore]\n{text}")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    ran = kgscore("score", source)
    assert list(ran.lines[0]["scores"]) == ["radsem", "fineradscore"]
    assert "profile fixed" in ran.err
    assert list(kgscore("score", source, "--metrics", "radsem").lines[0]["scores"]) == ["radsem"]
    monkeypatch.setenv("KGSCORE_CONFIG", "")
    assert list(kgscore("score", source).lines[0]["scores"]) == ["clinical", "radsem"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("proflie = 'x'", "no setting 'proflie'; did you mean 'profile'?"),
        ("profile = 3", "profile: give text, or a list of texts"),
        ("profile = ", "cannot be read as TOML"),
        ("jobs = 'many'", "jobs: give a whole number"),
    ],
)
def test_a_wrong_setting_is_one_line(kgscore: Cli, source: Path, tmp_path: Path, text: str, said: str, monkeypatch: Any) -> None:
    (tmp_path / "kgscore.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    ran = kgscore("score", source)
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert f"kgscore.toml: {said}" in ran.err


def test_commands_are_completed(tmp_path: Path) -> None:
    environment = {**os.environ, "_KGSCORE_COMPLETE": "complete_bash", "COMP_WORDS": "kgscore sum", "COMP_CWORD": "1"}
    done = subprocess.run([sys.executable, "-m", "kgscore"], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["summary"]
