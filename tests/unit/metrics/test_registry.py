"""The registry: shipped metrics, names, options; and metrics that an installed package brings by entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kgscore import metrics
from kgscore.cli import main
from kgscore.engine import Scorer
from kgscore.errors import ProfileError
from kgscore.metrics.base import MetricInfo
from kgscore.profile import Profile

SHIPPED = [name for name in metrics.names() if metrics.metric(name).build.__module__.startswith("kgscore.")]


@pytest.mark.parametrize("name", SHIPPED)
def test_each_metric_says_what_it_is(name: str) -> None:
    info = metrics.metric(name)
    assert isinstance(info, MetricInfo)
    assert info.name == name
    assert info.summary
    assert info.source
    assert info.needs
    assert info.blind_to
    assert info.high is None or info.low < info.high
    assert info.options() == info.options()


@pytest.mark.parametrize("name", SHIPPED)
def test_options_are_the_defaults_unless_the_profile_says_otherwise(name: str) -> None:
    assert metrics.options(name, Profile()) == metrics.metric(name).options()


def test_all_is_spelt_out_and_each_name_stands_once() -> None:
    found = [info.name for info in metrics.resolved(("radsem_alt", "all", "radsem"))]
    assert found == ["radsem_alt", *(name for name in metrics.names() if name != "radsem_alt")]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("radsm", "metric 'radsm': unknown; did you mean 'radsem'?"),
        ("zzz", "metric 'zzz': unknown; known metrics: clinical, "),
    ],
)
def test_an_unknown_metric_is_refused_in_one_line(name: str, said: str) -> None:
    with pytest.raises(ProfileError) as error:
        Scorer(metrics=(name,))
    assert str(error.value).startswith(said)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("radsm: {abnormal: 1}", "metric 'radsm': unknown; did you mean 'radsem'?"),
        ("radsem: {abnorml: 1}", "metrics: radsem: unknown key 'abnorml'; did you mean 'abnormal'?"),
        ("radsem: {abnormal: high}", "metrics: radsem: 'abnormal' must be a float"),
        ("radsem: {abnormal: -1}", "metrics: radsem: 'abnormal' and 'normal' must be 0 or more, and one of them above 0"),
        ("radsem: {abnormal: 0, normal: 0}", "metrics: radsem: 'abnormal' and 'normal' must be 0 or more"),
        ("radsem: 3", "'metrics' must map names of metrics to their options"),
    ],
)
def test_wrong_options_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(f"metrics:\n  {text}\n")
    with pytest.raises(ProfileError) as error:
        Scorer(path)
    assert said in str(error.value)


def test_options_of_a_profile_reach_the_metric(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("metrics:\n  radsem: {abnormal: 1, normal: 1}\n")
    pair = {"reference": "Cardiomegaly. No pneumothorax.", "candidate": "No pneumothorax."}
    assert Scorer(path).score(**pair).scores["radsem"].value == pytest.approx(0.5)


# --- metrics of other packages ---

MINE = '''
"""The share of reference findings that have a link."""

from dataclasses import dataclass

from kgscore.metrics import MetricInfo
from kgscore.metrics.base import contribution
from kgscore.model import Score


@dataclass(frozen=True)
class Options:
    times: float = 1.0


class Mine:
    def __init__(self, profile, index):
        from kgscore.metrics import options

        self.options = options("mine", profile)

    def score(self, pair):
        missed, _ = pair.unmatched()
        count = len(pair.reference.findings)
        return Score("mine", "scored", self.options.times * (1 - len(missed) / count), "", {"missed": float(len(missed))})

    def explain(self, pair, score):
        missed, _ = pair.unmatched()
        share = self.options.times / len(pair.reference.findings)
        return [
            contribution("missed", f.text, f, cost=share) if n in missed else contribution("matched", f.text, f, credit=share)
            for n, f in enumerate(pair.reference.findings)
        ]


INFO = MetricInfo("mine", Mine, 0.0, 1.0, True, "this test", "share of findings that are linked", options=Options)
'''


def install(site: Path, name: str, text: str, target: str = "") -> None:
    """Put a package with one module and one entry point where an installer would."""
    site.mkdir(exist_ok=True)
    (site / f"{name}_package.py").write_text(text)
    info = site / f"{name}_package-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[kgscore.metrics]\n{name} = {target or f'{name}_package:INFO'}\n")


def kgscore(site: Path, *args: object) -> subprocess.CompletedProcess[str]:
    root = Path(metrics.__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(root)))}
    command = [sys.executable, "-m", "kgscore", *map(str, args)]
    return subprocess.run(command, env=environment, cwd=site, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    path = tmp_path / "p.jsonl"
    row = {"id": "a", "reference": "Cardiomegaly. No rib fracture. Ascites.", "candidate": "Cardiomegaly. Ascites."}
    path.write_text(json.dumps(row))
    return path


def test_a_plugged_in_metric_is_used_like_any_other(tmp_path: Path, pair: Path) -> None:
    site = tmp_path / "site"
    install(site, "mine", MINE)
    ran = kgscore(site, "score", pair, "--metrics", "mine,radsem")
    assert ran.returncode == 0, ran.stderr
    scores = json.loads(ran.stdout)["scores"]
    assert list(scores) == ["mine", "radsem"]
    assert 0 < scores["mine"] < 1
    assert "mine  0 to 1, higher is better" in kgscore(site, "metrics").stdout
    told = kgscore(site, "explain", pair, "a", "--metrics", "mine").stdout
    assert "How mine adds up" in told
    assert "missed" in told
    profile = tmp_path / "mine.yaml"
    profile.write_text("metrics:\n  mine: {times: 10}\n")
    ran = kgscore(site, "score", pair, "--metrics", "mine", "--profile", profile)
    assert json.loads(ran.stdout)["scores"]["mine"] == pytest.approx(10 * scores["mine"])
    profile.write_text("metrics:\n  mine: {tims: 10}\n")
    ran = kgscore(site, "profile", "check", profile)
    assert (ran.returncode, ran.stderr.count("\n")) == (1, 1)
    assert "metrics: mine: unknown key 'tims'; did you mean 'times'?" in ran.stderr


@pytest.mark.parametrize(
    ("text", "target", "said"),
    [
        ("import nowhere_to_be_found", "", "cannot be loaded from bad_package:INFO (No module named 'nowhere_to_be_found')"),
        ("raise ValueError('two\\nlines')", "", "cannot be loaded from bad_package:INFO (two lines)"),
        ("INFO = 3", "", "bad_package:INFO is no kgscore.metrics.MetricInfo"),
        (MINE, "", "bad_package:INFO calls itself 'mine'; give both one name"),
        (MINE, "bad_package:NOTHING", "cannot be loaded from bad_package:NOTHING"),
        (
            MINE.replace('INFO = MetricInfo("mine", Mine,', 'INFO = MetricInfo("bad", lambda profile, index: 1 / 0,'), "",
            "cannot be built (ZeroDivisionError: division by zero)",
        ),
    ],
    ids=["import", "raises", "type", "name", "absent", "build"],
)  # fmt: skip
def test_a_broken_one_is_told_in_one_line_and_harms_no_other(
    tmp_path: Path, pair: Path, text: str, target: str, said: str
) -> None:
    site = tmp_path / "site"
    install(site, "bad", text, target)
    ran = kgscore(site, "score", pair, "--metrics", "bad")
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert ran.stderr.startswith("kgscore: metric 'bad': ")
    assert said in ran.stderr
    if "built" in said:
        return
    listing = kgscore(site, "metrics")
    assert listing.returncode == 1
    assert said in listing.stderr
    assert all(f"{name}  " in listing.stdout for name in SHIPPED)


def test_a_score_that_is_no_finite_number_has_failed(tmp_path: Path, pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd.py").write_text("class Odd:\n    name = 'odd'\n    def score(self, pair): return float('inf')\n")
    run = tmp_path / "run"
    assert main(["score", str(pair), "--metric", f"{tmp_path / 'odd.py'}:Odd", "--metrics", "radsem", "-o", str(run)]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]["odd"] is None
    assert main(["summary", str(run), "--format", "jsonl"]) == 0
    (row,) = [row for row in map(json.loads, capsys.readouterr().out.splitlines()) if row.get("metric") == "odd"]
    assert (row["scored"], row["failed"], row["mean"]) == (0, 1, None)
