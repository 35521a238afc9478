"""Sentences from frames: plain sentence patterns, filled with words marked in the corpus (`corpus/frames.txt`).

Sentences written for a corpus are rich and seldom plain; a reader must also handle "an effusion is not present".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random

from kgscore.errors import InputError
from kgscore.lab.annotation.marks import KINDS, Marked, Statement, marked_sentence
from kgscore.linking.lexicon import FINDING, Lexicon
from kgscore.ontology.index import Index
from kgscore.reading.tokens import phrase_key

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
    """Return `count` sentences from the frames of a file, filled with the marks of `known` sentences; deterministic by seed.

    Raises:
        InputError: the file cannot be read, or a frame is malformed.
    """
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
    """Yield every finding of the ontology with its own place."""
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
