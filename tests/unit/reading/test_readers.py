"""Readers by name: what each is, that its identity signs scores, and how it tells what it read."""

from __future__ import annotations

from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.reading.protocol import Preparing, Reader, Traced
from kgscore.reading.reader import Reader as Default
from kgscore.reading.readers import DEFAULT, place_of, reader_of
from kgscore.reading.structure.values import Place, Statement
from kgscore.reading.trace import step_text


def test_the_default_reader_signs_scores(scorer: Scorer) -> None:
    assert scorer.signature["reader"] == scorer.reader.identity["reader"] == "parser"
    assert scorer.signature["reader_model"] == scorer.reader.identity["reader_model"]


def test_no_such_reader_is_one_line_that_says_which_there_are(scorer: Scorer) -> None:
    with pytest.raises(InputError, match=r"no reader 'none-such'.*default"):
        reader_of("none-such", scorer.index, scorer.lexicon)


def test_a_reader_by_name_reads_as_the_default_does(scorer: Scorer) -> None:
    reader: Reader = reader_of(DEFAULT, scorer.index, scorer.lexicon)
    text = "Small left pleural effusion. No pneumothorax."
    assert reader.read(text).findings == scorer.read(text).findings


def test_a_run_remembers_a_name_as_it_is_and_a_path_as_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert place_of(DEFAULT) == DEFAULT
    assert place_of("my.model") == str(tmp_path.resolve() / "my.model")


def test_the_trace_holds_every_finding_with_its_sentence(scorer: Scorer) -> None:
    reader = scorer.reader
    assert isinstance(reader, Traced)
    steps = reader.trace("Small left pleural effusion. No pneumothorax.")
    assert [len(step.findings) for step in steps] == [1, 2]
    assert "present pleural effusion @ pleural_space (left); small" in step_text(steps[0])
    assert step_text(steps[1]).startswith("29-45  No pneumothorax.")


def test_a_file_that_is_no_model_is_refused(scorer: Scorer, tmp_path: Path) -> None:
    path = tmp_path / "none.model"
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match=r"none\.model"):
        reader_of(str(path), scorer.index, scorer.lexicon)


def test_a_reader_that_composes_tells_its_structure(scorer: Scorer) -> None:
    effusion = (Statement(2, "present", (Place((), 1),), (0,)),)
    reader = Default(scorer.index, scorer.lexicon, lambda sentences: [effusion] * len(sentences), {})
    (step,) = reader.trace("Small left pleural effusion.")
    assert step.structure == effusion
    assert "--where--> on side left [1]" in step_text(step)
    assert "--how----> Small [0]" in step_text(step)


def test_reports_that_are_made_ready_together_are_read_as_one_by_one(scorer: Scorer) -> None:
    reports = ["Small left pleural effusion.", "No pneumothorax.\nHeart: enlarged.", "", "Small left pleural effusion."]
    alone, together = (reader_of(DEFAULT, scorer.index, scorer.lexicon) for _ in range(2))
    assert isinstance(together, Preparing)
    together.prepare(reports)
    assert [together.read(report).findings for report in reports] == [alone.read(report).findings for report in reports]


def test_the_trace_names_the_rules_that_corrected_the_structure(scorer: Scorer) -> None:
    asserted = (Statement(1, "present"),)
    reader = Default(scorer.index, scorer.lexicon, lambda sentences: [asserted] * len(sentences), {}, remembered=0)
    (step,) = reader.trace("No pneumothorax.")
    assert step.rules == ("status",)
    assert "corrected by status" in step_text(step)
    assert {one.status for one in step.findings} == {"absent"}
    reader.composition.rules = {}
    (step,) = reader.trace("No pneumothorax.")
    assert (step.rules, {one.status for one in step.findings}) == ((), {"present"})
