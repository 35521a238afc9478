"""`kgscore metrics` and `kgscore profile`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kgscore.metrics import names
from kgscore.profile import load_profile, profile_names

Cli = Callable[..., Any]


def test_metrics_lists_each_with_what_people_need_to_know(kgscore: Cli) -> None:
    ran = kgscore("metrics")
    assert ran.code == 0
    for name in names():
        assert f"\n{name}  " in f"\n{ran.out}"
    for word in ("source", "needs", "blind to", "options", "higher is better"):
        assert ran.out.count(word) >= 1
    assert ran.out.count("    source     ") == ran.out.count("    needs      ") == len(names())


def test_metrics_as_json_lines(kgscore: Cli) -> None:
    lines = kgscore("metrics", "--format", "jsonl").lines
    assert [line["name"] for line in lines] == list(names())
    keys = ["name", "low", "high", "higher_is_better", "source", "summary", "needs", "blind_to", "good_for", "options"]
    assert all(list(line) == keys for line in lines)
    assert lines[1]["options"] == {"abnormal": 0.9, "normal": 0.1, "denial": 1.0}


def test_all_metrics_come_from_one_score(kgscore: Cli, pairs: Callable[..., Path]) -> None:
    ran = kgscore("score", pairs(3), "--metrics", "all")
    assert ran.code == 0
    assert all(list(line["scores"]) == list(names()) for line in ran.lines)
    ran = kgscore("score", pairs(1), "--metrics", "radsem,headct_on")
    assert ran.code == 1
    assert "metric 'headct_on': unknown; did you mean 'headct_one'?" in ran.err


def test_show_lists_profiles_and_spells_one_out(kgscore: Cli) -> None:
    listing = kgscore("profile", "show")
    assert [line.split()[0] for line in listing.out.splitlines()] == profile_names()
    assert all(len(line.split()) > 2 for line in listing.out.splitlines())
    shown = yaml.safe_load(kgscore("profile", "show", "haemorrhage-present").out)
    assert shown["weights"]["subtree"] == {"hemorrhage": 0, "observation_present/hemorrhage": 1}
    assert shown["weights"]["entity"]["anatomy"] == 0  # inherited
    assert shown["link_share"] == 0.8  # inherited twice
    assert kgscore("profile", "show", "strok").err == (
        f"kgscore: profile 'strok': not found; did you mean 'stroke'? known profiles: {', '.join(profile_names())};"
        " or give the path of a .yaml file\n"
    )


@pytest.mark.parametrize("name", profile_names())
def test_what_show_prints_is_the_same_profile(kgscore: Cli, tmp_path: Path, name: str) -> None:
    path = tmp_path / f"{name}.yaml"
    path.write_text(kgscore("profile", "show", name).out, encoding="utf-8")
    assert load_profile(path) == load_profile(name)


def test_check_passes_every_shipped_profile(kgscore: Cli) -> None:
    ran = kgscore("profile", "check", *profile_names())
    assert ran.code == 0
    for name, line in zip(profile_names(), ran.err.splitlines(), strict=True):
        assert line == f"{name}: fine" or line.startswith(f"{name}: valid, but requires an extra: ")


def test_check_names_what_is_wrong_in_each(kgscore: Cli, tmp_path: Path) -> None:
    wrong = {
        "a": ("weights:\n  entity: {anatomi: 1}", "weights: entity: unknown key 'anatomi'; did you mean 'anatomy'?"),
        "b": ("weights:\n  concept: {hemorrage: 1}", "weights: concept: 'hemorrage' is not an id of the ontology"),
        "c": ("metrics:\n  headct_one: {average: all}", "metrics: headct_one: 'average' is one of present, both"),
        "d": ("weights:\n  entities: {anatomy: 1}", "weights: unknown key 'entities'; did you mean 'entity'?"),
        "e": ("weights:\n  severity: {5: 1}", "weights: severity: unknown key '5'"),
        "f": ("weights:\n  relation: {modify: -1}", "weights: relation: 'modify' must be a number of 0 or more"),
    }
    for name, (text, _) in wrong.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    ran = kgscore("profile", "check", *(tmp_path / f"{name}.yaml" for name in wrong), "default")
    assert ran.code == 1
    lines = ran.err.splitlines()
    assert len(lines) == 7
    assert lines[-1] == "default: fine"
    for line, (_, said) in zip(lines, wrong.values(), strict=False):
        assert said in line


def test_diff_shows_what_an_heir_changes(kgscore: Cli) -> None:
    lines = kgscore("profile", "diff", "obs-present", "obs-present-absent").out.splitlines()
    assert lines[:2] == ["--- obs-present", "+++ obs-present-absent"]
    changed = [line for line in lines if "observation_absent" in line]
    assert changed == ["-    observation_absent: 0", "+    observation_absent: 1"]
    same = kgscore("profile", "diff", "stroke", "stroke")
    assert (same.code, same.out, same.err) == (0, "", "no difference\n")


def test_a_run_is_explained_under_its_own_profile(kgscore: Cli, pairs: Callable[..., Path], tmp_path: Path) -> None:
    kgscore("score", pairs(3), "--output", tmp_path / "run", "--profile", "obs-present", "--metrics", "headct_one")
    stored = kgscore("explain", tmp_path / "run", "000001")
    fresh = kgscore("explain", pairs(3), "000001", "--profile", "obs-present", "--metrics", "headct_one")
    assert (stored.code, stored.out) == (0, fresh.out)
    assert stored.err == ""
