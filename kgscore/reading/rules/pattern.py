"""Patterns over the mentions of a sentence: elements in order, each with `*` (any number) or `?`, `NAME=` before it to bind it.

An element is a test: alternatives (`|`) of conditions that all hold (`+`), each of which may be negated (`!`): a kind of mention,
a class of the file, one of `CONDITIONS`, or one of `VALUED` or "says" with a value ("under:lesions", "says:surgery"). A capital
by itself is the mention that is bound to it, `^` the start of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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


@dataclass(frozen=True)
class View:
    """A sentence and its structure, with the mentions that head a statement, and those that it covers; and the concepts of
    all mentions, with their classes and categories."""

    scene: ParsedSentence
    structure: Parse

    @cached_property
    def heads(self) -> frozenset[int]:
        return frozenset(one.head for one in self.structure)

    @cached_property
    def covered(self) -> frozenset[int]:
        return frozenset(mentioned_items(self.structure))

    @cached_property
    def concepts(self) -> frozenset[str]:
        return frozenset(name for at, item in enumerate(self.scene.items) for name in (item.id, _named(self, at)))

    @cached_property
    def classes(self) -> frozenset[str]:
        ancestors = self.scene.knowledge.index.ancestors
        return frozenset().union(*(ancestors.get(concept, ()) for concept in self.concepts))

    @cached_property
    def categories(self) -> frozenset[str]:
        parents = self.scene.knowledge.words.parents
        return frozenset(parents[concept] for concept in self.concepts if concept in parents)

    @cached_property
    def roles(self) -> frozenset[tuple[str, str]]:
        """The kinds of the mentions that are heads, those that are not, and those that are unused."""
        heads, covered, items = self.heads, self.covered, enumerate(self.scene.items)
        found = [("head" if at in heads else "!head", item.kind) for at, item in items]
        return frozenset(found).union(("unused", item.kind) for at, item in enumerate(self.scene.items) if at not in covered)

    def says(self, pattern: str) -> bool:
        """Whether some mention is in such words."""
        words = re.compile(pattern)
        return any(words.fullmatch(self.scene.said(at)) for at in range(len(self.scene.items)))

    def meets(self, needs: Iterable[Need]) -> bool:
        """Whether one condition of each is met somewhere in the sentence."""
        return all(any(SOMEWHERE[name](self, value) for name, value in one) for one in needs)


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
    "head": lambda view, at: at in view.heads,
    "unused": lambda view, at: at not in view.covered,
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
# What a sentence has if a mention of it meets a condition: looked up in sets before any mention is looked at.
SOMEWHERE: Mapping[str, Callable[[View, str], bool]] = {
    "is": lambda view, name: not view.concepts.isdisjoint(_role(view, name)),
    "under": lambda view, name: not view.classes.isdisjoint(_role(view, name)),
    "named": lambda view, name: not view.concepts.isdisjoint(_role(view, name)),
    "marked": lambda view, name: not view.concepts.isdisjoint(view.scene.knowledge.index.marked(name)),
    "category": lambda view, name: not view.categories.isdisjoint(_role(view, name)),
    "value": lambda view, value: value in view.concepts,
    "kind": lambda view, kind: kind in view.scene.kinds,
    "head": lambda view, kind: ("head", kind) in view.roles,
    "!head": lambda view, kind: ("!head", kind) in view.roles,
    "unused": lambda view, kind: ("unused", kind) in view.roles,
    "says": lambda view, pattern: view.says(pattern),
}
_ROLES = frozenset(("head", "!head", "unused"))
# Conditions of which one is met somewhere in any sentence that is matched: names of `SOMEWHERE` with their values.
Need = tuple[tuple[str, str], ...]


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
    """A sequence of elements, from the first mention only or anywhere, and what any sentence that it matches meets."""

    elements: tuple[Element, ...]
    first: bool
    needs: tuple[Need, ...]

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


def needs_of(tests: Iterable[str], names: Names) -> tuple[Need, ...]:
    """Return what a sentence meets in any case if mentions of it pass some tests; what few sentences meet comes first."""
    plain = (re.fullmatch(r"(?:[A-Z]=)?([^*?]{2,})", one) for one in tests)
    found = dict.fromkeys(need for one in plain if one for need in _needs(_alternatives(one[1], names)))
    return tuple(sorted(found, key=lambda need: [name == "kind" for name, _ in need]))


def _needs(alternatives: Sequence[Need]) -> Iterator[Need]:
    """Yield each condition of a single alternative, or else one condition of each, if each has one."""
    if len(alternatives) == 1:
        yield from ((condition,) for condition in alternatives[0])
    elif all(alternatives):
        yield tuple(dict.fromkeys(one[-1] for one in alternatives))


def _alternatives(text: str, names: Names) -> list[Need]:
    """Return the conditions of each alternative of a test that a whole sentence can be asked for."""
    found: list[Need] = []
    for part in text.split("|"):
        if part in names["classes"]:
            found += _alternatives(names["classes"][part], names)
        else:
            conditions = part.split("+")
            kinds = [("kind", KINDS.get(one, one)) for one in conditions if _is_kind(one, names)]
            roles = [(one, kind) for one in conditions if one in _ROLES for _, kind in kinds]
            valued = [
                (name, value) for name, _, value in (one.partition(":") for one in conditions) if value and name in SOMEWHERE
            ]
            said = [(name, names["words"][value] if name == "says" else value) for name, value in valued]
            found.append((*kinds, *roles, *said))
    return found


def _is_kind(text: str, names: Names) -> bool:
    return text == "label" or not (text.startswith("!") or ":" in text or text in CONDITIONS or text in names["classes"])


def pattern_of(text: str, names: Names) -> Pattern:
    """Return the pattern of a text."""
    parts = text.split()
    return Pattern(tuple(_element(one, names) for one in parts if one != "^"), parts[0] == "^", needs_of(parts, names))


def _element(text: str, names: Names) -> Element:
    found = _ELEMENT.fullmatch(text)
    if found is None or re.fullmatch("[A-Z]", text):
        return text, None, ""
    return found["name"] or "", test_of(found["test"], names), found["many"]
