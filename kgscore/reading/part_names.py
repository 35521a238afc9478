"""Parts of structures that are named by their noun alone: "the duct" of the pancreas, "the lateral wall and floor" of the
orbit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, UNKNOWN, Lexicon
from kgscore.ontology.index import Index, only
from kgscore.reading.context_tests import kind_after
from kgscore.reading.discourse import Discourse
from kgscore.reading.level_ranges import side_before
from kgscore.reading.mentions import Mention
from kgscore.reading.tokens import Token, phrase_key

# Body regions whose names also denote parts of organs and bones.
_REGIONS = ("head", "neck", "pelvis", "trunk", "body")
STATING = ("cop", "have", "seen", "neg", "negpost")
# Nouns that do not name a part on their own.
_PORTIONS = ("third", "portion", "part", "segment", "origin", "ostium", "bifurcation", "fossa", "bed", "stump")
# Last words of names that are not nouns ("forceps major").
_DEGREES = ("major", "minor")


class _Before(NamedTuple):
    """What the items before a noun name: the current structure with its side, and the organ of the last finding."""

    whole: str | None
    side: str | None = None
    organ: str | None = None


class PartNames:
    """Resolves nouns to the parts of structures."""

    def __init__(self, index: Index, lexicon: Lexicon) -> None:
        self.index, self.lexicon = index, lexicon
        self.part = lru_cache(100_000)(self._part)
        self._by_noun: dict[str, list[str]] = {}
        for concept in index.concepts.values():
            noun = concept.label.partition(" of ")[0].rsplit(" ", 1)[-1]
            if concept.kind == "anatomy" and " " in concept.label and noun not in _DEGREES:
                self._by_noun.setdefault(noun, []).append(concept.id)

    def structure(self, words: Sequence[str]) -> str | None:
        """Return the structure with these words as a name, or None."""
        return next((entry.id for entry in self.lexicon.structures(words)), None)

    def names_part(self, token: Token) -> bool:
        """Whether a word may name a part of some structure."""
        return token.norm.lower() in self._by_noun or token.norm in _PORTIONS

    def name_parts(self, items: list[Mention], tokens: Sequence[Token], start: int, context: Discourse) -> None:
        """Resolve a noun that names a part of the current structure, with the adjectives before it, to that part ("Pancreas: …
        duct not dilated", "the lateral wall and floor of the orbit"). The sentence begins at `start`, after its label."""
        before = _Before(context.around(heading=True))
        for position, item in enumerate(items):
            alone = item.last == item.first and item.start >= start
            if item.kind == FINDING:  # "Distended gallbladder with a stone in the neck"
                before = before._replace(organ=self._organ_of(item.id) or before.organ)
            elif item.kind == ANATOMY:
                before = self._name_region(items, position, before, alone=alone)
            elif item.kind == "sideword" and kind_after(items, position) in STATING:
                before = before._replace(side=item.id)  # "the left shows …"
            elif item.kind == UNKNOWN and alone and self.names_part(tokens[item.first]):
                whole, side, of = _whole_after(items, position, tokens)
                after = whole is not None and self._become_part(items, position, tokens, whole, side, siblings=not of)
                if before.whole and not after:
                    self._become_part(items, position, tokens, before.whole, before.side, siblings=False)

    def _name_region(self, items: list[Mention], position: int, before: _Before, *, alone: bool) -> _Before:
        """Resolve the name of a region to a part, and return what the items up to it name."""
        item = items[position]
        if before.whole and item.id == self.index.role("whole_body"):  # "Mandible: fracture of the body"
            items[position] = replace(item, id=self.part(("body",), before.whole, True) or item.id)
            return before
        named = self._denoted(item.id, before.organ, before.whole if alone else None)
        if named:
            items[position] = replace(item, id=named)
        whole = self._whole_of(items, position, before.whole)
        return _Before(whole, item.side or side_before(items, position), named and before.organ)

    def _whole_of(self, items: list[Mention], position: int, around: str | None) -> str | None:
        """Return the whole of the following parts: the first of "lateral meniscus, anterior horn and body"."""
        name, before = items[position].id, items[max(0, position - 2) : position]
        if [item.kind for item in before] != [ANATOMY, "comma"] or before[0].id == name:
            return name
        if not self.index.specific(name, before[0].id) and not self.index.inside(name, before[0].id):
            return name
        items[position - 1] = _passed(before[1])
        return around

    def _organ_of(self, finding: str) -> str | None:
        """Return the organ that a finding is always in, if its only site is one."""
        site = only(tuple(self.index.sites_implied(finding)))
        return site if self.index.is_any(site, self.index.flagged("organs")) else None

    def _denoted(self, name: str, organ: str | None, around: str | None) -> str | None:
        """Return the part that the name of a region denotes: of the organ of a finding before it, or of the current structure."""
        if name not in _REGIONS:
            return None
        part = self._part_of_organ(name, organ) if organ and name != "pelvis" else None
        return part or (around and (self._part_of_organ(name, around) or name))

    def _part_of_organ(self, region: str, around: str) -> str | None:
        """Return the part of the current organ that the name of a region denotes ("Pancreatic duct cutoff at the head")."""
        within = self.index.within[around]
        if self.index.concepts[around].module == "core":
            return None
        named = self._region_of(region, around)
        if named or region in within:
            return named
        named = next((found for whole in within if (found := self._region_of(region, whole))), None)
        if named or region == "neck":
            return named
        wholes = [around, *sorted(whole for whole in within if whole[:5] == around[:5])]
        return next((part for whole in wholes if (part := self.part((region,), whole, False))), None)

    def _region_of(self, region: str, whole: str) -> str | None:
        """Return the structure named after a region of a whole ("head of pancreas"), or None."""
        return self.structure((region, "of", *phrase_key(self.index.label(whole))))

    def _become_part(
        self, items: list[Mention], position: int, tokens: Sequence[Token], whole: str, side: str | None, *, siblings: bool
    ) -> bool:
        """Replace an item by the part of a whole that it names, with as many of the preceding words as possible; in a list
        with the whole, also by a part of what contains that. A part after a comma is inside the whole before it ("upper lobe,
        posterior segment")."""
        item, first = items[position], position
        while first > max(0, position - 2) and items[first - 1].kind in (DESCRIPTOR, UNKNOWN, ANATOMY):
            first -= 1
        # "The anterior wall and the lateral wall of the sinus".
        itself = whole if siblings and self.index.label(whole).endswith(f" {tokens[item.last].norm.lower()}") else None
        for begin in range(first, position + 1):
            before = items[begin - 1].kind if begin else ""
            words = tuple(token.norm.lower() for token in tokens[items[begin].first : item.last + 1])
            found = self._third(words, whole) or self.part(words, whole, siblings or before in ("and", "or")) or itself
            if found is not None:
                begin = position if found == itself else begin
                if before == "comma" and items[begin - 2].id == whole:
                    items[begin - 1] = _passed(items[begin - 1])
                first, start = items[begin].first, items[begin].start
                items[position] = replace(item, kind=ANATOMY, id=found, side=side, first=first, start=start)
                items[begin:position] = map(_passed, items[begin:position])
                return True
        return False

    def _third(self, words: tuple[str, ...], whole: str) -> str | None:
        """Return the third or end of a structure that these words name ("occluded in its mid portion", "at the origin")."""
        if words[-1] not in _PORTIONS or len(words) > 2:
            return None
        label = phrase_key(self.index.label(whole))
        if len(words) > 1:
            return self.structure((words[0], *label))
        return self.structure((*words, "of", *label)) or self.structure((*label, *words))

    def _part(self, words: tuple[str, ...], whole: str, siblings: bool) -> str | None:
        """Return the only topmost structure inside a whole whose noun is the last of these words and whose label contains all
        of them; with `siblings`, also one inside what contains the whole ("the orbital floor and lateral wall")."""
        index, nouns = self.index, self._by_noun.get(words[-1], [])
        wholes = sorted(index.within[whole], key=lambda name: (name != whole, -len(index.within[name]), name))
        fitting = [name for name in nouns if name != whole and set(words) <= set(phrase_key(index.label(name)))]
        for around in wholes[: 3 if siblings else 1]:
            tops = index.topmost([name for name in fitting if name != around and index.inside(name, around)])
            bare = [name for name in tops if phrase_key(index.label(name).partition(" of ")[0]) == words]
            if tops:  # the lobes of the thyroid, and its pyramidal lobe
                return only(bare) or only(tops)
        # The only structure with this noun in the module ("the stalk").
        near = len(words) == len(nouns) == 1 and index.concepts[nouns[0]].module == index.concepts[whole].module
        return nouns[0] if near else None


def _passed(item: Mention) -> Mention:
    return replace(item, kind="stop")


def _whole_after(items: Sequence[Mention], position: int, tokens: Sequence[Token]) -> tuple[str | None, str | None, bool]:
    """Return the structure after a part ("wall and floor of the left orbit"), its side, and whether "of" joins them."""
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
