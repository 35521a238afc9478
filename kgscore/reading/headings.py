"""Headings and labels: the sites, sides and findings that "LEFT KIDNEY:" or "Effusion:" apply to the following text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from kgscore.caches import BoundedDict
from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, UNKNOWN, Lexicon, LexiconMatch
from kgscore.ontology.index import Index
from kgscore.reading.discourse import Discourse
from kgscore.reading.finding_draft import SiteAndSide
from kgscore.reading.level_ranges import side_before
from kgscore.reading.mentions import Mention
from kgscore.reading.titles import FILM, is_limb_title
from kgscore.reading.tokens import Token, phrase_key, tokenize

# Body regions whose names also denote parts of organs and bones.
_REGIONS = ("head", "neck", "pelvis", "trunk", "body")
_STATING = ("cop", "have", "seen", "neg", "negpost")
# Nouns that do not name a part on their own.
_PORTIONS = ("third", "portion", "part", "segment", "origin", "ostium", "bifurcation", "fossa", "bed", "stump")
# Kinds of items in a list of sites.
_PLACING = frozenset((ANATOMY, "sideword", DESCRIPTOR, "meas", "num", "comma", "and", "semi", "open", "close", "stop"))
_ANSWERING = ("neg", "negpost", "seen", "hedge", "change", NORMAL)


@dataclass(slots=True)
class Opening:
    """What remains to be read after a label: `items`, with the sites and side that apply to them; `listed` if the findings of
    a label without text are given sites by the lines below it."""

    items: list[Mention]
    sites: list[tuple[SiteAndSide, ...]] = field(default_factory=list)
    side: str | None = None
    listed: bool = False


# Last words of names that are not nouns ("forceps major").
_DEGREES = ("major", "minor")


class Headings:
    """Reads labels, and keeps in the context what applies to the sentences below."""

    def __init__(self, index: Index, lexicon: Lexicon, empty: frozenset[str]) -> None:
        self.index = index
        self.lexicon = lexicon
        self.empty = empty
        self.neutral = index.flagged("heads_nothing")
        self.holders = self.neutral | index.flagged("holders")
        self._parts: dict[tuple[tuple[str, ...], str, bool], str | None] = BoundedDict()
        self._by_noun: dict[str, list[str]] = {}
        for concept in index.concepts.values():
            noun = concept.label.partition(" of ")[0].rsplit(" ", 1)[-1]
            if concept.kind == "anatomy" and " " in concept.label and noun not in _DEGREES:
                self._by_noun.setdefault(noun, []).append(concept.id)

    def open(self, text: str, span: tuple[int, int], named: list[Mention], items: list[Mention], context: Discourse) -> Opening:
        """Return what to read of a sentence with a label at `span`: `named` are the items of the label, `items` those after
        it. A label that names findings is read with the sentence; one that names sites places it."""
        end = span[1]
        if items and named and all(item.kind in ("change", "stop") for item in named):
            return Opening([*named, *items])  # "Unchanged: …"
        if any(item.kind in _STATING for item in named):
            items, named = [*named, _mark("colon", end), *items], []
        if items and all(item.kind == "stop" for item in items) and any(item.kind == FINDING for item in named):
            return Opening([])  # "ETT: ."
        if _concludes(named, self.neutral) and any(item.kind == FINDING and not item.adjective for item in items):
            return Opening([*named, _mark("colon", end), *items])
        if _only_places(items) and any(
            item.kind == FINDING and not item.adjective and item.id not in self.neutral for item in named
        ):
            return Opening([*named, _mark("prep", end), *items])  # "Nodules: right lobe 9 mm, isthmus 4 mm"
        said = any(item.kind in (FINDING, DESCRIPTOR, ANATOMY) for item in items) and items[0].kind not in _ANSWERING
        if said and _states(named, self.neutral):
            return Opening([*named, _mark("semi", end), *items])
        answered = bool(items) and items[0].kind not in ("neg", "negpost", "seen", "ask")
        if (answered and {item.id for item in named if item.kind == FINDING} <= self.neutral) or any(
            item.kind == FINDING and not item.adjective and item.id not in self.empty for item in items
        ):
            named = [item for item in named if item.kind != FINDING or self._stated(item, items)]
        if any(item.kind == FINDING and not item.adjective for item in named):
            if not items:
                return Opening(named, listed=True)
            return Opening([*named, _mark("colon" if items[0].kind in _ANSWERING else "comma", end), *items])
        return self._placing(text, span, named, items, context)

    def _stated(self, item: Mention, items: list[Mention]) -> bool:
        """Whether a label asserts the device that it names: the text after it states what is normal or absent and names no
        device of its kind ("Left VP shunt: tubing intact, no disconnection")."""
        if item.adjective or item.id in self.holders or not self._is_device(item):
            return False
        if not any(other.kind in ("neg", NORMAL) for other in items):
            return False
        is_a = self.index.is_a
        return not any(self._is_device(i) and (is_a(i.id, item.id) or is_a(item.id, i.id)) for i in items)

    def _is_device(self, item: Mention) -> bool:
        """Whether an item names a device or an operation."""
        return item.kind == FINDING and item.id in self.index.concepts and self.index.concepts[item.id].kind == "devices"

    def _placing(
        self, text: str, span: tuple[int, int], named: list[Mention], items: list[Mention], context: Discourse
    ) -> Opening:
        """Return what to read under a label of sites, sides or qualities; a label without text applies to the lines below."""
        label = text[span[0] : span[1]]
        normal = bool(items) and all(item.kind in (NORMAL, "stop") for item in items)  # "CT head: normal."
        places = self._places(named, label, context)
        if FILM.search(label) and not normal and not is_limb_title(self.index, named):
            places = []
        side = _side_of(named)
        if not items:
            context.heading = context.title = tuple(places)
            context.heading_side = context.title_side = side
            return Opening([])
        side = side or context.title_side
        if not places and side:
            places = [tuple((name, side) for name, _ in alternative) for alternative in context.title or context.heading]
        qualities = [item for item in named if item.kind == QUALITY]
        if places:
            items = [*qualities, *items]
        elif qualities:
            if items[0].kind == "neg" and "negpost" in items[0].types:
                items[0].kind = "negpost"  # "Flow voids: absent in the left vertebral artery"
            items = [*named, _mark("colon", span[1]), *items]
        if not places and not side and any(item.kind == FINDING for item in named):
            items = [*named, _mark("colon", span[1]), *items]
        if places or side:
            context.heading_side = side
        if places:
            context.last_sites = context.topic = ()
        return Opening(items, places, side)

    def _places(self, named: list[Mention], label: str, context: Discourse) -> list[tuple[SiteAndSide, ...]]:
        """Return the sites of a label; below a title, the part of its structure that the label names."""
        places = coordinated(named, self._nested)
        for way in (item for item in named if item.kind == DESCRIPTOR) if len(places) == 1 else ():  # "FEMUR, DISTAL:"
            form = [*self.index.label(way.id).split(), *self.index.label(places[0][-1][0]).split()]
            parts = [entry.id for entry in self.lexicon.lookup(form) if entry.type == ANATOMY]
            places = [((parts[0], places[0][-1][1]),)] if parts else places
        if context.title:
            # "Main:" below "PULMONARY ARTERIES" is the main pulmonary artery.
            words = [t.norm.lower() for t in tokenize(label) if t.norm not in ("left", "right")]
            above = context.title[0][-1][0] if context.title[0] else ""
            tail = [t.norm.lower() for t in tokenize(self.index.label(above))]
            for form in ([*words, *tail], [*tail, *words]):
                entries = [e for e in self.lexicon.lookup(form) if e.type == ANATOMY] if words else []
                if entries:
                    return [((entries[0].id, None),)]
        return places

    def _nested(self, one: str, other: str) -> bool:
        """Whether one of two structures is inside the other, or the other is a tissue of it ("Left hip, soft tissues:", "Left
        knee, synovium:")."""
        index = self.index
        if index.inside(one, other) or index.inside(other, one) or index.specific(other, one) is not None:
            return True
        if index.is_any(other, index.flagged("tissues")):
            return not index.is_any(one, index.flagged("tissues") | index.flagged("organs") | {index.role("any_bone")})
        parents = index.concepts[other].parents if other in index.local else ()
        return any(index.is_a(one, parent) for parent in parents if not index.is_a(other, parent))

    def elsewhere(self, label: Sequence[LexiconMatch], tokens: Sequence[Token], context: Discourse) -> bool:
        """Whether a label of unknown words leaves the structure of the label above it ("Extra-axial: … Parenchyma: …")."""
        around = context.around(heading=True)
        words = tuple(token.norm.lower() for token in tokens)
        unknown = bool(label) and all(mention.form is None for mention in label)
        return unknown and around is not None and self._part(words, around, False) is None

    def names_part(self, token: Token) -> bool:
        """Whether a word may name a part of some structure."""
        return token.norm.lower() in self._by_noun or token.norm in _PORTIONS or token.norm in _REGIONS

    def name_parts(self, items: list[Mention], tokens: Sequence[Token], start: int, context: Discourse) -> None:
        """Resolve a noun that names a part of the current structure, with the adjectives before it, to that part ("Pancreas: …
        duct not dilated", "the lateral wall and floor of the orbit"). The sentence begins at `start`, after its label."""
        around = [name for alternative in context.heading for name, _ in alternative] or [name for name, _ in context.last_sites]
        said: str | None = None
        organ: str | None = None  # "Distended gallbladder with a stone in the neck"
        for position, item in enumerate(items):
            if item.kind == FINDING:
                organ = self._organ_of(item.id) or organ
            elif item.kind == ANATOMY and item.id == self.index.role("whole_body") and (around or organ):
                # "Mandible: fracture of the body"
                named = self._part_of_organ("body", organ) if organ else None
                named = named or (self._part(("body",), around[0], True) if around else None)
                items[position] = replace(item, id=named or item.id)
            elif item.kind == ANATOMY:
                if item.id in _REGIONS and organ and item.id != "pelvis" and (named := self._part_of_organ(item.id, organ)):
                    items[position] = replace(item, id=named)
                elif item.id in _REGIONS and around and item.start >= start and item.last == item.first:  # "the pelvis" alone
                    items[position] = replace(item, id=self._part_of_organ(item.id, around[0]) or item.id)
                else:
                    organ = None
                around, said = [self._whole_of(items, position, around)], item.side or side_before(items, position)
            elif item.kind == "sideword" and position + 1 < len(items) and items[position + 1].kind in _STATING:
                said = item.id  # "the left shows …"
            elif item.kind == UNKNOWN and item.last == item.first and item.start >= start and self.names_part(tokens[item.first]):
                whole, side, of = _whole_after(items, position, tokens)
                if whole is not None and self._become_part(items, position, tokens, whole, siblings=not of):
                    items[position] = replace(items[position], side=side)
                elif around and self._become_part(items, position, tokens, around[0], siblings=False):
                    items[position] = replace(items[position], side=said)

    def _whole_of(self, items: list[Mention], position: int, around: list[str]) -> str:
        """Return the whole that the following parts belong to: a part after a comma is inside the structure before it
        ("lateral meniscus, anterior horn and body")."""
        name = items[position].id
        if position < 2:
            return name
        before, comma = items[position - 2 : position]
        if comma.kind != "comma" or before.kind != ANATOMY or before.id == name:
            return name
        if not self.index.specific(name, before.id) and not self.index.inside(name, before.id):
            return name
        items[position - 1] = replace(comma, kind="stop")
        return around[0]

    def _organ_of(self, finding: str) -> str | None:
        """Return the organ that a finding is always in, if its only site is one."""
        sites, organs = self.index.hard_sites.get(finding, frozenset()), self.index.flagged("organs")
        return next((site for site in sites if self.index.is_any(site, organs)), None) if len(sites) == 1 else None

    def _part_of_organ(self, region: str, around: str) -> str | None:
        """Return the part of the current organ that the name of a region denotes ("Pancreatic duct dilated, cutoff at the
        head")."""
        concepts = self.index.concepts
        if around not in concepts or concepts[around].module == "core":
            return None
        named = self.lexicon.lookup((region, "of", *phrase_key(self.index.label(around))))
        if named and named[0].type == ANATOMY:
            return named[0].id
        if region != "body" and self.index.inside(around, region):
            return None
        wholes = [around, *sorted(whole for whole in self.index.within[around] if whole[:5] == around[:5])]
        for whole in self.index.within[around]:  # "calcifications in the uncinate process and head"
            named = self.lexicon.lookup((region, "of", *phrase_key(self.index.label(whole))))
            if named and named[0].type == ANATOMY:
                return named[0].id
        parts = (part for whole in wholes if (part := self._part((region,), whole, False)))
        stem = self.index.label(around)[:3]  # "extending from the chest wall into the neck": not that of a rib
        return next((part for part in parts if region != "neck" or f" {stem}" in f" {self.index.label(part)}"), None)

    def _become_part(self, items: list[Mention], position: int, tokens: Sequence[Token], whole: str, *, siblings: bool) -> bool:
        """Replace an item by the part of a whole that it names, with as many of the preceding words as possible; in a list
        with the whole, also by a part of what contains that. A part after a comma is inside the whole before it ("upper lobe,
        posterior segment")."""
        item = items[position]
        first = position
        while (
            first and items[first - 1].kind in (DESCRIPTOR, UNKNOWN, ANATOMY) and items[first - 1].last == items[first].first - 1
        ):
            first -= 1
        for begin in range(max(first, position - 2), position + 1):
            before = items[begin - 1].kind if begin else ""
            words = tuple(token.norm.lower() for token in tokens[items[begin].first : item.last + 1])
            listed = siblings or before in ("and", "or")
            found = self._third(words, whole) or self._part(words, whole, listed)
            if found is None and siblings and self.index.label(whole).endswith(" " + words[-1]):
                found, begin = whole, position  # "the anterior wall and the lateral wall of the sinus"
            if found is not None:
                items[position] = replace(item, kind=ANATOMY, id=found, first=items[begin].first, start=items[begin].start)
                items[begin:position] = [replace(other, kind="stop") for other in items[begin:position]]
                if before == "comma" and begin > 1 and items[begin - 2].id == whole and self.index.inside(found, whole):
                    items[begin - 1] = replace(items[begin - 1], kind="stop")
                return True
        return False

    def _third(self, words: tuple[str, ...], whole: str) -> str | None:
        """Return the third or end of a structure that these words name ("occluded in its mid portion", "at the origin")."""
        if words[-1] not in _PORTIONS or len(words) > 2:
            return None
        label = phrase_key(self.index.label(whole))
        if len(words) == 1:
            named = (e for form in ((*words, "of", *label), (*label, *words)) for e in self.lexicon.lookup(form))
            return next((entry.id for entry in named if entry.type == ANATOMY), None)
        entries = (e for first in (words[0], "mid" if words[0] == "middle" else "") for e in self.lexicon.lookup((first, *label)))
        return next((entry.id for entry in entries if entry.type == ANATOMY), None)

    def _part(self, words: tuple[str, ...], whole: str, siblings: bool) -> str | None:
        """Return the only topmost structure inside a whole whose noun is the last of these words and whose label contains all
        of them; with `siblings`, also one inside what contains the whole ("the orbital floor and lateral wall")."""
        key = (words, whole, siblings)
        if key not in self._parts:
            self._parts[key] = None
            wholes = sorted(self.index.within.get(whole, ()), key=lambda n: (n != whole, -len(self.index.within.get(n, ())), n))
            for name in wholes[: 3 if siblings else 1]:
                named = [n for n in self._by_noun.get(words[-1], ()) if n not in (name, whole) and self.index.inside(n, name)]
                named = [n for n in named if set(words) <= set(phrase_key(self.index.label(n)))]
                tops = [n for n in named if not any(o != n and self.index.inside(n, o) for o in named)]
                bare = [n for n in tops if phrase_key(self.index.label(n).partition(" of ")[0]) == words]
                tops = bare if len(bare) == 1 else tops  # the lobes of the thyroid, and its pyramidal lobe
                if tops:
                    self._parts[key] = tops[0] if len(tops) == 1 else None
                    break
            else:
                named = self._by_noun.get(words[-1], [])  # the only structure with this noun in the module ("the stalk")
                near = len(words) == len(named) == 1 and self.index.concepts[named[0]].module == self.index.concepts[whole].module
                self._parts[key] = named[0] if near else None
        return self._parts[key]


def _whole_after(items: Sequence[Mention], position: int, tokens: Sequence[Token]) -> tuple[str | None, str | None, bool]:
    """Return the structure after a part that it is coordinated with or belongs to ("wall and floor of the left orbit"), its
    side, and whether it is joined by "of"."""
    side, of = None, False
    for item in items[position + 1 :]:
        if item.kind == ANATOMY and (of or not item.adjective):
            return item.id, item.side or side, of
        if item.kind == "sideword":
            side = item.id
        elif item.kind == "prep" and tokens[item.first].norm == "of":
            of = True
        elif item.kind not in ("stop", "and", "or", "comma", DESCRIPTOR, UNKNOWN):
            break
    return None, None, False


def coordinated(
    items: Sequence[Mention], nested: Callable[[str, str], bool] = lambda one, other: False
) -> list[tuple[SiteAndSide, ...]]:
    """Return the sites named in a heading, one alternative each; nested structures not joined by "and" form one site ("Right
    breast, upper outer quadrant, 10 o'clock")."""
    found: list[tuple[SiteAndSide, ...]] = []
    side: str | None = None
    sides = {item.id for item in items if item.kind == "sideword"}
    joined = False
    for item in items:
        if item.kind == "sideword":
            side = item.id
        elif item.kind in ("and", "or", "slash"):
            joined = True
        elif item.kind == ANATOMY:
            place = (item.id, item.side or side or (next(iter(sides)) if len(sides) == 1 else None))
            apart = bool(found) and place[1] is not None and any(one not in (None, place[1]) for _, one in found[-1])
            if found and not joined and not apart and any(nested(name, item.id) for name, _ in found[-1]):
                found[-1] = (*found[-1], place)
            else:
                found.append((place,))
            joined = False
    return found


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
    findings = [position for position, item in enumerate(named) if item.kind == FINDING and item.id not in neutral]
    placed = any(item.kind == "prep" for item in named[: places[-1]]) if places else False
    return bool(findings) and (placed or len(findings) > 1) and len(findings) + len(places) > 1


def _side_of(named: Sequence[Mention]) -> str | None:
    """Return the side of a label."""
    sides = {item.id for item in named if item.kind == "sideword"} | {item.side for item in named if item.side}
    if {"left", "right"} <= sides:
        return "both"
    return next((side for side in ("left", "right", "both") if side in sides), None)


def _mark(kind: str, at: int) -> Mention:
    """Return the operator that marks the end of a label."""
    return Mention(kind, "", None, False, at, at, 0, 0)
