"""Every kind of bad input gets one clear line that names file and record, and the rest goes on."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgscore.errors import InputError
from kgscore.io.formats import MAX_LINE_BYTES
from kgscore.io.records import MAX_CHARACTERS, BadRecord, Record, clean, read_records, read_text

FIELDS = ("reference", "candidate")
GOOD = '{"id": "good", "reference": "No effusion.", "candidate": "No effusion."}'


def read(path: Path, *choices: tuple[str, ...]) -> list[Record | BadRecord]:
    return list(read_records(str(path), *(choices or (FIELDS,))))


def written(folder: Path, content: bytes | str, name: str = "pairs.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("line", "id", "said"),
    [
        (b'{"id": "x", "reference": ', None, "not JSON"),
        (b"[1, 2]", None, "a list; write one JSON object per line"),
        (b"3", None, "a number"),
        (b"[" * 100_000, None, "cannot be parsed as JSON"),
        (b'{"id": "x", "reference": "a"}', "x", "field 'candidate' is missing"),
        (b'{"id": "x", "reference": "a", "candidate": null}', "x", "field 'candidate' is empty (null)"),
        (b'{"id": "x", "reference": 5, "candidate": "b"}', "x", "field 'reference' is a number; make it text"),
        (b'{"id": "x", "reference": ["secret"], "candidate": "b"}', "x", "field 'reference' is a list; make it text"),
        (b'{"reference": "a", "candidate": "b"}', None, "no field 'id'"),
        (b'{"id": ["x"], "reference": "a", "candidate": "b"}', None, "field 'id' is a list"),
        (b'{"id": true, "reference": "a", "candidate": "b"}', None, "field 'id' is true or false"),
        (b'{"id": "good", "reference": "a", "candidate": "b"}', "good", "used before, at "),
        ('{"id": "x", "reference": "Épanchement", "candidate": "b"}'.encode("latin-1"), None, "not UTF-8"),
        (b'{"id": "%s", "reference": "a", "candidate": "b"}' % (b"i" * 1001), None, "longer than 1,000 characters"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_goes_on(tmp_path: Path, line: bytes, id: str | None, said: str) -> None:
    path = written(tmp_path, GOOD.encode() + b"\n" + line + b"\n" + GOOD.replace('"good"', '"last"').encode())
    first, bad, last = read(path)
    assert isinstance(first, Record)
    assert isinstance(last, Record)
    assert last.where == f"{path}:3"
    assert isinstance(bad, BadRecord)
    assert bad.id == id
    assert said in bad.reason
    message = str(bad)
    assert message.startswith(f"{path}:2: ")
    assert "\n" not in message
    assert "secret" not in message


def test_byte_order_mark_crlf_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    path = written(tmp_path, b"\xef\xbb\xbf" + GOOD.encode() + b"\r\n\r\n" + GOOD.replace("good", "next").encode() + b"\r\n")
    assert [record.id for record in read(path)] == ["good", "next"]


def test_whole_numbers_are_ids(tmp_path: Path) -> None:
    assert [record.id for record in read(written(tmp_path, GOOD.replace('"good"', "17")))] == ["17"]


def test_control_characters_become_spaces_and_offsets_stay() -> None:
    text = "No\x00 effusion\x07.\r\nHeart\xa0normal.\rEnd\ufeff\ud800"
    assert clean(text) == "No  effusion . \nHeart normal.\nEnd  "
    assert len(clean(text)) == len(text)


@given(st.text(st.characters(codec=None)))
def test_cleaning_keeps_the_length_and_gives_encodable_text(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned) == len(text)
    assert clean(cleaned) == cleaned
    cleaned.encode()


@pytest.mark.parametrize(("extra", "good"), [(0, True), (1, False)])
def test_a_report_of_a_million_characters_is_read_and_a_longer_one_refused(tmp_path: Path, extra: int, good: bool) -> None:
    report = "x" * (MAX_CHARACTERS + extra)
    line = json.dumps({"id": "long", "reference": report, "candidate": "b"})
    (record,) = read(written(tmp_path, line))
    assert isinstance(record, Record if good else BadRecord)
    if isinstance(record, BadRecord):
        assert str(record).endswith("record 'long': field 'reference' has 1,000,001 characters; the limit is 1,000,000: split it")
    text = written(tmp_path, report, "report.txt")
    if good:
        assert read_text(str(text)) == report
    else:
        with pytest.raises(InputError, match="the limit is 1,000,000"):
            read_text(str(text))


def test_a_line_without_end_is_refused_and_skipped(tmp_path: Path) -> None:
    path = written(tmp_path, b"x" * (MAX_LINE_BYTES + 5) + b"\n" + GOOD.encode())
    bad, good = read(path)
    assert isinstance(bad, BadRecord)
    assert "longer than" in bad.reason
    assert isinstance(good, Record)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("pairs.docx", b"x", "unknown file type"),
        ("pairs.jsonl", GOOD.encode("utf-16"), "is UTF-16; save the file as UTF-8"),
        ("pairs.csv", GOOD.encode("utf-16"), "is UTF-16; save the file as UTF-8"),
        ("pairs.csv", b"id,reference\nx,a\n", "no column 'candidate' (it needs id, reference, candidate; it has id, "),
        ("pairs.csv", b"", "no column 'id'"),
        ("pairs.parquet", b"PAR1 nonsense PAR1", "is not a Parquet file that can be read"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(InputError) as caught:
        read(path)
    assert said in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")


def test_an_unreadable_path_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read \(no such file or directory\)"):
        read(tmp_path / "none.jsonl")
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        read(folder)
    with pytest.raises(InputError, match="cannot be read"):
        read_text(str(tmp_path))


def test_csv_rows_good_and_bad(tmp_path: Path) -> None:
    rows = [
        b"\xef\xbb\xbfid,note,reference,candidate",
        b'a,,"No effusion,\r\nno pneumothorax.",No effusion.',
        b"b,,only two",
        b"c,,one,two,three",
        "d,,Épanchement,x".encode("latin-1"),
        b"a,,again,again",
        b'e,,"' + b"long " * 100_000 + b'",x',
        b"f,,,empty is text",
    ]
    found = read(written(tmp_path, b"\r\n".join(rows) + b"\r\n", "pairs.csv"))
    assert [(record.id, type(record).__name__) for record in found] == [
        ("a", "Record"), ("b", "BadRecord"), (None, "BadRecord"), ("d", "BadRecord"), ("a", "BadRecord"),
        ("e", "Record"), ("f", "Record"),
    ]
    assert found[0].fields["reference"] == "No effusion, \nno pneumothorax."  # type: ignore[union-attr]
    assert found[1].where.endswith(":4")
    assert "more cells" in found[2].reason  # type: ignore[union-attr]
    assert "not UTF-8" in found[3].reason  # type: ignore[union-attr]


def test_tab_separated(tmp_path: Path) -> None:
    (record,) = read(written(tmp_path, "id\treference\tcandidate\nx\ta, b\tc\n", "pairs.tsv"))
    assert isinstance(record, Record)
    assert record.fields == {"reference": "a, b", "candidate": "c"}


def test_parquet_rows_good_and_bad(tmp_path: Path) -> None:
    path = tmp_path / "pairs.parquet"
    table = {"id": [1, 2], "reference": ["No effusion.", None], "candidate": ["a", "b"], "other": [[1], [2]]}
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    good, bad = read(path)
    assert good == Record(f"{path}:1", "1", {"reference": "No effusion.", "candidate": "a"})
    assert isinstance(bad, BadRecord)
    assert "empty (null)" in bad.reason
    pyarrow.parquet.write_table(pyarrow.table({"id": ["x"], "reference": [5], "candidate": ["b"]}), path)
    (bad,) = read(path)
    assert "is a number" in str(bad)


def test_standard_input_is_json_lines() -> None:
    (record,) = read_records("-", FIELDS, stdin=io.BytesIO(GOOD.encode()))
    assert record.where == "stdin:1"


def test_a_record_may_hold_one_of_several_sets_of_fields(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD + '\n{"id": "one", "report": "Clear lungs."}\n{"id": "none"}')
    pair, single, bad = read(path, ("report",), FIELDS)
    assert isinstance(pair, Record)
    assert set(pair.fields) == set(FIELDS)
    assert isinstance(single, Record)
    assert set(single.fields) == {"report"}
    assert "field 'report' is missing" in str(bad)


def test_text_files_lose_an_opening_mark_and_must_be_utf8(tmp_path: Path) -> None:
    assert read_text(str(written(tmp_path, b"\xef\xbb\xbfNo effusion.\r\n", "a.txt"))) == "No effusion. \n"
    with pytest.raises(InputError, match="not UTF-8"):
        read_text(str(written(tmp_path, b"\xe9panchement", "b.txt")))
    with pytest.raises(InputError, match="UTF-16"):
        read_text(str(written(tmp_path, "x".encode("utf-16"), "c.txt")))
