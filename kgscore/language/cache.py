"""Answers of language models, kept by what was asked: a second run asks nothing and gives the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgscore.errors import unwritable
from kgscore.private_files import read_sealed, write_sealed
from kgscore.resources import cache_folder


def key_of(*asked: object) -> str:
    """Return the hash of all that decides an answer."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class Cache:
    """A file an answer, which only its owner can read, since an answer quotes the report, with a checksum."""

    def __init__(self) -> None:
        self._folder = cache_folder() / "language"

    def get(self, key: str) -> Mapping[str, Any] | None:
        """Return what was kept under a key, or None."""
        held = read_sealed(self._path(key))
        found = None if held is None else json.loads(held)
        return found if isinstance(found, dict) else None

    def put(self, key: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer, wholly or not at all.

        Raises:
            RunError: the cache cannot be written.
        """
        try:
            write_sealed(self._path(key), json.dumps(answer, ensure_ascii=True).encode())
        except OSError as error:
            raise unwritable(self._folder, error) from None

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"
