"""Summaries and comparisons of runs: failed pairs are counted and never numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgscore.errors import InputError, RunError
from kgscore.lab.ratings import correlate_run, read_ratings
from kgscore.results.comparison import changed_cases, changed_findings, compare
from kgscore.results.scores import load_scores, parse_run_name
from kgscore.results.statistics import Sampling, summarise

QUICK = Sampling(resamples=500)
A = {"p1": 0.5, "p2": 1.0, "p3": None, "p4": 0.25, "p5": 0.75}
B = {"p1": 0.75, "p2": 1.0, "p3": 0.5, "p4": None, "p6": 0.1}
FIELDS = {"p1": {"modality": "CT", "patient": 1}, "p2": {"modality": "CT", "patient": 1}, "p3": {"modality": "XR"}}


def scores(folder: Path):
    return load_scores(parse_run_name(str(folder)))


def test_a_summary_counts_what_has_no_score_and_leaves_it_out(make_run) -> None:
    all_, none, ct, xr = summarise(scores(make_run("a", A, fields=FIELDS)), by=["modality"], sampling=QUICK)
    assert (all_.pairs, all_.scored, all_.empty, all_.failed) == (5, 4, 1, 0)
    assert (all_.mean, all_.median, all_.min, all_.max) == (0.625, 0.625, 0.25, 1.0)
    assert all_.low < all_.mean < all_.high
    assert (none.group, ct.group, xr.group) == ("", "CT", "XR")
    assert (ct.pairs, ct.mean) == (2, 0.75)
    assert (xr.scored, xr.mean, xr.low, xr.median, xr.sd) == (0, None, None, None, None)
    assert none.by == "modality"


def test_an_unknown_column_is_one_line(make_run) -> None:
    loaded = scores(make_run("a", A, fields=FIELDS))
    with pytest.raises(RunError, match="no column 'modalty'; did you mean 'modality'"):
        summarise(loaded, by=["modalty"])
    with pytest.raises(RunError, match="no column 'zzz'; columns besides id and the reports: modality, patient"):
        summarise(loaded, sampling=Sampling(cluster="zzz"))


def test_a_run_is_named_by_folder_or_folder_and_number(make_run) -> None:
    folder = make_run("a", A)
    make_run("a", {"p1": 0.0})
    assert parse_run_name(str(folder)).run == 2
    assert parse_run_name(f"{folder}@1").run == 1
    assert load_scores(parse_run_name(f"{folder}@1")).ids == ["p1", "p2", "p3", "p4", "p5"]
    with pytest.raises(RunError, match="has no run 7; it has 1, 2"):
        parse_run_name(f"{folder}@7")


def test_a_comparison_is_of_what_is_scored_in_both(make_run) -> None:
    (row,), (paired,) = compare([scores(make_run("a", A)), scores(make_run("b", B))], higher_is_better={}, sampling=QUICK)
    assert (row.pairs, row.unscored, row.only_one, row.only_other) == (2, 2, 1, 1)
    assert (row.mean_one, row.mean_other, row.difference) == (0.75, 0.875, 0.125)
    assert (row.wins, row.ties, row.losses) == (1, 1, 0)
    assert row.p == 1.0  # of two pairs, one of which does not differ, all flips are as far
    assert row.effect == pytest.approx(0.125 / np.std([0.25, 0.0], ddof=1))
    assert row.better.endswith("b")
    assert paired.notes() == []


def test_lower_is_better_turns_wins_and_not_the_difference(make_run) -> None:
    runs = [scores(make_run("a", A)), scores(make_run("b", B))]
    (row,), _ = compare(runs, higher_is_better={"radsem": False}, sampling=QUICK)
    assert (row.difference, row.wins, row.losses) == (0.125, 0, 1)
    assert row.better.endswith("a")


def test_another_reference_is_no_pair_and_another_profile_is_told(make_run) -> None:
    one = scores(make_run("a", A))
    other = scores(make_run("b", B, references={"p1": "other words"}, signature={"kgscore": "0", "profile_hash": "x"}))
    (row,), (paired,) = compare([one, other], higher_is_better={}, sampling=QUICK)
    assert row.pairs == 1
    assert paired.other_reference == 1
    assert [note.split(" were ")[-1] for note in paired.notes()] == [
        "scored with another profile_hash (None, x)",
        "1 pairs have different reference reports in the two runs; they are excluded",
    ]


def test_runs_that_share_nothing_are_one_line(make_run) -> None:
    with pytest.raises(RunError, match="no pair is in both"):
        compare([scores(make_run("a", A)), scores(make_run("b", {"q": 0.5}))], higher_is_better={})


def test_several_runs_are_corrected_for_their_number(make_run) -> None:
    better = {f"p{i}": 0.5 + 0.01 * i for i in range(12)}
    runs = [
        scores(make_run(name, values))
        for name, values in (("a", {f"p{i}": 0.4 for i in range(12)}), ("b", better), ("c", dict.fromkeys(better, 0.4)))
    ]
    rows, _ = compare(runs, higher_is_better={}, sampling=Sampling(resamples=5000))
    assert [(row.one[-1], row.other[-1]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert rows[0].p == 2 / 2**12
    assert rows[0].p_corrected == 3 * rows[0].p
    assert rows[1].p == rows[1].p_corrected == 1.0


def test_what_moved_is_told_with_its_findings(make_run) -> None:
    runs = [scores(make_run("a", A)), scores(make_run("b", B))]
    _, (paired,) = compare(runs, higher_is_better={}, sampling=QUICK)
    (case,) = changed_cases(paired, "radsem")
    assert (case.id, case.one, case.other, case.difference) == ("p1", 0.5, 0.75, 0.25)
    (finding,) = case.findings
    assert (finding.label, finding.report, finding.asserted, finding.change) == ("pleural effusion", "reference", True, -0.25)
    (over_all,) = changed_findings(paired, "radsem")
    assert (over_all.cases, over_all.cost_one, over_all.cost_other) == (2, 0.5, 0.25)


def test_ratings_are_joined_by_id_and_averaged(make_run, tmp_path: Path) -> None:
    run = scores(make_run("a", {f"p{i}": i / 10 for i in range(8)} | {"e": None}))
    file = tmp_path / "human.csv"
    rows = "".join(f"p{i},{i},{9 - i},x\np{i},{i + 1},{9 - i},y\n" for i in range(7))
    file.write_text(f"id,rating,errors,reader\n{rows}e,1,1,x\n")
    ratings = read_ratings(file)
    assert list(ratings.columns) == ["rating", "errors"]
    assert ratings.columns["rating"]["p3"] == 3.5
    rows = correlate_run(run, ratings, higher_is_better={}, lower_is_better=["errors"], sampling=QUICK)
    assert [row.value for row in rows] == pytest.approx([1.0] * 8)
    assert {(row.pairs, row.unscored, row.unrated) for row in rows} == {(7, 1, 1)}


def test_the_column_of_the_study_is_no_rating(make_run, tmp_path: Path) -> None:
    run = scores(make_run("a", {f"p{i}": i / 10 for i in range(6)}))
    file = tmp_path / "human.csv"
    file.write_text("id,rating,study\n" + "".join(f"p{i},{i % 3},{i // 3}\n" for i in range(6)))
    rows = correlate_run(run, read_ratings(file), higher_is_better={}, group="study", sampling=QUICK)
    assert {row.human for row in rows} == {"rating"}
    assert (rows[-1].value, rows[-1].compared) == (1.0, 6)


def test_preferences_come_as_better_and_worse(make_run, tmp_path: Path) -> None:
    run = scores(make_run("a", A))
    file = tmp_path / "choices.jsonl"
    file.write_text('{"better": "p2", "worse": "p1"}\n{"better": "p4", "worse": "p5"}\n')
    (row,) = correlate_run(run, read_ratings(file), higher_is_better={"radsem": False}, sampling=QUICK)
    assert (row.value, row.pairs) == (0.5, 2)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("case,rating\na,1\n", "has no column 'id'"),
        ("id,reader\na,x\n", "has no column of ratings"),
        ("id,rating\nzz,1\n", "none of its ids is in"),
    ],
)
def test_bad_ratings_are_one_line(make_run, tmp_path: Path, text: str, said: str) -> None:
    run = scores(make_run("a", A))
    file = tmp_path / "human.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=said) as caught:
        correlate_run(run, read_ratings(file), higher_is_better={})
    assert "\n" not in str(caught.value)


def test_a_column_asked_for_must_hold_numbers(tmp_path: Path) -> None:
    file = tmp_path / "human.csv"
    file.write_text("id,rating\na,1\nb,good\n")
    with pytest.raises(InputError, match=r"row 2: column 'rating' is not a number"):
        read_ratings(file, ["rating"])
    with pytest.raises(InputError, match="has no column 'rate'; did you mean 'rating'"):
        read_ratings(file, ["rate"])
