"""The reader's data files: rows of three cells, and the cue words among them."""

from __future__ import annotations

from pathlib import Path

from kgscore.errors import OntologyError


def table(path: Path) -> list[list[str]]:
    """Return the rows of a three-column data file of the reader (`|` between cells, `#` starts a comment).

    Raises:
        OntologyError: a line has not three cells.
    """
    rows: list[list[str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) != 3:
            raise OntologyError(f"{path.name}:{number}: a line has three cells, 'a | b | c'")
        rows.append(cells)
    return rows


def read_cues(path: Path) -> list[tuple[str, str, str]]:
    """Return (class, value, form) for every form of a cue file."""
    return [(kind, value, form.strip()) for kind, value, forms in table(path) for form in forms.split(";") if form.strip()]
