"""What comes from data does nothing to a terminal and is no formula in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscore.cli import main
from kgscore.cli._common import output_stream, show
from kgscore.escaping import EscapingStream, escape_controls, spreadsheet_cell, unwrap, visible_json
from kgscore.results.joined_tables import store_table
from kgscore.results.tabular import json_line, write_rows

ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202e]")
FORMULAS = ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "=HYPERLINK(\"http://x\")", "－1+1")
NUMBERS = ("-1.5", "+3", "-2e-05", "7", "-.5")


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_text(text: str) -> None:
    assert spreadsheet_cell(text) == f"'{text}"


@pytest.mark.parametrize("value", [*NUMBERS, -1.5, None, True, "effusion", "a=b", ""])
def test_numbers_and_words_stay(value: object) -> None:
    assert spreadsheet_cell(value) is value


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose ids and columns are hostile, with a hostile table beside it."""
    root = tmp_path_factory.mktemp("hostile")
    rows = [
        {"id": name, "reference": "Left pneumothorax.", "candidate": "Left pneumothorax.", "site": f"[red]{name}[/nothing]"}
        for name in (*FORMULAS, "\x1b]0;owned\x07\x9b31m", "\u202eevil", "[/no]", "[link=http://x]y[/link]")
    ]
    rows.append({"id": "bad\x9b31m", "reference": 5})  # type: ignore[dict-item]
    pairs = root / "p\x1b[31m.jsonl"
    pairs.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="ascii")
    main(["score", str(pairs), "--metrics", "radsem", "--output", str(root / "run"), "-q"])
    store_table(root / "run", "mine", pa.table({"=x": [*FORMULAS, "\x1b[31m\x9b31m\u2028"], "n": [*range(-8, 1)]}))
    return root / "run"


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize(
    "command",
    [
        ["sql", "{}", "SELECT * FROM tables.mine", "--format", "csv"], ["sql", "{}", "SELECT * FROM tables.mine", "-o", "{}.csv"],
        ["summary", "{}", "--by", "site", "--format", "csv", "--resamples", "100"],
        ["query", "{}", "SELECT ?c { ?s a kgr:Score ; kgr:case ?c }", "--format", "csv"],
        ["labels", "{}.jsonl", "--format", "csv"],
    ],
)  # fmt: skip
def test_no_csv_holds_a_formula(run: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    reports = [{"id": name, "report": "Left pneumothorax."} for name in FORMULAS]
    Path(f"{run}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in reports), encoding="ascii")
    capsys.readouterr()
    assert main([part.replace("{}", str(run)) for part in command]) == 0
    out = Path(f"{run}.csv").read_text(encoding="utf-8") if "-o" in command else capsys.readouterr().out
    found = rows_of(out)
    assert len(found) > len(FORMULAS)
    for row in found:
        assert [one for one in row if one != spreadsheet_cell(one)] == []
    if "sql" in command:
        assert "-8" in {one for row in found for one in row}


@pytest.mark.parametrize(
    "command",
    [
        ["score", "{}/../p\x1b[31m.jsonl"], ["summary", "{}", "--by", "site", "--resamples", "100"], ["explain", "{}", "[/no]"],
        ["explain", "{}", "\x1b]0;owned\x07"], ["sql", "{}", "FROM tables.mine", "--format", "table"],
        ["sql", "{}", "FROM tables.mine"], ["sql", "{}", "FROM tables.mine", "--format", "json"],
        ["sql", "{}", "SELECT chr(27)||'[31m' FROM \"\x1b[31m\""],
        ["query", "{}", "SELECT ?c { ?s kgr:case ?c }", "--format", "table"], ["read", "no\x1b[31msuch.txt"],
        ["score", "x.jsonl", "--reader", "\x1b[31m\x9b1m"], ["\x1b[31m"], ["score", "--fail-under", "\x9b1m", "x"],
        ["labels", "no\x9b31m.jsonl"], ["report", "no\x9b31m", "-o", "x.html"], ["ontology", "show", "\x1b[31m"],
        ["summary", "{}@7\x1b"], ["query", "{}", "\x1b[31m"], ["score", "{}/../p\x1b[31m.jsonl", "--profile", "\x9b31m"],
    ],
)  # fmt: skip
def test_nothing_from_data_acts_on_a_terminal(run: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    main([part.replace("{}", str(run)) for part in command])
    told = capsys.readouterr()
    assert told.out or told.err
    assert not ACTS.search(told.out + told.err)


class Terminal(io.TextIOWrapper):
    """A stream that takes itself for a terminal."""

    def __init__(self) -> None:
        self.bytes = io.BytesIO()
        super().__init__(self.bytes, encoding="utf-8", errors="backslashreplace")

    def isatty(self) -> bool:
        return True


def test_colours_reach_a_terminal_and_escapes_of_data_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    from rich.text import Text

    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stdout", EscapingStream(terminal))
    show(Text("a\x1b]0;owned\x07\x9b31m", style="red"))
    with output_stream(None) as stream:
        write_rows([{"x": "\x1b[31m\x9b1m"}], "csv", stream)
    unwrap(sys.stdout).flush()
    shown = terminal.bytes.getvalue().decode()
    assert "\x1b[31m" in shown  # the style
    assert "a\\x1b]0;owned" in shown
    assert "\x1b]" not in shown
    assert "\x9b" not in shown


@given(st.text(alphabet=st.characters()))
def test_json_keeps_its_value_and_acts_on_nothing(text: str) -> None:
    line = json_line({text: text})
    assert json.loads(line) == {text: text}
    assert not ACTS.search(line)
    assert not ACTS.search(escape_controls(text))
    assert visible_json(line) == line


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_what_is_written_as_csv_is_read_back_as_no_formula(text: str) -> None:
    stream = io.BytesIO()
    write_rows([{"x": text, "y": 1}], "csv", stream)
    (_, (found, _)) = rows_of(stream.getvalue().decode())
    assert found in (text, f"'{text}")
    assert spreadsheet_cell(found) == found
