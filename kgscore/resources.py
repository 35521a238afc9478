"""Where the data files are, in a checkout, an editable install and a wheel alike."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

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


@cache
def yaml_of(*parts: str) -> Any:
    """Return what a shipped YAML file holds. It is read once for all who ask, and none of them may change it.

    Raises:
        KgscoreError: the installation does not hold it.
    """
    import yaml

    # With libyaml, where it is there, a tenth of the time: the start of every process waits for this.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(resource(*parts).read_text(encoding="utf-8"), loader)


def cache_folder() -> Path:
    """Return the folder for what can be made again: `KGSCORE_CACHE`, or `kgscore` in the user's cache folder."""
    root = os.environ.get("KGSCORE_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kgscore"
