"""Run folders: what goes in comes out, runs append, batches are whole, bad folders are one line."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from kgscore.errors import QueryError, RunError
from kgscore.io.records import BadRecord, Record
from kgscore.limited_process import ask_once
from kgscore.model import (
    Detail,
    Entity,
    EntityRelation,
    Finding,
    Link,
    PairResult,
    Reading,
    Relation,
    Score,
    Unlinked,
)
from kgscore.results.cases import load_case, load_outcomes, load_run
from kgscore.results.database import RunDatabase
from kgscore.results.files import FILE
from kgscore.results.layout import RunKey, tables_of
from kgscore.results.outcome import Case, failure
from kgscore.results.sql import SqlTask, ask

KEY = RunKey("pairs.jsonl", "0" * 64, "default", ("radsem",), {"version": "0"})

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
spans = st.integers(0, 10**6)
details = st.builds(Detail, words, words, words)
some_words = st.lists(words, max_size=2).map(tuple)
findings = st.builds(
    Finding, words, spans, spans, st.none() | words, words, some_words, st.sampled_from([None, "left", "right"]),
    st.sampled_from(["present", "absent", "normal"]), st.sampled_from(["definite", "possible"]),
    st.lists(details, max_size=2).map(tuple), st.sampled_from([None, "new", "stable"]), some_words, st.booleans(),
    some_words, words, st.booleans(), st.frozensets(words, max_size=3), st.none() | words,
)
entities = st.lists(st.builds(Entity, words, spans, spans, st.sampled_from(["anatomy", "descriptor"]), words), max_size=2)
entity_relations = st.lists(st.builds(EntityRelation, spans, spans, st.sampled_from(["modify", "located_at"])), max_size=2)
readings = st.builds(
    Reading,
    st.lists(findings, max_size=3).map(tuple),
    st.lists(st.builds(Unlinked, words, spans, spans), max_size=2).map(tuple),
    st.tuples(entities.map(tuple), entity_relations.map(tuple)).map(lambda graph: lambda: graph),
)
weights = st.floats(0, 1)
relations = st.builds(
    Relation, st.sampled_from(["equivalent", "part_whole", "contradiction"]), st.none() | words, st.none() | words,
    st.none() | words, weights, some_words, st.tuples(st.integers(0, 9), st.integers(0, 9)),
)
links = st.lists(st.builds(Link, st.integers(0, 9), st.integers(0, 9), relations, weights), max_size=3).map(tuple)
numbers = st.lists(st.integers(0, 99), max_size=3).map(tuple)
scores = st.builds(Score, st.just("radsem"), st.just("scored"), weights, words, st.dictionaries(words, weights, max_size=3))
results = st.builds(
    PairResult, st.just("case"), st.sampled_from(["scored", "empty"]), scores.map(lambda score: {"radsem": score}),
    readings, readings, links, links, numbers, numbers, words, st.just({"version": "0"}),
)


def case(position: int, id: str) -> Case:
    record = Record(f"pairs.jsonl:{position + 1}", id, {"reference": "a", "candidate": "b"})
    score = Score("radsem", "scored", position / 7, parts={"matched": 1.0})
    return Case(position, record, PairResult(id, "scored", {"radsem": score}, Reading(()), Reading(())))


@settings(max_examples=15, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(result=results)
def test_a_result_comes_out_as_it_went_in(tmp_path_factory: pytest.TempPathFactory, result: PairResult) -> None:
    folder = tmp_path_factory.mktemp("run")
    record = Record("pairs.jsonl:1", "case", {"reference": "first", "candidate": "second"})
    with RunDatabase(folder) as database:
        run, _ = database.start(KEY)
        database.load(tables_of(run, [Case(0, record, result)]))
    stored = load_case(folder, "case")
    for name in ("reference", "candidate"):
        one, other = getattr(stored.result, name), getattr(result, name)
        for part in ("findings", "unlinked", "entities", "relations"):
            assert getattr(one, part) == getattr(other, part)
    assert replace(stored.result, reference=None, candidate=None) == replace(result, reference=None, candidate=None)
    assert (stored.reference, stored.candidate) == ("first", "second")


def test_runs_append_and_only_an_unfinished_run_of_the_same_key_resumes(tmp_path: Path) -> None:
    with RunDatabase(tmp_path) as database:
        assert database.start(KEY) == (1, 0)
        database.load(tables_of(1, [case(0, "a"), case(1, "b")]))
    with RunDatabase(tmp_path) as database:
        assert database.start(KEY) == (1, 2)
        other = RunKey(KEY.input, KEY.input_hash, KEY.profile, KEY.metrics, {"version": "1"})
        assert database.start(other) == (2, 0)
        database.finish(1)
        assert database.start(KEY) == (3, 0)
        assert [outcome.id for outcome in database.outcomes(1)] == ["a", "b"]
    assert load_run(tmp_path).run == 3
    assert [outcome.scores for outcome in load_outcomes(tmp_path, 1)] == [{"radsem": 0.0}, {"radsem": 1 / 7}]


def test_failures_are_rows_without_a_score(tmp_path: Path) -> None:
    bad = BadRecord("pairs.jsonl:2", None, "the line is not JSON")
    with RunDatabase(tmp_path) as database:
        run, _ = database.start(KEY)
        database.load(tables_of(run, [case(0, "a"), Case(1, bad, failure(None, bad.reason, ("radsem",)))]))
    (row,) = ask(tmp_path, "SELECT place, reason FROM failures").rows()
    assert row == {"place": "pairs.jsonl:2", "reason": "the line is not JSON"}
    assert ask(tmp_path, "SELECT value FROM scores WHERE status <> 'scored'").rows() == [{"value": None}]


def test_a_batch_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    broken = case(1, "b")
    object.__setattr__(broken.result.scores["radsem"], "value", "no number")
    with RunDatabase(tmp_path) as database:
        run, _ = database.start(KEY)
        with pytest.raises(Exception, match="no number"):
            database.load(tables_of(run, [case(0, "a"), broken]))
        database.load(tables_of(run, [case(0, "a")]))
    assert [outcome.id for outcome in load_outcomes(tmp_path)] == ["a"]


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunError, match="cannot create the run folder") as caught:
        RunDatabase(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_read_only_folder_is_one_line(tmp_path: Path) -> None:
    with RunDatabase(tmp_path) as database:
        database.start(KEY)
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    try:
        (folder / "probe").touch()
    except OSError:
        with pytest.raises(RunError) as caught:
            RunDatabase(folder)
        assert "\n" not in str(caught.value)
    else:  # root may write anywhere: nothing to see
        (folder / "probe").unlink()


def test_a_damaged_database_is_one_line(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"not a database " * 1000)
    for use in (lambda: RunDatabase(tmp_path), lambda: load_outcomes(tmp_path)):
        with pytest.raises(RunError, match="damaged; move the folder away") as caught:
            use()
        assert "\n" not in str(caught.value)


def test_a_truncated_database_is_one_line(tmp_path: Path) -> None:
    with RunDatabase(tmp_path) as database:
        run, _ = database.start(KEY)
        database.load(tables_of(run, [case(number, str(number)) for number in range(500)]))
    data = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(data[:8192])
    with pytest.raises(RunError) as caught:
        RunDatabase(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_database_of_someone_else_is_refused(tmp_path: Path) -> None:
    connection = duckdb.connect(str(tmp_path / FILE))
    connection.execute("CREATE TABLE theirs (x INTEGER)")
    connection.close()
    with pytest.raises(RunError, match="not a kgscore run"):
        RunDatabase(tmp_path)


def test_a_locked_database_is_one_line(tmp_path: Path) -> None:
    with RunDatabase(tmp_path):
        pass
    holder = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", holder, str(tmp_path / FILE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        for use in (lambda: RunDatabase(tmp_path), lambda: load_outcomes(tmp_path)):
            with pytest.raises(RunError, match="another process writes to it") as caught:
                use()
            assert "\n" not in str(caught.value)
        process.communicate(b"")


def test_no_folder_no_run_no_case_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is not a run folder"):
        load_outcomes(tmp_path / "none")
    with RunDatabase(tmp_path) as database:
        pass
    with pytest.raises(RunError, match="has no run yet"):
        load_outcomes(tmp_path)
    with RunDatabase(tmp_path) as database:
        database.start(KEY)
    with pytest.raises(RunError, match="has no pair 'x'"):
        load_case(tmp_path, "x")


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO cases SELECT * FROM cases",
        "DROP TABLE cases",
        "UPDATE runs SET input = ''",
        "COPY cases TO 'out.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT content FROM read_text('/etc/hostname')",
        "SELECT * FROM glob('/etc/*')",
        "ATTACH 'other.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "RESET lock_configuration",
        "SELECT nothing FROM nowhere",
        "no SQL at all",
    ],
)
def test_sql_reads_the_run_and_nothing_else(tmp_path: Path, sql: str) -> None:
    with RunDatabase(tmp_path) as database:
        run, _ = database.start(KEY)
        database.load(tables_of(run, [case(0, "a")]))
    with pytest.raises(QueryError) as caught:
        ask(tmp_path, sql, limit=10)
    assert "\n" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert ask(tmp_path, "SELECT count(*) AS n FROM cases").rows() == [{"n": 1}]


def test_sql_has_limits_of_rows_and_time(tmp_path: Path) -> None:
    with RunDatabase(tmp_path):
        pass
    answer = ask_once(SqlTask(tmp_path, "SELECT * FROM range(100)", 10, 10))
    assert len(answer.rows()) == 10
    assert answer.more
    endless = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range + b.range = 3"
    with pytest.raises(QueryError, match=r"took longer than 0\.3 s"):
        ask_once(SqlTask(tmp_path, endless, 10, 0.3))
