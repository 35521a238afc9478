"""Writes the compiled ontologies to disk."""

from __future__ import annotations

from pathlib import Path

from kgscore.ontology.files import turtle_files
from kgscore.ontology.turtle import MARK, compile_tables


def build(tables: Path, out: Path) -> list[Path]:
    """Compile the tables into Turtle files below `out` and return the files that changed.

    Unchanged files are not written. A generated file without a source (its module was removed) is
    deleted and is among the paths returned; files that are not generated are never changed.

    Raises:
        OntologyError: a table is malformed, or an id is duplicate or unknown.
    """
    texts = compile_tables(tables)
    changed = []
    for name, text in sorted(texts.items()):
        path = out / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
        changed.append(path)
    for path in turtle_files(out):
        if path.relative_to(out).as_posix() not in texts and MARK in path.read_text(encoding="utf-8")[:500]:
            path.unlink()
            changed.append(path)
    return changed
