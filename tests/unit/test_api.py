"""The public face: small, lazy, and the same as the command line."""

from __future__ import annotations

import gc
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import kgscore
from kgscore.metrics import names


def test_every_public_name_is_there_and_documented() -> None:
    for name in kgscore.__all__:
        value = getattr(kgscore, name)
        assert name == "__version__" or value.__doc__
    with pytest.raises(AttributeError):
        kgscore.nothing  # noqa: B018


def test_score_many_names_bad_records_and_goes_on() -> None:
    good = {"id": "a", "reference": "No pneumothorax.", "candidate": "No pneumothorax."}
    results = list(kgscore.score_many([good, {"id": "b", "reference": "x"}, good]))
    assert [result.status for result in results] == ["scored", "failed", "failed"]
    assert [result.id for result in results] == ["a", "b", "a"]
    assert "missing" in results[1].reason
    assert "used before, at pair 1" in results[2].reason
    assert all(score.value is None for result in results[1:] for score in result.scores.values())


def test_a_scorer_scores_many_pairs() -> None:
    good = {"id": "a", "reference": "No pneumothorax.", "candidate": "No pneumothorax."}
    results = list(kgscore.Scorer(profile="fixed").score_many([good, {"id": "b"}]))
    assert [(result.id, result.status) for result in results] == [("a", "scored"), ("b", "failed")]


@pytest.mark.parametrize(
    "report", ["Die Lunge ist frei.", "Les poumons sont bien aérés.", "Kein Pneumothorax.", "Sin derrame pleural."]
)
def test_a_reference_in_another_language_fails_and_a_candidate_has_missed_everything(report: str) -> None:
    result = kgscore.score(reference=report, candidate="No pneumothorax.")
    assert (result.status, result.scores["radsem"].value) == ("failed", None)
    assert result.reason == "the reference report seems to be in another language; reports are read in English"
    result = kgscore.score(reference="No pneumothorax.", candidate=report)
    assert (result.status, result.scores["radsem"].value) == ("scored", 0.0)
    assert "another language" in result.reason


def test_advice_alone_says_nothing_of_the_reference() -> None:
    result = kgscore.score(reference="Cardiomegaly.", candidate="Clinical correlation is advised.")
    assert (result.status, result.scores["radsem"].value) == ("scored", 0.0)


def test_a_module_that_is_not_there_is_named() -> None:
    with pytest.raises(kgscore.OntologyError, match=r"absent\.ttl: no such file"):
        kgscore.Scorer(modules=["absent.ttl"])


def test_errors_are_one_family() -> None:
    with pytest.raises(kgscore.KgscoreError):
        kgscore.score(reference="a", candidate="b", profile="no-such-profile")


PAIR = {"reference": "The heart is enlarged.", "candidate": "Cardiomegaly."}


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: kgscore.score(**PAIR, metrics="radsem,radot"), "give a list of names, as in metrics=['radsem'], not text"),
        (lambda: kgscore.score(**PAIR, metrics=None), "metrics: give a list of names"),
        (lambda: kgscore.score(**PAIR, metrics=(3,)), "metrics: a number is no metric"),
        (lambda: kgscore.score(**PAIR, modules="a.ttl"), "modules: give a list of paths, as in modules=['a.ttl']"),
        (lambda: kgscore.score(reference=None, candidate=""), "reference: is None; give the report as text"),
        (lambda: kgscore.score(reference="", candidate=("a", "b")), "candidate: is a tuple; give the report as text"),
        (lambda: kgscore.read(7), "report: is a number"),
        (lambda: kgscore.relate("a", ["b"]), "b: is a list"),
        (lambda: kgscore.labels(None), "report: is None"),
        (lambda: kgscore.score(**PAIR, empty_candidate="drop"), "empty candidate: 'drop' is unknown; use score or skip"),
        (lambda: kgscore.score(**PAIR, peers="BLUE"), "peer 'BLUE': unknown; did you mean 'bleu"),
        (lambda: kgscore.score(reference=["a"], candidate="b"), "reference: is a list; give the report as text, one of several"),
        (lambda: kgscore.score_many(7), "pairs: is a number; give mappings with id, reference, candidate, a data frame or"),
        (lambda: kgscore.score_many(pd.DataFrame({"gt": ["a"]})), "pairs: the table has the columns gt; it needs reference and"),
        (lambda: kgscore.score_many(references=pd.DataFrame(), candidates=[]), "references: is of type DataFrame; give one"),
        (lambda: kgscore.score_many(references=np.array("a"), candidates=["b"]), "references: is of type ndarray; give a list"),
        (lambda: kgscore.score_many(references=[["a"]], candidates=["a"]), "several references for one study (item 1 is a list)"),
        (lambda: kgscore.score_many(), "give pairs"),
        (lambda: kgscore.score_many("pairs.jsonl"), "pairs: is text"),
        (lambda: kgscore.score_many(references="a", candidates=["a"]), "references: is text; give a list of texts"),
        (lambda: list(kgscore.score_many(references=["a"], candidates=[])), "1 references and 0 candidates"),
    ],
)
def test_a_wrong_argument_is_one_clear_line(call, said: str) -> None:
    with pytest.raises(kgscore.KgscoreError) as caught:
        call()
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_lists_are_pairs_and_tuples_are_not() -> None:
    results = list(kgscore.score_many(references=[PAIR["reference"], "No effusion."], candidates=[PAIR["candidate"], ""]))
    assert [(one.id, one.scores["radsem"].value) for one in results] == [("1", 1.0), ("2", 0.0)]
    (bad,) = kgscore.score_many([("No effusion.", "No effusion.")])
    assert bad.status == "failed"
    assert "the pair is a tuple; give a mapping with id, reference, candidate, or two lists" in bad.reason


