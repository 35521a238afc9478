"""`kgscore published`: figures, pairs to score, and a run correlated with the download that it came from."""

from __future__ import annotations

import json
from pathlib import Path

from kgscore.resources import resource

SHIPPED = resource("examples", "published")


def test_pairs_are_scored_and_correlate_as_the_benchmark_says(kgscore, tmp_path: Path) -> None:
    told = kgscore("published", "rexval", SHIPPED / "rexval", "--format", "jsonl", "--resamples", "100").lines
    assert kgscore("published", "rexval", SHIPPED / "rexval", "--pairs", tmp_path / "pairs.jsonl").err == "16 pairs\n"
    assert kgscore("score", tmp_path / "pairs.jsonl", "--output", tmp_path / "run", "--no-graph").code == 0
    options = ("--format", "jsonl", "--resamples", "100", "--group", "study")
    ran = kgscore("correlate", tmp_path / "run", "--human", SHIPPED / "rexval", *options)
    assert (ran.code, ran.err) == (0, "")
    rows = {(row["human"], row["measure"]): row["value"] for row in ran.lines}
    keys = [(row["task"], row["of"], row["metric"], row["measure"]) for row in told]
    assert len(set(keys)) == len(keys)
    figures = dict(zip(keys, (row["value"] for row in told), strict=True))
    for of in ("total", "significant"):
        assert rows[of, "kendall"] == figures["errors counted", of, "radsem", "kendall"]
    assert rows["total", "preference"] > 0.5


def test_preferences_of_a_download_are_those_of_a_run_of_its_pairs(kgscore, tmp_path: Path) -> None:
    source = SHIPPED / "preferences" / "preferences.csv"
    assert kgscore("published", "preferences", source, "--pairs", tmp_path / "pairs.jsonl").code == 0
    assert json.loads((tmp_path / "pairs.jsonl").read_text().splitlines()[0])["id"] == "c1 a"
    assert kgscore("score", tmp_path / "pairs.jsonl", "--output", tmp_path / "run", "--metrics", "radsem", "--no-graph").code == 0
    (row,) = kgscore(
        "correlate", tmp_path / "run", "--human", source, "--layout", "preferences", "--format", "jsonl", "--resamples", "100"
    ).lines  # fmt: skip
    assert (row["value"], row["compared"]) == (1.0, 4)
    (turned,) = kgscore(
        "correlate", tmp_path / "run", "--human", source, "--layout", "preferences", "--scale", "5:1", "--format", "jsonl"
    ).lines  # fmt: skip
    assert turned["value"] == 0.0
    wrong = kgscore("correlate", tmp_path / "run", "--human", source, "--columns", "id=x")
    assert "name the layout with --layout" in wrong.err


def test_the_table_names_each_task_and_problems_end_with_3(kgscore, tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("uid,MeSH,report\n1,Cardiomegaly,Cardiomegaly.\n2,,Clear lungs.\n")
    ran = kgscore("published", "iu-xray", table, "--resamples", "100")
    assert ran.code == 3
    assert "codes and what they imply" in ran.out
    assert f"{table}:3: record '2': the report has no MeSH code" in ran.err


def test_wrong_uses_are_one_line(kgscore, tmp_path: Path) -> None:
    assert "known: rexval, radevalx" in kgscore("published", "xyz", tmp_path).err
    assert "scale '5': give two different numbers" in kgscore("published", "preferences", tmp_path, "--scale", "5").err
    assert kgscore("published", "rexval", tmp_path, "--pairs", tmp_path / "out.jsonl").code == 1
    assert not (tmp_path / "out.jsonl").exists()
    assert kgscore("published", "rexval", tmp_path, "--columns", "reference").code == 2
    assert kgscore("published", "preferences", tmp_path).err == (
        f"kgscore: {tmp_path}: layout preferences: no table in the folder (.csv, .tsv, .jsonl, .ndjson, .json, .parquet, .pq);"
        " give the file\n"
    )
