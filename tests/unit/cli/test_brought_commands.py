"""Commands that a package brings, the laboratory's among them: entry points of the group `kgscore.commands`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from kgscore import cli


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package with a command and a command of the group `profile`."""
    (tmp_path / "greeting_commands.py").write_text(
        'def greet() -> None:\n    """Greet the reader: once."""\n    print("good day")\n'
    )
    info = tmp_path / "greeting_commands-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: greeting-commands\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[kgscore.commands]\ngreet = greeting_commands:greet\nprofile.greet = greeting_commands:greet\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    cli._plugin_commands.cache_clear()
    yield
    cli._plugin_commands.cache_clear()


@pytest.mark.usefixtures("package")
def test_a_package_brings_a_command_and_one_of_a_group(capsys: pytest.CaptureFixture[str]) -> None:
    assert (cli.main(["greet"]), capsys.readouterr().out) == (0, "good day\n")
    assert (cli.main(["profile", "greet"]), capsys.readouterr().out) == (0, "good day\n")
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert "Greet the reader" in shown.split("Others:")[1]
    assert " bench " in shown.split("Others:")[0]


def test_without_the_laboratory_its_commands_are_neither_listed_nor_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "_plugin_commands", dict)
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert " score " in shown
    assert " bench " not in shown
    assert cli.main(["bench"]) == 2
