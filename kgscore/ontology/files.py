"""The files of the compiled ontologies."""

from __future__ import annotations

from pathlib import Path

OF_RUNS = ("run.ttl", "shapes.ttl")


def turtle_files(folder: Path) -> list[Path]:
    """Return the Turtle files of an ontology folder in a fixed order: its own, those of `anatomy` and of `findings`.

    The vocabulary of runs and its shapes hold no terms and are left out: a change of theirs changes no score.
    """
    found = [path for part in (".", "anatomy", "findings") for path in sorted((folder / part).glob("*.ttl"))]
    return [path for path in found if path.name not in OF_RUNS]
