"""What a fit leaves behind: a profile file with its provenance in comments, made to be read by people and by kgscore."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgscore.errors import InputError
from kgscore.studies.published.downloads import files_of


def hashes(source: str, layout: str) -> str:
    """Return the files of a table with their hashes, in words."""
    found = files_of(source, layout).values()
    return "; ".join(f"{path.name}, sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in found)


def base_of(profile: str, out: Path) -> str:
    """Return what the new profile inherits from; a file is named from where the new one lies."""
    return os.path.relpath(profile, out.parent) if profile.endswith((".yaml", ".yml")) else profile


def write_profile(out: Path, values: Mapping[str, Any], provenance: Mapping[str, Any]) -> None:
    """Write a profile with its provenance above it.

    Raises:
        InputError: the file cannot be written.
    """
    import yaml

    lines = [f"# {key}: {' '.join(str(said).split())}\n" for key, said in provenance.items()]
    text = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=1000, default_flow_style=None)
    try:
        out.write_text("".join(lines) + text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror})") from error
