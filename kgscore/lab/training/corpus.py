"""A corpus of marked files: its sentences for training, development and test, and those made of its frames: plain patterns filled
with marked words (`corpus/frames.txt`), since sentences written for a corpus are rich and seldom plain ("an effusion is not
present")."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random

from kgscore.errors import InputError
from kgscore.knowledge import Knowledge
from kgscore.lab.annotation.marks import KINDS, Marked, Statement, marked_sentence, read_marked
from kgscore.lab.training.align import Aligned, align_marks
from kgscore.linking.lexicon import FINDING, Lexicon
from kgscore.ontology.index import Index
from kgscore.reading.tokens import phrase_key

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
    are ignored, except for the frames of a folder (`frames.txt`), which make further sentences for training."""
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


Words = Mapping[str, str]  # words by the kind of their mark, of one statement

_SLOT = re.compile(rf"\{{([{KINDS}])(\d+)\}}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_EMPTY = re.compile(r"\{\w+:\}")
_MARKED = re.compile(r"\{(\w+):")
# Kinds that a statement may lack: the mark is then removed.
_OPTIONAL = frozenset("dm")
# The share of fillings that name a finding of the ontology at its own place, and of sentences in capitals or without a stop.
_OF_ONTOLOGY, _CAPITALS, _STOPLESS = 0.3, 0.06, 0.1


def make_sentences(path: Path, known: Sequence[Marked], lexicon: Lexicon, index: Index, count: int, seed: int) -> list[Marked]:
    """Return `count` sentences from the frames of a file, filled with the marks of `known` sentences; deterministic by seed."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    frames = [(number, line) for number, line in enumerate(lines, 1) if line.strip() and not line.startswith("#")]
    random, said, own = Random(seed), list(_statement_words(known, lexicon)), list(_ontology_words(index))

    @cache
    def fitting(of_ontology: bool, needed: frozenset[str]) -> list[Words]:
        return [one for one in (own if of_ontology else said) if needed <= one.keys()]

    found: list[Marked] = []
    while len(found) < count:
        number, line = frames[len(found) % len(frames)]
        where = f"{path.name}:{number}"
        try:
            found.append(_fill(line, fitting, random, where))
        except ValueError as error:
            raise InputError(f"{path}:{number}: {error}") from None
    return found


def _statement_words(known: Sequence[Marked], lexicon: Lexicon) -> Iterator[Words]:
    """Yield the words of every statement of marked sentences with at most one place."""
    for sentence in known:
        words = {mark.id: sentence.text[mark.start : mark.end] for mark in sentence.marks}
        starts = {mark.id: mark.start for mark in sentence.marks}
        for one in sentence.statements:
            plain = all(len(place.sites) == 1 and place.sites[0][0] == "s" for place in one.places)
            if len(one.places) > 1 or not plain or (one.head[0] in "fvp" and not _is_noun(words[one.head], lexicon)):
                continue
            found = {kind: words[name] for kind, name in _names_by_kind(one, starts).items()}
            yield {kind: text if text.isupper() and len(text) < 5 else text.lower() for kind, text in found.items()}


def _names_by_kind(one: Statement, starts: Mapping[str, int]) -> dict[str, str]:
    """Return the first mark of each kind in a statement with one place at most; of modifiers of degree, one before the head."""
    found = {"f" if one.head[0] in "vp" else one.head[0]: one.head}
    for place in one.places:
        found |= {"s": place.sites[0]} | ({"d": place.side} if place.side else {})
    for name in one.modifiers:
        if name[0] != "m" or starts[name] < starts[one.head]:
            found.setdefault(name[0], name)
    return found


def _is_noun(words: str, lexicon: Lexicon) -> bool:
    return any(entry.type == FINDING and not entry.adjective for entry in lexicon.lookup(phrase_key(words)))


def _ontology_words(index: Index) -> Iterator[Words]:
    for name in sorted(index.soft_sites):
        sites = index.soft_sites[name]
        if sites and name in index.concepts and sites[0] in index.concepts:
            yield {"f": index.label(name), "s": index.label(sites[0])}


def _fill(line: str, fitting: Callable[[bool, frozenset[str]], list[Words]], random: Random, where: str) -> Marked:
    frame, arrow, statements = line.partition("=>")
    if not arrow:
        raise ValueError("a frame is a sentence, '=>' and its statements")
    frame = frame.strip()
    while found := _CHOICE.search(frame):
        frame = frame[: found.start()] + random.choice(found[1].split("|")) + frame[found.end() :]
    frame = _EMPTY.sub("", frame)
    wanted: dict[str, set[str]] = {}
    for kind, number in _SLOT.findall(frame):
        wanted.setdefault(number, set()).add(kind)
    words: dict[str, Words] = {}
    for number, kinds in wanted.items():
        needed = frozenset(kinds - _OPTIONAL)
        pool = fitting(needed <= {"f", "s"} and random.random() < _OF_ONTOLOGY, needed)
        if not pool:
            raise ValueError(f"no marks to fill {', '.join(sorted(needed))}")
        words[number] = random.choice(pool)

    def filled(slot: re.Match[str]) -> str:
        text = words[slot[2]].get(slot[1])
        return f"{{{slot[1]}{slot[2]}:{text}}}" if text else ""

    text = re.sub(r"\s+([.,:;])", r"\1", " ".join(_SLOT.sub(filled, frame).split()))
    text = _varied_sentence(text, random)
    marked = set(_MARKED.findall(text))
    kept = (_restricted_statement(statement.strip(), marked) for statement in statements.split(";"))
    return marked_sentence(["## chest-ct formal", text, *(one for one in kept if one)], where)


def _varied_sentence(text: str, random: Random) -> str:
    """Return a sentence with a capital first letter, or all in capitals, or without its full stop."""
    if random.random() < _STOPLESS:
        text = text.removesuffix(".")
    if random.random() < _CAPITALS:
        return re.sub(r"(?<!\{)\b[a-z]+\b(?!\d*:)", lambda word: word[0].upper(), text)
    at = text.index(":") + 1 if text.startswith("{") else 0
    return text[:at] + text[at : at + 1].upper() + text[at + 1 :]


def _restricted_statement(statement: str, marked: set[str]) -> str:
    """Return a statement without marks that are not in its sentence; empty if its head is one of them."""
    head, status, *rest = statement.split()
    if head not in marked:
        return ""
    out, part = [head, status], list[str]()
    for token in (*rest, "|"):
        if token in "@|~":
            out += part if len(part) > 1 else ()
            part = [token]
        else:
            sites, _, side = token.partition("(")
            side = side.removesuffix(")")
            place = "+".join(site for site in sites.split("+") if site in marked)
            place += f"({side})" if side in marked else ""
            part += [place] if place else []
    return " ".join(out)
