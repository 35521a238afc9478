"""Where the data files are, in a checkout, an editable install and a wheel alike."""

from __future__ import annotations

from pathlib import Path

from kgscore.errors import KgscoreError

_PACKAGE = Path(__file__).resolve().parent


def resource(*parts: str) -> Path:
    """Return the path of a shipped data file or folder (`ontologies/…`, `mappings/…`, `examples/…`).

    Raises:
        KgscoreError: the installation does not hold it.
    """
    for root in (_PACKAGE / "_data", _PACKAGE.parent):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise KgscoreError(f"{'/'.join(parts)}: not part of this installation; reinstall kgscore")
