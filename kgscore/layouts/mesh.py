"""IU X-ray (Open-i): reports with the MeSH codes that people gave them, as XML files or as one table.

A code is a heading with qualifiers (`Opacity/lung/base/left`); `normal` stands alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kgscore.errors import InputError
from kgscore.layouts.tables import Table, cell, tables_in
from kgscore.layouts.xml import parse, words
from kgscore.records import BadRecord, clean

LAYOUT = "iu-xray"
_READ = ("FINDINGS", "IMPRESSION")


@dataclass(frozen=True, slots=True)
class Coded:
    """A report (findings and impression, under these headings) with its codes as they are written."""

    where: str
    id: str
    report: str
    codes: tuple[str, ...]


def read_coded(source: str | Path, columns: Mapping[str, str] | None = None) -> Iterator[Coded | BadRecord]:
    """Yield every report of a folder of XML files (in folders below it too), of one such file, or of a table, or what is wrong.

    Raises:
        InputError: there is no such file, a column is missing, or a table as a whole cannot be read.
    """
    path = Path(source)
    files = sorted(path.rglob("*.xml")) if path.is_dir() else [path] if path.suffix.lower() == ".xml" else []
    if files:
        for file in files:
            yield _of_xml(file)
        return
    if path.is_dir() and not any(table.suffix.lower() in (".csv", ".parquet") for table in path.iterdir()):
        raise InputError(f"{source}: no .xml file and no table in the folder; unpack the reports of the download there")
    if any(path.name.lower().endswith(end) for end in (".tgz", ".tar.gz", ".tar", ".zip")):
        raise InputError(f"{source}: is an archive; unpack it and give the folder")
    for table in _coded_tables(path, columns):
        yield from _of_table(table)


def _coded_tables(path: Path, columns: Mapping[str, str] | None) -> list[Table]:
    """Return the tables of a folder that hold codes (others list the images), or the one named."""
    found = tables_in(path, LAYOUT, columns)
    coded = [table for table in found if table.has("codes")]
    if not coded:
        found[0].column("codes")
    return coded


def _of_xml(path: Path) -> Coded | BadRecord:
    try:
        root = parse(path)
    except InputError as error:
        return BadRecord(str(path), path.stem, str(error).removeprefix(f"{path}: "))
    uid = root.find(".//uId")
    id = uid.get("id", "") if uid is not None else ""
    parts = {str(part.get("Label", "")).upper(): words(part) for part in root.iter("AbstractText")}
    codes = tuple(words(one) for one in root.iter("major"))
    return _coded(str(path), id or path.stem, {name: parts.get(name, "") for name in _READ}, codes)


def _of_table(table: Table) -> Iterator[Coded | BadRecord]:
    bad: list[BadRecord] = []
    codes, id, whole = table.column("codes"), table.has("id"), table.has("report")
    if whole is None and table.has("findings") is None:
        table.column("impression")
    for number, (where, row) in enumerate(table.good(bad), 1):
        texts = {name: clean(cell(row, table.has(name.lower()))) for name in _READ} if whole is None else {"": cell(row, whole)}
        given = tuple(" ".join(one.split()) for one in cell(row, codes).split(";"))
        yield _coded(where, cell(row, id) or str(number), texts, given)
    yield from bad


def _coded(where: str, id: str, parts: Mapping[str, str], codes: tuple[str, ...]) -> Coded | BadRecord:
    report = "\n".join(f"{name}: {text}" if name else text for name, text in parts.items() if text)
    given = tuple(code for code in codes if code)
    if not report:
        return BadRecord(where, id, "the report has neither findings nor impression; it is left out")
    if not given:
        return BadRecord(where, id, "the report has no MeSH code; it is left out")
    return Coded(where, id, report, given)


def matches(code: str, pattern: str) -> bool:
    """Whether a code is one of a pattern: the same heading, with all the qualifiers of the pattern among its own.

    >>> matches("Opacity/lung/base/left", "opacity/lung"), matches("Lung/hypoinflation", "Lung/hyperdistention")
    (True, False)
    """
    (heading, *said), (wanted, *needed) = ([_plain(part) for part in one.split("/")] for one in (code, pattern))
    return heading == wanted and set(needed) <= set(said)


def _plain(part: str) -> str:
    return " ".join(part.replace(",", " ").lower().split())
