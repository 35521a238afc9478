"""The files of the ontologies: Turtle, tables, and modules' additions to the data files of the reader."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kgscore.errors import OntologyError
from kgscore.resources import resource

# Data files of the reader (`mappings/reading`) that a module may extend: units of measurement, the place of a bare
# finding, and the meaning of sizes of structures.
READER_FILES = ("units", "defaults", "limits")

OF_RUNS = ("run.ttl", "shapes.ttl")


def turtle_files(folder: Path) -> list[Path]:
    """Return the Turtle files of an ontology folder in a fixed order: its own, then `anatomy`, then `findings`.

    The vocabulary of runs and its shapes contain no terms and are excluded: changes in them do not affect scores.
    """
    found = [path for part in (".", "anatomy", "findings") for path in sorted((folder / part).glob("*.ttl"))]
    return [path for path in found if path.name not in OF_RUNS]


def table_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of a table that are neither blank nor comments, each with its place (`module/file.tbl:line`).

    Raises:
        OntologyError: the file cannot be read as UTF-8 text.
    """
    where = f"{path.resolve().parent.name}/{path.name}"
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise OntologyError(f"{where}: cannot be read as UTF-8 text ({error}); save it as plain text in UTF-8") from None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if line and not line.startswith("#"):
            yield f"{where}:{number}", line


def table(path: Path) -> list[tuple[str, str, str]]:
    """Return the rows of a three-column data file (`|` between cells, `#` starts a comment).

    Raises:
        OntologyError: the file cannot be read as UTF-8 text, or a line does not have three cells.
    """
    rows: list[tuple[str, str, str]] = []
    for where, line in table_lines(path):
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 3:
            raise OntologyError(f"{where}: a line must have three cells, 'a | b | c'")
        rows.append((cells[0], cells[1], cells[2]))
    return rows


def reader_files(folder: Path) -> list[Path]:
    """Return the data files of the reader that a module's folder extends, in the order of `READER_FILES`."""
    return [path for name in READER_FILES if (path := folder / f"{name}.txt").is_file()]


@cache
def roles() -> dict[str, bool]:
    """Return the roles that reading and matching look up in the ontology, so that no concept id is hard-coded, each with whether
    it is unique to one concept, whatever modules are in use. `ontologies/tables/roles.tbl` says what each is for."""
    return {name: held == "one" for name, held, _ in table(resource("ontologies", "tables", "roles.tbl"))}