def test_results_are_plain_on_demand_and_their_types_are_public() -> None:
    result = kgscore.score(**PAIR, metrics=("radsem", "fineradscore"))
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["scores"]["radsem"]["value"] == 1.0
    assert plain["reference"]["findings"][0]["concept"] == "cardiomegaly"
    assert kgscore.relate("No effusion.", "No effusion.").to_dict()["relation"] == "equivalent"
    assert kgscore.labels("Pneumonia.").to_dict()["status"] == "read"
    seen = [result, result.scores["radsem"], result.reference, *result.reference.findings, *result.links]
    seen += [result.links[0].relation, kgscore.entails("Cardiomegaly.", "Cardiomegaly."), kgscore.labels("Pneumonia.")]
    for value in seen:
        assert getattr(kgscore, type(value).__name__) is type(value)


class Length:
    """How alike in length the reports are."""

    name = "length"

    def score(self, pair):
        one, other = len(pair.reference_text), len(pair.candidate_text)
        return min(one, other) / max(one, other) if one and other else None


def test_a_class_is_a_metric(tmp_path: Path) -> None:
    result = kgscore.Scorer(metrics=["radsem", Length]).score(**PAIR)
    assert result.scores["length"].value == len(PAIR["candidate"]) / len(PAIR["reference"])
    many = kgscore.score_many([{"id": "a", **PAIR}], metrics=[Length])
    assert [one.scores["length"].status for one in many] == ["scored"]
    path = tmp_path / "own.py"
    path.write_text("class Ends:\n    name = 'ends'\n    def score(self, pair): return pair.candidate_text.endswith('.')\n")
    scorer = kgscore.Scorer(metrics=[f"{path}:Ends"])
    assert scorer.score(**PAIR).scores["ends"].value == 1.0
    assert scorer.signature["ends"].startswith("own.py ")
    for spec, said in ((f"{path}:Begins", "the file has no Begins"), (f"{tmp_path}/none.py:X", "cannot be loaded")):
        with pytest.raises(kgscore.ProfileError, match=said):
            kgscore.Scorer(metrics=[spec])


def test_only_the_public_face_is_listed() -> None:
    assert sorted(dir(kgscore)) == sorted(kgscore.__all__)


def test_metrics_are_those_of_the_command_line_one_name_or_all() -> None:
    assert list(kgscore.score(**PAIR).scores) == ["clinical", "radsem"]
    assert kgscore.Scorer().metrics == ("clinical", "radsem")
    assert [list(one.scores) for one in kgscore.score_many(references=["a"], candidates=["b"])] == [["clinical", "radsem"]]
    assert list(kgscore.score(**PAIR, metrics="ratescore").scores) == ["ratescore"]
    assert kgscore.Scorer(metrics="all").metrics == names()


def test_peers_and_skipped_silence_are_there_wherever_score_is() -> None:
    silent = PAIR | {"candidate": ""}
    (many,) = kgscore.score_many([{"id": "a", **silent}], peers="BLEU", empty_candidate="skip")
    scorer = kgscore.Scorer(peers=["bleu-4"], empty_candidate="skip")
    results = (many, scorer.score(**silent), kgscore.score(**silent, peers="bleu", empty_candidate="skip"))
    assert [(one.status, list(one.scores)) for one in results] == [("empty", ["clinical", "radsem", "bleu-4"])] * 3
    same = {"reference": PAIR["reference"], "candidate": PAIR["reference"]}
    assert kgscore.score(**same, peers=("Overlap",)).scores["overlap"].value == 1.0


