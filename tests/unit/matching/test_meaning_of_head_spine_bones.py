"""What follows from what in texts about head, spine and bones."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

CASES = [
    # involved and not involved
    ("The right orbit is involved.", "The right orbit is abnormal.", "entailed"),
    ("The left facial nerve is spared.", "The left facial nerve is not involved.", "entailed"),
    # uptake of contrast as a feature of the lesion
    ("Schwannoma on the left. It shows homogeneous enhancement.", "The schwannoma does not enhance.", "contradicted"),
    # how a finding has gone on
    ("The subdural haematoma on the left is regredient.", "The left subdural haematoma has grown.", "contradicted"),
    ("A new nodule in the thalamus.", "The nodule was already present on the last MRI.", "contradicted"),
    # operations and what they leave
    ("Burr hole in the right frontal bone.", "There is a defect in the right frontal bone.", "entailed"),
    ("Lucent halo around the L4 screw.", "There is loosening of the L4 screw.", "entailed"),
    # fresh infarcts restrict diffusion
    ("DWI negative.", "No acute infarct.", "entailed"),
    ("No diffusion restriction of the brain.", "No old infarct.", "neutral"),
    # breaks that are not displaced
    ("Undisplaced fracture of the scaphoid.", "The scaphoid fracture is not displaced.", "entailed"),
    ("The fracture of the tibia shows no displacement.", "Nondisplaced tibial fracture.", "entailed"),
    ("Displaced fracture of the tibia.", "The fracture of the tibia is not displaced.", "contradicted"),
    ("No displaced rib fractures.", "There are displaced rib fractures.", "contradicted"),
    # the cord beside a vertebra, and the spine by other names
    ("Syringomyelia at C5.", "Syrinx of the cervical cord.", "entailed"),
    ("Syringomyelia at T5.", "Syrinx of the cervical cord.", "neutral"),
    ("Severe stenosis of the canal at C4/5.", "High-grade narrowing of the cervical canal.", "entailed"),
    ("Root L5 compressed on the left.", "Compression of the left L5 nerve root.", "entailed"),
    ("Wedge fracture of T12.", "Wedge deformity of T12.", "entailed"),
    # what is normal elsewhere refutes nothing that has no place
    ("Mass in the pons. The left orbit is normal.", "There is haemorrhage within the mass.", "neutral"),
    # joints
    ("The syndesmotic ligaments are torn.", "Injury of the syndesmosis.", "entailed"),
    ("Avascular necrosis of the right femoral head.", "Normal marrow signal of the right femoral head.", "contradicted"),
]


@pytest.mark.parametrize(("report", "statement", "verdict"), CASES)
def test_what_follows(scorer: Scorer, report: str, statement: str, verdict: str) -> None:
    assert scorer.entails(report, statement).verdict == verdict


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("Raised T2 signal of the left hippocampus.", "t2_hyperintensity"),
        ("Crowding of the orbital apex.", "orbital_apex_crowding"),
        ("Peg-shaped cerebellar tonsils.", "tonsillar_ectopia"),
        ("Stenosis of the recessus lateralis.", "lateral_recess_stenosis"),
        ("A screw encroaches on the spinal canal.", "pedicle_screw_malposition"),
    ],
)
def test_other_words(scorer: Scorer, text: str, concept: str) -> None:
    assert concept in {finding.concept for finding in scorer.read(text).findings}
