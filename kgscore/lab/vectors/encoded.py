"""An encoder's vectors of single words: those of the wordings, and those of its own vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kgscore.errors import InputError
from kgscore.lab.vectors.wordings import Wordings
from kgscore.metrics.embeddings import Embedder
from kgscore.reading.tokens import normal_form

_SHORTEST = 3  # minimum letters of a word of the encoder's vocabulary


def encode_words(folder: Path, given: Wordings) -> Mapping[str, Any]:
    """Return the vectors of words from the sentence-transformers model in a folder, with its vocabulary in `vocab.txt`.

    Raises:
        InputError: the file does not exist.
        ProfileError: the model cannot be loaded.
    """
    try:
        listed = (folder / "vocab.txt").read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{folder / 'vocab.txt'}: {error.strerror}") from None
    own = {normal_form(word) for word in listed if len(word) >= _SHORTEST and word.isascii() and word.isalpha()}
    said = {word for text in given.kept for word in text.split()}
    return Embedder(str(folder), "mean", where="--encoder").vectors(sorted(own | said | {"no", "left", "right"}))