REFERENCES, CANDIDATES = [PAIR["reference"], "No effusion."], [PAIR["candidate"], None]
COLUMNS = {"reference": REFERENCES, "candidate": CANDIDATES}


@pytest.mark.parametrize(
    "pairs",
    [
        {"pairs": pd.DataFrame(COLUMNS | {"id": [1, 2]})},
        {"pairs": pd.DataFrame(COLUMNS | {"age": [70, float("nan")]}, index=pd.Index([1, 2], name="id"))},
        {"pairs": pl.DataFrame(COLUMNS)},
        {"pairs": pa.table(COLUMNS)},
        {"pairs": ({"id": number, **row} for number, row in enumerate(pl.DataFrame(COLUMNS).iter_rows(named=True), 1))},
        {"pairs": [{"id": 1, **PAIR}, {"id": 2, "reference": "No effusion.", "candidate": float("nan")}]},
        {"references": pd.Series(REFERENCES), "candidates": pl.Series(CANDIDATES)},
        {"references": np.array(REFERENCES), "candidates": pd.Series([PAIR["candidate"], pd.NA])},
        {"references": pa.chunked_array([REFERENCES]), "candidates": (text for text in CANDIDATES)},
    ],
    ids=("pandas", "pandas index", "polars", "arrow", "generator", "nan", "series", "array", "chunks"),
)
def test_tables_series_arrays_and_generators_are_pairs(pairs) -> None:
    scored, missing = kgscore.score_many(**pairs)
    assert (scored.id, scored.scores["radsem"].value) == ("1", 1.0)
    assert (missing.id, missing.status, missing.reason) == ("2", "failed", "field 'candidate' is empty (null); add it as text")


def test_several_references_in_a_record_are_refused_with_the_reason() -> None:
    (bad,) = kgscore.score_many([{"id": "a", "reference": ["No effusion.", "Clear."], "candidate": "Clear."}])
    assert (bad.status, "of several references for one study, give one" in bad.reason) == ("failed", True)


def test_the_collector_is_as_it_was_between_results() -> None:
    before, seen = gc.get_threshold(), []

    class Seen:
        name = "seen"

        def score(self, pair):
            seen.append(gc.get_threshold()[0])
            return 1.0

    pairs = [{"id": "a", **PAIR}, {"id": "b", **PAIR}]
    for results in (kgscore.Scorer(metrics=[Seen]).score_many(pairs), kgscore.score_many(pairs, metrics=[Seen])):
        assert [gc.get_threshold() for _ in results] == [before, before]
    assert seen == [20_000] * 4
    gc.set_threshold(0)  # switched off by the user
    try:
        list(kgscore.score_many(pairs, metrics=[Seen]))
        assert (seen[-1], gc.get_threshold()[0]) == (0, 0)
    finally:
        gc.set_threshold(*before)


@pytest.mark.parametrize(("terminal", "progress", "shown"), [(True, None, True), (False, None, False), (True, False, False)])
def test_progress_is_shown_on_a_terminal_and_nowhere_else(monkeypatch, terminal: bool, progress, shown: bool) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", screen)
    pairs = [{"id": "a", **PAIR}, {"id": "b", **PAIR}]
    for results in (kgscore.score_many(pairs, progress=progress), kgscore.Scorer().score_many(pairs, progress=progress)):
        assert [one.status for one in results] == ["scored", "scored"]
    assert ("1/2" in screen.getvalue()) is shown


def test_a_notebook_shows_results_and_readings_with_their_text_escaped() -> None:
    shown = kgscore.score(reference="Cardiomegaly. <b>Effusion</b>.", candidate="No pneumothorax.")._repr_html_()
    for part in ("<td>clinical</td>", "<td>missed</td><td>Cardiomegaly</td>", "<td>invented</td><td></td><td>pneumothorax</td>"):
        assert part in shown
    failed = kgscore.score_many([{"id": "<i>", "reference": "a"}])
    assert "<b>&lt;i&gt;</b>: failed: field &#x27;candidate&#x27; is missing" in next(failed)._repr_html_()
    refuted = kgscore.score(reference="No pneumothorax.", candidate="Small left pneumothorax.")._repr_html_()
    assert "<td>invented</td><td>pneumothorax</td><td>Small left pneumothorax</td>" in refuted
    reading = kgscore.read("Small <left effusion. " + "Cardiomegaly. " * 30)._repr_html_()
    assert "<td>pleural effusion</td><td>present</td>" in reading
    assert "<left" not in reading
    assert reading.count("<tr>") <= 21
