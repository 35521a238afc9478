"""The HTML file and what it is made of."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from kgscore.cli import main
from kgscore.report.html import SCRIPTS, Plot, source, write_html
from kgscore.report.overview import columns, overview
from kgscore.resources import resource
from kgscore.runs.batch import scorer_for
from kgscore.runs.case_index import Casebook, chunks

PAIRS = (
    {"id": "a", "reference": "Left pneumothorax.", "candidate": "No pneumothorax."},
    {"id": "b</script>", "reference": "Small effusion <script>.", "candidate": "Small effusion."},
    {"id": "c", "reference": "Left pneumothorax.", "candidate": 7},
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(f"{json.dumps(pair)}\n" for pair in PAIRS), encoding="utf-8")
    assert main(["score", str(pairs), "--output", str(tmp_path / "run")]) == 3
    return tmp_path / "run"


def written(run: Path, tmp_path: Path, **more: Any) -> str:
    book = Casebook(run)
    lines = book.lines()
    path = tmp_path / "out.html"
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        write_html(
            stream, run=book.info, overview=overview(lines, book.metrics), columns=columns(lines, book.info.metrics),
            chunks=chunks(book.views(), 2), note=book.note, **({"title": "T"} | more),
        )  # fmt: skip
    return path.read_text(encoding="utf-8")


def unpacked(text: str, id: str) -> Any:
    found = re.search(rf'id="{id}">([A-Za-z0-9+/=]+)</script>', text)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_every_case_is_in_the_file_in_order(run: Path, tmp_path: Path) -> None:
    text = written(run, tmp_path)
    views = [*unpacked(text, "chunk-0"), *unpacked(text, "chunk-1")]
    assert [view["id"] for view in views] == ["a", "b</script>", "c"]
    assert [view["position"] for view in views] == [0, 1, 2]
    assert views[2]["status"] == "failed"
    assert views[2]["scores"][0]["value"] is None
    assert unpacked(text, "columns")["scores"]["radsem"][2] is None


def test_nothing_that_a_run_holds_becomes_markup(run: Path, tmp_path: Path) -> None:
    text = written(run, tmp_path, title='</title><script>alert(1)</script>"')
    assert text.count("<script>") == 1
    assert "alert(1)" in text
    assert "</title><script>alert" not in text
    assert "b</script>" not in text


def test_only_the_files_own_script_may_run(run: Path, tmp_path: Path) -> None:
    import hashlib

    text = written(run, tmp_path)
    script = text.rsplit("<script>", 1)[1].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert not re.findall(r"(?:src|href|srcset)=[\"'](?:https?:)?//", text)
    assert all("</script" not in source(name) for name in (*SCRIPTS, "file.js"))


def test_plots_stand_in_the_file_as_pictures_with_words(run: Path, tmp_path: Path) -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.hit=1</script></svg>'
    text = written(run, tmp_path, plots=[Plot("Scores", 'Half are "low"', svg, svg)])
    assert "window.hit" not in text
    assert 'alt="Half are &#34;low&#34;"' in text
    assert text.count(base64.b64encode(svg.encode()).decode()) == 2


def test_a_run_whose_profile_is_gone_is_shown_with_a_note(run: Path, tmp_path: Path) -> None:
    profile = tmp_path / "own.yaml"
    profile.write_text("inherits: default\npart_whole: fixed\n")
    arguments = ["score", str(tmp_path / "pairs.jsonl"), "--output", str(run), "--profile", str(profile)]
    assert main(arguments) == 3
    profile.unlink()
    scorer_for.cache_clear()
    book = Casebook(run)
    assert "own.yaml" in book.note
    assert book.note.endswith("Verdicts, costs and scores are those of the run. Corrections are not shown.")
    assert [view["corrections"] for view in book.views()] == [[], [], []]
    assert next(book.views())["items"]


def test_a_run_is_opened_with_its_reader_and_says_when_that_is_gone(tmp_path: Path) -> None:
    model = tmp_path / "my.model"
    shutil.copyfile(resource("models", "structure.model"), model)
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "a", "reference": "Left effusion.", "candidate": "Right effusion."}))
    run = tmp_path / "run"
    assert main(["score", str(pairs), "--out", str(run), "--reader", str(model)]) == 0
    book = Casebook(run)
    assert (book.note, book.info.reader) == ("", str(model))
    assert book.scorer.reader.identity["reader"] == "parser"
    model.unlink()
    scorer_for.cache_clear()
    book = Casebook(run)
    assert book.note.startswith(f"no reader '{model}', and no file")
    assert book.note.endswith("Verdicts, costs and scores are those of the run. Corrections are not shown.")
    assert next(book.views())["corrections"] == []


def test_stored_corrections_are_shown_though_the_profile_is_gone(run: Path, tmp_path: Path) -> None:
    profile = tmp_path / "own.yaml"
    profile.write_text("inherits: default\npart_whole: fixed\n")
    arguments = ["score", str(tmp_path / "pairs.jsonl"), "--output", str(run), "--no-graph", "--profile", str(profile)]
    assert main([*arguments, "--metrics", "fineradscore"]) == 3
    profile.unlink()
    scorer_for.cache_clear()
    book = Casebook(run)
    assert any(view["corrections"] for view in book.views())
    assert book.note.endswith("Verdicts, costs, scores and corrections are those of the run.")


def test_a_run_is_opened_with_its_modules_and_says_when_one_is_gone_or_changed(tmp_path: Path) -> None:
    module = tmp_path / "dental_cbct"
    shutil.copytree(resource("examples", "dental_cbct", "dental_cbct"), module)
    pairs = tmp_path / "pairs.jsonl"
    texts = {"reference": "External root resorption of tooth 21.", "candidate": "Internal root resorption of tooth 21."}
    pairs.write_text(json.dumps({"id": "a", **texts}))
    run = tmp_path / "run"
    assert main(["score", str(pairs), "--output", str(run), "--no-graph", "--module", str(module)]) == 0
    book = Casebook(run)
    assert book.note == ""
    severity, (view,) = book.severity("external_root_resorption"), book.views()
    assert view["corrections"]

    with duckdb.connect(str(run / "results.duckdb")) as connection:
        connection.execute("UPDATE modules SET hash = 'another'")
        connection.execute("UPDATE runs SET signature = replace(signature, 'dental_cbct ', 'dental_cbct 0')")
    assert Casebook(run).note == (
        f"The module dental_cbct ({module}) changed since this run was scored. Verdicts, costs and scores are those of the run."
        " Corrections are computed now."
    )

    shutil.rmtree(module)
    book = Casebook(run)
    assert book.note == (
        f"The module that this run was scored with is gone: dental_cbct ({module}); put it back to see everything."
        " Verdicts, costs and scores are those of the run. Corrections are not shown."
    )
    assert book.label("external_root_resorption") == "external root resorption"
    assert book.severity("external_root_resorption") == severity
    (view,) = book.views()
    assert view["corrections"] == []


def test_a_run_scored_by_other_knowledge_says_so(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Casebook(run).note == ""
    with duckdb.connect(str(run / "results.duckdb")) as connection:
        connection.execute("UPDATE runs SET signature = replace(signature, '\"knowledge\": \"', '\"knowledge\": \"0')")
    assert "have changed since this run" in Casebook(run).note


_WRONG = [(("nowhere",), "no such file"), (("RUN", "--run", "9"), "has no run 9; it has 1")]


@pytest.mark.parametrize(("arguments", "words"), _WRONG)
def test_errors_are_one_line(run: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], words: str) -> None:
    capsys.readouterr()
    out = run.with_name("r.html")
    assert main(["report", *(str(run) if one == "RUN" else one for one in arguments), "-o", str(out)]) == 1
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not out.exists()


def test_a_file_that_cannot_be_written_is_told_and_nothing_is_left(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["report", str(run), "-o", str(run.with_name("none") / "r.html")]) == 1
    assert "cannot be written" in capsys.readouterr().err
    assert sorted(path.name for path in run.parent.iterdir()) == ["pairs.jsonl", "run"]


def test_the_explorer_listens_elsewhere_only_with_a_token(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    for token in ("", "short"):
        assert main(["serve", str(run), "--host", "0.0.0.0", *(["--token", token] if token else [])]) == 1
        assert "--token of 16 characters" in capsys.readouterr().err
