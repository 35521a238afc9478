"""Constructs of reports that another author words otherwise: none of them makes an error, and what changes the meaning is one."""

from __future__ import annotations

import pytest

from tests.unit.clinical.conftest import Errors


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Lesions of the pons without enhancement.", "Lesions of the pons. No lesion shows contrast enhancement."),
        ("Disc bulge narrowing the spinal canal at L4-5.", "Disc bulge at L4-5 with narrowing of the spinal canal."),
        ("The T8-9 disc protrudes but does not compress the cord.", "T8-9 disc protrusion without cord compression."),
        ("Laminectomy at L4-L5.", "Post-laminectomy changes at L4-5."),
        ("Aneurysm clip at the MCA bifurcation.", "A surgical clip for an aneurysm is present at the MCA bifurcation."),
        ("Old infarct in the left cerebellum.", "Previous infarct in the left cerebellum."),
        ("No pelvic mass.", "Masses/ascites: No masses are identified within the pelvis."),
        ("Mild height loss of T12.", "Vertebral body heights are preserved except for mild loss at T12."),
        ("Plate fixation along the humeral shaft.", "An opaque shadow of plate fixation along the humeral shaft."),
        ("Hyperdense focus in the left thalamus, compatible with hemorrhage.", "Left thalamic hemorrhage."),
        ("Cord edema at C4.", "T2 hyperintensity of the cord at C4 in keeping with edema."),
        ("Opacification of the left maxillary sinus.", "The left maxillary sinus is airless."),
        ("Left M1 occlusion with moderate collateral flow.", "Occlusion of the left M1 segment; collaterals are moderate."),
        ("Compression of the left lateral ventricle.", "Narrowing of the left lateral ventricle."),
    ],
)
def test_another_wording_makes_no_error(errors: Errors, reference: str, candidate: str) -> None:
    assert errors(reference, candidate) == []


@pytest.mark.parametrize(
    ("reference", "candidate"),
    [
        ("Liver lesion, likely hemangioma.", "Liver lesion, likely metastasis."),
        ("Ring-enhancing lesion, suspicious for abscess.", "Ring-enhancing lesion, suspicious for metastasis."),
        ("The left frontal mass enhances avidly.", "The left frontal mass does not enhance."),
        ("Enhancing left renal mass.", "Left renal mass without enhancement."),
        ("Thalamic hemorrhage extends into the ventricles.", "Thalamic hemorrhage without extension into the ventricles."),
        ("Edema of the left temporal lobe and the insula.", "Edema of the left temporal lobe sparing the insula."),
        ("Previous infarct in the left cerebellum.", "No cerebellar infarct."),
        ("Disc bulge narrowing the spinal canal at L4-5.", "Narrowing of the spinal canal at L4-5. No disc bulge."),
    ],
)
def test_another_meaning_in_much_the_same_words_is_an_error(errors: Errors, reference: str, candidate: str) -> None:
    assert errors(reference, candidate)
