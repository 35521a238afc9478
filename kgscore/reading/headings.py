"""Headings and labels: the sites, sides and findings that "LEFT KIDNEY:" or "Effusion:" apply to the following text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, Lexicon, LexiconMatch
from kgscore.ontology.index import Index
from kgscore.reading.discourse import Discourse
from kgscore.reading.finding_draft import Places, SiteAndSide
from kgscore.reading.mentions import Mention
from kgscore.reading.part_names import STATING, PartNames
from kgscore.reading.titles import FILM, is_limb_title
from kgscore.reading.tokens import Token, tokenize

# Kinds of items in a list of sites.
_PLACING = frozenset((ANATOMY, "sideword", DESCRIPTOR, "meas", "num", "comma", "and", "semi", "open", "close", "stop"))
_ANSWERING = ("neg", "negpost", "seen", "hedge", "change", NORMAL)


@dataclass(slots=True)
class Opening:
    """What remains to be read after a label: `items`, with the sites and side that apply to them; `listed` if the findings of
    a label without text are given sites by the lines below it."""

    items: list[Mention]
    sites: list[Places] = field(default_factory=list)
    side: str | None = None
    listed: bool = False


class Headings:
    """Reads labels, and keeps in the context what applies to the sentences below."""

    def __init__(self, index: Index, lexicon: Lexicon, empty: frozenset[str]) -> None:
        self.index = index
        self.empty = empty
        self.parts = PartNames(index, lexicon)
        self.name_parts, self.names_part = self.parts.name_parts, self.parts.names_part
        self.neutral = index.flagged("heads_nothing")
        self.holders = self.neutral | index.flagged("holders")

    def open(self, text: str, span: tuple[int, int], named: list[Mention], items: list[Mention], context: Discourse) -> Opening:
        """Return what to read of a sentence with a label at `span`: `named` are the items of the label, `items` those after
        it. A label that names findings is read with the sentence; one that names sites places it."""
        kinds = {item.kind for item in named}
        if items and kinds <= {"change", "stop"}:
            return Opening([*named, *items])  # "Unchanged: …"
        if not kinds.isdisjoint(STATING):
            return self._placing(text, span, [], [*named, _mark("colon", span[1]), *items], context)
        if FINDING in kinds and {item.kind for item in items} == {"stop"}:
            return Opening([])  # "ETT: ."
        if joint := self._joint(named, items):
            return Opening([*named, _mark(joint, span[1]), *items])
        named = self._asserted(named, items)
        if not _names(named):
            return self._placing(text, span, named, items, context)
        if not items:
            return Opening(named, listed=True)
        return Opening([*named, _mark("colon" if items[0].kind in _ANSWERING else "comma", span[1]), *items])

    def _joint(self, named: Sequence[Mention], items: Sequence[Mention]) -> str:
        """Return the operator that joins a label that is a statement, or whose text only gives places, to that text; else ""."""
        if _concludes(named, self.neutral) and _names(items):
            return "colon"
        if _only_places(items) and _names(named, self.neutral):
            return "prep"  # "Nodules: right lobe 9 mm, isthmus 4 mm"
        said = any(item.kind in (FINDING, DESCRIPTOR, ANATOMY) for item in items) and items[0].kind not in _ANSWERING
        return "semi" if said and _states(named, self.neutral) else ""

    def _asserted(self, named: list[Mention], items: list[Mention]) -> list[Mention]:
        """Return the items of a label without the findings that only head a text about others."""
        answered = bool(items) and items[0].kind not in ("neg", "negpost", "seen", "ask")
        neutral = self.neutral.issuperset(item.id for item in named if item.kind == FINDING)
        if not (answered and neutral) and not _names(items, self.empty):
            return named
        return [item for item in named if item.kind != FINDING or self._stated(item, items)]

    def _stated(self, item: Mention, items: list[Mention]) -> bool:
        """Whether a label asserts its device: the text after it states what is normal or absent, and no device of its kind."""
        devices, kinds = self.index.of_kind("devices"), {other.kind for other in items}
        if item.adjective or item.id not in devices or item.id in self.holders or kinds.isdisjoint(("neg", NORMAL)):
            return False
        return not any(other.id in devices and self.index.is_a(item.id, other.id) for other in items)

    def _placing(
        self, text: str, span: tuple[int, int], named: list[Mention], items: list[Mention], context: Discourse
    ) -> Opening:
        """Return what to read under a label of sites, sides or qualities; a label without text applies to the lines below."""
        label = text[span[0] : span[1]]
        places = [] if self._is_film(label, named, items) else self._places(named, label, context)
        side = _side_of(named)
        if not items:
            context.heading = context.title = tuple(places)
            context.heading_side = context.title_side = side
            return Opening([])
        side = side or context.title_side
        if not places and side:
            places = [tuple((name, side) for name, _ in alternative) for alternative in context.title or context.heading]
        if places or side:
            context.heading_side = side
        if places:
            context.last_sites = context.topic = ()
        return Opening([*_described(named, items, span[1], placed=bool(places)), *items], places, side)

    def _is_film(self, label: str, named: Sequence[Mention], items: Sequence[Mention]) -> bool:
        """Whether a label is the title of an examination, and not its subject ("CT head: normal.")."""
        normal = bool(items) and all(item.kind in (NORMAL, "stop") for item in items)
        return FILM.search(label) is not None and not normal and not is_limb_title(self.index, named)

    def _places(self, named: list[Mention], label: str, context: Discourse) -> list[Places]:
        """Return the sites of a label; below a title, the part of its structure that the label names."""
        part = self._below_title(label, context)
        if part is not None:
            return [((part, None),)]
        places = coordinated(named, self._nested)
        for way in (item for item in named if item.kind == DESCRIPTOR) if len(places) == 1 else ():  # "FEMUR, DISTAL:"
            name, side = places[0][-1]
            part = self.parts.structure((*self.index.label(way.id).split(), *self.index.label(name).split()))
            places = [((part, side),)] if part else places
        return places

    def _below_title(self, label: str, context: Discourse) -> str | None:
        """Return the part of the structure of a title that a label names ("Main:" below "PULMONARY ARTERIES"), or None."""
        words = [t.norm.lower() for t in tokenize(label) if t.norm not in ("left", "right")] if context.title else []
        if not words:
            return None
        tail = [t.norm.lower() for t in tokenize(self.index.label(context.title[0][-1][0]))]
        return self.parts.structure((*words, *tail)) or self.parts.structure((*tail, *words))

    def _nested(self, one: str, other: str) -> bool:
        """Whether one of two structures is inside the other, or the other is a tissue of it ("Left knee, synovium:")."""
        index = self.index
        if index.either_inside(one, other) or index.specific(other, one) is not None:
            return True
        if index.is_any(other, index.flagged("tissues")):
            return not index.is_any(one, index.flagged("tissues") | index.flagged("organs") | {index.role("any_bone")})
        parents = index.concepts[other].parents if other in index.local else ()
        return any(index.is_a(one, parent) for parent in parents if not index.is_a(other, parent))

    def elsewhere(self, label: Sequence[LexiconMatch], tokens: Sequence[Token], context: Discourse) -> bool:
        """Whether a label of unknown words leaves the structure of the label above it ("Extra-axial: … Parenchyma: …")."""
        around = context.around(heading=True)
        if around is None or not label or any(mention.form is not None for mention in label):
            return False
        return self.parts.part(tuple(token.norm.lower() for token in tokens), around, False) is None


def coordinated(items: Sequence[Mention], nested: Callable[[str, str], bool] = lambda one, other: False) -> list[Places]:
    """Return the sites named in a heading, one alternative each; nested structures not joined by "and" form one site ("Right
    breast, upper outer quadrant, 10 o'clock")."""
    found: list[Places] = []
    side: str | None = None
    sides = {item.id for item in items if item.kind == "sideword"}
    only = sides.pop() if len(sides) == 1 else None
    joined = True
    for item in items:
        if item.kind == "sideword":
            side = item.id
        elif item.kind in ("and", "or", "slash"):
            joined = True
        elif item.kind == ANATOMY:
            place = (item.id, item.side or side or only)
            if joined or not _one_site(found[-1], place, nested):
                found.append((place,))
            else:
                found[-1] = (*found[-1], place)
            joined = False
    return found


def _one_site(before: Places, place: SiteAndSide, nested: Callable[[str, str], bool]) -> bool:
    """Whether a structure is nested with those before it, and not on another side."""
    apart = place[1] is not None and any(side not in (None, place[1]) for _, side in before)
    return not apart and any(nested(name, place[0]) for name, _ in before)


def _names(items: Sequence[Mention], apart: Collection[str] = ()) -> bool:
    """Whether one of these items is the noun of a finding, except those `apart`."""
    return any(item.is_noun and item.id not in apart for item in items)


def _only_places(items: Sequence[Mention]) -> bool:
    """Whether a line only gives sites and sizes."""
    return any(item.kind == ANATOMY for item in items[:4]) and all(item.kind in _PLACING for item in items)


def _states(named: Sequence[Mention], neutral: frozenset[str]) -> bool:
    """Whether a label asserts a finding rather than being a row of a form: it contains more than the name of the finding
    ("Acute appendicitis: appendix 11 mm", "Degenerative change of both hips:")."""
    nouns = [item for item in named if item.kind == FINDING and item.id not in neutral]
    said = {item.kind for item in named} & {DESCRIPTOR, "prep", "with", "meas", "change", "hedge"}
    return bool(nouns) and bool(said) and not any(item.kind in ("and", "or", "slash") for item in named)


def _concludes(named: Sequence[Mention], neutral: frozenset[str]) -> bool:
    """Whether a label is a statement followed by its conclusion ("Thickening of the optic nerve: optic neuritis")."""
    places = [position for position, item in enumerate(named) if item.kind == ANATOMY]
    findings = sum(item.kind == FINDING and item.id not in neutral for item in named)
    placed = bool(places) and any(item.kind == "prep" for item in named[: places[-1]])
    return findings > 0 and (placed or findings > 1)


def _side_of(named: Sequence[Mention]) -> str | None:
    sides = {item.id if item.kind == "sideword" else item.side for item in named}
    return next((side for side in ("left", "right", "both") if side in sides), None)


def _described(named: list[Mention], items: list[Mention], end: int, *, placed: bool) -> list[Mention]:
    """Return the items of a label that are read with its text: its qualities, or all if there is one and no site."""
    qualities = [item for item in named if item.kind == QUALITY]
    if placed or not qualities:
        return qualities
    if items[0].kind == "neg" and "negpost" in items[0].types:
        items[0].kind = "negpost"  # "Flow voids: absent in the left vertebral artery"
    return [*named, _mark("colon", end)]


def _mark(kind: str, at: int) -> Mention:
    """Return the operator that marks the end of a label."""
    return Mention(kind, "", None, False, at, at, 0, 0)
