"""The input of the composition of one sentence, and the words of its items."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from typing import TypeVar

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN, Entry, Lexicon
from kgscore.ontology.index import Index, level_of
from kgscore.reading.finding_draft import SiteAndSide
from kgscore.reading.mentions import Mention
from kgscore.reading.site_constraints import SiteConstraints
from kgscore.reading.structure.values import Statement
from kgscore.reading.tokens import Token
from kgscore.reading.vocabulary import Vocabulary

_T = TypeVar("_T")
# The statuses of findings that are there.
ASSERTED = frozenset(("present", "possible", "probable"))
_JOINTS = frozenset(("comma", "and", "or", "slash", "versus"))  # kinds of items between members of a list that share a noun
_MEMBERS = frozenset(
    (ANATOMY, FINDING, DESCRIPTOR, UNKNOWN, "num", "sideword", "stop", "hash", "signalword", "up", "down", "neg", "dash", "seq")
)
_REACH = 9
# Predicates of a whole structure: "the left lobe is absent", "the heart is stable".
_WHOLE = {"neg": "missing", "negpost": "missing", "stable": "altered"}
_TAKEN_OUT = re.compile(r"\b(?:removed|explanted|taken out|excised|resected)\b")
_UNSEEN = re.compile(
    r"(?:not|nowhere|no longer|no more|non-?|unable)\b.*(?:seen|shown|visible|visuali[sz]ed|identif\w+|display\w+|depict\w+"
    r"|delineat\w+|demonstrat\w+|detect\w+|discern\w+|found|recogni[sz]\w+|observed|imaged|appreciat\w+|made out)\b"
    r"|nonvisuali[sz]ed"
)


@dataclass(frozen=True, slots=True)
class CompositionKnowledge:
    """The knowledge used by composition: the ontology index, the lexicon, the vocabulary, and the possible sites of findings."""

    index: Index
    lexicon: Lexicon
    words: Vocabulary
    fitting: SiteConstraints


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """One sentence: its text, tokens and items, and the sites (alternatives), side and MRI sequence given by its label and
    headings.

    `spoken` is the end of the label: items that begin before it belong to the label. `kinds` are those of its items, and
    "label" if it has one; `order` are those of its items in order.
    """

    knowledge: CompositionKnowledge
    text: str
    tokens: Sequence[Token]
    items: Sequence[Mention]
    label: tuple[tuple[SiteAndSide, ...], ...] = ()
    label_side: str | None = None
    sequence: str | None = None
    spoken: int = 0
    kinds: frozenset[str] = field(init=False)
    order: list[str] = field(init=False)

    def __post_init__(self) -> None:
        order = [item.kind for item in self.items]
        object.__setattr__(self, "order", order)
        object.__setattr__(self, "kinds", frozenset((*order, "label") if self.spoken else order))

    @property
    def index(self) -> Index:
        """The ontology index."""
        return self.knowledge.index

    @property
    def vocabulary(self) -> Vocabulary:
        """The facts about concepts."""
        return self.knowledge.words

    def role(self, role: str) -> str:
        """Return the only concept of a role."""
        return self.knowledge.words.only.get(role, "")

    def flagged(self, role: str) -> frozenset[str]:
        """Return the concepts with a role."""
        return self.knowledge.words.flagged(role)

    def is_any(self, concept: str, *roles: str) -> bool:
        """Whether a concept is of a class with one of some roles."""
        return any(self.knowledge.index.is_any(concept, self.knowledge.words.flagged(role)) for role in roles)

    def words(self, first: int, last: int | None = None) -> tuple[str, ...]:
        """Return the words from one item to another, as in the lexicon."""
        begin, end = self.items[first].first, self.items[first if last is None else last].last
        return tuple([norm.lower() for norm, *_ in self.tokens[begin : end + 1] if norm not in ("the", "a", "an", "-")])

    def said(self, at: int) -> str:
        """Return the text of an item, in lower case."""
        item = self.items[at]
        return self.text[item.start : item.end].lower()

    def kind(self, at: int) -> str:
        """Return the kind of an item, or "" for a position outside the sentence."""
        return self.order[at] if 0 <= at < len(self.order) else ""

    def run(self, first: int, last: int) -> list[str]:
        """Return the kinds of the items from one position up to, and without, another."""
        return self.order[max(0, first) : max(0, last)]

    def between(self, start: int, end: int) -> set[str]:
        """Return the kinds of the items that begin between two offsets."""
        return {item.kind for item in self.items if start < item.start < end}

    def ids(self, positions: Iterable[int]) -> list[str]:
        """Return the concepts of the items at some positions."""
        return [self.items[at].id for at in positions]

    def kinds_at(self, positions: Iterable[int]) -> list[str]:
        """Return the kinds of the items at some positions."""
        return [self.order[at] for at in positions]

    def of_kind(self, kind: str, positions: Iterable[int]) -> list[int]:
        """Return those positions that have an item of a kind."""
        order = self.order
        return [at for at in positions if order[at] == kind]

    def all_of(self, kind: str) -> list[int]:
        """Return the positions of all items of a kind."""
        return [at for at, own in enumerate(self.order) if own == kind]

    def beyond(self, at: int, step: int, passed: Container[str]) -> int:
        """Return the next position after (1) or before (-1) an item that is of no kind to pass, or one outside the sentence."""
        order = self.order
        at += step
        while 0 <= at < len(order) and order[at] in passed:
            at += step
        return at

    def next_of(self, at: int, step: int, kinds: Container[str]) -> int:
        """Return the next position after (1) or before (-1) an item that is of one of some kinds, or one outside the sentence."""
        order = self.order
        at += step
        while 0 <= at < len(order) and order[at] not in kinds:
            at += step
        return at


_SIDES = frozenset(("left", "right"))
# Kinds of items that join the members of a list.
LISTING = frozenset(("comma", "and", "or", "slash"))
# Prepositions of a location that is not a member of a list of nouns ("behind the heart").
_PLACING = frozenset(("above", "along", "around", "behind", "below", "beneath", "beside", "near", "under", "underneath"))
# Opens a relative clause.
RELATIVE = frozenset(("that", "which"))


def without(values: Iterable[_T], given: Container[_T]) -> tuple[_T, ...]:
    """Return those of some values that are not among others."""
    return tuple(value for value in values if value not in given)


def exact_entry(scene: ParsedSentence, words: Sequence[str], kind: str) -> Entry | None:
    """Return the entry of a kind that exactly these words name, or None."""
    return next((entry for entry in scene.knowledge.lexicon.lookup(words) if entry.type == kind), None)


def endings(scene: ParsedSentence, words: Sequence[str], kind: str, before: Sequence[str] = ()) -> Iterator[Entry]:
    """Yield the entries of a kind that the last words of others name, after words before them."""
    return filter(None, (exact_entry(scene, (*before, *words[cut:]), kind) for cut in range(1, len(words))))


def completed_entry(scene: ParsedSentence, at: int, kind: str, last: int | None = None) -> Entry | None:
    """Return the entry that an item, or several, names with words of its list ("upper and middle lobes", "C5 and 6")."""
    own = scene.words(at, last)
    for other, ahead in _sharing(scene, at, kind, last):
        words = tuple(word for word in scene.words(other) if word not in _SIDES)  # "middle and lower lobes of the right lung"
        found = endings(scene, words, kind, own) if ahead else _beginnings(scene, words, kind, own)
        entry = next((one for one in found if one.id != scene.items[other].id), None)
        if entry is not None:
            return entry._replace(side=entry.side or _side_behind(scene.words(other))) if ahead else entry
    return None


def _beginnings(scene: ParsedSentence, words: Sequence[str], kind: str, after: Sequence[str] = ()) -> Iterator[Entry]:
    """Yield the entries of a kind that the first words of others name, before words after them."""
    return filter(None, (exact_entry(scene, (*words[:cut], *after), kind) for cut in range(1, len(words))))


def _sharing(scene: ParsedSentence, at: int, kind: str, last: int | None) -> list[tuple[int, bool]]:
    """Return the members of a list that an item, or those from one to another, may share words with."""
    listed = _listed(scene, at if last is None else last, kind)
    if last is not None:
        return [one for one in listed if one[1]]
    named = kind == ANATOMY and _full_name(scene, at)
    return [one for one in listed if not named or not _has_article(scene, at, one[0])]


def _side_behind(words: tuple[str, ...]) -> str | None:
    """Return the side of the whole that a structure belongs to ("lower lobe of the left lung")."""
    return next((word for word in dropwhile("of".__ne__, words) if word in _SIDES), None)


def _full_name(scene: ParsedSentence, at: int) -> bool:
    item, index = scene.items[at], scene.index
    named = item.kind == ANATOMY and not item.adjective and item.id not in index.generic and item.id not in index.local
    return named and level_of(item.id) is None


def _has_article(scene: ParsedSentence, one: int, other: int) -> bool:
    """Whether the later of two members of a list is a noun phrase of its own ("the clavicle and the humeral head")."""
    first, last = sorted((one, other))
    between = scene.text[scene.items[first].end : scene.items[last].start].lower()
    shared = scene.kind(last + 1) == FINDING or scene.said(last).endswith("s")
    return re.search(r"\b(?:the|an?)\s+\Z" if shared else r"\b(?:the|an?|left|right)\s+\Z", between) is not None


def leading_entry(scene: ParsedSentence, statement: Statement) -> Entry | None:
    """Return the entry that a head names with the structure that begins its list ("no pleural thickening or adhesions")."""
    own = scene.words(statement.head)
    if any(place.items for place in statement.places):
        return None
    for other, words in _listed_before(scene, statement.head):
        sites = [words[:cut] for cut in range(1, len(words)) if exact_entry(scene, words[:cut], ANATOMY)]
        for entry in filter(None, (exact_entry(scene, (*site, *own), FINDING) for site in sites)):
            if entry.id != scene.items[other].id:
                return entry
    return None


def _listed_before(scene: ParsedSentence, at: int) -> list[tuple[int, tuple[str, ...]]]:
    return [(other, scene.words(other)) for other, ahead in _listed(scene, at, FINDING) if not ahead]


def noun_after(scene: ParsedSentence, at: int) -> Entry | None:
    """Return the finding whose noun a structure shares with the next member of its list ("hepatic and renal cysts")."""
    if scene.words(at)[:1] and scene.words(at)[0] in _PLACING:
        return None
    ahead = (scene.words(other) for other, ahead in _listed(scene, at, FINDING) if ahead)
    return next((entry for words in ahead for entry in endings(scene, words, FINDING) if not entry.adjective), None)


def noun_before(scene: ParsedSentence, at: int) -> Entry | None:
    """Return the finding whose first words a structure shares with the member before it ("dilated stomach and duodenum")."""
    return next((entry for _, words in _listed_before(scene, at) for entry in _beginnings(scene, words, FINDING)), None)


def _listed(scene: ParsedSentence, at: int, kind: str) -> list[tuple[int, bool]]:
    """Return the members of the list of an item that have a kind, and whether they follow it."""
    found = []
    for step in (1, -1):
        joined = False
        for other in range(at + step, at + step * (_REACH + 1), step):
            if (item_kind := scene.kind(other)) in _JOINTS:
                joined = True
            elif item_kind not in _MEMBERS:
                break
            elif joined and item_kind == kind:
                found.append((other, step > 0))
    return found


def follows_nothing(scene: ParsedSentence, at: int) -> bool:
    """Whether the word "nothing" directly precedes an item ("nothing acute", "nil focal")."""
    return scene.kind(at - 1) == "neg" and scene.said(at - 1) in ("nothing", "nil")


def of_whole(scene: ParsedSentence, at: int) -> str | None:
    """Return the role of an item as a predicate of a whole structure: absent, not seen, removed, or unchanged."""
    item, following = scene.items[at], scene.run(at + 1, len(scene.items))
    words = scene.words(at)
    if words[-1:] == ("abnormal",):  # "is not abnormal"
        return None
    if item.id == "resolved" and _TAKEN_OUT.search(scene.said(at)):
        return "removed"
    if item.kind == "neg" and words[:1] == ("no",) and "seen" in following:  # "no gallbladder is seen"
        return "unseen"
    if item.kind in ("neg", "negpost", "change") and _UNSEEN.search(scene.said(at)):
        return "unseen"
    return _WHOLE.get(item.id if item.kind == "change" else item.kind)
