"""The experiments of HeadCT-ONE on a few of the shipped texts: what is there is run, and the claims follow from the figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.lab.bench import headct_one
from kgscore.resources import resource


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return [json.loads(line) for line in resource("examples", "head_ct.jsonl").read_text(encoding="utf-8").splitlines()]


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def test_every_experiment_is_run_in_both_forms(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    some = [row for name in ("report", "normal", "reports") for row in [row for row in rows if name in row][:2]]
    found = headct_one.headct_one.run(write(tmp_path / "some.jsonl", some))
    for figures in found.values():
        assert (figures["reports"], figures["normal reports"], len(figures["moves"])) == (2, 2, 12)
        three, one, two, rated = (figures[name] for name in ("figure 3", "table 1", "table 2", "table 3"))
        moves = figures["moves"]
        assert moves["figure 3: haemorrhage takes (R1, R2) to 0"] is (three["haemorrhage"]["R1, R2"] == 0) is True
        assert three["haemorrhage"]["R2, R3"] > three["OBS-P"]["R2, R3"]
        assert one["OBS-P"] == {"normal, normal": 1.0, "less normal, abnormal": 1.0}
        assert moves["table 1: OBS-P raises normal, normal"] is (one["none"]["normal, normal"] < 1.0)
        widest = max(two, key=lambda name: two[name]["- anat"])
        assert moves["table 2: ANAT has the widest gap to anatomical errors"] is (widest == "ANAT")
        for row in rated.values():
            assert row["difference"] == pytest.approx(row["without significance"] - row["with"], abs=2e-3)
    assert found["ontology"]["figure 3"] != found["published"]["figure 3"]


def test_what_the_file_has_no_texts_for_is_left_out(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    kept = ("report", *headct_one.VERSIONS)
    one = {"modality": "head CT", **{name: rows[0][name] for name in kept}}
    found = headct_one.headct_one.run(write(tmp_path / "one.jsonl", [one, {**one, "modality": "chest radiograph"}]))["ontology"]
    assert found["reports"] == 1
    assert set(found) == {"reports", "normal reports", "moves", "table 2"}


def test_what_is_denied_most_weighs_more_where_it_is_present(scorer: Scorer) -> None:
    reports = ["No hydrocephalus.", "No hydrocephalus. No skull fracture.", "Hydrocephalus."]
    top = headct_one._negation_weighted(scorer.profile, scorer, reports, 1)
    assert top.weights.subtree == {"observation_present/hydrocephalus": headct_one.TOP_WEIGHT}
    found = Scorer(top, ("headct_one",)).score(reference="Hydrocephalus. Cerebral atrophy.", candidate="Hydrocephalus.")
    plain = scorer.score(reference="Hydrocephalus. Cerebral atrophy.", candidate="Hydrocephalus.")
    assert found.scores["headct_one"].value is not None
    assert "headct_one" not in plain.scores
    without = Scorer(metrics=("headct_one",)).score(reference="Hydrocephalus. Cerebral atrophy.", candidate="Hydrocephalus.")
    assert found.scores["headct_one"].value > (without.scores["headct_one"].value or 0.0)
