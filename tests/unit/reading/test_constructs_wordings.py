"""Wordings of one content that give one reading: forms, phases of contrast, and where a bare finding is."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def said(scorer: Scorer, text: str) -> set[str]:
    """Return status, label, sites and side of each finding."""
    return {" ".join((f.status, f.label, "+".join(sorted(f.sites)), f.side or "")).strip() for f in scorer.read(text).findings}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Linear band-like opacities in the left lower lobe.", "Linear opacities in the left lower lobe."),
        ("Osseous proliferative change at the right knee.", "Osteophytes at the right knee."),
        ("Hypoattenuating regions are seen in the left putamen.", "Hypodensity is seen in the left putamen."),
        ("No luminal stenosis of the left vertebral artery.", "No stenosis of the left vertebral artery."),
        ("The pons does not exhibit a T2 hyperintense focus.", "The pons does not demonstrate a T2 hyperintense focus."),
        ("On fat-suppressed T2-weighted sequences, the marrow is bright.", "On fat-suppressed T2, the marrow is bright."),
        ("A lesion of the spleen is seen on either unenhanced or enhanced images.", "A lesion of the spleen is seen."),
        ("A dense opacity is present in the mitral valve.", "Hyperdensity is present in the mitral valve."),
        ("Hypodense foci around the left lateral ventricle.", "Hypodense foci in the left periventricular white matter."),
        ("A central venous catheter opacity in the right atrium.", "A central venous catheter in the right atrium."),
        ("The left costophrenic angle is blurred.", "The left costophrenic angle is effaced."),
        ("Small effusion in the capsule of the left knee.", "Small effusion of the left knee joint."),
        ("An aneurysmal outpouching of the basilar artery.", "An aneurysm of the basilar artery."),
        ("Septal enhancement in the left ovarian cyst.", "Enhancing septa in the left ovarian cyst."),
        ("The mass widens the left foramen at L3-4.", "The left foramen at L3-4 is widened by the mass."),
        ("The capitate is untouched.", "The capitate is normal."),
        ("Lg L eff, mod R.", "Large left effusion, moderate on the right."),
        ("R kidney nl. LUL nod 7 mm, unch.", "Right kidney normal. Left upper lobe nodule 7 mm, unchanged."),
        ("SSP tear, prob chr.", "Supraspinatus tear, probably chronic."),
        ("Heart size and vascularity are normal.", "Heart size and pulmonary vascularity are normal."),
    ],
)
def test_two_wordings_have_one_reading(scorer: Scorer, one: str, other: str) -> None:
    found = said(scorer, one)
    assert found
    assert found == said(scorer, other)


@pytest.mark.parametrize(
    "text", ["The cardiac silhouette is enlarged. Mild edema.", "The effusion has resolved with persistent edema."]
)
def test_a_bare_edema_of_the_chest_is_of_the_lung(scorer: Scorer, text: str) -> None:
    assert "present pulmonary edema lung" in said(scorer, text)


def test_an_edema_of_the_heart_wall_is_of_the_heart(scorer: Scorer) -> None:
    assert said(scorer, "Edema of the heart wall.") == {"present myocardial edema myocardium"}


def test_the_first_of_two_signals_is_where_the_second_is(scorer: Scorer) -> None:
    found = said(scorer, "Hypointense on T1-weighted images and hyperintense on T2-weighted images in both thalami.")
    labels = ("T1 hypointensity", "T2 hyperintensity")
    assert found == {f"present {label} thalamus {side}" for label in labels for side in ("left", "right")}
