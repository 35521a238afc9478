"""No file that data names runs as code: not from a request, a run folder, a configuration, a profile or a module."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from kgscore import Scorer, score_many
from kgscore.cli import main
from kgscore.config import load_settings
from kgscore.errors import InputError, ProfileError
from kgscore.metrics import resolved
from kgscore.runs.batch import Settings, scorer_for

PAIR = {"reference": "Left pneumothorax.", "candidate": "Left pneumothorax."}
METRIC = """
from pathlib import Path
Path(__file__).with_suffix(".ran").touch()

class M:
    name = "m"
    def score(self, pair): return 0.5
"""


@pytest.fixture
def named(tmp_path: Path) -> str:
    """The name of a metric in a file that leaves a mark when it runs."""
    (tmp_path / "evil.py").write_text(METRIC, encoding="utf-8")
    return f"{tmp_path / 'evil.py'}:M"


@pytest.fixture
def ran(tmp_path: Path) -> Callable[[], bool]:
    return (tmp_path / "evil.ran").exists


def run_of(tmp_path: Path, *more: str) -> Path:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "a", **PAIR}) + "\n", encoding="utf-8")
    assert main(["score", str(pairs), "--metrics", "radsem", "--output", str(tmp_path / "run"), "-q", *more]) == 0
    return tmp_path / "run"


def test_settings_take_registered_names(named: str, ran: Callable[[], bool]) -> None:
    for refused in (lambda: resolved([named]), lambda: scorer_for(Settings(metrics=(named,)))):
        with pytest.raises(ProfileError, match="registered names"):
            refused()
    assert not ran()


def test_a_request_runs_no_file(tmp_path: Path, named: str, ran: Callable[[], bool]) -> None:
    testclient = pytest.importorskip("fastapi.testclient", reason="the extra 'serve' is not installed")
    from kgscore.serve.app import create_app
    from kgscore.serve.settings import Settings as Served

    app = create_app(Served((run_of(tmp_path),)))
    with testclient.TestClient(app, base_url="http://127.0.0.1:8642") as client:
        answer = client.post("/api/score", json=PAIR | {"metrics": ["radsem", named]})
    assert (answer.status_code, "registered names" in answer.json()["error"]) == (422, True)
    assert not ran()


@pytest.mark.parametrize("command", ["report {} -o {}.html", "explain {} a", "summary {}", "compare {} {}"])
def test_a_run_folder_runs_no_file(tmp_path: Path, named: str, ran: Callable[[], bool], command: str) -> None:
    folder = run_of(tmp_path)
    with duckdb.connect(str(folder / "results.duckdb")) as connection:
        connection.execute("UPDATE runs SET metrics = list_append(metrics, ?)", [named])
    main(command.format(folder, folder).split())
    assert not ran()


def test_a_run_with_a_metric_of_a_file_is_shown_without_it(
    tmp_path: Path, named: str, ran: Callable[[], bool], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = run_of(tmp_path, "--metric", named)
    assert ran()
    (tmp_path / "evil.ran").unlink()
    capsys.readouterr()
    assert main(["summary", str(folder)]) == 0
    assert "m " in capsys.readouterr().out
    assert main(["report", str(folder), "-o", str(tmp_path / "report.html")]) == 0
    assert not ran()


def test_a_configuration_runs_no_file(
    tmp_path: Path, named: str, ran: Callable[[], bool], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "kgscore.toml").write_text(f"metrics = ['radsem', '{named}']\n", encoding="utf-8")
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    monkeypatch.delenv("KGSCORE_CONFIG", raising=False)
    (below / "p.jsonl").write_text(json.dumps({"id": "a", **PAIR}) + "\n", encoding="utf-8")
    assert main(["score", "p.jsonl"]) == 1
    assert "registered names" in capsys.readouterr().err
    assert not ran()


@pytest.mark.parametrize(("name", "text"), [("kgscore.toml", "jobs = 1\n"), ("pyproject.toml", "[tool.kgscore]\njobs = 1\n")])
def test_a_configuration_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    geteuid = getattr(os, "geteuid", None)
    if geteuid is None:
        pytest.skip("files have no owner here")
    monkeypatch.delenv("KGSCORE_CONFIG", raising=False)
    monkeypatch.delenv("SUDO_UID", raising=False)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert load_settings(tmp_path) == {"jobs": 1}
    if geteuid() == 0:
        os.chown(path, 12_345, -1)
    else:  # only root gives files away: be somebody else
        monkeypatch.setattr(os, "geteuid", lambda: 12_345)
    with pytest.raises(InputError, match=r"belongs to another user; to use it, set KGSCORE_CONFIG") as told:
        load_settings(tmp_path)
    assert "\n" not in str(told.value)
    monkeypatch.setenv("KGSCORE_CONFIG", str(path))  # whoever names it takes it
    assert load_settings(tmp_path) == {"jobs": 1}
    monkeypatch.setenv("KGSCORE_CONFIG", "")
    assert load_settings(tmp_path) == {}


def test_a_file_of_another_user_without_settings_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if getattr(os, "geteuid", lambda: 1)() != 0:
        pytest.skip("only root gives files away")
    monkeypatch.delenv("KGSCORE_CONFIG", raising=False)
    path = tmp_path / "pyproject.toml"
    path.write_text("[project]\nname = 'x'\n", encoding="utf-8")
    os.chown(path, 12_345, -1)
    assert load_settings(tmp_path) == {}


@pytest.mark.parametrize("given", [{"profile": "x.yaml"}, {"modules": ("evil.py",)}, {"reader": "evil.py"}])
def test_profiles_modules_and_readers_run_no_file(
    tmp_path: Path, ran: Callable[[], bool], named: str, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from kgscore.errors import KgscoreError

    monkeypatch.chdir(tmp_path)
    tagged = f"!!python/object/apply:os.system ['touch {tmp_path / 'evil.ran'}']"
    (tmp_path / "x.yaml").write_text(f"modules: [evil.py]\nmetrics:\n  radsem: {tagged}\n", encoding="utf-8")
    with pytest.raises(KgscoreError):
        Scorer(**given)
    assert not ran()


def test_python_and_the_option_load_a_file(tmp_path: Path, named: str) -> None:
    assert Scorer(metrics=[named]).score(**PAIR).scores["m"].value == 0.5
    (result,) = score_many([{"id": "a", **PAIR}], metrics=[named], jobs=2)
    assert result.scores["m"].value == 0.5
