"""Patterns over the mentions of a sentence: elements in order, each with `*` (any number) or `?`, `NAME=` before it to bind it.

An element is a test: alternatives (`|`) of conditions that all hold (`+`), each of which may be negated (`!`): a kind of mention,
a class of the file, one of `CONDITIONS`, or one of `ON_CONCEPT`, "may" or "says" with a value ("under:lesions",
"says:surgery"). A capital by itself is the mention that is bound to it, `^` the start of the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

from kgscore.caches import MemoizedDict
from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN
from kgscore.reading.composition.parsed_sentence import CompositionKnowledge, ParsedSentence
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
# What a mention is asked for by name and value: "is" "devices", or "kind", "head", "!head", "unused" and a kind.
Condition = tuple[str, str]


@dataclass(frozen=True)
class View:
    """A sentence and its structure; `asked` are the conditions of rules that are looked up before any mention is looked at."""

    scene: ParsedSentence
    structure: Parse
    asked: frozenset[Condition] = frozenset()

    @cached_property
    def heads(self) -> frozenset[int]:
        """The mentions that head a statement."""
        return frozenset(one.head for one in self.structure)

    @cached_property
    def covered(self) -> frozenset[int]:
        """The mentions that a statement covers."""
        return frozenset(mentioned_items(self.structure))

    @cached_property
    def met(self) -> frozenset[Condition]:
        """The conditions that some mention of the sentence meets."""
        known, asked, items = self.scene.knowledge, self.asked, self.scene.items
        found = {("kind", kind) for kind in self.scene.kinds}
        for at, item in enumerate(items):
            found.add(("head" if at in self.heads else "!head", item.kind))
            if at not in self.covered:
                found.add(("unused", item.kind))
        on_concept = partial(_met, known, asked)
        conditions = known.index.once(("met", asked), lambda: MemoizedDict(on_concept))
        for concept in {name for at, item in enumerate(items) for name in (item.id, _named(self, at))}:
            found |= conditions[concept]
        text = self.scene.text.lower()
        return frozenset(found.union(one for one in asked if one[0] == "says" and re.search(one[1].removeprefix(".*"), text)))

    def meets(self, needs: Iterable[Need]) -> bool:
        """Whether one condition of each is met somewhere in the sentence."""
        return not any(map(self.met.isdisjoint, needs))


def _met(known: CompositionKnowledge, asked: frozenset[Condition], concept: str) -> frozenset[Condition]:
    return frozenset((name, value) for name, value in asked if name in ON_CONCEPT and ON_CONCEPT[name](known, concept, value))


# One element: its name, or "", its test (None: the mention bound to the name), and "*", "?" or "".
Element = tuple[str, Test | None, str]


def _role(known: CompositionKnowledge, name: str) -> frozenset[str]:
    return getattr(known.words, name, None) or known.words.flagged(name)


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
    "sited": lambda view, at: bool(view.scene.index.sites_implied(view.scene.items[at].id)),
    "label": lambda view, at: view.scene.items[at].start < view.scene.spoken,
}
# Those on its concept; "named" and "category" ask for the descriptor that its words name, where they name one.
ON_CONCEPT: Mapping[str, Callable[[CompositionKnowledge, str, str], bool]] = {
    "is": lambda known, concept, name: concept in _role(known, name),
    "under": lambda known, concept, name: known.index.is_any(concept, _role(known, name)),
    "named": lambda known, concept, name: concept in _role(known, name),
    "marked": lambda known, concept, name: concept in known.index.marked(name),
    "category": lambda known, concept, name: known.words.parents.get(concept) in _role(known, name),
    "value": lambda known, concept, value: concept == value,
}
# Conditions of which one is met somewhere in any sentence that is matched.
Need = frozenset[Condition]


def _condition(text: str, names: Names) -> Test:
    name, _, value = text.partition(":")
    if text.startswith("!"):
        other = _condition(text[1:], names)
        return lambda view, at: not other(view, at)
    if name == "says":
        words = re.compile(names["words"][value])
        return lambda view, at: words.fullmatch(view.scene.said(at)) is not None
    if name == "may":
        return lambda view, at: KINDS[value] in view.scene.items[at].types
    if name in ("named", "category"):
        return lambda view, at: ON_CONCEPT[name](view.scene.knowledge, _named(view, at), value)
    if value:
        return lambda view, at: ON_CONCEPT[name](view.scene.knowledge, view.scene.items[at].id, value)
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
    """Return what a sentence meets in any case if mentions of it pass some tests."""
    plain = (re.fullmatch(r"(?:[A-Z]=)?([^*?]{2,})", one) for one in tests)
    return tuple(dict.fromkeys(need for one in plain if one for need in _needs(_alternatives(one[1], names))))


def _needs(alternatives: Sequence[Sequence[Condition]]) -> Iterator[Need]:
    """Yield each condition of a single alternative, or else one condition of each, if each has one."""
    if len(alternatives) == 1:
        yield from (frozenset((condition,)) for condition in alternatives[0])
    elif all(alternatives):
        yield frozenset(one[-1] for one in alternatives)


def _alternatives(text: str, names: Names) -> list[list[Condition]]:
    found: list[list[Condition]] = []
    for part in text.split("|"):
        if part in names["classes"]:
            found += _alternatives(names["classes"][part], names)
        else:
            found.append(list(_conditions(part.split("+"), names)))
    return found


def _conditions(conditions: Sequence[str], names: Names) -> Iterator[Condition]:
    kinds = [KINDS.get(one, one) for one in conditions if _is_kind(one, names)]
    yield from (("kind", kind) for kind in kinds)
    for name, _, value in (one.partition(":") for one in conditions):
        if value and name[0] != "!" and name != "may":
            yield name, names["words"][value] if name == "says" else value
    yield from ((one, kind) for one in conditions if one in ("head", "!head", "unused") for kind in kinds)


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
