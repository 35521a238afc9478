"""What the size of a structure says where nothing else is said of it: "CBD 9 mm" is a dilated duct."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from kgscore.ontology.index import Index
from kgscore.reading.compose.findings import Findings
from kgscore.reading.compose.phrases import Phrase
from kgscore.reading.compose.state import LISTING
from kgscore.reading.items import Item
from kgscore.reading.measurement import measurement

_OPENING = LISTING | {"seen", "colon", "cop", "semi", "have", "open"}
_LIMITED = re.compile(r"(?:than|exceeding|exceeds|<|>|from|was|previously|to)\s*\Z", re.IGNORECASE)


Said = tuple[tuple[str, str], ...]


class Limit(NamedTuple):
    """The largest normal and the smallest abnormal size of a structure in mm, and the items that either stands for."""

    normal: float
    abnormal: float
    within: Said
    beyond: Said


def limits_of(index: Index, rows: Iterable[tuple[str, str, str]]) -> dict[str, Limit]:
    """Return the limits of each structure, those of the narrowest row that it is in."""
    found: dict[str, Limit] = {}
    for about, within, beyond in rows:
        name, normal, abnormal = about.split()
        limit = Limit(float(normal), float(abnormal), _said(index, within), _said(index, beyond))
        found.update((site, limit) for site, wholes in index.within.items() if name in wholes)
    return found


def _said(index: Index, words: str) -> Said:
    """Return the kind and id of each of some words: a quality, its value, a normal word or a finding."""
    kinds = {"up": "up", **dict.fromkeys(index.qualities, "Q"), **dict.fromkeys(index.denials, "N")}
    return tuple((kinds.get(word, "F"), word) for word in words.split())


class Limits(Findings):
    """Judges sizes."""

    def _judge(self, phrase: Phrase) -> None:
        """Add to a phrase with nothing but a structure and its size what that says: "a 12 mm subcarinal lymph node"."""
        if len(phrase.measures) != 1 or phrase.heads or phrase.normals or phrase.directions or phrase.unknown:
            return
        if self._denies_normal or (self.group and not phrase.sites) or self.tip or not self._opened():
            return
        bearers = [item.id for item in phrase.sites] or [name for places in self.subject for name, _ in places]
        limit = next((self.words.limits[name] for name in bearers if name in self.words.limits), None)
        kind, text = measurement(phrase.measures[0].id, self.words.units)
        at = phrase.measures[0]
        if limit is None or kind != "length" or _LIMITED.search(self.text, max(0, at.start - 12), at.start):
            return
        sizes = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)]
        size = max(sizes) if ("Q", self.words.role("overall_size")) in limit.within else min(sizes)
        said = limit.within if size <= limit.normal else limit.beyond if size >= limit.abnormal else ()
        if said and not self._judged_by_author():
            self.change = None if "change" in self.last else self.change
            for kind, name in said:
                self._say(phrase, kind, name, at)

    def _opened(self) -> bool:
        """Whether nothing stands before but what may open a clause, or "the larger about …"."""
        last = set(self.last) - {"near"}
        before = self.chunks[max(0, self.at - 3) : self.at]
        named = [chunk for chunk in before if isinstance(chunk, Item) and chunk.kind == "change"]
        largest = any("larger" in self.text[chunk.start : chunk.end].lower() for chunk in named)
        return last <= (_OPENING | {"change"} if largest else _OPENING)

    def _judged_by_author(self) -> bool:
        """Whether what follows judges the size itself ("CBD 9 mm, dilated") or is what the structure was named for."""
        for chunk in self.chunks[self.at + 1 :]:
            if isinstance(chunk, Phrase):
                own = not chunk.sites and (chunk.normals or chunk.directions or chunk.qualities)
                return bool(own) or any(head.id in self.words.flagged("size_verdicts") for head in chunk.heads)
            if chunk.kind in ("semi", "have"):
                return chunk.kind == "have"  # "the node, 22 mm, shows necrosis"
        return False

    def _say(self, phrase: Phrase, kind: str, name: str, at: Item) -> None:
        """Add a quality, its value, a normal word or a finding to a phrase, at the place of its measurement."""
        if kind == "Q" and phrase.qualities:
            return
        item = Item(kind, name, None, kind == "F", at.start, at.end, at.first, at.last)
        phrase.items.append(item)
        {"N": phrase.normals, "up": phrase.directions, "Q": phrase.qualities, "F": phrase.heads}[kind].append(item)
