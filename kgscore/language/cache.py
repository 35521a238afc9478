"""A cache of language-model answers by request: a second run makes no calls and gives the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgscore.errors import write_error
from kgscore.private_files import read_sealed, write_sealed
from kgscore.resources import cache_folder


def key_of(*asked: object) -> str:
    """Return the hash of everything that determines an answer."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class Cache:
    """One owner-only file per answer, since an answer quotes the report, with a checksum."""

    def __init__(self) -> None:
        self._folder = cache_folder() / "language"

    def get(self, key: str) -> Mapping[str, Any] | None:
        """Return the cached value of a key, or None."""
        held = read_sealed(self._path(key))
        found = None if held is None else json.loads(held)
        return found if isinstance(found, dict) else None

    def put(self, key: str, answer: Mapping[str, Any]) -> None:
        """Store an answer atomically.

        Raises:
            RunError: the cache cannot be written.
        """
        try:
            write_sealed(self._path(key), json.dumps(answer, ensure_ascii=True).encode())
        except OSError as error:
            raise write_error(self._folder, error) from None

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"
