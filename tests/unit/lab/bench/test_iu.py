"""Coded chest radiographs: codes as statements, and what is counted of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from kgscore.errors import InputError
from kgscore.lab.bench.iu import iu, load_wording, statements_of_code

Write = Callable[..., Path]
EMPTY = {"findings": "", "impression": "", "mesh": ["normal"], "nih14": ["normal"]}


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(*rows: Mapping[str, Any]) -> Path:
        path = tmp_path / "iu.jsonl"
        lines = [json.dumps({"id": str(number), **EMPTY, **row}) for number, row in enumerate(rows)]
        path.write_text("\n".join(lines), encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("code", "whole", "bare"),
    [
        ("Cardiomegaly/mild", "Mild cardiomegaly.", "Cardiomegaly."),
        ("Opacity/lung/upper lobe/right", "Opacity in the right upper lobe.", "Opacity."),
        ("Opacity/lung", "Opacity in the lung.", "Opacity."),
        ("Nodule/upper lobe/lung/left", "Nodule in the left upper lobe.", "Nodule."),
        ("Pleural Effusion/bilateral/small", "Bilateral small pleural effusion.", "Pleural effusion."),
        ("Thickening/pleura/bilateral", "Thickening in the bilateral pleura.", "Thickening."),
        ("Diaphragm/right/elevated/mild", "Right mild elevated hemidiaphragm.", "Elevated hemidiaphragm."),
        ("Lung/hyperdistention/bilateral", "Hyperinflated lungs.", "Hyperinflated lungs."),
        ("Calcinosis/lung/hilum/lymph nodes/left", "Calcification in the left hilar lymph node.", "Calcification."),
        ("Scoliosis/thoracic vertebrae/left/mild", "Mild levoscoliosis of the thoracic spine.", "Scoliosis."),
        ("Scoliosis/right", "Dextroscoliosis.", "Scoliosis."),
        ("Osteophyte/thoracic vertebrae/multiple/right", "Osteophytes in the thoracic spine.", "Osteophytes."),
    ],
)
def test_a_code_is_said_with_place_side_and_degree_and_bare(code: str, whole: str, bare: str) -> None:
    found = statements_of_code(code, load_wording())
    assert found is not None
    assert (found.whole, found.bare) == (whole, bare)


def test_a_code_that_has_no_words_is_no_statement() -> None:
    assert statements_of_code("Lung/left", load_wording()) is None
    assert statements_of_code("Foreign Bodies", load_wording()) is None


def test_figures(write: Write) -> None:
    figures = iu.run(
        write(
            {"findings": "The heart is mildly enlarged.", "mesh": ["Cardiomegaly/mild", "Lung/left"], "nih14": ["Cardiomegaly"]},
            {"impression": "No pleural effusion.", "mesh": ["Pleural Effusion/left"], "nih14": ["Effusion"]},
            {"findings": "Lungs are clear.", "impression": "Normal heart size."},
            {"findings": "Left pneumothorax.", "nih14": ["normal"]},
            {"mesh": ["Cardiomegaly"]},
            {"findings": "Cardiomegaly.", "mesh": ["No Indexing"]},
        )
    )
    assert figures["cases"] == 4
    assert figures["codes"]["cases"] == 2
    assert (figures["codes"]["entailed"], figures["codes"]["contradicted"]) == (0.5, 0.5)
    assert figures["bare"]["entailed"] == 0.5
    assert (figures["normal with an abnormal finding"], figures["flagged"]) == (0.5, 0.0)
    assert figures["nih8"] == {"cases": 4, "f1": 0.5, "precision": 0.5, "recall": 0.5}
    assert len(iu.grids(figures)) == 3


def test_what_is_no_list_of_codes_is_told(write: Write) -> None:
    with pytest.raises(InputError, match="record 1: 'mesh' must be a list"):
        iu.run(write({"findings": "Cardiomegaly.", "mesh": "Cardiomegaly"}))
    with pytest.raises(InputError, match="no report has both"):
        iu.run(write(EMPTY))
