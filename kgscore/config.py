"""Defaults of the command line: `kgscore.toml`, or `[tool.kgscore]` in `pyproject.toml`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgscore.errors import InputError, did_you_mean

# With no metric named, scoring computes both of these, on the command line and from Python; `explain` and `bench` show the
# headline metric, and all other commands compute PLAIN alone.
HEADLINE, PLAIN = "clinical", "radsem"
USUAL = (HEADLINE, PLAIN)
# Pairs per batch: the reader takes less time for several together.
AT_ONCE = 32
# Seconds after which a record fails.
RECORD_TIMEOUT = 300.0
VARIABLE = "KGSCORE_CONFIG"
# The settings allowed; lists are joined into the form of the command-line option.
_KEYS: Mapping[str, type] = {"profile": str, "reader": str, "metrics": list, "modules": list, "jobs": int, "baselines": bool}

_ASKED: Mapping[type, str] = {int: "a whole number", bool: "true or false"}


def load_settings(folder: Path | None = None) -> dict[str, Any]:
    """Return the settings of the nearest `kgscore.toml`, or `pyproject.toml` with `[tool.kgscore]`, in the (current) folder or a
    parent; of the file named by KGSCORE_CONFIG, if it is set ("" for none).

    Paths of modules, profiles and readers are relative to the file. Raises InputError if the file cannot be read, has an invalid
    setting, or was found automatically and belongs to another user."""
    named = os.environ.get(VARIABLE)
    if named is not None:
        return _read(Path(named), whole=True) or {} if named else {}
    here = (folder or Path.cwd()).absolute()
    for place in (here, *here.parents):
        for name in ("kgscore.toml", "pyproject.toml"):
            if (place / name).is_file() and (found := _read(place / name, whole=name == "kgscore.toml")) is not None:
                _check_owner(place / name)
                return found
    return {}


def _check_owner(path: Path) -> None:
    """Reject a file that was found automatically and belongs to another user, who could otherwise change what is scored."""
    if not hasattr(os, "geteuid"):
        return
    mine = {0, os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        mine.add(int(os.environ["SUDO_UID"]))
    if not {path.stat().st_uid, path.lstat().st_uid} <= mine:
        raise InputError(f"{path}: belongs to another user; to use it, set {VARIABLE} to its path; to ignore it, set {VARIABLE}=")


def _read(path: Path, whole: bool) -> dict[str, Any] | None:
    import tomllib

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        if not whole:
            return None  # another tool's file
        raise InputError(f"{path}: cannot be read as TOML ({' '.join(str(error).split())[:120]}); write KEY = VALUE") from None
    found = data if whole and "tool" not in data else data.get("tool", {}).get("kgscore")
    if found is None:
        return None
    return {key: _resolve_paths(key, _check_value(path, key, value), path.parent) for key, value in found.items()}


def _check_value(path: Path, key: str, value: Any) -> Any:
    """Return the value of a setting, a single text as a list where a list is wanted. Raises InputError if it is not one."""
    if key not in _KEYS:
        raise InputError(f"{path}: no setting '{key}'; {did_you_mean(key, _KEYS) or 'there are ' + ', '.join(_KEYS)}")
    if _KEYS[key] is list and isinstance(value, str):
        return [value]
    if type(value) is not _KEYS[key] or (isinstance(value, list) and not all(isinstance(one, str) for one in value)):
        raise InputError(f"{path}: {key}: give {_ASKED.get(_KEYS[key], 'text, or a list of texts')}")
    return value


def _resolve_paths(key: str, value: Any, folder: Path) -> Any:
    if key == "modules":
        return [str(folder / one) for one in value]
    if isinstance(value, str) and ("/" in value or (folder / value).is_file()):
        return str(folder / value)
    return value
