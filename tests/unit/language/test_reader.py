"""What a model says, grounded in the ontology."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from kgscore.engine import Scorer
from kgscore.io.records import BadRecord, Record
from kgscore.language.answers import AnswerError
from kgscore.language.grounding import Grounder, Item, findings_of, locate_items
from kgscore.language.prefetch import prefetch_texts
from kgscore.language.prompts import load_prompt, request_key, user_message
from kgscore.language.reader import ModelReader
from kgscore.language.recorded import read_answers, write_requests
from kgscore.model import Finding
from kgscore.resources import resource
from tests.conftest import brief

from .conftest import Reply, Served, found

NAMES = sorted(path.name.removesuffix(".schema.json") for path in resource("prompts").glob("*.schema.json"))


def examples(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in resource("prompts", f"{name}.examples.jsonl").read_text(encoding="utf-8").splitlines()]


def reader(scorer: Scorer, served: Served, **options: object) -> ModelReader:
    return ModelReader(served.endpoint(**options), scorer.index, scorer.lexicon)


@pytest.mark.parametrize("name", NAMES)
def test_examples_follow_the_schema_of_their_prompt(name: str) -> None:
    prompt = load_prompt(name)
    for example in examples(name):
        assert user_message(str(example.pop("report"))) in prompt.system
        jsonschema.validate(example, prompt.schema)


def test_the_examples_of_the_extraction_are_linked_whole(scorer: Scorer) -> None:
    grounder = Grounder(scorer.index, scorer.lexicon, scorer.read)
    for example in examples("extraction"):
        items, refused = locate_items(str(example["report"]), example["findings"])  # type: ignore[arg-type]
        assert refused == 0
        for item in items:
            concepts = [one.concept for one in grounder.ground(item).findings]
            assert concepts, item.finding
            assert None not in concepts, item.finding


def _said(finding: Finding) -> tuple[object, ...]:
    return finding.concept, set(finding.sites), finding.side, finding.status, {one.text for one in finding.details}


def test_a_finding_that_is_written_out_is_read_as_it_was(scorer: Scorer) -> None:
    """The findings of reports, each as an item in the labels of the ontology: nearly all come back whole."""
    grounder = Grounder(scorer.index, scorer.lexicon, scorer.read)
    same = total = 0
    for line in resource("examples", "pairs.jsonl").read_text(encoding="utf-8").splitlines():
        for one in scorer.read(json.loads(line)["reference"]).findings:
            if one.status == "normal" or one.both or one.tip or len(one.sites) != 1 or one.concept is None:
                continue
            item = Item(
                0, 1, one.label, one.status, scorer.label(one.sites[0]), one.side or "", "", one.certainty,
                tuple(detail.text for detail in one.details), "", one.change or "",
            )  # fmt: skip
            again = findings_of(item, grounder.ground(item), "x", "")
            same += any(_said(one) == _said(other) and one.certainty == other.certainty for other in again)
            total += 1
    assert total > 20
    assert same / total > 0.95


@pytest.mark.parametrize(
    ("item", "wanted"),
    [
        (Item(0, 1, "pneumothorax", "absent", "pleural space", "left"), ["-pneumothorax left"]),
        (Item(0, 1, "empyema", "present", "pleural space", "both"), ["+empyema left", "+empyema right"]),
        (Item(0, 1, "midline position", "normal", "trachea"), ["=tracheal_deviation"]),
        (Item(0, 1, "disc bulge", "present", "intervertebral disc", "left", "L4-L5"), ["+disc_bulge left"]),
        (Item(0, 1, "flibbertigibbet", "present", "liver"), ["+None"]),
    ],
)
def test_items_become_typed_findings(scorer: Scorer, item: Item, wanted: list[str]) -> None:
    grounded = Grounder(scorer.index, scorer.lexicon, scorer.read).ground(item)
    assert sorted(brief(one) for one in findings_of(item, grounded, "x", "")) == wanted


def test_closed_fields_hold_whatever_the_words_say(scorer: Scorer) -> None:
    item = Item(0, 1, "nodule", "absent", "lung", "right", "", "probable", change="new")
    (one,) = findings_of(item, Grounder(scorer.index, scorer.lexicon, scorer.read).ground(item), "x", "")
    assert (one.certainty, one.change, one.restricted, one.status) == ("probable", "new", True, "absent")


def test_a_quote_must_stand_in_the_report() -> None:
    report = "Nodule on the left.\nA  nodule  on the right."
    given = [
        {"quote": "a nodule on\nthe right", "finding": "nodule", "presence": "present", "side": "right"},
        {"quote": "Nodule on the left", "finding": "nodule", "presence": "present", "side": "left"},
        {"quote": "a mass on the left", "finding": "mass", "presence": "present"},
    ]
    items, refused = locate_items(report, given)
    assert [(report[one.start : one.end], one.side) for one in items] == [
        ("Nodule on the left", "left"), ("A  nodule  on the right", "right"),
    ]  # fmt: skip
    assert refused == 1


def test_a_reading_stands_on_the_words_of_the_report(scorer: Scorer, served: Served) -> None:
    served.replies = [
        found(
            {"quote": "air beside the right lung", "finding": "pneumothorax", "side": "right", "presence": "present"},
            {"quote": "a tumour", "finding": "mass", "presence": "present"},
        )
    ]
    report = "FINDINGS: There is air beside the right lung."
    made = reader(scorer, served)
    reading = made.read(report)
    (one,) = reading.findings
    assert (brief(one), report[one.start : one.end], one.text) == (
        "+pneumothorax right", "air beside the right lung", "air beside the right lung",
    )  # fmt: skip
    assert (made.client.tally.items, made.client.tally.refused) == (1, 1)
    assert {(entity.concept, entity.start) for entity in reading.entities} >= {("pneumothorax", one.start)}
    assert made.read(report) is reading
    assert made.identity == {"reader": "llm", "reader_model": "small", "reader_prompts": made.identity["reader_prompts"]}


def test_words_that_are_not_linked_get_one_question_with_candidates(scorer: Scorer, served: Served) -> None:
    given = {"quote": "air round the lung", "finding": "pneumothoracal", "side": "left", "presence": "present"}

    def by(text: str) -> Reply:
        if not text.startswith("["):
            return found(given)
        (asked,) = json.loads(text)
        assert "tension pneumothorax" in asked["candidates"]
        return Reply(json.dumps({"choices": [{"term": asked["term"], "candidate": wanted}]}))

    served.by, wanted = by, "pneumothorax"
    (one,) = reader(scorer, served).read("Left: air round the lung.").findings
    assert brief(one) == "+pneumothorax left"
    wanted, given["finding"] = "cardiomegaly", "pneumothoracality"  # was not offered
    made = reader(scorer, served, retries=1)
    (lost,) = made.read("Left side: air round the lung.").findings
    assert (lost.concept, lost.label, lost.side) == (None, "pneumothoracality", "left")
    assert made.client.tally.unlinked == 1


def test_hybrid_asks_only_about_sentences_in_doubt(scorer: Scorer, served: Served) -> None:
    served.replies = [
        found(
            {"quote": "flobby in the liver", "finding": "cyst", "place": "liver", "presence": "present"},
            {"quote": "No pneumothorax", "finding": "pneumothorax", "presence": "present"},
        )
    ]
    made = reader(scorer, served, hybrid=True)
    easy = "No pneumothorax. Cardiomegaly."
    assert made.read(easy).findings == scorer.read(easy).findings
    assert served.asked == []
    report = "No pneumothorax. Something flobby in the liver. Cardiomegaly."
    reading = made.read(report)
    assert sorted({brief(one) for one in reading.findings}) == [
        "+cardiomegaly", "+hepatic_cyst", "-pneumothorax left", "-pneumothorax right",
    ]  # fmt: skip
    asked = served.asked[0]["messages"][1]["content"]
    assert "Give only the findings of these sentences of it:\n<sentences " in asked
    assert "\n- Something flobby in the liver.\n</sentences " in asked
    assert (made.client.tally.sent, made.client.tally.sentences) == (1, 5)
    assert {one.concept for one in reading.entities} >= {"cardiomegaly", "cyst"}


def test_records_are_read_ahead_in_order_and_bad_where_the_model_fails() -> None:
    def read(text: str) -> None:
        if text == "bad":
            raise AnswerError("why")

    records = [Record(f"f:{n}", str(n), {"reference": "same", "candidate": "bad" if n % 7 == 3 else str(n)}) for n in range(50)]
    given = list(prefetch_texts([*records, BadRecord("f:50", "50", "no text")], read, 3))
    assert [one.id for one in given] == [str(n) for n in range(51)]
    assert [one.id for one in given if isinstance(one, BadRecord)] == ["3", "10", "17", "24", "31", "38", "45", "50"]
    assert given[3] == BadRecord("f:3", "3", "why")


def test_requests_hold_each_text_once_and_answers_are_found_by_their_key(tmp_path: Path) -> None:
    assert write_requests(["No mass.", "Cyst.", "No mass.", " "], tmp_path) == 2
    system = (tmp_path / "PROMPT.md").read_text(encoding="utf-8")
    asked = [json.loads(line) for line in (tmp_path / "requests.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {one["request"]: one["report"] for one in asked} == {request_key(system, text): text for text in ("No mass.", "Cyst.")}
    answers = tmp_path / "a.jsonl"
    answers.write_text(json.dumps({"request": asked[0]["request"], "findings": []}), encoding="utf-8")
    (tmp_path / f"{asked[1]['request']}.json").write_text('{"findings": []}', encoding="utf-8")
    assert read_answers(tmp_path) == {one["request"]: '{"findings": []}' for one in asked}


def test_a_changed_prompt_is_another_reader() -> None:
    prompt = load_prompt("extraction")
    assert replace(prompt, system=f"{prompt.system} ").hash != prompt.hash != replace(prompt, schema={}).hash
