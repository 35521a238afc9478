"""Case and articles, and the lists that texts are made of."""

from __future__ import annotations

from kgscore.lab.perturbing.means import Means, article, lower_first, sentence
from kgscore.reading.tokens import phrase_key


def test_sentences_are_tidy() -> None:
    assert sentence("there is a acute  fracture , unchanged") == "There is an acute fracture, unchanged."
    assert lower_first("NG tube") == "NG tube"
    assert lower_first("Baker cyst") == "Baker cyst"
    assert article("NG") == "an"
    assert sentence("A endotracheal tube") == "An endotracheal tube."


def test_every_name_of_a_row_is_one_concept(means: Means) -> None:
    for row in means.lists["wordings"]:
        shared = set.intersection(*({entry.id for entry in means.lexicon.lookup(phrase_key(name))} for name in row))
        assert shared, row


def test_the_lists_name_what_the_ontology_knows(means: Means) -> None:
    lists = means.lists
    words = [word for row in (*lists["scales"], *lists["kinds"]) for word in row]
    words += [word for row in lists["normals"] for word in (row["say"], *row["opposites"])]
    assert [word for word in words if not means.lexicon.lookup(phrase_key(word))] == []
    ids = [*lists["places"], *(name for row in lists["normals"] for name in row.get("of", ()))]
    assert [name for name in ids if name not in means.index.concepts] == []


def test_every_invented_finding_is_read_as_one(means: Means) -> None:
    rows = (*means.lists["false_findings"].values(), *means.lists["false_devices"].values())
    for text in (text.format(side="left") for row in rows for text in row):
        findings = means.read(sentence(text)).findings
        assert findings, text
        assert all(finding.asserts and finding.concept for finding in findings), text
