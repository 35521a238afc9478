"""Terms of another vocabulary: found by name, by synonym, composed; what a reviewer curated stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.labelling.resolve import Foreign, Resolver, read_vocabulary, shares
from kgscore.ontology.sssom import EXACT, LEXICAL, MANUAL, NARROW, Mapping


@pytest.fixture(scope="module")
def resolver(scorer: Scorer) -> Resolver:
    return Resolver(scorer.index, scorer.lexicon, scorer.read, "X")


@pytest.mark.parametrize(
    ("term", "how", "says"),
    [
        (Foreign("1", "pneumothorax"), "name", ("kgs:pneumothorax", EXACT, "X:1", "", "")),
        (Foreign("2", "zzz", ("yyy", "enlarged heart")), "synonym", ("kgs:cardiomegaly", EXACT, "X:2", "", "")),
        (Foreign("3", "lesion of the fourth ventricle"), "composed", ("kgs:lesion", NARROW, "X:3", "kgs:fourth_ventricle", "")),
        (Foreign("4", "enlarged heart"), "name", ("kgs:cardiomegaly", EXACT, "X:4", "", "")),
        (Foreign("5", "T2-hyperintense liver lesion"), "composed", ("kgs:t2_hyperintensity", NARROW, "X:5", "kgs:liver", "")),
        (Foreign("6", "pancreatitis in a child"), "partly", ("kgs:pancreatitis", NARROW, "X:6", "", "")),
    ],
)
def test_a_term_is_found(resolver: Resolver, term: Foreign, how: str, says: tuple[str, ...]) -> None:
    found = resolver.resolve(term)
    assert (found.how, [row.identity for row in found.mappings]) == (how, [says])


@pytest.mark.parametrize("name", ["frobnication of the wug", "no pneumothorax", "pneumothorax and effusion"])
def test_what_is_no_one_finding_is_not_guessed(resolver: Resolver, name: str) -> None:
    assert resolver.resolve(Foreign("1", name)).how == "none"


def test_what_a_reviewer_curated_goes_first_and_not_forbids(scorer: Scorer) -> None:
    kept = [
        Mapping("kgs:cardiomegaly", object_id="X:1", mapping_justification=MANUAL),
        Mapping("kgs:pneumothorax", predicate_modifier="Not", object_id="X:2", mapping_justification=MANUAL),
        Mapping("kgs:cyst", object_id="X:3", mapping_justification=LEXICAL),
    ]
    resolver = Resolver(scorer.index, scorer.lexicon, scorer.read, "X", kept)
    assert resolver.resolve(Foreign("1", "pneumothorax")).how == "reviewed"
    refused = resolver.resolve(Foreign("2", "pneumothorax"))
    assert (refused.how, [row.predicate_modifier for row in refused.mappings]) == ("none", ["Not"])
    assert resolver.resolve(Foreign("3", "pneumothorax")).mappings[0].key == "pneumothorax"


def test_shares_by_tag(resolver: Resolver) -> None:
    terms = [("1", "pneumothorax", ("chest",)), ("2", "frobnication", ("chest", "XR")), ("3", "cyst", ())]
    found = shares(resolver.resolve(Foreign(id, name, tags=tags)) for id, name, tags in terms)
    assert list(found) == ["all", "chest", "(no tag)", "XR"]
    assert (found["all"]["resolved"], found["chest"]["resolved"], found["XR"]["resolved"]) == (0.667, 0.5, 0.0)


def test_a_table_without_names_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("id\tlabel\n1\tcyst\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column 'name'"):
        read_vocabulary(path)
    path.write_text("code\tname\tsynonyms\ttags\n1\tcyst\tcystic lesion|sac\tUS\n", encoding="utf-8")
    assert read_vocabulary(path) == [Foreign("1", "cyst", ("cystic lesion", "sac"), ("US",))]
