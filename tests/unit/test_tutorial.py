"""Every command of the tutorial runs on its files and prints what the page says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial_dental_cbct.md"


def commands(page: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of the console blocks with the lines that stand below it."""
    for block in page.split("```console\n")[1:]:
        command, lines = "", []
        for line in block.split("```")[0].splitlines():
            if line.startswith("$ "):
                if command:
                    yield command, lines
                command, lines = line[2:], []
            else:
                lines.append(line)
        yield command, lines


class Shell:
    """A shell in a copy of the example folder, where `kgscore` and `python` are those of this run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "dental_cbct"
        shutil.copytree(ROOT / "examples" / "dental_cbct", self.folder)
        programs = folder / "bin"
        programs.mkdir()
        for name, call in (("kgscore", "-m kgscore"), ("python", "")):
            (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call} "$@"\n')
            (programs / name).chmod(0o755)
        self.environment = {
            **os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "COLUMNS": "100",
        }
        self.code = 0

    def run(self, command: str) -> list[str]:
        """Run a command and return the lines of standard output, then those of standard error."""
        if command == "echo $?":
            return [str(self.code)]
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        self.code = done.returncode
        return [*done.stdout.splitlines(), *done.stderr.splitlines()]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is missing")
def test_the_tutorial_is_true(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    ran = [(command, shell.run(command), lines) for command, lines in commands(PAGE.read_text(encoding="utf-8"))]
    assert len(ran) > 20
    for command, found, told in ran:
        assert found == told, f"{command}: the page is out of date; read what changed, then run this file to write it anew"


def write_anew(folder: Path) -> None:
    """Write the page with what its commands print now."""
    shell, pieces = Shell(folder), PAGE.read_text(encoding="utf-8").split("```console\n")
    for number, piece in enumerate(pieces[1:], 1):
        block, rest = piece.split("```", 1)
        lines = [line for command, _ in commands(f"```console\n{block}```") for line in (f"$ {command}", *shell.run(command))]
        pieces[number] = "\n".join([*lines, "```"]) + rest
    PAGE.write_text("```console\n".join(pieces), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        write_anew(Path(place))
