"""The kinds of reading errors: each of the definitions has a reading that falls under it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgscore.lab.bench.readings import readings


def finding(concept: str, sites: list[str], side: str | None = None, status: str = "present", certainty: str = "definite") -> Any:
    return {"concept": concept, "sites": sites, "side": side, "status": status, "certainty": certainty}


@pytest.mark.parametrize(
    ("text", "gold", "kinds", "region"),
    [
        ("Left lower lobe consolidation.", [finding("consolidation", ["lower_lobe"], "left")], {}, ""),
        ("Left lower lobe consolidation.", [finding("consolidation", ["upper_lobe"], "left")], {"attachment": 1}, "chest"),
        ("Left lower lobe consolidation.", [finding("consolidation", ["lower_lobe"], "right")], {"attachment": 1}, "chest"),
        ("Fracture.", [finding("fracture", ["clavicle"])], {"default site": 1}, "chest"),
        ("Left lower lobe consolidation.", [finding("consolidation", ["lower_lobe"], "left", "absent")], {"cue": 1}, "chest"),
        (
            "Possible left lower lobe consolidation.",
            [finding("consolidation", ["lower_lobe"], "left")],
            {"cue: certainty": 1},
            "chest",
        ),
        ("Left lower lobe pneumonia.", [finding("viral_pneumonia", ["lower_lobe"], "left")], {"canonicalisation": 1}, "chest"),
        ("Left lower lobe consolidation.", [finding("pneumonia", ["lower_lobe"], "left")], {"canonicalisation": 1}, "chest"),
        ("Frobnication of the liver.", [finding("hepatic_steatosis", ["liver"])], {"vocabulary": 1}, "abdomen"),
        ("Splenomegaly.", [finding("splenomegaly", ["spleen"]), finding("ascites", ["peritoneum"])], {"missed": 1}, "abdomen"),
        ("Splenomegaly. Meniscal tear.", [finding("splenomegaly", ["spleen"])], {"spurious": 1}, "msk"),
    ],
)
def test_an_error_is_of_one_kind(tmp_path: Path, text: str, gold: list[Any], kinds: dict[str, int], region: str) -> None:
    path = tmp_path / "gold.jsonl"
    record = {"id": "1", "modality": "CT", "construct": "x", "text": text, "findings": gold}
    path.write_text(json.dumps(record), encoding="utf-8")
    figures = readings.run(path)
    assert figures["all"]["errors"] == kinds
    assert figures["modality: CT"]["errors"] == kinds
    if region:
        assert figures[f"region: {region}"]["errors"] == kinds
