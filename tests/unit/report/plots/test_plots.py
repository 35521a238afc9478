"""Plots: what is drawn is what was given, it can stand in a page, and it is the same each time."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from kgscore.report import plots
from kgscore.report.plots.regions import errors_of
from kgscore.results.concepts import regions

pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")

BY_REGION = pa.Table.from_pylist(
    [
        {"region": region, "severity": severity, "in_reference": 10, "in_candidate": 10, "missed": missed, "invented": invented,
         "wrong_in_reference": 1, "wrong_in_candidate": 2}
        for region, severity, missed, invented in (
            ("chest", 3, 4, 0), ("chest", 1, 0, 1), ("brain", 4, 2, 2), ("unplaced", 2, 0, 0)
        )
    ]
)  # fmt: skip

DRAWN: dict[str, Callable[[str], str]] = {
    "score_distributions": lambda theme: plots.score_distributions(
        {"a": [0.1, 0.5, float("nan")], "b": [1.0, 0.0]}, metric="radsem", intervals={"a": (0.2, 0.4)}, theme=theme
    ),
    "missed_invented": lambda theme: plots.missed_invented(BY_REGION, theme=theme),
    "body_regions": lambda theme: plots.body_regions(BY_REGION, labels={"brain": "Brain"}, theme=theme),
    "heat_map": lambda theme: plots.heat_map([[0.25, np.nan]], rows=["radsem"], columns=["L1", "L2"], title="T", theme=theme),
    "recall": lambda theme: plots.recall(
        [{"finding": "embolism", "tier": 4, "said": 4, "found": 1, "recall": 0.25, "low": 0.05, "high": 0.7}], theme=theme
    ),
    "against": lambda theme: plots.against([0.1, 0.5], [0.2, 0.4], names=("a", "b"), metric="radsem", theme=theme),
    "forest": lambda theme: plots.forest([("radsem", 0.2, 0.1, 0.3)], title="b against a", words="right: better", theme=theme),
    "weights_effect": lambda theme: plots.weights_effect(
        pa.table({"group": ["devices"], "weight": [2.0], "findings": [0.25], "cost": [0.5]}), title="Profile", theme=theme
    ),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", DRAWN)
def test_a_plot_is_svg_that_can_stand_in_a_page(name: str, theme: str) -> None:
    text = DRAWN[name](theme)
    root = ElementTree.fromstring(text)
    assert root.tag.endswith("svg")
    assert root.get("role") == "img"
    assert root.get("aria-label")
    assert "<?xml" not in text
    assert "<style" not in text
    assert re.search(r"https?://(?!www\.w3\.org/)", text) is None
    assert text == DRAWN[name](theme)


def texts(svg: str) -> list[str]:
    return ["".join(one.itertext()).strip() for one in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_text_is_text_and_says_the_numbers() -> None:
    said = texts(DRAWN["score_distributions"]("light"))
    assert "n = 2, 1 without a score, mean 0.300 (0.200 to 0.400)" in said
    assert "n = 2, mean 0.500" in said
    assert "0.25" in texts(DRAWN["heat_map"]("light"))
    assert "1 of 4" in texts(DRAWN["recall"]("light"))
    assert "3, 3 critical" in texts(DRAWN["missed_invented"]("light"))
    assert "× 2.00" in texts(DRAWN["weights_effect"]("light"))


def test_contradicted_findings_count_on_their_side() -> None:
    chest, brain, nowhere = errors_of(BY_REGION)
    assert (chest.region, chest.missed.tolist(), chest.invented.tolist()) == ("chest", [1, 0, 5, 0], [3, 0, 2, 0])
    assert (brain.errors, brain.findings, brain.share) == (7, 20, 0.35)
    assert nowhere.region == "unplaced"


def test_the_body_shows_every_region_and_what_has_no_place() -> None:
    said = texts(DRAWN["body_regions"]("dark"))
    assert {"Brain", "7 of 20 (35 %)", "chest"} <= set(said)
    assert any(line.startswith("Not shown: unplaced 3 of 20") for line in said)


def test_every_region_of_results_is_in_the_picture() -> None:
    from kgscore.report.plots.body import _shapes

    assert {shape["name"] for shape in _shapes()} == {region.name for region in regions()}


def test_nothing_wrong_is_said_so() -> None:
    fine = BY_REGION.filter([False] * BY_REGION.num_rows)
    assert "nothing missed, nothing invented" in texts(plots.missed_invented(fine))
    plots.body_regions(fine)


def test_one_bad_argument_is_an_error() -> None:
    with pytest.raises(ValueError, match="theme 'sepia': unknown"):
        plots.missed_invented(BY_REGION, theme="sepia")
    with pytest.raises(ValueError, match="needs as many names"):
        plots.heat_map([[1.0]], rows=["a", "b"], columns=["c"], title="t")
    with pytest.raises(ValueError, match="no scores to plot"):
        plots.score_distributions({}, metric="radsem")


def test_png_is_an_image() -> None:
    from kgscore.report.plots import figures

    image = plots.png(figures.missed_invented(BY_REGION), dpi=40)
    assert image.startswith(b"\x89PNG")
    assert image == plots.png(figures.missed_invented(BY_REGION), dpi=40)
