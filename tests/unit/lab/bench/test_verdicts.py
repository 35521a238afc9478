"""What the clinical verdict names in rewrites and where findings are planted: counts, kinds, regions, and what is listed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from kgscore.errors import InputError
from kgscore.lab.bench.verdicts import planted, rewrites

REFERENCE = "Large right pneumothorax. There is a 5 cm mass in the left upper lobe. The heart is normal in size."
MASS = "In the left upper lobe there is a mass of 5 cm."
# L1 says the same; the second case drops the pneumothorax, the third puts the mass on the other side and invents an infarct.
SAME = {"L1": f"A large pneumothorax is on the right. {MASS} Normal heart size."}
DROPPED = {"L1": f"{MASS} Normal heart size."}
MOVED = {"L1": "A large pneumothorax is on the right. In the right upper lobe there is a mass of 5 cm. Acute cerebral infarct."}
TURNED = {
    "L2": f"There is no pneumothorax. {MASS} Normal heart size.",
    "L3": "There is no pneumothorax. No lung mass. Normal heart size.",
}


def put(path: Path, *rows: Mapping[str, Any]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{json.dumps({'reference': REFERENCE, **row})}\n" for row in rows), encoding="utf-8")
    return path


def test_what_is_named_in_rewrites(tmp_path: Path) -> None:
    rows = ({"type": "CT", "area": "CHEST, BONE", **row} for row in (SAME, SAME, DROPPED, MOVED))
    figures = rewrites.run(put(tmp_path / "ssree.jsonl", *rows))
    assert (figures["cases"], figures["without a score"]) == (4, 0)
    # One missed in the third; in the fourth the mass is wrong in its side and the infarct is invented.
    assert (figures["actionable"], figures["clean"], figures["urgent or critical"]) == (0.75, 0.5, 0.5)
    assert (figures["sure"], figures["sure urgent or critical"]) == (0.75, 0.5)
    errors = {name: row["errors"] for name, row in figures["kinds"].items() if not name.startswith("minor")}
    assert errors == {"missed: left out": 0.25, "wrong: side": 0.25, "invented": 0.25}
    assert figures["kinds"]["invented"]["critical"] + figures["kinds"]["invented"]["urgent"] == 0.25
    assert figures["modality: CT"]["actionable"] == 0.75
    assert "region: chest" not in figures  # fewer than ten
    assert rewrites.grids is not None
    whole, kinds = rewrites.grids(figures)
    assert "all" in whole.rows
    assert "invented" in kinds.rows


def test_a_pair_without_a_verdict_is_counted_apart(tmp_path: Path) -> None:
    figures = rewrites.run(put(tmp_path / "ssree.jsonl", SAME, {**SAME, "reference": " "}))
    assert (figures["cases"], figures["without a score"], figures["clean"]) == (2, 1, 1.0)


def test_what_is_planted_is_named_beside_what_was_wrong_before(tmp_path: Path) -> None:
    rows = ({**SAME, **TURNED}, {**SAME, **TURNED, "L2": SAME["L1"]}, {**DROPPED, **TURNED, "L3": TURNED["L2"]})
    figures = planted.run(put(tmp_path / "ssree.jsonl", *rows))
    # The second has nothing turned at L2. The third missed the pneumothorax at L1; that it is denied is another error.
    assert (figures["L2 errors"], figures["L2 as many as planted"]) == (0.667, 0.667)
    assert (figures["L3 errors"], figures["L3 as many as planted"]) == (1.667, 0.667)
    assert figures["L2 urgent or critical"] == 0.667
    assert (figures["L3 sure"], figures["L3 sure in all"]) == (1.667, 1.667)


def test_an_error_that_was_there_before_is_not_counted(tmp_path: Path) -> None:
    row = {"L1": DROPPED["L1"], "L2": DROPPED["L1"], "L3": "No lung mass. Normal heart size."}
    figures = planted.run(put(tmp_path / "ssree.jsonl", row))
    assert (figures["L2 errors"], figures["L3 errors"], figures["L3 as many as planted"]) == (0.0, 1.0, 0.0)


def test_reports_that_are_not_clean_are_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewrites.run(put(tmp_path / "ssree.jsonl", {"case": "a", **SAME}, {"case": "b", **DROPPED}), show=True)
    (line,) = capsys.readouterr().out.splitlines()
    told = json.loads(line)
    assert (told["case"], [error["kind"] for error in told["errors"]]) == ("b", ["missed: left out"])
    with pytest.raises(InputError, match="cases are not shown"):
        planted.run(put(tmp_path / "unread" / "ssree.jsonl", {**SAME, **TURNED}), show=True)
