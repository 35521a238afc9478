"""Paths of the data files, in a checkout, an editable install or a wheel."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from kgscore.errors import KgscoreError

_PACKAGE = Path(__file__).resolve().parent


def resource(*parts: str) -> Path:
    """Return the path of a shipped data file or folder (`ontologies/…`, `mappings/…`, `examples/…`). Raises KgscoreError if the
    file is missing from the installation."""
    for root in (_PACKAGE / "_data", _PACKAGE.parent):
        path = root.joinpath(*parts)
        if path.exists():
            return path
    raise KgscoreError(f"{'/'.join(parts)}: not part of this installation; reinstall kgscore")


@cache
def yaml_of(*parts: str) -> Any:
    """Return the content of a shipped YAML file. It is cached and shared; do not modify it. Raises KgscoreError if the file is
    missing from the installation."""
    import yaml

    # libyaml, if available, takes a tenth of the time, which every process start includes.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(resource(*parts).read_text(encoding="utf-8"), loader)


def cache_folder() -> Path:
    """Return the folder for cached files: `KGSCORE_CACHE`, or `kgscore` in the user's cache folder."""
    root = os.environ.get("KGSCORE_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kgscore"
