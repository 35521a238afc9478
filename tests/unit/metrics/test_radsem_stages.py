"""Stage files: what is read leniently, what is refused, and the two commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kgscore.cli import main
from kgscore.errors import InputError
from kgscore.metrics.radsem_stages import matched_record, score_stages, sentences
from kgscore.model import Finding

LABELS = {"anatomy": "equivalent", "asserted_abnormality": "equivalent", "negated_abnormality": None, "details": "equivalent"}
PAIR: dict[str, Any] = {"Ref": "A.", "Gen": "B.", "normality": "abnormal", **LABELS}
LOST = {"side": "Ref", "sentence": "C.", "normality": "abnormal"}


def record(pair: dict[str, Any] | None = None, lost: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"name": "x", "pairs": [{**PAIR, **(pair or {})}], "unmatched": [{**LOST, **(lost or {})}]}


def test_spellings_that_language_models_use_are_read() -> None:
    loose = {
        "REF": " A. ", "Generated": "B.", "Normality": "Abnormal", "anatomy": "Part_Whole", "Asserted Abnormality": "part–whole",
        "negated-abnormality": "null", "Details": "None",
    }
    (link,) = matched_record({"pairs": [loose], "unmatched": []}).links
    assert link.relation.weight == pytest.approx(1 / 9 * 0.5)
    strict = {**PAIR, "anatomy": "part-whole", "asserted_abnormality": "part-whole", "details": "none"}
    assert score_stages({"pairs": [loose], "unmatched": []}) == score_stages({"pairs": [strict], "unmatched": []})


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ({"unmatched": []}, "'pairs' is missing; give a list, empty where there is none"),
        ({"pairs": {}, "unmatched": []}, "'pairs' is no list"),
        ({"pairs": []}, "'unmatched' is missing"),
        ({"pairs": ["A. B."], "unmatched": []}, "pair 1 is no object"),
        (record({"Gen": " "}), "pair 1: 'Gen' is no sentence"),
        ({"pairs": [{"Ref": "A."}], "unmatched": []}, "pair 1: 'normality' is missing; give abnormal or normal"),
        (record({"anatomy": "same"}), "pair 1: 'anatomy' is 'same'; give equivalent or part-whole"),
        (record({"asserted_abnormality": "none"}), "'asserted_abnormality' is 'none'; give equivalent or part-whole or null"),
        (record({"details": 3}), "pair 1: 'details' is 3; give equivalent or partial or none or null"),
        (record({"details": ["none"]}), "pair 1: 'details' is ['none']"),
        (record(lost={"side": "left"}), "unmatched 1: 'side' is 'left'; give Ref or Gen"),
        (record(lost={"sentence": None}), "unmatched 1: 'sentence' is missing"),
        (record(lost={"normality": "odd"}), "unmatched 1: 'normality' is 'odd'"),
        ({"status": "failed", "reason": "not English"}, "failed when it was made: not English"),
    ],
)
def test_a_bad_record_is_refused_in_one_line(bad: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        score_stages(bad)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("label", ["normality", "anatomy", "asserted_abnormality", "negated_abnormality", "details"])
def test_a_label_left_out_is_refused_and_not_taken_for_null(label: str) -> None:
    pair = {key: value for key, value in PAIR.items() if key != label}
    with pytest.raises(InputError, match=f"'{label}' is missing"):
        score_stages({"pairs": [pair], "unmatched": []})


def test_a_pair_given_twice_counts_once_and_unmatched_items_as_given() -> None:
    twice = score_stages({"pairs": [{**PAIR, "details": "none"}, PAIR, PAIR], "unmatched": [LOST, LOST]})["radsem"]
    assert (twice.parts["abnormal_matched"], twice.parts["abnormal_unmatched_reference"]) == (1, 2)


def test_a_sentence_in_two_classes_has_a_capacity_in_each() -> None:
    score = score_stages({"pairs": [PAIR, {**PAIR, "normality": "normal", "Gen": "D."}], "unmatched": []})["radsem"]
    assert (score.parts["abnormal_matched"], score.parts["normal_matched"]) == (1, 1)


def test_nothing_is_empty_and_no_number() -> None:
    assert {s.status for s in score_stages({"pairs": [], "unmatched": []}).values()} == {"empty"}


def test_sentences_of_one_report_differ() -> None:
    finding = Finding("x", 0, 1, None, "blotch", side="left")
    assert sentences([finding, finding, finding], str) == ["Left: blotch.", "Left: blotch (2).", "Left: blotch (3)."]


def test_commands_round_trip(pairs: Callable[..., Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, stages = pairs(16), tmp_path / "stages.jsonl"
    assert main(["radsem", "export", str(source), "--output", str(stages)]) == 0
    assert main(["radsem", "score", str(stages)]) == 0
    again = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert main(["score", str(source), "--profile", "radsem-published", "--metrics", "radsem,radsem_alt"]) == 0
    first = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["id"], line["status"]) for line in again] == [(line["id"], line["status"]) for line in first]
    for one, other in zip(again, first, strict=True):
        assert one["scores"] == pytest.approx(other["scores"])


def test_bad_lines_are_named_and_the_rest_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "stages.jsonl"
    rows = [record(), "{", record(), {**record({"anatomy": "same"}), "name": "y"}, {"pairs": []}, {**record(), "name": 7}]
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    assert main(["radsem", "score", str(path)]) == 3
    out, err = capsys.readouterr()
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["id"], line["status"]) for line in lines] == [
        ("x", "scored"), (None, "failed"), ("x", "failed"), ("y", "failed"), (None, "failed"), ("7", "scored"),
    ]  # fmt: skip
    assert f"{path}:3: record 'x': the name was used before, at {path}:1; give every record its own name" in err
    assert f"{path}:4: record 'y': pair 1: 'anatomy' is 'same'; give equivalent or part-whole" in err
    assert f"{path}:5: no field 'name'; give every record a name" in err
    assert main(["radsem", "score", str(tmp_path / "stages.csv")]) == 1


def test_export_keeps_what_was_examined_and_names_bad_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.jsonl"
    examined = {"Examined_Area": "chest", "Examined_Type": "CR"}
    good = {"id": "a", "reference": "No pneumothorax.", "candidate": "No pneumothorax.", **examined}
    path.write_text(f'{json.dumps(good)}\n{{"id": "b", "reference": "x"}}\n')
    assert main(["radsem", "export", str(path)]) == 3
    out, err = capsys.readouterr()
    first, second = (json.loads(line) for line in out.splitlines())
    assert (first["name"], first["Examined_Area"], first["Examined_Type"]) == ("a", "chest", "CR")
    assert (second["name"], second["status"]) == ("b", "failed")
    assert f"{path}:2: record 'b': field 'candidate' is missing" in err
    assert main(["radsem", "export", str(path), "--output", str(tmp_path / "none" / "s.jsonl")]) == 1
