"""Phrases after a finding that leave it where it is: of the largest of several, of where it extends, of what comes."""

from __future__ import annotations

import re

from kgscore.model import Detail
from kgscore.reading.compose.phrases import Head, Phrase, Place
from kgscore.reading.compose.state import LISTING, OTHER_SIDE
from kgscore.reading.compose.twins import Twins
from kgscore.reading.items import Item

_EXTENDING = re.compile(
    r"(?:with )?(?:exten(?:d|sion)|spread)|track\w+ (?:in)?to|(?:in|up |down )to(?: the level of)?\Z|as far as\Z", re.IGNORECASE
)
_TO = re.compile(r"to(?: the level of)?\Z", re.IGNORECASE)
_THE_LARGEST = re.compile(r"\b(?:the largest|the biggest|the larger)\b", re.IGNORECASE)
_LARGEST = re.compile(r"\b(?:largest|biggest|larger|bigger)\b", re.IGNORECASE)


class Kept(Twins):
    """Adds to heads what does not place them."""

    def _extends_into(self, phrase: Phrase) -> bool:
        """ "Mass in the angle, extending into the canal": what has a place extends to another, and stays where it is."""
        before = self.chunks[self.at - 1]
        if not isinstance(before, Item):
            return False
        how = _EXTENDING.match(self.text, before.start, before.end)
        dilated = self.group[-1].item.adjective and _TO.match(self.text, before.start, before.end)  # "dilated to the pelvic brim"
        if how is None and not dilated:
            return False
        self.extended = self.at if self._extended(phrase) else 0
        return self.extended > 0

    def _extends_on(self, phrase: Phrase) -> bool:
        """ "Extending into the orbit, the nasal cavity and the fossa": one more place that a finding extends to."""
        listing = bool(self.last) and set(self.last) <= LISTING and self.extended == self.at - len(self.last) - 1 > 0
        if not listing or self._verb_next() or self._owns_next() or self._opens_clause() or not self._extended(phrase):
            return False
        self.extended = self.at
        return True

    def _extended(self, phrase: Phrase) -> bool:
        """Say of the finding before that it extends to the sites of a phrase."""
        if "neg" in self.last:
            self.negated = False  # "and does not extend into the canal"
            return True
        last = self.group[-1]
        if last.concept in self.words.own:
            last = next((head for head in self.heads if head.status == "present" and head.concept not in self.words.own), last)
        if last.kind != "F" or last.status != "present" or not last.sites or last.concept in self.words.devices:
            return False
        if last.inherited and not last.item.adjective:
            return False
        last.details += [
            Detail("extension", item.id, f"extending to {self.words.labels.get(item.id, item.id)}") for item in phrase.sites
        ]
        return True

    def _place_of_largest(self, phrase: Phrase, sites: list[tuple[Place, ...]]) -> bool:
        """ "Bilateral stones, the largest 5 mm in the left kidney": only the largest is there, and the others stay."""
        if not sites or not self.group or not _LARGEST.search(self.text, self.group[-1].item.end, phrase.items[0].start):
            return False
        side = sites[-1][-1][1]
        measured = all(any(d.text.startswith("largest") for d in head.details) or len(head.sites) > 1 for head in self.group)
        measured = measured or _THE_LARGEST.search(self.text, self.group[-1].item.end, phrase.items[0].start) is not None
        if side is None and measured and all(head.sites and not head.inherited for head in self.group):
            return True  # "lesions in both lobes, the largest 3 cm in segment 6"
        if side is None or side not in OTHER_SIDE or not all(self._is_both(head) for head in self.group):
            return False
        for head in self.group:
            head.details = [
                Detail(d.category, d.value, f"{side}: {d.text}") if d.text.startswith("largest") else d for d in head.details
            ]
        return True

    def _of_largest(self, phrase: Phrase) -> bool:
        """ "Hilar and mediastinal nodes, the largest a subcarinal one of 18 mm": where that is does not move the others."""
        last = self.group[-1]
        placed = last.kind == "F" and last.status == "present" and not last.inherited
        placed = placed and (bool(last.sites) or last.concept in self.words.placed)
        if not placed or "prep" in self.last or not _LARGEST.search(self.text, last.item.end, phrase.items[-1].end):
            return False
        last.details += self._details(phrase, [])
        return True

    def _measures_next(self, phrase: Phrase, details: list[Detail]) -> bool:
        """ "With 9 mm of midline shift": a measurement of what comes after "of"."""
        after = self.chunks[self.at + 1 : self.at + 3]
        if phrase.modifiers or len(after) < 2 or not isinstance(after[0], Item) or not isinstance(after[1], Phrase):
            return False
        if not after[1].heads or after[0].kind != "prep" or self.text[after[0].start : after[0].end].lower() != "of":
            return False
        self.pending = self.pending + details
        return True

    def _described(self) -> list[Head]:
        """Return the heads that descriptors are said of: after a verb all of them, but a participle is of the last one where
        the others are elsewhere ("effusion in the knee, and a cyst measuring 4 cm")."""
        before, last = self.chunks[self.at - 1], self.group[-1]
        if isinstance(before, Item) and self.text[before.start : before.end].lower() == "measuring":
            return [head for head in self.group if head.sites == last.sites]
        return self.group if self.after_verb else [last]
