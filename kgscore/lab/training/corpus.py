"""A corpus of marked files: its sentences for training, development and test."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kgscore.errors import InputError
from kgscore.knowledge import Knowledge
from kgscore.lab.annotation.marks import Marked, read_marked
from kgscore.lab.training.align import Aligned, align_marks
from kgscore.lab.training.frames import make_sentences

# Files by number: the first train, the next two are for development, the rest for tests.
_DEVELOPMENT, _TEST = (9, 10), (11, 12, 13)
# The frames of a corpus, and the number of sentences made from them per marked sentence.
_FRAMES, _FRAMED = "frames.txt", 0.5
_SEED = 7


@dataclass(frozen=True, slots=True)
class Corpus:
    """The sentences of one part of a corpus over the items of a lexicon, and the hash of their files."""

    sentences: Sequence[Aligned]
    hash: str


def load_corpus(paths: Sequence[Path], part: str, knowledge: Knowledge) -> Corpus:
    """Return the sentences of marked files, or of a part of folders: files are named by number (01.txt …), in folders or not;
    9 and 10 are for development, 11 to 13 for tests, the others for training; `open` is all but the tests. Files with other names
    are ignored, except for the frames of a folder (`frames.txt`), which make further sentences for training.

    Raises:
        InputError: a file is missing, a sentence is not marked as in the guide, or there are none.
    """
    marked: list[Marked] = []
    sha = hashlib.sha256()
    for file in (file for path in paths for file in _files(path, part)):
        marked += read_marked(file)
        sha.update(file.read_bytes())
    framing = part in ("train", "open")
    for frames in (path / _FRAMES for path in paths if framing and (path / _FRAMES).is_file()):
        marked += make_sentences(frames, marked, knowledge.lexicon, knowledge.index, int(_FRAMED * len(marked)), _SEED)
        sha.update(frames.read_bytes())
    found = [one for one in (align_marks(sentence, knowledge) for sentence in marked) if one.sentence.items]
    if not found:
        raise InputError(f"{', '.join(map(str, paths))}: no marked sentence ({part})")
    return Corpus(found, sha.hexdigest()[:16])


def _files(path: Path, part: str) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif not path.is_dir():
        raise InputError(f"{path}: no such file or folder")
    else:
        for file in sorted(path.rglob("*.txt")):
            own = _part(int(file.stem)) if file.stem.isdigit() else ""
            if own and (part in ("all", own) or (part == "open" and own != "test")):
                yield file


def _part(number: int) -> str:
    return "development" if number in _DEVELOPMENT else "test" if number in _TEST else "train"
