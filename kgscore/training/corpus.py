"""A corpus of marked files: which sentences are for training, development and test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgscore.errors import InputError
from kgscore.knowledge import Knowledge
from kgscore.training.align import Aligned, aligned
from kgscore.training.marks import Marked, read_marked

PARTS = ("train", "development", "test", "all")
# Files by their number: so many train, the next two develop, the rest tests.
_TRAIN, _DEVELOPMENT = 8, 10


@dataclass(frozen=True, slots=True)
class Corpus:
    """The sentences of one part of a corpus over the items of a lexicon, and the hash of the files that they stand in."""

    sentences: Sequence[Aligned]
    hash: str


def load_corpus(path: Path, part: str, knowledge: Knowledge) -> Corpus:
    """Return the sentences of a marked file, or of a part of a folder: files are named by number (01.txt …), in folders or not;
    1 to 8 are for training, 9 and 10 for development, higher ones for tests. Files with other names are left alone.

    Raises:
        InputError: there is no such file, a sentence is not marked as the guide says, or there is none.
    """
    marked: list[Marked] = []
    sha = hashlib.sha256()
    for file in _files(path, part):
        marked += read_marked(file)
        sha.update(file.read_bytes())
    found = [one for one in (aligned(sentence, knowledge) for sentence in marked) if one.sentence.items]
    if not found:
        raise InputError(f"{path}: no marked sentence ({part})")
    return Corpus(found, sha.hexdigest()[:16])


def _files(path: Path, part: str) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif not path.is_dir():
        raise InputError(f"{path}: no such file or folder")
    else:
        numbered = (file for file in sorted(path.rglob("*.txt")) if file.stem.isdigit())
        yield from (file for file in numbered if part in ("all", _part(int(file.stem))))


def _part(number: int) -> str:
    return "train" if number <= _TRAIN else "development" if number <= _DEVELOPMENT else "test"
