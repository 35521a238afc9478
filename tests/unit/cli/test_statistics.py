"""`kgscore summary`, `compare`, `correlate`, `plot`, `tables`: what people read, and what programs read."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

REFERENCES = ("Small left pleural effusion. No pneumothorax.", "The heart is enlarged.", "Left lower lobe consolidation.", "")
ONE = ("Left pleural effusion. No pneumothorax.", "The heart is enlarged.", "The lungs are clear.", "No effusion.")
OTHER = ("No pleural effusion. Right pneumothorax.", "Cardiomegaly.", "Consolidation in the left lower lobe.", "No effusion.")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    from kgscore.runs.batch import Settings, score_source

    root = tmp_path_factory.mktemp("runs")
    for name, candidates in (("one", ONE), ("other", OTHER)):
        lines = (
            {"id": f"p{at}", "reference": reference, "candidate": candidate, "modality": "XR" if at % 2 else "CT"}
            for at, (reference, candidate) in enumerate(zip(REFERENCES, candidates, strict=True))
        )
        source = root / f"{name}.jsonl"
        source.write_text("".join(json.dumps(line) + "\n" for line in lines))
        list(score_source(str(source), Settings("default", ("radsem", "fineradscore")), out=root / name))
    return root / "one", root / "other"


def test_summary(kgscore, runs) -> None:
    ran = kgscore("summary", runs[0], "--by", "modality", "--resamples", "200")
    assert ran.code == 0
    assert "metric        modality  scored" in ran.out
    assert "fineradscore  XR        1 of 2" in ran.out
    rows = kgscore("summary", runs[0], "--format", "jsonl", "--resamples", "200").lines
    assert [(row["metric"], row["pairs"], row["scored"], row["empty"]) for row in rows] == [
        ("radsem", 4, 3, 1), ("fineradscore", 4, 3, 1),
    ]  # fmt: skip
    assert kgscore("summary", runs[0], "--by", "nothing").err == (
        f"kgscore: {runs[0]}: the input had no column 'nothing'; columns besides id and the reports: modality\n"
    )


def test_compare(kgscore, runs) -> None:
    ran = kgscore("compare", *runs, "--metric", "radsem")
    assert ran.code == 0
    assert f"A = {runs[0]} B = {runs[1]}" in " ".join(ran.out.split())
    assert "1 pairs of both have no score in A or in B" in ran.out
    assert "fineradscore" not in ran.out
    lines = kgscore("compare", *runs, "--format", "jsonl", "--moved", "2").lines
    radsem, fine = (line for line in lines if line["kind"] == "comparison")
    assert radsem["wins"] == fine["wins"] == 1
    assert {line["kind"] for line in lines} == {"comparison", "coverage", "moved_case", "moved_finding"}
    assert {line["id"] for line in lines if line["kind"] == "moved_case"} == {"p0", "p2"}
    assert kgscore("compare", runs[0]).code == 2
    assert kgscore("compare", *runs, "--metric", "radot").code == 2


def test_correlate(kgscore, runs, tmp_path: Path) -> None:
    human = tmp_path / "human.csv"
    human.write_text("id,errors\np0,0\np1,1\np2,4\np3,2\n")
    ran = kgscore("correlate", runs[0], "--human", human, "--lower-is-better", "errors", "--resamples", "200")
    assert ran.code == 0
    assert "radsem: 1 rated without a score, 0 scored without a rating" in ran.out
    rows = kgscore("correlate", runs[0], "--human", human, "--format", "jsonl", "--resamples", "200").lines
    assert [row["measure"] for row in rows[:4]] == ["kendall", "spearman", "pearson", "preference"]
    assert rows[0]["value"] < 0  # fewer errors go with a higher score: not turned, they disagree


def test_coverage_is_shown_and_compare_warns_of_it(kgscore, tmp_path: Path) -> None:
    odd = "Wobbly blotch in the left lung."
    said = {"full": "The heart is enlarged.", "quiet": "", "strange": "胸部未见异常。", "odd": odd}
    for name, last in said.items():
        rows = [{"id": f"p{at}", "reference": "The heart is enlarged.", "candidate": "Cardiomegaly."} for at in range(3)]
        rows.append({"id": "p3", "reference": "The heart is enlarged.", "candidate": last})
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        kgscore("score", tmp_path / f"{name}.jsonl", "--output", tmp_path / name, "--metrics", "radsem")
    quick = ("--resamples", "200")
    ran = kgscore("summary", tmp_path / "quiet", *quick)
    assert "  coverage: 4 of 4 scored (100.0 %), 1 silent candidate (25.0 %), 0.0 % of words unlinked" in ran.out
    (row,) = kgscore("summary", tmp_path / "odd", "--format", "jsonl", *quick).lines
    assert (row["silent"], row["unlinked"]) == (0, pytest.approx(0.66, abs=0.1))
    strange = kgscore("summary", tmp_path / "strange", *quick)
    assert "  coverage: 4 of 4 scored (100.0 %), 0 silent candidates (0.0 %), 1 not understood (25.0 %), 25.0 %" in strange.out
    (row,) = kgscore("summary", tmp_path / "strange", "--format", "jsonl", *quick).lines
    assert (row["silent"], row["not_understood"], row["scored"], row["mean"]) == (0, 1, 4, 0.75)
    told = {name: kgscore("compare", tmp_path / "full", tmp_path / name, *quick) for name in said}
    assert "coverage differs" not in told["full"].err
    for name, what in (
        ("quiet", "candidates that say nothing: 0.0 %"), ("strange", "candidates not understood: 0.0 %"),
        ("odd", "words of the candidates that no concept covers: 0.0 %"),
    ):  # fmt: skip
        assert f"coverage differs: {what}" in told[name].err
    lines = kgscore("compare", tmp_path / "full", tmp_path / "quiet", "--format", "jsonl", *quick).lines
    covered = [line for line in lines if line["kind"] == "coverage"]
    assert [(line["pairs"], line["scored"], line["silent"]) for line in covered] == [(4, 4, 0), (4, 4, 1)]
    (radsem,) = (line for line in lines if line["kind"] == "comparison")
    assert radsem["pairs"] == 4
    assert radsem["mean_other"] == pytest.approx(0.75)  # nobody gains by silence in a paired test


def test_tables_and_sql(kgscore, runs, tmp_path: Path) -> None:
    ran = kgscore("tables", runs[0])
    assert "by_region  (view)" in ran.out
    assert kgscore("tables", runs[0], "--to", tmp_path / "files").code == 0
    assert kgscore("tables", tmp_path / "copy", "--from", tmp_path / "files").code == 0
    (tmp_path / "more.csv").write_text("id,x\np1,7\n")
    assert kgscore("tables", tmp_path / "copy", "--add", tmp_path / "more.csv").code == 0
    join = "SELECT id, x, value FROM tables.more JOIN scores USING (id) WHERE metric = 'radsem'"
    joined = kgscore("sql", tmp_path / "copy", join)
    assert joined.lines == [{"id": "p1", "x": 7, "value": 1.0}]
    both = kgscore("sql", runs[0], "SELECT folder, avg(value) AS mean FROM every.scores GROUP BY ALL", "--with", f"b={runs[1]}")
    assert {line["folder"] for line in both.lines} == {"this", "b"}
    assert kgscore("sql", runs[0], "SELECT 1", "--with", "b").code == 2
    out = tmp_path / "answer.parquet"
    ran = kgscore("sql", runs[0], "SELECT * FROM case_overview", "--output", out)
    assert (ran.code, ran.out, ran.err) == (0, "", f"{out}: 4 rows\n")
    assert out.read_bytes()[:4] == b"PAR1"
    assert "unknown file type" in kgscore("sql", runs[0], "SELECT 1", "--output", tmp_path / "x.doc").err


def test_plots(kgscore, runs, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra `plots` is not installed")
    for number, args in enumerate(
        (
            ("scores", *runs), ("scores", runs[0], "--by", "modality", "--metric", "fineradscore"), ("errors", runs[0]),
            ("body", runs[0], "--theme", "dark", "--denied"),
            ("weights", runs[0], "--by", "region", "--profile", "chest-general"),
            ("matrix", runs[0], "--by", "modality,modality"), ("recall", runs[0], "--least", 1), ("against", *runs),
            ("forest", *runs),
        )
    ):  # fmt: skip
        out = tmp_path / f"{number}.svg"
        ran = kgscore("plot", *args, "--output", out)
        assert (ran.code, ran.out) == (0, ""), ran.err
        assert out.read_text().startswith("<svg")
        rows = [tmp_path / f"{number}.{kind}" for kind in ("csv", "json", "jsonl")]
        for data in rows:
            ran = kgscore("plot", *args, "--output", data)
            assert (ran.code, ran.out) == (0, ""), ran.err
        listed = json.loads(rows[1].read_text())
        assert listed
        assert [json.loads(line) for line in rows[2].read_text().splitlines()] == listed
        with rows[0].open(newline="") as stream:
            assert [list(row) for row in csv.DictReader(stream)] == [list(row) for row in listed]
    levels = tmp_path / "levels.jsonl"
    case = {"case": "c", "modality": "XR", "reference": REFERENCES[0]} | {f"L{n}": ONE[n % 3] for n in range(1, 6)}
    levels.write_text(json.dumps(case) + "\n")
    assert kgscore("plot", "ssree", levels, "-o", tmp_path / "s.png").code == 0
    assert (tmp_path / "s.png").read_bytes()[1:4] == b"PNG"
    assert "unknown file type" in kgscore("plot", "body", runs[0], "-o", tmp_path / "x.doc").err


def test_an_answer_in_sparql_joins_sql(kgscore, pairs, tmp_path: Path) -> None:
    assert kgscore("score", pairs(4), "--output", tmp_path / "run").code == 0
    sparql = "SELECT ?id (COUNT(?s) AS ?n) { ?s kgr:inReport ?r . ?r kgr:case ?id } GROUP BY ?id"
    ran = kgscore("query", tmp_path / "run", sparql, "--to-table", "said")
    assert (ran.code, ran.out, ran.err) == (0, "", "tables.said: 4 rows\n")
    join = "SELECT n = in_reference + in_candidate AS same FROM tables.said JOIN case_overview USING (id)"
    joined = kgscore("sql", tmp_path / "run", join)
    assert joined.lines == [{"same": True}] * 4
    assert "takes rows" in kgscore("query", tmp_path / "run", "DESCRIBE kgs:heart", "--to-table", "x").err


def test_correlate_reads_a_download_through_the_reader_of_layouts(kgscore, runs, tmp_path: Path) -> None:
    rows = [("p0", "no edit", ""), ("p1", "delete", "Urgent error"), ("p2", "Clear.", "Emergent error"), ("p3", "x", "what")]
    lines = "".join(f"{id},,,a line,[{edit}],{severity}\n" for id, edit, severity in rows)
    download = tmp_path / "refisco-v0.csv"
    download.write_text("id,annotator,source,impression_original,impression_edited,error_category\n" + lines)
    ran = kgscore("correlate", runs[0], "--human", download, "--format", "jsonl", "--resamples", "100")
    assert ran.code == 3
    assert "record 'p3': field 'error_category' is not a severity" in ran.err
    told = {row["human"]: row["value"] for row in ran.lines if row["measure"] == "kendall"}
    assert list(told) == ["total", "significant", "severity", "max_severity", "insignificant"]
    # Severities 0, 3 and 4 with falling scores 1, 1 and 0: more severe goes with worse, so they agree.
    assert told["severity"] == pytest.approx(0.816, abs=0.001)
    only = kgscore("correlate", runs[0], "--human", download, "--columns", "severty")
    assert "has no rating 'severty'; did you mean 'severity'?" in only.err
