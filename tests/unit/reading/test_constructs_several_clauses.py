"""Sentences of several clauses: nothing is carried from one into another that speaks of its own place."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "A small cyst is seen in the left ovary, and the right adrenal gland is unremarkable.",
            {"present ovarian_cyst left", "normal abnormality right"},
        ),
        (
            "The right patella contains a cyst and the left scapula shows an erosion.",
            {"present bone_cyst right", "present bone_erosion left"},
        ),
        (
            "No nodule in the left thyroid lobe but suspected abscess of the right parotid gland.",
            {"absent thyroid_nodule left", "probable abscess right"},
        ),
        (
            "The left clavicle is free of erosion and a fracture is seen in the right scapula.",
            {"absent bone_erosion left", "present fracture right"},
        ),
        (
            "There is a stone in the left kidney and hydronephrosis is not seen.",
            {"present nephrolithiasis left", "absent hydronephrosis left", "absent hydronephrosis right"},
        ),
        (
            "Pancreatitis, cholecystitis and ascites have been excluded.",
            {"absent pancreatitis", "absent cholecystitis", "absent ascites"},
        ),
        (
            "A cyst in the left femur is unchanged although a fracture of the right tibia cannot be excluded.",
            {"present bone_cyst left", "possible fracture right"},
        ),
        (
            "The right kidney appears normal; a mass in the left kidney cannot be excluded.",
            {"normal abnormality right", "possible renal_mass left"},
        ),
    ],
)
def test_clauses_keep_their_own(scorer: Scorer, text: str, expected: set[str]) -> None:
    found = scorer.read(text).findings
    said = {
        " ".join((f.certainty if f.certainty != "definite" else f.status, f.concept or "", f.side or "")).strip() for f in found
    }
    assert said == expected
