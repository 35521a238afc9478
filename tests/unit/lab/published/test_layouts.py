"""Rated pairs from tables in the layouts of published sets; the files are made here, in the same form."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgscore.cli import main
from kgscore.errors import InputError
from kgscore.io.records import BadRecord
from kgscore.lab.published.downloads import RatedPair, files_of, quality, read_pairs

REPORTS, ERRORS = "50_samples_gt_and_candidates.csv", "6_valid_raters_per_rater_error_categories.csv"
SCORES = "metrcis_scores_m2tr.csv"
SIGNIFICANT, INSIGNIFICANT = "RadEval_clinically_significant_errors.csv", "RadEval-clinically_insignificant_errors.csv"
CATEGORIES = ("one", "two", "three", "four", "five", "six", "seven", "eight")


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def read(
    source: Path, layout: str, columns: Mapping[str, str] | None = None
) -> tuple[dict[str, RatedPair], list[str]]:
    found = list(read_pairs(source, layout, columns))
    return {p.id: p for p in found if isinstance(p, RatedPair)}, [str(b) for b in found if isinstance(b, BadRecord)]


@pytest.fixture
def rexval(tmp_path: Path) -> Path:
    """Four studies with two candidates, counted by two readers."""
    write(
        tmp_path / REPORTS,
        [
            {"study_id": 501, "gt_report": "Cardiomegaly.", "radgraph": "The heart is enlarged.", "bleu": "No effusion."},
            {"study_id": 502, "gt_report": "No pneumothorax.", "radgraph": "Pneumothorax.", "bleu": "No pneumothorax."},
            {"study_id": 503, "gt_report": "Ascites.", "radgraph": "No ascites.", "bleu": "Ascites."},
            {"study_id": 504, "gt_report": "Hiatal hernia.", "radgraph": "Hernia.", "bleu": "Hiatal hernia. Ascites."},
        ],
    )
    rows = []
    for study, kind, first, second in (
        (0, "radgraph", 0, 0), (0, "bleu", 2, 3), (1, "radgraph", 1, 2), (1, "bleu", 0, 0),
        (2, "radgraph", 1, 1), (2, "bleu", 0, 0), (3, "radgraph", 0, 0), (3, "bleu", 1, 1),
    ):  # fmt: skip
        for reader, made in enumerate((first, second)):
            for significant in (True, False):
                for category in range(1, 7):
                    count = made if significant and category == 2 else int(not significant and category == 4 and made > 1)
                    rows.append(
                        {"study_number": study, "candidate_type": kind, "error_category": category, "rater_index": reader,
                         "clinically_significant": significant, "num_errors": count}
                    )  # fmt: skip
    write(tmp_path / ERRORS, rows)
    return tmp_path


def test_rexval_averages_the_readers_of_each_candidate(rexval: Path) -> None:
    pairs, bad = read(rexval, "rexval")
    assert bad == []
    assert list(pairs) == [f"{study} {kind}" for study in range(4) for kind in ("radgraph", "bleu")]
    one = pairs["0 bleu"]
    assert (one.study, one.reference, one.candidate) == ("501", "Cardiomegaly.", "No effusion.")
    assert (one.ratings["significant"], one.ratings["insignificant"], one.ratings["total"]) == (2.5, 1.0, 3.5)
    assert (one.ratings["category_2"], one.ratings["category_4"]) == (2.5, 1.0)
    assert pairs["1 radgraph"].ratings["insignificant"] == 0.5
    assert pairs["1 bleu"].ratings["total"] == 0
    assert (quality(one, "total"), quality(one, "human")) == (-3.5, None)


def test_rexval_may_count_its_studies_from_one_and_names_what_does_not_fit(rexval: Path) -> None:
    rows = list(csv.DictReader((rexval / ERRORS).read_text(encoding="utf-8").splitlines()))
    shifted = [{**row, "study_number": int(row["study_number"]) + 1} for row in rows]
    before, _ = read(rexval, "rexval")
    write(rexval / ERRORS, shifted)
    assert read(rexval, "rexval") == (before, [])
    write(rexval / ERRORS, [{**row, "study_number": 7} for row in rows])
    with pytest.raises(InputError, match="the errors have study number 7, the reports 4 rows"):
        read(rexval, "rexval")
    write(rexval / ERRORS, [*rows[:-1], {**rows[-1], "num_errors": "some"}])
    assert read(rexval, "rexval")[1] == [f"{rexval / ERRORS}:{len(rows) + 1}: field 'num_errors' must be a count"]
    write(rexval / ERRORS, [row for row in rows if (row["study_number"], row["candidate_type"]) != ("1", "bleu")])
    pairs, bad = read(rexval, "rexval")
    assert len(pairs) == 7
    assert bad == [f"{rexval / REPORTS}:3: record '1 bleu': no reader counted errors in {ERRORS}"]
    write(rexval / ERRORS, [{**row, "candidate_type": "green"} for row in rows])
    with pytest.raises(InputError, match="no column 'green'"):
        read(rexval, "rexval")


@pytest.fixture
def radevalx(tmp_path: Path) -> Path:
    """Three reports, two of them annotated."""
    reports = (("a", "Cardiomegaly.", "The heart is enlarged."), ("b", "Ascites.", "No ascites."), ("c", "Hernia.", "Hernia."))
    write(
        tmp_path / SCORES,
        [{"study_id": key, "ground_truth": one, "candidate_report": other, "bleu2": 0.1} for key, one, other in reports],
    )
    none = dict.fromkeys(CATEGORIES, "")
    write(tmp_path / SIGNIFICANT, [{"study_id": "a", **none}, {"study_id": "b", **none, "two": 2, "seven": "1.0"}])
    write(tmp_path / INSIGNIFICANT, [{"study_id": "a", **none, "eight": 1}, {"study_id": "b", **none}])
    return tmp_path


def test_radevalx_adds_up_both_files_and_leaves_out_what_nobody_annotated(radevalx: Path) -> None:
    pairs, bad = read(radevalx, "radevalx")
    assert (list(pairs), bad) == (["a", "b"], [])
    assert (pairs["b"].study, pairs["b"].candidate) == ("b", "No ascites.")
    ratings = pairs["b"].ratings
    assert (ratings["total"], ratings["significant"], ratings["insignificant"], ratings["category_7"]) == (3, 3, 0, 1)
    assert (pairs["a"].ratings["total"], pairs["a"].ratings["category_8"]) == (1, 1)


def test_radevalx_names_what_is_wrong(radevalx: Path) -> None:
    none = dict.fromkeys(CATEGORIES, "")
    write(radevalx / INSIGNIFICANT, [{"study_id": "a", **none, "one": "?"}, {"study_id": "z", **none}, {"study_id": "z", **none}])
    pairs, bad = read(radevalx, "radevalx")
    assert pairs == {}
    assert sorted(line.removeprefix(f"{radevalx}/") for line in bad) == [
        f"{INSIGNIFICANT}:2: record 'a': field 'one' must be a count",
        f"{INSIGNIFICANT}:4: record 'z': the report is annotated twice",
        f"{SCORES}: record 'z': has annotations and no reports",
        f"{SCORES}:2: record 'a': is not annotated in {INSIGNIFICANT}; it must be in both files of errors",
        f"{SCORES}:3: record 'b': is not annotated in {INSIGNIFICANT}; it must be in both files of errors",
    ]
    write(radevalx / SCORES, [{"study_id": "a", "truth": "Cardiomegaly.", "made": "Cardiomegaly."}])
    with pytest.raises(InputError, match=r"no column 'ground_truth', .*; name it with --column reference=NAME"):
        read(radevalx, "radevalx")


LINES = [
    {"id": 7, "annotator": "A", "source": "x", "impression_original": "Small left effusion.", "impression_edited": "[no edit]",
     "error_category": "No error"},
    {"id": 7, "annotator": "A", "source": "x", "impression_original": "No pneumothorax", "impression_edited": "Pneumothorax",
     "error_category": "Emergent error"},
    {"id": 7, "annotator": "A", "source": "x", "impression_original": "Compared to a prior.", "impression_edited": "[delete]",
     "error_category": "Not actionable"},
    {"id": 7, "annotator": "A", "source": "x", "impression_original": "", "impression_edited": "Cardiomegaly.",
     "error_category": "Actionable nonurgent error"},
    {"id": 7, "annotator": "A", "source": "x", "impression_original": "", "impression_edited": "[no edit]",
     "error_category": "No error"},
    {"id": 7, "annotator": "B", "source": "x", "impression_original": "Small left effusion.", "impression_edited": "[no edit]",
     "error_category": ""},
]  # fmt: skip


def test_refisco_gives_the_report_and_what_the_corrections_make_of_it(tmp_path: Path) -> None:
    pairs, bad = read(write(tmp_path / "refisco-v0.csv", LINES), "refisco")
    assert (list(pairs), bad) == (["7 x A", "7 x B"], [])
    one = pairs["7 x A"]
    assert one.study == "7"
    assert one.candidate == "Small left effusion.\nNo pneumothorax.\nCompared to a prior."
    assert one.reference == "Small left effusion.\nPneumothorax.\nCardiomegaly."
    assert {name: one.ratings[name] for name in ("total", "significant", "insignificant", "severity", "max_severity")} == {
        "total": 3, "significant": 2, "insignificant": 1, "severity": 7, "max_severity": 4
    }  # fmt: skip
    assert pairs["7 x B"].ratings["total"] == 0
    assert read(tmp_path, "refisco") == (pairs, [])


def test_refisco_names_a_severity_it_does_not_know_and_takes_numbers(tmp_path: Path) -> None:
    wrong = [{**row, "error_category": "bad" if row["impression_edited"] == "Pneumothorax" else "1"} for row in LINES]
    path = write(tmp_path / "own.csv", wrong)
    pairs, bad = read(path, "refisco")
    assert list(pairs) == ["7 x B"]
    assert bad == [
        f"{path}:3: record '7 x A': field 'error_category' is not a severity; it must be 0 to 4 or one of no error, invalid "
        "comparison, not actionable, actionable nonurgent, urgent, emergent"
    ]


def test_rate_eval_takes_ratings_or_errors_as_a_share_of_those_possible(tmp_path: Path) -> None:
    path = tmp_path / "paragraphs.json"
    rows = [{"gt": "Cardiomegaly.", "pred": "Cardiomegaly.", "score": 5}, {"gt": "Ascites.", "pred": "None.", "score": "x"}]
    path.write_text(json.dumps(rows), encoding="utf-8")
    pairs, bad = read(path, "rate-eval")
    assert [(p.id, p.study, p.ratings) for p in pairs.values()] == [("1", "Cardiomegaly.", {"human": 5.0})]
    assert bad == [f"{path}: item 2: record '2': field 'score' must be a number"]
    shares = tmp_path / "sentences.csv"
    write(shares, [{"truth": "a", "pred": text, "errors": made, "possible": 4} for text, made in (("b", 1), ("c", 5))])
    pairs, bad = read(shares, "rate-eval", {"reference": "truth"})
    assert [p.ratings["human"] for p in pairs.values()] == [0.75]
    assert "'errors' must be a number between 0 and 'possible'" in bad[0]


def test_a_table_of_ones_own_has_scores_or_counts(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    write(path, [{"id": 1, "study": "s", "reference": "a", "candidate": "b", "human": -2.5},
                 {"id": 2, "study": "", "reference": "a", "candidate": "c", "human": "nan"}])  # fmt: skip
    pairs, bad = read(path, "csv")
    assert pairs["1"].ratings == {"human": -2.5}
    assert bad == [f"{path}:3: record '2': field 'human' must be a number"]
    write(path, [{"id": 1, "reference": "a", "candidate": "b", "total": 3, "significant": 1},
                 {"id": 2, "reference": "a", "candidate": "c", "total": 1, "significant": 2}])  # fmt: skip
    pairs, bad = read(path, "csv")
    assert (pairs["1"].study, pairs["1"].ratings["insignificant"]) == ("a", 2.0)
    assert bad == [f"{path}:3: record '2': 'significant' must lie between 0 and 'total'"]


@pytest.mark.parametrize(
    ("layout", "said"),
    [
        ("rexvall", "did you mean 'rexval'"),
        ("rexval", f"layout rexval: no file '{REPORTS}' in the folder"),
        ("radevalx", f"layout radevalx: no file '{SCORES}' in the folder"),
        ("rate-eval", "is a folder; name the file"),
    ],
)
def test_what_is_not_there_is_named(tmp_path: Path, layout: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        list(read_pairs(tmp_path, layout))


def test_columns_that_are_named_must_be_there(tmp_path: Path) -> None:
    path = write(tmp_path / "own.csv", [{"id": 1, "reference": "a", "candidate": "b", "human": 1}])
    for columns, said in (({"rater": "x"}, "'rater' is not a column of it"), ({"human": "stars"}, "no column 'stars'")):
        with pytest.raises(InputError, match=said):
            list(read_pairs(path, "csv", columns))
    with pytest.raises(InputError, match="lacks a column of ratings"):
        list(read_pairs(write(path, [{"id": 1, "reference": "a", "candidate": "b"}]), "csv"))
    path.write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="contains no readable row"):
        list(read_pairs(path, "csv"))
    assert list(files_of(path, "csv").values()) == [path]


def test_a_download_is_fitted_and_its_files_are_kept_by_hash(rexval: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = rexval / "mine.json"
    arguments = ["--layout", "rexval", "--priors", "polarity-heavy", "--entropies", "0.2", "--folds", "2", "--output", str(out)]
    assert main(["fit", "radot", str(rexval), *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["pairs"] == 8
    provenance = json.loads(out.read_text(encoding="utf-8"))["provenance"]
    assert provenance["layout"] == "rexval"
    assert provenance["table"].count("sha256") == 2
    assert main(["fit", "ratescore", str(rexval), "--layout", "rexval", "--output", "x.yaml", "--target", "human"]) == 1
    assert "no rating 'human'; available ratings: total, significant" in capsys.readouterr().err
    assert main(["fit", "radot", str(rexval), "--columns", "candidate"]) == 2
