"""Coverage, suggestions, examples, differences: what an author works with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kgscore.authoring.coverage import Coverage
from kgscore.authoring.diff import Comparison, summary
from kgscore.authoring.examples import try_examples
from kgscore.authoring.new import new_module
from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.io.records import Record
from kgscore.linking.suggest import Suggester, wordings_of


def test_a_wording_of_the_module_is_its_own(scorer: Scorer, dentist: Scorer) -> None:
    text = "Implant at site 36."
    assert [f.concept for f in scorer.read(text).findings] != ["oral_implant"]
    (finding,) = dentist.read(text).findings
    assert (finding.concept, finding.sites, finding.side) == ("oral_implant", ("mandibular_first_molar",), "left")


def test_a_wording_added_to_a_shipped_concept_is_read(scorer: Scorer, dentist: Scorer) -> None:
    text = "Rarefying osteitis at tooth 46."
    assert "periapical_lucency" not in [f.concept for f in scorer.read(text).findings]
    assert [f.concept for f in dentist.read(text).findings] == ["periapical_lucency"]


def test_what_the_module_does_not_speak_of_reads_as_before(scorer: Scorer, dentist: Scorer) -> None:
    text = "Small left apical pneumothorax. No pleural effusion. The heart is enlarged. Fracture of the left hip."
    assert scorer.read(text).findings == dentist.read(text).findings


def test_the_signature_names_the_module_by_its_contents(scorer: Scorer, dentist: Scorer) -> None:
    assert "modules" not in scorer.signature
    assert dentist.signature["modules"].startswith("dental_cbct ")
    assert dentist.signature["knowledge"] != scorer.signature["knowledge"]
    assert dentist.signature["profile_hash"] == scorer.signature["profile_hash"]


def test_coverage_ranks_runs_of_unknown_words_with_their_phrase(scorer: Scorer) -> None:
    coverage = Coverage(scorer)
    coverage.add("Marked zebrafloxian blip of the left lung. A zebrafloxian blip again.")
    coverage.add("No zebrafloxian blip. Pneumothorax.")
    first, *_ = coverage.unknown()
    assert (first.text, first.count, first.reports) == ("zebrafloxian blip", 3, 2)
    assert "zebrafloxian blip" in first.phrase
    assert coverage.reports == 2
    assert 0 < coverage.linked <= coverage.findings


@pytest.mark.parametrize(
    ("text", "concept", "by"),
    [("pneumothoraxx", "pneumothorax", "spelling"), ("effusion pericardial zone", "pericardial_effusion", "words")],
)
def test_suggestions_are_existing_concepts_by_spelling_or_words(scorer: Scorer, text: str, concept: str, by: str) -> None:
    found = Suggester(wordings_of(scorer.lexicon)).suggest(text)
    match = next(one for one in found if one.concept == concept)
    assert (match.by, match.kind) == (by, "finding")
    assert 0.5 <= match.score <= 1
    assert found == sorted(found, key=lambda one: -one.score)


def test_suggestions_for_nonsense_are_none(scorer: Scorer) -> None:
    assert Suggester(wordings_of(scorer.lexicon)).suggest("qqqq zzzz") == []


def lines(path: Path, *rows: object) -> None:
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows), encoding="utf-8")


def test_examples_tell_what_is_missing_and_what_was_read(scorer: Scorer, tmp_path: Path) -> None:
    lines(
        tmp_path / "sentences.jsonl",
        {"text": "Left pneumothorax.", "findings": [{"concept": "pneumothorax", "side": "left", "sites": ["pleural_space"]}]},
        {"text": "Left pneumothorax.", "findings": [{"concept": "pneumothorax", "side": "right"}]},
        {"text": "No pneumothorax.", "findings": [{"concept": "pneumothorx"}]},
        {"text": "No pneumothorax.", "findings": [{"concept": "pneumothorax", "sied": "left"}]},
        {"text": "x"},
        "{broken",
    )
    lines(
        tmp_path / "pairs.jsonl",
        {"a": "Pneumothorax.", "b": "No pneumothorax.", "relation": "contradiction"},
        {"a": "Pneumothorax.", "b": "No pneumothorax.", "relation": "equivalent"},
        {"a": "Pneumothorax.", "b": "No pneumothorax.", "relation": "same"},
    )
    tried = try_examples(tmp_path, scorer)
    assert (tried.sentences, tried.pairs) == (5, 3)
    told = {problem.where: problem.message for problem in tried.problems}
    assert list(told) == [f"sentences.jsonl:{n}" for n in range(2, 7)] + ["pairs.jsonl:2", "pairs.jsonl:3"]
    wrong_side = 'missing: {"concept": "pneumothorax", "side": "right"}; not expected: {"concept": "pneumothorax"'
    assert told["sentences.jsonl:2"].startswith(wrong_side)
    assert told["sentences.jsonl:3"] == "'pneumothorx' is not a concept; did you mean 'pneumothorax'?"
    assert told["sentences.jsonl:4"] == "unknown field 'sied'; did you mean 'side'?"
    assert told["pairs.jsonl:2"].startswith("is contradiction, not equivalent because denied: pneumothorax")


def test_a_module_without_examples_has_none(scorer: Scorer, tmp_path: Path) -> None:
    assert try_examples(tmp_path, scorer).problems == ()


def test_diff_tells_what_comes_and_goes_and_adds_up(scorer: Scorer, dentist: Scorer) -> None:
    comparison = Comparison(scorer, dentist)
    assert "oral_implant" in comparison.terms()["added"]
    assert comparison.terms()["removed"] == []
    fields = {"reference": "External root resorption of tooth 21.", "candidate": "Internal root resorption of tooth 21."}
    change = comparison.of(Record("p:1", "a", fields))
    gone, come = change.readings["reference"]
    assert "external_root_resorption" in [one["concept"] for one in come]
    assert "external_root_resorption" not in [one["concept"] for one in gone]
    before, after = change.scores["radsem"]
    assert before is not None
    assert after is not None
    assert after < before
    same = comparison.of(Record("p:2", "b", {"report": "Small left pneumothorax."}))
    assert not same.any
    assert (comparison.totals.records, comparison.totals.changed) == (2, 1)
    assert any("1 pairs scored both times" in line for line in summary(comparison.totals))


def test_nothing_differs_from_itself(scorer: Scorer) -> None:
    comparison = Comparison(scorer, scorer)
    assert not any(comparison.terms().values())
    assert not comparison.of(Record("p:1", "a", {"reference": "Pneumothorax.", "candidate": "No pneumothorax."})).any


@pytest.mark.parametrize("name", ["Dental", "9teeth", "my-module", "chest", "core"])
def test_names_that_a_module_cannot_have_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        new_module(tmp_path / name)
    assert not (tmp_path / name).exists()
