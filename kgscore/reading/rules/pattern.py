"""Patterns over the mentions of a sentence: elements in order, each with `*` (any number) or `?`, `NAME=` before it to bind it.

An element is a test: alternatives (`|`) of conditions that all hold (`+`), each of which may be negated (`!`): a kind of mention,
a class of the file, one of `CONDITIONS`, or one of `VALUED` or "says" with a value ("under:lesions", "says:surgery"). A capital
by itself is the mention that is bound to it, `^` the start of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.reading.composition.parsed_sentence import ParsedSentence
from kgscore.reading.structure.values import Parse, mentioned_items

Test = Callable[["View", int], bool]
Bound = Mapping[str, int]
# What the tests of a file name: `classes` of mentions (tests), and `words` (regular expressions).
Names = Mapping[str, Mapping[str, str]]
KINDS: Mapping[str, str] = {
    "site": ANATOMY, "finding": FINDING, "descriptor": DESCRIPTOR, "normal": NORMAL, "quality": QUALITY, "unknown": UNKNOWN,
}  # fmt: skip
_ELEMENT = re.compile(r"(?:(?P<name>[A-Z])=)?(?P<test>.+?)(?P<many>[*?]?)")
_MOST = 40  # matches from one position that are looked at


class View(NamedTuple):
    """A sentence and its structure."""

    scene: ParsedSentence
    structure: Parse


# One element: its name, or "", its test (None: the mention bound to the name), and "*", "?" or "".
Element = tuple[str, Test | None, str]


def _role(view: View, name: str) -> frozenset[str]:
    """Return the concepts with a role, or of a class of the vocabulary."""
    words = view.scene.knowledge.words
    return getattr(words, name, None) or words.flagged(name)


def _named(view: View, at: int) -> str:
    """Return the descriptor that the words name, or else their concept."""
    entry = view.scene.items[at].types.get(DESCRIPTOR)
    return entry.id if entry is not None else view.scene.items[at].id


# The conditions on a mention: by themselves, and with a value.
CONDITIONS: Mapping[str, Test] = {
    "any": lambda view, at: True,
    "adjective": lambda view, at: view.scene.items[at].adjective,
    "head": lambda view, at: any(one.head == at for one in view.structure),
    "unused": lambda view, at: at not in mentioned_items(view.structure),
    "label": lambda view, at: view.scene.items[at].start < view.scene.spoken,
}
VALUED: Mapping[str, Callable[[View, int, str], bool]] = {
    "is": lambda view, at, name: view.scene.items[at].id in _role(view, name),
    "under": lambda view, at, name: view.scene.knowledge.index.is_any(view.scene.items[at].id, _role(view, name)),
    "named": lambda view, at, name: _named(view, at) in _role(view, name),
    "marked": lambda view, at, name: view.scene.items[at].id in view.scene.knowledge.index.marked(name),
    "may": lambda view, at, name: KINDS[name] in view.scene.items[at].types,
    "category": lambda view, at, name: view.scene.knowledge.words.parents.get(_named(view, at)) in _role(view, name),
    "value": lambda view, at, value: view.scene.items[at].id == value,
}


def _condition(text: str, names: Names) -> Test:
    name, _, value = text.partition(":")
    if text.startswith("!"):
        other = _condition(text[1:], names)
        return lambda view, at: not other(view, at)
    if name == "says":
        words = re.compile(names["words"][value])
        return lambda view, at: words.fullmatch(view.scene.said(at)) is not None
    if value:
        valued = VALUED[name]
        return lambda view, at: valued(view, at, value)
    if text in names["classes"]:
        return test_of(names["classes"][text], names)
    kind = KINDS.get(text, text)
    return CONDITIONS.get(text, lambda view, at: view.scene.items[at].kind == kind)


def test_of(text: str, names: Names) -> Test:
    """Return a test of a mention: alternatives of conditions."""
    every = [[_condition(one, names) for one in part.split("+")] for part in text.split("|")]
    if [len(part) for part in every] == [1]:
        return every[0][0]
    return lambda view, at: any(all(one(view, at) for one in part) for part in every)


class Pattern(NamedTuple):
    """A sequence of elements, from the first mention only or anywhere; `kinds` are in any sentence that it matches."""

    elements: tuple[Element, ...]
    first: bool
    kinds: frozenset[str]

    def matches(self, view: View, bound: Bound) -> Iterator[Bound]:
        """Yield what each match binds, once for each position that it begins at."""
        for at in range(1 if self.first else len(view.scene.items)):
            found = islice(self._walk(view, 0, at, bound), _MOST)
            yield from {tuple(one.items()): one for one in found}.values()

    def _walk(self, view: View, number: int, at: int, bound: Bound) -> Iterator[Bound]:
        if number == len(self.elements):
            yield bound
            return
        name, test, many = self.elements[number]
        if at < len(view.scene.items) and (test(view, at) if test is not None else bound[name] == at):
            yield from self._walk(view, number + (many != "*"), at + 1, {**bound, name: at} if name else bound)
        if many:
            yield from self._walk(view, number + 1, at, bound)


def kinds_of(tests: Iterable[str], names: Names) -> frozenset[str]:
    """Return the kinds that a sentence has in any case if mentions of it pass some tests."""
    plain = (re.fullmatch(r"(?:[A-Z]=)?([a-z]+)(?:\+[^|*?]*)?", one) for one in tests)
    found = {KINDS.get(one[1], one[1]) for one in plain if one and one[1] not in names["classes"]}
    return frozenset(found.difference(CONDITIONS) | found & {"label"})


def pattern_of(text: str, names: Names) -> Pattern:
    """Return the pattern of a text."""
    parts = text.split()
    return Pattern(tuple(_element(one, names) for one in parts if one != "^"), parts[0] == "^", kinds_of(parts, names))


def _element(text: str, names: Names) -> Element:
    found = _ELEMENT.fullmatch(text)
    if found is None or re.fullmatch("[A-Z]", text):
        return text, None, ""
    return found["name"] or "", test_of(found["test"], names), found["many"]
