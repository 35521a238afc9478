"""A finding whose name is composed is the same finding as its genus at the site, or with the value, in any order."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer

SAME = [
    ("Salter-Harris fracture of the distal radius, type II.", "Salter-Harris type II fracture of the distal radius."),
    ("The implant rupture is extracapsular.", "Extracapsular implant rupture."),
    ("Perianal fistula, transsphincteric.", "Transsphincteric fistula."),
    ("Hypertrophy of the parathyroid gland.", "Parathyroid hyperplasia."),
    ("The thyroid carcinoma is papillary.", "Papillary thyroid carcinoma."),
    ("The pneumonia is atypical.", "Atypical pneumonia."),
    # a finding is the value
    ("Cerebral infarct, embolic.", "Embolic infarct."),
    # the place of the genus is its default one, and the named finding has another
    ("Synovitis, transient.", "Transient synovitis."),
    # a place that the finding implies
    ("Dilatation of the lactiferous ducts.", "Duct ectasia."),
    ("Herniation of the rectovaginal septum.", "Enterocele."),
]
APART = [
    # a lesion, a metastasis: no particular disease of the place
    ("Lesion in the thymus.", "Thymoma."),
    ("Metastasis in the vagina.", "Vaginal carcinoma."),
    # elsewhere
    ("Transient synovitis of the knee.", "Transient synovitis of the hip."),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_a_composed_name_is_its_parts(scorer: Scorer, one: str, other: str) -> None:
    assert scorer.relate(one, other).relation == "equivalent"


@pytest.mark.parametrize(("one", "other"), APART)
def test_a_general_finding_at_a_place_is_none_of_its_diseases(scorer: Scorer, one: str, other: str) -> None:
    assert scorer.relate(one, other).relation != "equivalent"
