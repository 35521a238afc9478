"""Views, several runs at once, tables beside a run, files in and out, frames for notebooks."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet
import pytest

from kgscore.engine import Scorer
from kgscore.errors import InputError, MissingExtraError, QueryError, RunError
from kgscore.results.cases import load_case, load_outcomes
from kgscore.results.concepts import region_of, regions
from kgscore.results.database import RunDatabase
from kgscore.results.exchange import describe_tables, from_parquet, to_parquet, write_table
from kgscore.results.files import FILE
from kgscore.results.joined_tables import side_tables, store_file, store_table
from kgscore.results.layout import RunKey
from kgscore.results.rows import Rows
from kgscore.results.run import Run
from kgscore.results.sql import ask
from kgscore.results.tabular import write_rows
from kgscore.runs.batch import Settings, score_source
from kgscore.verdict import CATEGORIES

PAIRS = (
    {"id": "wrong", "modality": "XR", "age": 61, "sites": ["a", "b"],
     "reference": "Small left pleural effusion. No pneumothorax. The heart is enlarged.",
     "candidate": "Large right pneumothorax. The heart is enlarged. Left lower lobe consolidation."},
    {"id": "right", "modality": "CT", "reference": "Subdural hematoma.", "candidate": "Subdural hematoma."},
    {"id": "bad", "modality": "CT", "reference": "No pneumothorax."},
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("runs")
    source = root / "pairs.jsonl"
    source.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS))
    for profile in ("default", "radsem-published"):
        list(score_source(str(source), Settings(profile, ("radsem", "headct_one")), out=root / "run"))
    return root / "run"


def rows(folder: Path, sql: str, **more: object) -> list[dict[str, object]]:
    return ask(folder, sql, **more).rows()


def test_the_columns_of_the_input_are_in_the_run_also_of_failed_records(folder: Path) -> None:
    found = rows(
        folder, "SELECT id, fields->>'modality' AS kind, fields->>'$.sites[1]' AS site FROM cases WHERE run = 1 ORDER BY position"
    )  # fmt: skip
    wanted = [("wrong", "XR", "b"), ("right", "CT", None), ("bad", "CT", None)]
    assert [(row["id"], row["kind"], row["site"]) for row in found] == wanted


def test_outcomes_of_findings_with_region_and_severity(folder: Path) -> None:
    found = rows(folder, "SELECT * FROM finding_outcomes WHERE run = 1 AND id = 'wrong'")
    said = {(row["report"], row["label"], row["asserted"]): row for row in found}
    assert said["reference", "pleural effusion", True]["outcome"] == "missed"
    denied = said["candidate", "pneumothorax", True]
    assert (denied["outcome"], denied["matching"]) == ("invented", "contradicted")  # the reference denies it
    assert said["reference", "pneumothorax", False]["outcome"] == "invented"
    assert said["candidate", "consolidation", True]["outcome"] == "invented"
    assert said["reference", "cardiomegaly", True]["outcome"] == "correct"
    assert said["reference", "cardiomegaly", True]["region"] == "heart_mediastinum"
    assert said["candidate", "consolidation", True]["region"] == "chest"


def test_the_views_agree_with_each_other_and_with_the_scores(folder: Path) -> None:
    (case,) = rows(folder, "SELECT * FROM case_overview WHERE run = 1 AND id = 'wrong'")
    assert case["in_reference"] == case["matched"] + case["partial"] + sum(
        row["n"] for row in rows(
            folder, "SELECT count(*) AS n FROM finding_outcomes WHERE run = 1 AND id = 'wrong' AND report = 'reference'"
            " AND matching IN ('missed', 'contradicted')",
        )
    )  # fmt: skip
    assert case["scores"] == load_outcomes(folder, 1)[0].scores
    for row in rows(folder, "SELECT run, metric, sum(credit) AS credit, sum(cost) AS cost FROM cost_decomposition GROUP BY ALL"):
        (scored,) = rows(
            folder, "SELECT sum(value) AS total, count(value) AS pairs FROM scores WHERE run = $run AND metric = $metric",
            values={"run": row["run"], "metric": row["metric"]},
        )  # fmt: skip
        assert row["credit"] == pytest.approx(scored["total"])
        assert row["credit"] + row["cost"] == pytest.approx(scored["pairs"])
    concept, region = (
        rows(folder, f"SELECT sum(missed) AS missed, sum(invented) AS invented, sum(in_reference) AS n FROM {view} WHERE run = 1")
        for view in ("by_concept", "by_region")
    )
    assert concept == region


def test_what_two_runs_call_the_same_findings(folder: Path) -> None:
    found = rows(folder, "SELECT * FROM relation_confusion WHERE run = 1 AND other_run = 2")
    assert found
    assert sum(row["links"] for row in found) >= sum(
        row["links"] for row in rows(folder, "SELECT links FROM relation_labels WHERE run = 1")
    )


def test_the_hierarchy_can_be_climbed(folder: Path) -> None:
    found = rows(
        folder, "SELECT DISTINCT f.label FROM findings f JOIN ancestors a ON (a.run, a.concept) = (f.run, f.concept)"
        " WHERE a.ancestor = 'hemorrhage'",
    )  # fmt: skip
    assert found == [{"label": "subdural hematoma"}]


def test_contributions_come_out_as_they_went_in(folder: Path) -> None:
    case = load_case(folder, "wrong", 1)
    fresh = Scorer("default", ("radsem", "headct_one"))
    result = fresh.score(reference=case.reference, candidate=case.candidate, id="wrong")
    wanted = fresh.contributions(result, reference=case.reference, candidate=case.candidate)
    assert {name: tuple(ones) for name, ones in wanted.items()} == case.result.contributions


def test_several_runs_at_once(folder: Path) -> None:
    found = rows(folder, "SELECT folder, count(*) AS n FROM every.scores GROUP BY ALL ORDER BY ALL", attached={"other": folder})
    assert found == [{"folder": "other", "n": 12}, {"folder": "this", "n": 12}]
    assert rows(folder, "SELECT count(*) AS n FROM other.by_region", attached={"other": folder})[0]["n"] > 0
    for name in ("this", "a-b", "every", "x_tables"):
        with pytest.raises(RunError, match="not a valid run name"):
            ask(folder, "SELECT 1", attached={name: folder})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/hostname')", "COPY cases TO 'out.csv'", "ATTACH 'other.duckdb'",
        "DELETE FROM cases", "SET enable_external_access = true", "INSTALL httpfs", "",
    ],
)  # fmt: skip
def test_a_query_reads_this_run_and_nothing_else(folder: Path, sql: str) -> None:
    with pytest.raises(QueryError) as caught:
        ask(folder, sql)
    assert "\n" not in str(caught.value)


def test_a_query_has_a_limit_of_rows(folder: Path) -> None:
    answer = ask(folder, "SELECT * FROM range(10)", limit=3)
    assert (answer.arrow.num_rows, answer.more) == (3, True)
    assert not ask(folder, "SELECT * FROM range(3)", limit=3).more


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("'infinity'::DATE", "infinity"), ("'-infinity'::TIMESTAMP", "-infinity"), ("DATE '290000-01-01'", "290000-01-01"),
        ("'0044-03-15 (BC)'::DATE", "0044-03-15 (BC)"), ("[DATE 'infinity']", "[infinity]"), ("MAP {[1]: 2}", "{[1]=2}"),
        ("{'a': TIMESTAMPTZ 'infinity'}", "{'a': infinity}"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "arrow"])
def test_values_that_python_has_no_form_for_are_text(folder: Path, value: str, text: str, kind: str) -> None:
    answer = ask(folder, f"SELECT {value} AS x, 1 AS n")
    assert answer.rows() == [{"x": text, "n": 1}]
    stream = io.BytesIO()
    write_table(answer, stream, kind)
    if kind == "csv":
        assert text in stream.getvalue().decode()


def test_without_pyarrow_only_arrow_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    columns = "id, scores, 1::HUGEINT AS n, DATE '2020-01-02' AS d"
    answer = ask(folder, f"SELECT {columns} FROM case_overview WHERE run = 1 ORDER BY id")
    streams = {kind: io.BytesIO() for kind in ("jsonl", "csv", "parquet")}
    for kind, stream in streams.items():
        write_table(answer, stream, kind)
    with pytest.raises(MissingExtraError, match=r"pip install 'kgscore\[arrow\]'"):
        write_table(answer, io.BytesIO(), "arrow")
    monkeypatch.undo()
    found = pyarrow.parquet.read_table(io.BytesIO(streams["parquet"].getvalue()))
    assert found.column("id").to_pylist() == [row["id"] for row in answer.rows()]
    assert [str(field.type) for field in found.schema][2:] == ["int64", "date32[day]"]


def test_types_are_those_of_the_values() -> None:
    rows = [[1, 0.5, True, "x", ["a"], 1, None], [2, 1, None, None, None, "b", None]]
    found = Rows.from_values(list("abcdefg"), rows)
    assert found.types == ["BIGINT", "DOUBLE", "BOOLEAN", "VARCHAR", "VARCHAR[]", "VARCHAR", "VARCHAR"]
    with duckdb.connect() as connection:
        found.load(connection, "CREATE TABLE kept AS")
        assert Rows.of(connection.table("kept")).cells == [[1, 2], [0.5, 1.0], [True, None], ["x", None], [["a"], None],
                                                           ["1", "b"], [None, None]]  # fmt: skip


def test_values_come_back_to_the_bit(tmp_path: Path) -> None:
    numbers = [0.1, -0.0, 5e-324, 1.7976931348623157e308, 1 / 3, None]
    texts = ["a\x00b", "\u2028\"\\\n", "", "null", "\U0001f600", None]
    maps = [{"b": 1.5, "a": 0.1}, {}, None, {"x": None}, {"": 2.0}, {"\"": 3.0}]
    given = Rows(["n", "t", "m"], ["DOUBLE", "VARCHAR", "MAP(VARCHAR, DOUBLE)"], [numbers, texts, maps])
    with duckdb.connect() as connection:
        given.load(connection, "CREATE TABLE kept AS")
        found = Rows.of(connection.table("kept"))
    assert [list(map(repr, column)) for column in found.cells] == [list(map(repr, column)) for column in given.cells]
    assert (found.names, found.types) == (given.names, given.types)


def test_what_is_no_number_is_null_in_json(folder: Path) -> None:
    stream = io.BytesIO()
    write_table(ask(folder, "SELECT 'nan'::DOUBLE AS x, ['inf'::DOUBLE, 1.0] AS y"), stream, "jsonl")
    assert json.loads(stream.getvalue()) == {"x": None, "y": [None, 1.0]}


def test_whole_numbers_stay_whole(folder: Path) -> None:
    assert rows(folder, "SELECT sum(range) AS n FROM range(5)") == [{"n": 10}]


def test_tables_beside_a_run_join_it(folder: Path, tmp_path: Path) -> None:
    store_table(folder, "answer", pa.table({"case": ["wrong"], "text": ["x"]}))
    found = rows(folder, "SELECT c.id, t.text FROM tables.answer t JOIN cases c ON c.id = t.case WHERE c.run = 1")
    assert found == [{"id": "wrong", "text": "x"}]
    file = tmp_path / "ratings.csv"
    file.write_text("id,rating\nwrong,2\n")
    assert store_file(folder, "ratings", file) == 1
    assert side_tables(folder) == ["answer", "ratings"]
    assert rows(folder, "SELECT rating FROM other_tables.ratings", attached={"other": folder}) == [{"rating": 2}]
    with pytest.raises(RunError, match="not a valid table name"):
        store_table(folder, 'x"; DROP TABLE cases', pa.table({"a": [1]}))
    with pytest.raises(RunError, match="is not a run folder"):
        store_table(tmp_path, "a", pa.table({"a": [1]}))
    for name, said in (("x.txt", "unknown file type"), ("gone.csv", "no such file"), ("x.parquet", "cannot be read")):
        if name != "gone.csv":
            (tmp_path / name).write_text("a")
        with pytest.raises(InputError, match=said):
            store_file(folder, "x", tmp_path / name)


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "arrow"])
def test_an_answer_goes_to_a_file_and_comes_back(folder: Path, tmp_path: Path, kind: str) -> None:
    answer = ask(folder, "SELECT id, scores FROM case_overview WHERE run = 1 ORDER BY position")
    stream = io.BytesIO()
    write_table(answer, stream, kind)
    if kind == "jsonl":
        assert [json.loads(line) for line in stream.getvalue().splitlines()] == answer.rows()
    elif kind == "csv":
        assert len(stream.getvalue().splitlines()) == 4
        assert b"{" in stream.getvalue()
    else:
        read = pyarrow.parquet.read_table if kind == "parquet" else pyarrow.feather.read_table
        assert read(io.BytesIO(stream.getvalue())).to_pylist() == answer.arrow.to_pylist()


def test_a_run_goes_to_parquet_and_comes_back(folder: Path, tmp_path: Path) -> None:
    files = to_parquet(folder, tmp_path / "files")
    assert {file.stem for file in files} == {info.name for info in describe_tables(folder)}
    copy = tmp_path / "copy"
    from_parquet(tmp_path / "files", copy)
    for table in ("cases", "findings", "contributions", "case_overview", "by_concept"):
        both = [ask(one, f"SELECT * FROM {table} ORDER BY ALL").rows() for one in (folder, copy)]
        assert both[0] == both[1]
    assert load_case(copy, "wrong", 1).result.contributions == load_case(folder, "wrong", 1).result.contributions
    assert load_outcomes(copy, 1) == load_outcomes(folder, 1)
    with pytest.raises(RunError, match="already contains a run"):
        from_parquet(tmp_path / "files", copy)
    (tmp_path / "files" / "cases.parquet").unlink()
    with pytest.raises(InputError, match=r"lacks"):
        from_parquet(tmp_path / "files", tmp_path / "third")


def test_every_table_and_view_says_what_a_row_is(folder: Path) -> None:
    for info in describe_tables(folder):
        assert info.comment.startswith("one row"), info.name
        assert info.columns


def test_an_older_layout_is_one_line(tmp_path: Path) -> None:
    with RunDatabase(tmp_path):
        pass
    connection = duckdb.connect(str(tmp_path / FILE))
    connection.execute("UPDATE layout SET version = 1")
    connection.close()
    for action in (lambda: ask(tmp_path, "SELECT 1"), lambda: load_outcomes(tmp_path), lambda: RunDatabase(tmp_path)):
        with pytest.raises(RunError, match="written with layout 1"):
            action()


@pytest.mark.parametrize("layout", [2, 3])
def test_a_run_of_an_earlier_version_opens_and_takes_further_runs(folder: Path, tmp_path: Path, layout: int) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / FILE).write_bytes((folder / FILE).read_bytes())
    with duckdb.connect(str(old / FILE)) as connection:
        connection.execute("DROP VIEW errors; DROP VIEW failures; CREATE TABLE failures (run INTEGER)")
        connection.execute("ALTER TABLE findings DROP genus")
        for name in ("verdicts", "judged", "readers") if layout == 2 else ():
            connection.execute(f"DROP TABLE {name}")
        connection.execute(f"UPDATE layout SET version = {layout}")
    assert load_outcomes(old, 1) == load_outcomes(folder, 1)
    for at in range(2):
        case, same = load_case(old, "wrong", 1).result, load_case(folder, "wrong", 1).result
        assert case.contributions == same.contributions
        assert case.links == same.links
        assert case.verdict is None
        assert rows(old, "SELECT count(*) AS n FROM judged") == [{"n": 0}]
        assert len(rows(old, "SELECT * FROM finding_outcomes")) == len(rows(folder, "SELECT * FROM finding_outcomes"))
        if at == 0:
            with RunDatabase(old) as database:
                assert database.start(RunKey("p", "1", "default", ("radsem",), {}))[0] == 3
    assert rows(old, "SELECT reason FROM failures WHERE run = 1") == rows(folder, "SELECT reason FROM failures WHERE run = 1")
    assert rows(old, "SELECT count(genus) AS n FROM findings") == [{"n": 0}]


def test_frames_come_as_arrow_pandas_or_polars(folder: Path) -> None:
    frame = Run(folder).sql("SELECT id, scores FROM case_overview WHERE run = 1 ORDER BY position")
    assert frame.arrow.column_names == ["id", "scores"]
    assert frame.rows()[0]["id"] == "wrong"
    assert len(frame) == 3
    assert "<td>wrong</td>" in frame._repr_html_()
    pandas = pytest.importorskip("pandas")
    assert isinstance(frame.pandas(), pandas.DataFrame)
    assert frame.pandas()["scores"][0] == frame.rows()[0]["scores"]
    polars = pytest.importorskip("polars")
    assert frame.polars()["id"].to_list() == ["wrong", "right", "bad"]
    run = Run(folder)
    run.put("from_pandas", pandas.DataFrame({"id": ["wrong"], "x": [1.5]}))
    run.put("from_polars", polars.DataFrame({"id": ["right"]}))
    assert run.sql("SELECT x FROM tables.from_pandas JOIN cases USING (id) WHERE run = 1").rows() == [{"x": 1.5}]
    with pytest.raises(InputError, match="a dict is not a table"):
        run.put("x", {"a": object()})
    assert len(Run(folder, {"b": folder}).sql("SELECT DISTINCT folder FROM every.cases")) == 2


def test_a_frame_escapes_what_it_shows(folder: Path) -> None:
    assert "<script>" not in Run(folder).sql("SELECT '<script>' AS x")._repr_html_()
    assert "<td>radsem</td>" in Run(folder)._repr_html_()


def test_regions_name_structures_that_exist(scorer: Scorer) -> None:
    assert [name for region in regions() for name in region.within if name not in scorer.index.concepts] == []
    assert region_of(scorer.index, "lung") == "chest"
    assert region_of(scorer.index, "subdural_hematoma") == "brain"
    assert region_of(scorer.index, "lobe_of_lung") == "chest"
    assert region_of(scorer.index, "small") is None


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_rows_of_a_graph_hold_null_for_what_is_no_number(form: str) -> None:
    output = io.BytesIO()
    write_rows([{"name": "a", "value": float("nan")}, {"name": "b", "value": 0.5}], form, output)
    text = output.getvalue().decode()
    rows = json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]
    assert rows == [{"name": "a", "value": None}, {"name": "b", "value": 0.5}]


def test_a_run_of_an_earlier_version_is_told_in_the_words_of_this_one(folder: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    shutil.copytree(folder, old)
    with duckdb.connect(str(old / FILE)) as connection:
        connection.execute("UPDATE layout SET version = 4; UPDATE contributions SET kind = 'matched' WHERE kind = 'correct'")
        connection.execute("CREATE OR REPLACE VIEW finding_outcomes AS SELECT 'matched' AS outcome")
    for sql in ("SELECT DISTINCT outcome AS word FROM finding_outcomes", "SELECT DISTINCT kind AS word FROM case_costs"):
        found = {row["word"] for row in rows(old, sql)}
        assert "correct" in found <= {*CATEGORIES, "feature"}, sql
