"""The grammar of made-up sentences, and the lists they are made of."""

from __future__ import annotations

import pytest

from kgscore.perturbing.english import article, is_plural, lower_first, plural, sentence, with_article
from kgscore.perturbing.means import Means
from kgscore.reading.tokens import phrase_key


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("pleural effusion", "a pleural effusion"),
        ("acute fracture", "an acute fracture"),
        ("MRI-compatible clip", "an MRI-compatible clip"),
        ("8 mm nodule", "an 8 mm nodule"),
        ("unilateral effusion", "a unilateral effusion"),
        ("edema", "edema"),
        ("cardiomegaly", "cardiomegaly"),
        ("bronchial wall thickening", "bronchial wall thickening"),
        ("5 mm of midline shift", "5 mm of midline shift"),
        ("fractures of the left ribs", "fractures of the left ribs"),
        ("metastasis in the liver", "a metastasis in the liver"),
        ("pelvis", "a pelvis"),
    ],
)
def test_articles(phrase: str, said: str) -> None:
    assert with_article(phrase) == said


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("opacity", "opacities"), ("pulmonary embolus", "pulmonary emboli"), ("metastasis", "metastases"), ("mass", "masses"),
        ("calculus", "calculi"), ("lung cavity", "lung cavities"), ("kidney", "kidneys"), ("thalamus", "thalami"),
    ],
)  # fmt: skip
def test_plurals(one: str, many: str) -> None:
    assert plural(one) == many
    assert is_plural(many)
    assert not is_plural(one)
    assert plural(many) == many


def test_sentences_are_tidy() -> None:
    assert sentence("there is a acute  fracture , unchanged") == "There is an acute fracture, unchanged."
    assert lower_first("NG tube") == "NG tube"
    assert lower_first("Baker cyst") == "Baker cyst"
    assert article("NG") == "an"


def test_every_name_of_a_row_is_one_concept(means: Means) -> None:
    for row in means.lists.wordings:
        shared = set.intersection(*({entry.id for entry in means.lexicon.lookup(phrase_key(name))} for name in row))
        assert shared, row


def test_the_lists_name_what_the_ontology_knows(means: Means) -> None:
    lists = means.lists
    words = [word for row in (*lists.scales, *lists.kinds) for word in row]
    words += [word for row in lists.normals for word in (row.say, *row.opposites)]
    assert [word for word in words if not means.lexicon.lookup(phrase_key(word))] == []
    ids = [*lists.places, *(name for row in lists.normals for name in row.of)]
    assert [name for name in ids if name not in means.index.concepts] == []


def test_every_invented_finding_is_read_as_one(means: Means) -> None:
    rows = (*means.lists.false_findings.values(), *means.lists.false_devices.values())
    for text in (text.format(side="left") for row in rows for text in row):
        findings = means.read(f"There is {with_article(text)}.").findings
        assert findings, text
        assert all(finding.asserts and finding.concept for finding in findings), text
