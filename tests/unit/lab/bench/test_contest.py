"""Benchmarks that compare: figures of a few cases by hand, intervals, tables, heat maps, and what is wrong with a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kgscore.errors import InputError
from kgscore.lab.bench._contest import heat_map_data, means
from kgscore.lab.bench.corrections import corrections
from kgscore.lab.bench.correlation import correlation
from kgscore.lab.bench.pairs import pairs, polarity
from kgscore.lab.bench.texts import ssree, triplets
from kgscore.results.statistics import Sampling

FEW = Sampling(resamples=200)
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(*rows: dict[str, Any], name: str = "cases.jsonl") -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path

    return written


TRIPLETS = (
    {"original": "Cardiomegaly.", "synonym": "The heart is enlarged.", "antonym": "No cardiomegaly.", "modality": "CR"},
    {"original": "No effusion is seen.", "synonym": "No effusion.", "antonym": "Effusion is seen.", "modality": "CT"},
)


def test_means_and_their_intervals() -> None:
    found = means({"half": np.asarray([0.0, 1.0] * 50), "there": np.asarray([1.0, np.nan] * 50)}, Sampling(resamples=4000))
    low, high = found["intervals"]["half"]
    assert found["half"] == 0.5
    assert low == pytest.approx(0.5 - 1.96 * 0.05, abs=0.02)
    assert high == pytest.approx(0.5 + 1.96 * 0.05, abs=0.02)
    assert found["intervals"]["there"] == [1.0, 1.0]
    assert means({"one": np.asarray([0.3])})["intervals"] == {}


def test_triplets_compare_metrics_and_baselines(write: Write) -> None:
    """Word overlap: 0 against 1/2 in the first case (a loss), and e⁻¹ against 1·e^(1-4/3) in the second (a loss)."""
    figures = triplets.run(write(*TRIPLETS), baselines=("overlap",), sampling=FEW)
    assert figures["contenders"] == ["radsem", "overlap"]
    assert (figures["radsem"]["accuracy"], figures["overlap"]["accuracy"]) == (1.0, 0.0)
    assert figures["overlap"]["intervals"]["accuracy"] == [0.0, 0.0]
    assert figures["overlap"]["means"]["synonym"] == pytest.approx((0 + np.exp(-1)) / 2, abs=1e-3)
    assert figures["modality: CR"]["cases"] == 1
    assert figures["signatures"]["overlap"].startswith("own code")


@pytest.mark.parametrize("form", ["triplets", "pairs"])
def test_polarity_takes_either_form(write: Write, form: str) -> None:
    statements = [
        {"a": row["original"], "b": row[text], "relation": relation}
        for row in TRIPLETS
        for text, relation in (("synonym", "equivalent"), ("antonym", "contradiction"))
    ]
    figures = polarity.run(write(*(TRIPLETS if form == "triplets" else statements)), sampling=FEW)
    assert figures["form"] == form
    assert figures["radsem"]["right order"] == 1.0
    assert figures["radsem"]["drop"] == 1.0
    assert figures["overlap"]["right order"] < 0.5
    assert figures["overlap"]["drop"] < 0


def test_pairs_give_relations_and_separation(write: Write) -> None:
    rows = [
        {"a": "Cardiomegaly.", "b": "The heart is enlarged.", "relation": "equivalent"},
        {"a": "Cardiomegaly.", "b": "No cardiomegaly.", "relation": "contradiction"},
        {"a": "Cardiomegaly.", "b": "Ascites.", "relation": "unrelated"},
        {"a": "Pneumonia.", "b": "Left lower lobe pneumonia.", "relation": "part_whole"},
    ]
    figures = pairs.run(write(*rows), metrics=("radsem",), baselines=("overlap",), sampling=FEW)
    assert figures["macro-F1"] == 1.0
    assert figures["intervals"]["macro-F1"][0] < 1.0  # some resamples have not all four relations
    assert figures["radsem"]["agree above contradiction"] == 1.0
    assert figures["overlap"]["agree above contradiction"] == 0.0  # 0 and 1/4 against 1/2
    assert figures["overlap"]["agree above unrelated"] == 0.75  # a tie counts a half
    assert [grid.rows.keys() for grid in pairs.grids(figures)] == [{"kgscore"}, {"radsem", "overlap"}]
    assert "contenders" in pairs.run(write(*rows))


def test_corrections_are_seen_by_scores(write: Write) -> None:
    wrong = {"line": 0, "action": "delete", "new_text": "", "severity": 3, "categories": [1]}
    rows = [
        {"candidate": ["Large left pneumothorax.", "Cardiomegaly."], "reference": "Cardiomegaly.", "expected": [wrong]},
        {"candidate": ["Cardiomegaly."], "reference": "The heart is enlarged.", "expected": []},
    ]
    figures = corrections.run(write(*rows), metrics=("fineradscore",), baselines=("overlap",), sampling=FEW)
    for name in ("fineradscore", "overlap"):
        assert figures[name]["corrected above as it was"] == 1.0
    assert (figures["fineradscore"]["kendall"], figures["overlap"]["kendall"]) == (1.0, -1.0)
    assert len(corrections.grids(figures)) == 2


def test_correlation_with_people(write: Write) -> None:
    candidates = ["Cardiomegaly. Ascites.", "Cardiomegaly.", "No cardiomegaly.", "Cardiomegaly. Left pneumothorax."]
    rows = [
        {"id": str(at), "reference": "Cardiomegaly. Ascites.", "candidate": text, "errors": errors}
        for at, (text, errors) in enumerate(zip(candidates, (0, 1, 3, 2), strict=True))
    ]
    found = correlation.run(write(*rows), lower=("errors",), sampling=FEW)["errors"]
    assert found["radsem"]["kendall"] == 1.0
    assert found["overlap"]["cases"] == 4
    reverse = correlation.run(write(*rows), sampling=FEW)["errors"]["radsem"]
    assert reverse["spearman"] == -found["radsem"]["spearman"]
    with pytest.raises(InputError, match="no column 'errorz'"):
        correlation.run(write(*rows), lower=("errorz",))


CASE = {
    "reference": "Cardiomegaly. Ascites. Left pneumothorax. No fracture.",
    "L1": "The heart is enlarged. Ascites. Pneumothorax on the left. No fracture.",
    "L2": "Normal heart size. Ascites. Left pneumothorax. No fracture.",
    "L3": "Normal heart size. No ascites. Left pneumothorax. No fracture.",
    "L4": "Normal heart size. No ascites. No pneumothorax. No fracture.",
    "L5": "Normal heart size. No ascites. No pneumothorax. Rib fracture.",
    "modality": "CR",
}


def test_ssree_and_its_heat_map(write: Write) -> None:
    figures = ssree.run(write(CASE, {**CASE, "modality": "CT"}), metrics=("radsem", "fineradscore"), sampling=FEW)
    assert (figures["radsem"]["tau_b"], figures["radsem"]["perfect"]) == (1.0, 1.0)
    assert figures["overlap"]["tau_b"] < 1.0
    assert figures["score(x, x) = 1"] == "12/12"
    drawn = heat_map_data("ssree", figures)
    assert drawn["columns"] == ["same text", "L1", "L2", "L3", "L4", "L5"]
    assert [row[0] for row in drawn["values"]] == [1.0, 1.0, 1.0]
    assert drawn["values"][1][5] == 0.0  # FineRadScore has no bound: the worst level is the end of its scale
    with pytest.raises(InputError, match="no scores to draw"):
        heat_map_data("pairs", {"contenders": []})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({**CASE, "L3": None}, "no text in 'L3'"),
        ({"refrence": "x", **{k: v for k, v in CASE.items() if k != "reference"}}, "did you mean 'refrence'"),
    ],
)
def test_a_field_that_is_missing_is_named_and_no_text_quoted(write: Write, row: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        ssree.run(write(row))
    assert "Cardiomegaly" not in str(caught.value)


def test_an_empty_file_is_told(write: Write) -> None:
    with pytest.raises(InputError, match="contains no records"):
        triplets.run(write())
