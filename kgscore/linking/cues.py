"""The cue words of the reader."""

from __future__ import annotations

from pathlib import Path

from kgscore.ontology.files import table


def read_cues(path: Path) -> list[tuple[str, str, str]]:
    """Return (class, value, form) for every form of a cue file."""
    return [(kind, value, form.strip()) for kind, value, forms in table(path) for form in forms.split(";") if form.strip()]
