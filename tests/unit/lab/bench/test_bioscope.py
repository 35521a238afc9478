"""The BioScope program on sentences of our own: what counts as a mention, what agrees, what is left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kgscore.lab.published.bioscope import bioscope


def figures(folder: Path, text: str, *annotations: tuple[str, str, str]) -> dict[str, Any]:
    """Run on one sentence with (type, cue, scope) annotations."""
    marked = [
        {"type": kind, "cue": cue, "scope": scope, "scope_span": [text.index(scope), text.index(scope) + len(scope)]}
        for kind, cue, scope in annotations
    ]
    path = folder / "sentences.jsonl"
    path.write_text(json.dumps({"text": text, "annotations": marked}), encoding="utf-8")
    return bioscope.run(path)


@pytest.mark.parametrize(
    ("text", "annotations", "name", "f1", "mentions", "gold"),
    [
        ("No pneumothorax.", [("negation", "No", "No pneumothorax")], "polarity", 1.0, 1, 1),
        ("No pneumothorax.", [], "polarity", 0.0, 1, 0),
        ("Left pneumothorax.", [("negation", "no", "Left pneumothorax")], "polarity", 0.0, 1, 1),
        ("The lungs are clear.", [], "polarity", 1.0, 0, 0),
        ("Wobbly blotch.", [], "polarity", 1.0, 0, 0),
        ("Likely pneumonia.", [("speculation", "Likely", "Likely pneumonia")], "uncertainty", 1.0, 1, 1),
        ("Cardiomegaly or ascites.", [("speculation", "or", "Cardiomegaly or ascites")], "uncertainty", 1.0, 2, 0),
    ],
)
def test_agreement(
    tmp_path: Path, text: str, annotations: list[tuple[str, str, str]], name: str, f1: float, mentions: int, gold: int
) -> None:
    found = figures(tmp_path, text, *annotations)[name]
    assert (found["f1"], found["mentions"], found["marked by people"]) == (f1, mentions, gold)


def test_disagreements_are_counted_by_cue_and_words_by_what_is_known(tmp_path: Path) -> None:
    found = figures(tmp_path, "No pneumothorax in the wobbly lung.")
    assert found["disagreements"] == {"polarity invented: no": 1}
    assert found["content words understood"] == pytest.approx(2 / 3, abs=1e-3)
