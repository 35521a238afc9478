"""Answers of language models, kept by what was asked: a second run asks nothing and gives the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from kgscore.errors import unwritable
from kgscore.resources import cache_folder


def key_of(*asked: object) -> str:
    """Return the hash of all that decides an answer."""
    return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


class Cache:
    """A file an answer, which only its owner can read: an answer quotes the report."""

    def __init__(self) -> None:
        self._folder = cache_folder() / "language"

    def get(self, key: str) -> Mapping[str, Any] | None:
        """Return what was kept under a key, or None."""
        try:
            found = json.loads(self._path(key).read_bytes())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def put(self, key: str, answer: Mapping[str, Any]) -> None:
        """Keep an answer, wholly or not at all.

        Raises:
            RunError: the cache cannot be written.
        """
        path = self._path(key)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            handle, name = tempfile.mkstemp(dir=path.parent)  # of mode 0600
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    json.dump(answer, stream, ensure_ascii=True)
                os.replace(name, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(name)
                raise
        except OSError as error:
            raise unwritable(self._folder, error) from None

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key[2:]}.json"
