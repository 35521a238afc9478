"""SQL and SPARQL from a page: who may go on asking, what is told of the host, and answers that are no plain values."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from kgscore.errors import QueryError
from kgscore.limited_process import LimitedProcess
from kgscore.results.sql import SqlTask
from kgscore.serve.settings import Limits, Settings
from kgscore.serve.sparql import Queries
from tests.unit.serve.conftest import PAIRS, peak_memory, scored

LINES = {
    "sql": "SELECT levenshtein(repeat('a', 2000000), repeat('b', 2000000))",
    "sparql": "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
}


@pytest.mark.parametrize("kind", ["sql", "sparql"])
def test_who_goes_away_ends_the_query(folders: tuple[Path, ...], kind: str) -> None:
    queries = Queries(Limits(query_seconds=60))
    began, left = time.monotonic(), threading.Event()
    threading.Timer(1, left.set).start()
    try:
        asked = {
            "sql": lambda: queries.sql(folders[0], LINES["sql"], 10, left.is_set),
            "sparql": lambda: queries.ask(folders[0], 1, LINES["sparql"], {}, 10, left.is_set),
        }
        with pytest.raises(QueryError, match="its client has disconnected"):
            asked[kind]()
        assert time.monotonic() - began < 40
    finally:
        queries.close()


HOST = (
    "SELECT * FROM duckdb_databases()", "PRAGMA database_list", "SELECT * FROM duckdb_settings()", "SHOW allowed_paths",
    "SELECT current_setting('allowed_paths')", "FROM pg_settings", "FROM \"DuckDB_Databases\"()", "INSTALL httpfs",
    "FROM query('FROM duckdb_' || 'databases()')", "FROM \"query\"/**/('FROM duckdb_' || 'databases()')",
    "SELECT json_execute_serialized_sql('x')", "FROM duckdb_extensions()", "FROM duckdb_secrets()", "FROM read_text('x')",
    "ATTACH 'x.duckdb'", "COPY cases TO 'x.csv'", "EXPORT DATABASE 'x'", "LOAD 'x'", "FROM duckdb_temporary_files()",
    "FROM 'x.parquet'", "FROM duckdb_logs", "SELECT path FROM duckdb_databases", "SET VARIABLE x = 1",
)  # fmt: skip


@pytest.mark.parametrize("text", HOST)
def test_sql_tells_nothing_of_the_host(client, folders: tuple[Path, ...], text: str) -> None:
    answer = client.post("/api/runs/one-1/sql", json={"query": text}).text
    for path in (str(folders[0].parent), str(Path.home()), str(Path.cwd())):
        assert len(path) < 2 or path not in answer


def test_no_system_table_of_duckdb_tells_a_path_of_the_host(client, folders: tuple[Path, ...]) -> None:
    ask = "/api/runs/one-1/sql"
    functions = (
        "SELECT 'FROM ' || function_name || '()' FROM duckdb_functions()"
        " WHERE function_type IN ('table', 'table_macro') AND len(parameters) = 0"
    )
    views = "SELECT 'FROM ' || view_name FROM duckdb_views() WHERE internal"
    found = client.post(ask, json={"query": f"{functions} UNION {views}", "limit": 500})
    assert len(found.json()["rows"]) > 50
    for (text,) in found.json()["rows"]:
        answer = client.post(ask, json={"query": text, "limit": 1000}).text
        assert str(folders[0].parent) not in answer, text
        assert str(Path.home()) not in answer or len(str(Path.home())) < 2, text


def test_errors_name_a_folder_without_its_path(tmp_path: Path) -> None:
    from fastapi.testclient import TestClient

    from kgscore.serve.app import create_app

    folder = scored(tmp_path / "run", PAIRS)
    with TestClient(create_app(Settings((folder,))), base_url="http://127.0.0.1:8642") as client:
        (folder / "results.duckdb").write_bytes(b"damaged")
        answers = [client.post("/api/runs/run-1/sql", json={"query": "FROM cases"}), client.get("/api/runs/run-1/cases/0")]
    assert [answer.status_code for answer in answers] == [404, 404]
    for answer in answers:
        assert "run: the results cannot be opened" in answer.json()["error"]
        assert str(tmp_path) not in answer.text


def test_values_at_infinity_are_text(client) -> None:
    query = "SELECT DATE 'infinity' AS d, 'infinity'::DOUBLE AS x, 1 AS n, 2 AS n"
    answer = client.post("/api/runs/one-1/sql", json={"query": query}).json()
    assert (answer["columns"], answer["rows"]) == (["d", "x", "n", "n_1"], [["infinity", None, 1, 2]])


def test_a_large_answer_is_refused(make) -> None:
    small = make(limits=Limits(answer=10_000))
    for path, text in (("sql", "SELECT repeat('a', 20000)"), ("query", "SELECT * { ?s ?p ?o } LIMIT 900")):
        assert "10,000 bytes" in small.post(f"/api/runs/one-1/{path}", json={"query": text, "limit": 1000}).json()["error"]


def test_sql_has_no_more_memory_than_its_limit(folders: tuple[Path, ...]) -> None:
    pytest.importorskip("resource", reason="this system sets no limits to processes")
    process, greedy = LimitedProcess(400_000_000), "SELECT damerau_levenshtein(repeat('a', 60000), repeat('b', 60000))"
    try:
        with pytest.raises(QueryError, match="memory"):
            process.ask(SqlTask(folders[0], greedy, 1, 60, 400_000_000))
        assert process.ask(SqlTask(folders[0], "SELECT 1 AS x", 1, 60, 400_000_000)).rows() == [{"x": 1}]
        assert peak_memory(process._kept._process.pid) < 1_000_000_000
    finally:
        process.end()


def test_a_query_process_whose_parent_cannot_end_it_has_no_endless_time(folders: tuple[Path, ...]) -> None:
    pytest.importorskip("resource", reason="this system sets no limits to processes")
    process = LimitedProcess(400_000_000)
    pipe = process._kept.start()
    pipe.send(SqlTask(folders[0], LINES["sql"], 1, 0.1, 400_000_000))  # and nobody looks at the clock
    assert pipe.recv() is True
    with pytest.raises((EOFError, ConnectionResetError)):
        pipe.recv()
    process.end()


def test_a_method_that_is_not_there_is_told_with_those_that_are(client) -> None:
    answer = client.request("TRACE", "/api/runs")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET")


def test_every_refusal_is_described(client) -> None:
    for path, methods in client.get("/api/openapi.json").json()["paths"].items():
        for about in methods.values():
            assert {"400", "404", "422", "503"} <= set(about["responses"]), path
    answer = client.post("/api/score", content=b'"\xe9"', headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]) == (400, "the request is not JSON in UTF-8")
