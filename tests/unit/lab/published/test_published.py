"""The public benchmarks on the shipped files of their form: figures against the same computed otherwise, or counted by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kgscore.lab.published as published
from kgscore import score
from kgscore.errors import InputError
from kgscore.lab.correlation import Figure
from kgscore.lab.published.base import Found, Request, category_counts, error_names, error_tiers, f1_figures, signed_peers
from kgscore.lab.published.rexerr import auprc, auroc
from kgscore.resources import resource
from kgscore.results.statistics import Sampling
from kgscore.runs.batch import Settings, score_mappings

SHIPPED = resource("examples", "published")
FEW = Sampling(resamples=100)


def request(source: Path, **more: Any) -> Request:
    return Request(source, **{"settings": Settings(), "sampling": FEW} | more)


def run(name: str, source: Path | None = None, **more: Any) -> Found:
    found = published.run(name, request(source or SHIPPED / name, **more))
    assert isinstance(found, Found)
    return found


def value(figures: Sequence[Figure], *of: str) -> float | None:
    """Return the value of the one figure whose task, kind, metric and measure hold these words, in any order."""
    (found,) = [one for one in figures if set(of) <= {one.task, one.of, one.metric, one.measure}]
    return found.value


def scores(name: str) -> tuple[list[float], list[Mapping[str, Any]]]:
    rows = list(published.pairs(name, request(SHIPPED / name)))
    values = [one.scores["radsem"].value for one in score_mappings(rows, Settings())]
    return [one for one in values if one is not None], rows


@pytest.mark.parametrize("name", ["rexval", "radevalx"])
@pytest.mark.parametrize("rating", ["total", "significant"])
def test_correlations_are_those_of_scipy_with_errors_turned(name: str, rating: str) -> None:
    stats = pytest.importorskip("scipy.stats")
    values, rows = scores(name)
    errors = [-row[rating] for row in rows]
    assert len(set(errors)) > 2
    figures = run(name).figures
    for measure, expected in (("kendall", stats.kendalltau), ("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        assert value(figures, rating, "radsem", measure) == pytest.approx(expected(values, errors)[0])


def test_scores_in_the_download_stand_beside_and_are_turned_where_lower_is_better() -> None:
    stats = pytest.importorskip("scipy.stats")
    figures = run("radevalx").figures
    rows = list(published.pairs("radevalx", request(SHIPPED / "radevalx")))
    errors = [row["total"] for row in rows]
    assert value(figures, "total", "bleu4 (in the download)", "kendall") == pytest.approx(
        stats.kendalltau([0.52, 0.61, 0.18, 0.05, 0.60, 0.71], errors)[0] * -1
    )
    cliq = [0.9, 1.1, 2.3, 2.9, 0.7, 0.6]
    assert value(figures, "total", "radcliq (in the download)", "kendall") == pytest.approx(stats.kendalltau(cliq, errors)[0])


def test_whole_studies_widen_the_interval_of_candidates_that_go_together() -> None:
    single, whole = (
        next(one for one in run("rexval", whole_studies=flag).figures if (one.of, one.measure) == ("total", "kendall"))
        for flag in (False, True)
    )
    assert single.value == whole.value
    assert (single.low, single.high) != (whole.low, whole.high)


def test_categories_of_corrections_are_counted_by_report() -> None:
    figures = run("rexval").figures
    assert value(figures, "3 wrong location", "recall", "corrections") == 1.0
    assert value(figures, "5 unsupported comparison", "recall", "corrections") == 1.0
    assert not [one for one in figures if one.of.startswith("7")]


def test_errors_of_the_verdict_are_counted_by_the_papers_categories() -> None:
    found = run("rexval").figures
    figures = [one for one in found if one.task == "categories of the verdict"]
    assert {one.metric for one in figures} == {"clinical"}
    recall = value(figures, "all", "recall")
    assert recall is not None
    assert recall > 0.5
    assert value(figures, "3 wrong location", "recall") == 1.0
    rank = value(found, "errors of the verdict", "total", "clinical", "kendall")
    assert rank is not None
    assert rank > 0.5


@pytest.mark.parametrize(
    ("reference", "candidate", "wanted"),
    [
        ("Cardiomegaly.", "Cardiomegaly. Ascites.", {1: 1}),
        ("Cardiomegaly. Ascites.", "Cardiomegaly. No ascites.", {2: 1}),
        ("Small left pleural effusion.", "Large right pleural effusion.", {3: 1, 4: 1}),
        ("Pleural effusion.", "Increased pleural effusion.", {5: 1}),
        ("Increased pleural effusion.", "Pleural effusion.", {6: 1}),
        ("Pneumonia.", "Possible pneumonia.", {7: 1}),
        ("Possible pneumonia.", "Pneumonia.", {8: 1}),
        ("Cardiomegaly.", "Enlarged heart.", {}),
    ],
)
def test_an_error_has_the_category_of_what_is_wrong(reference: str, candidate: str, wanted: dict[int, int]) -> None:
    result = score(reference=reference, candidate=candidate, metrics=("clinical",))
    assert dict(category_counts(result)) == wanted


def test_injected_errors_are_found_by_category_and_a_rewording_is_no_error() -> None:
    found = run("rexerr")
    reports, sentences = ([one for one in found.figures if one.task == task] for task in ("reports", "sentences"))
    assert {one.of: one.value for one in sentences if one.measure == "found"} == {
        "all errors": 6 / 7, "add medical device": 1, "add typo": 0, "change location": 1, "change measurement": 1,
        "change severity": 1, "false negation": 1, "false prediction": 1,
    }  # fmt: skip
    assert value(sentences, "false alarms") == 0
    assert value(reports, "all errors", "found") == 0.75
    assert value(reports, "auroc") == (3 + 1 / 2) / 4
    for told, count in ((reports, 5), (sentences, 6)):  # those of the typing error are in no category of the verdict
        (all_of,) = [one for one in told if (one.of, one.measure) == ("all errors", "named")]
        assert (all_of.metric, all_of.value, all_of.cases) == ("clinical", 1, count)
    assert value(sentences, "named wrongly") == 0
    assert (found.problems, [one.cases for one in reports][:2]) == ([], [4, 1])


@pytest.mark.parametrize(
    ("reference", "candidate", "wanted", "tiers"),
    [
        ("Small left pleural effusion.", "Large right pleural effusion.", {"side", "severity"}, [3]),
        ("Cardiomegaly.", "No cardiomegaly. Tension pneumothorax.", {"missed", "invented"}, [4, 2]),
        ("Severe hydronephrosis.", "Hydronephrosis.", {"specificity"}, [1]),
        ("Cardiomegaly.", "Enlarged heart.", set(), []),
    ],
)
def test_errors_go_by_the_names_and_tiers_of_the_verdict(
    reference: str, candidate: str, wanted: set[str], tiers: list[int]
) -> None:
    result = score(reference=reference, candidate=candidate, metrics=("clinical",))
    assert (error_names(result), error_tiers(result)) == (wanted, tiers)


def test_areas_under_the_curves_by_hand() -> None:
    good, bad = np.asarray([1.0, 1.0]), np.asarray([0.0, 1.0])
    assert auroc(good, bad) == 0.75
    assert auprc(good, bad) == 0.5 * 1 + 0.5 * (2 / 4)


def test_corrections_are_judged_line_by_line_and_by_the_worst_of_a_report() -> None:
    figures = run("refisco").figures
    accuracy = {one.of: one.value for one in figures if one.measure == "accuracy"}
    assert accuracy == {"no change": 1, "delete": 0.5, "rewrite": 1, "insert": 1, "no insert": 1}
    assert value(figures, "another reader", "mean absolute error") == 1  # emergent (4) and urgent (3)
    assert value(figures, "severity of lines", "within one") == 1
    assert value(figures, "max_severity", "radsem", "kendall") > 0.5
    assert value(figures, "severities of the verdict", "4 critical", "recall") == 1
    assert value(figures, "severity of reports", "clinical", "within one") == 1
    assert value(figures, "errors of the verdict", "kendall") > 0.5


def test_rate_eval_knows_the_tasks_by_their_columns(tmp_path: Path) -> None:
    figures = run("rate-eval").figures
    tasks = ["paragraphs (paragraphs.csv)", "rewritten reports (rewritten.json)", "sentences (sentences.csv)"]
    assert list(dict.fromkeys(one.task for one in figures)) == tasks
    assert value(figures, "accuracy") == 1
    own = tmp_path / "other.jsonl"
    own.write_text(json.dumps({"text": "Small effusion.", "same": "Effusion, small.", "reverse": "No effusion."}))
    named = {"original": "text", "synonym": "same", "antonym": "reverse"}
    assert value(run("rate-eval", own, columns=named).figures, "accuracy") == 1
    with pytest.raises(InputError, match=r"no column 'reference', .*; there are 'text', 'same', 'reverse'; name it with"):
        run("rate-eval", own)


def test_scores_of_others_run_on_the_same_pairs_and_no_score_is_no_hit() -> None:
    def length(pairs: Sequence[tuple[str, str]]) -> list[float | None]:
        return [None if "edema" in one else -abs(len(one.split()) - len(other.split())) for one, other in pairs]

    figures = run("preferences", others={"mine": length, **signed_peers(["overlap"])}).figures
    assert any(one.metric == "overlap" for one in figures)
    (found,) = [one for one in figures if (one.metric, one.of, one.measure) == ("mine", "all", "accuracy")]
    # The candidates of c1, c2 and c5 are equally far from the reference; c3 has no score.
    assert (found.value, found.cases, found.unscored) == (3 * 0.5 / 4, 4, 1)
    with pytest.raises(InputError, match="gave 0 scores"):
        run("preferences", others={"mine": lambda pairs: []})


def test_preferences_are_right_by_strength_and_turn_with_the_scale() -> None:
    found = run("preferences")
    assert {one.of: (one.value, one.cases) for one in found.figures if one.measure == "accuracy"} == {
        "all": (1, 4), "strong": (1, 2), "clear": (1, 2)
    }  # fmt: skip
    assert value(found.figures, "ties") == 0
    assert found.notes == ["1 preference is a tie of the readers and excluded from accuracy"]
    turned = run("preferences", scale=(5, 1)).figures
    assert next(one.value for one in turned if one.measure == "accuracy") == 0


def test_codes_are_compared_with_what_they_imply_and_as_written(tmp_path: Path) -> None:
    found = run("iu-xray")
    implied, written = (
        [one for one in found.figures if one.task == task] for task in ("codes and what they imply", "codes as written")
    )
    assert value(implied, "Opacity", "f1") == 1
    assert value(written, "Opacity", "f1") == 0  # read as pneumonia, which is narrower
    assert value(written, "Tortuous aorta", "f1") == value(written, "Normal", "f1") == 1
    assert "Technical Quality of Image Unsatisfactory (1)" in found.notes[-1]
    table = tmp_path / "indiana_reports.csv"
    table.write_text(
        "uid,MeSH,Problems,findings,impression\n"
        "1,Cardiomegaly/mild;Pleural Effusion/left/small,x,The heart is enlarged. Small left pleural effusion.,Cardiomegaly.\n"
        "2,normal,normal,,\n"
    )
    found = run("iu-xray", tmp_path)
    assert value(found.figures, "codes as written", "micro f1") == 1
    assert [str(one) for one in found.problems] == [
        f"{table}:3: record '2': the report has neither findings nor impression; it is skipped"
    ]


def test_scopes_are_judged_by_mention_and_by_sentence() -> None:
    figures = run("bioscope", SHIPPED / "bioscope" / "clinical.xml").figures
    assert value(figures, "mentions", "polarity", "f1") == 1
    assert value(figures, "sentences", "negation", "f1") == 1
    assert value(figures, "sentences", "speculation", "f1") == 1


def test_intervals_of_f1_are_of_whole_units_and_macro_leaves_out_what_never_occurs() -> None:
    counts = np.asarray([[[1, 0, 0], [0, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 1], [0, 0, 0]]] * 5)
    found = {one.measure: one for one in f1_figures("t", "all", "m", counts, request(SHIPPED), macro=True)}
    assert (found["precision"].value, found["recall"].value) == (1, 2 / 3)
    assert (found["micro f1"].value, found["macro f1"].value, found["recall"].cases) == (0.8, 0.5, 15)
    assert found["recall"].low is not None
    assert found["recall"].low < 2 / 3 < (found["recall"].high or 0)


@pytest.mark.parametrize("name", ["rexerr", "refisco", "rate-eval", "preferences"])
def test_pairs_of_a_whole_folder_have_an_id_each(name: str) -> None:
    rows = list(published.pairs(name, request(SHIPPED / name)))
    assert all(row["reference"] and row["candidate"] for row in rows)
    assert len({row["id"] for row in rows}) == len(rows) > 3


def test_every_set_is_named_and_an_unknown_one_is_near_a_known_one() -> None:
    assert set(published.PROGRAMS) == {path.name for path in SHIPPED.iterdir() if path.is_dir()}
    with pytest.raises(InputError, match="no published benchmark 'rexvall'; did you mean 'rexval'"):
        run("rexvall", SHIPPED)
    with pytest.raises(InputError, match="consists of single reports"):
        published.pairs("bioscope", request(SHIPPED))
