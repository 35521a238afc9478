"""Descriptors and sizes: what later sentences say of a finding, and what is said of one finding in several words."""

from __future__ import annotations

import pytest

from kgscore.engine import Scorer


def said(scorer: Scorer, text: str) -> list[str]:
    return [
        " ".join(filter(None, (f.concept, "+".join(f.sites), f.change, *sorted(d.text for d in f.details))))
        for f in scorer.read(text).findings
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is a cyst in the spleen. It is septated and measures 22 mm.", ["splenic_cyst spleen 22 mm septated"]),
        ("Nodule in the pancreatic tail. Maximum diameter: 9 mm.", ["nodule pancreatic_tail 9 mm"]),
        ("Mass in the uterus. It has increased in size from 2 cm to 3 cm.", ["mass uterus increased 30 mm previously 20 mm"]),
        ("Solitary nodule of the liver. It is calcified with smooth margins.", ["nodule liver calcified single well-defined"]),
        ("There is a cyst in the pancreas. It measured 4 cm previously.", ["pancreatic_cyst pancreas previously 40 mm"]),
        ("A mass of the spleen. No calcification. It measures 12 mm.", ["mass spleen 12 mm", "splenic_calcification spleen"]),
        ("There is a nodule in the spleen. It is enhancing and measures 12 mm.", ["nodule spleen 12 mm", "enhancement spleen"]),
    ],
)  # fmt: skip
def test_it_is_the_finding_of_the_sentence_before(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert said(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The liver shows steatosis. It measures 18 cm.", ["hepatic_steatosis liver"]),
        ("The uterus contains a fibroid. It is anteverted.", ["fibroid myometrium", "anteverted_uterus uterus"]),
    ],
)
def test_it_may_be_the_structure(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert said(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is an abscess in the liver. The abscess measures 41 mm.", ["hepatic_abscess liver 41 mm"]),
        ("A mass in the liver and a cyst in the spleen. The mass is lobulated.", ["mass liver lobulated", "splenic_cyst spleen"]),
        ("Mass in the liver. The spleen is enlarged. The mass measures 3 cm.", ["mass liver 30 mm", "splenomegaly spleen"]),
    ],
)  # fmt: skip
def test_a_finding_named_again_is_the_one_before(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert said(scorer, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A cyst, large and septated, is seen in the spleen.", ["splenic_cyst spleen large septated"]),
        ("A nodule that is solid and measures 14 mm is present in the lingula.", ["pulmonary_nodule lingula 14 mm solid"]),
        ("The left tibia shows a large, lobulated bone cyst.", ["bone_cyst tibia large lobulated"]),
        ("A hyperdense, lobulated hematoma in the pons.", ["intraparenchymal_hemorrhage pons hyperdense lobulated"]),
        ("The hemorrhage in the pons is hyperdense.", ["intraparenchymal_hemorrhage pons hyperdense"]),
        ("Left adrenal gland: nodule, calcified.", ["adrenal_nodule adrenal_gland calcified"]),
        ("An infarct in the left frontal lobe is subcortical.", ["infarct_brain frontal_subcortical_white_matter"]),
    ],
)
def test_several_descriptors_are_of_one_finding(scorer: Scorer, text: str, expected: list[str]) -> None:
    assert said(scorer, text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "No hypodense lesion is seen in the spleen.",
        "The spleen shows no hypodense lesion.",
        "A hypodense lesion is not seen in the spleen.",
    ],
)
def test_one_word_is_read_alike_in_other_frames(scorer: Scorer, text: str) -> None:
    assert said(scorer, text) == ["lesion spleen hypodense"]


def test_each_size_is_that_of_its_finding(scorer: Scorer) -> None:
    text = "The thalamus contains an infarct measuring 16 mm and a hematoma measuring 12 mm."
    assert [one.rpartition(" thalamus ")[2] for one in said(scorer, text)] == ["16 mm", "12 mm"]
