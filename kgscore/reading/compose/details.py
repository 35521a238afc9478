"""Heads in the making, with the details that their phrase and the open cues give them."""

from __future__ import annotations

import re

from kgscore.model import Detail
from kgscore.reading.compose.operators import Operators
from kgscore.reading.compose.phrases import Head, Phrase
from kgscore.reading.items import Item
from kgscore.reading.measurement import bounded, measurement

_POINTING = ("the", "this", "that", "these", "those")
_CLAUSE_END = re.compile(r"[.;]\s")
# How a bound is told ("no nodule larger than 6 mm").
_BOUNDS = {"<": "smaller than", ">": "larger than", "<=": "at most", ">=": "at least"}
_NOW = re.compile(
    r"\b(?:now|currently|at present|(?:increas|decreas|grow|enlarg|progress|reduc|diminish)(?:ed|ing|n)(?: in size)? to|grown to"
    r"|shrunk to|down to|up to now)\s*(?:measur\w+|is|are|of|a|about|approximately)?\s*\Z"
)
# Two sizes of which the second is that of now ("from 8 to 10 mm").
_SPAN = re.compile(r"([\d.]+)-([\d.]+)( ?[^\d\s]\S*)")
_LARGEST = re.compile(r"\b(?:largest|biggest|the (?:larger|bigger))\b")
# After the second of two sizes, when that was ("14 mm (11 mm in 2019)").
_THEN = re.compile(r"\s*(?:(?:in|on|of|from|at) )?(?:[a-z]+ )?(?:\d{1,2}[./-]\d{1,2}[./-])?(?:19|20)\d\d\b", re.IGNORECASE)
# "No abnormal enhancement" speaks of all that was examined, "no enhancement" of the lesion.
_ABNORMAL = re.compile(r"\b(?:abnormal|pathologic(?:al)?)\b", re.IGNORECASE)


class Details(Operators):
    """Makes heads and details."""

    def _new(self, kind: str, concept: str, item: Item, phrase: Phrase) -> Head:
        """Return a head with the cues that are open."""
        cue = self.neg_item if self.negated else None
        gone = cue is not None and "longer" in self.text[cue.start : cue.end].lower()
        head = Head(kind, concept, item, min(i.start for i in phrase.items), max(i.end for i in phrase.items))
        if kind == "N":
            head.normals = [entry.id for entry in item.choices if entry.type == "N"]
        head.status = self._denied
        if self.hedge:
            head.certainty = self.hedge
        if self.change:
            head.change = self.change
            if self.change == "resolved":
                head.status = "absent"
        elif gone:
            head.change = "resolved" if kind == "F" else "new"
            for other in self.heads:
                if kind == "F" and other.concept == concept:
                    other.dead = True
        if self.compare:
            head.compare = self.compare
        head.details = list(self.pending)
        head.otherwise = self.other
        head.overall = cue is not None and _ABNORMAL.search(self.text, cue.start, head.end) is not None
        head.definite = self.text[max(0, head.start - 5) : head.start].lower().strip() in _POINTING
        head.dead = self.past and concept not in self.words.states
        return head

    def _details(self, phrase: Phrase, heads: list[Item]) -> list[Detail]:
        """Return what a phrase says beyond its heads: descriptors, other findings as descriptors, measurements."""
        found: list[Detail] = []
        for item in phrase.modifiers:
            if item.id not in self.words.flagged("says_nothing"):  # "with peripheral distribution"
                found.append(self.words.detail(item.id))
                found += self._size_word(item)
        for item in phrase.heads:
            if item not in heads and item.id not in self.words.empty:
                entry = item.types.get("M")
                found.append(
                    self.words.detail(entry.id) if entry else Detail("nature", item.id, self.words.labels.get(item.id, item.id))
                )
        found += self._measures(phrase)
        return found

    def _measures(self, phrase: Phrase) -> list[Detail]:
        """Return the measurements of a phrase: now, before ("from 8 to 10 mm") or of the largest."""
        found = []
        for item in phrase.measures:
            kind, text = measurement(item.id, self.words.units)
            span = _SPAN.fullmatch(text)
            if span and self.text[: item.start].lower().endswith("from "):
                found += [
                    Detail("previous", span[1] + span[3], f"previously {span[1]}{span[3]}"),
                    Detail(kind, span[2] + span[3], span[2] + span[3]),
                ]
                continue
            before = _CLAUSE_END.split(self.text[max(0, item.start - 45) : item.start].lower())[-1]
            if before.endswith("between "):
                text = text.replace(" and ", "-")
            if _NOW.search(before):
                self._earlier_sizes()
            if (found or self._measured()) and _THEN.match(self.text, item.end):
                found.append(Detail("previous", text, f"previously {text}"))
                continue
            if self.pending and self.pending[-1].category == "previous":
                self.pending.pop()
                found.append(Detail("previous", text, f"previously {text}"))
            elif bound := bounded(before, self.words.units):
                found.append(Detail(kind, bound + text, f"{_BOUNDS[bound]} {text}"))
            elif _LARGEST.search(before):
                found.append(Detail(kind, text, f"largest {text}"))
            else:
                found.append(Detail(kind, text, text))
        return found

    def _size_word(self, item: Item) -> list[Detail]:
        """Return the size that a descriptor is by itself ("subcentimeter")."""
        said = self.words.units.words.get(self.text[item.start : item.end].lower().replace("-", ""))
        return [Detail(said[0], said[1], said[1].replace("<", "smaller than "))] if said else []

    def _earlier_sizes(self) -> None:
        """ "An 8 mm stone has increased to 11 mm": the size said before is the earlier one."""
        for head in self.group[-1:]:
            head.details = [
                Detail("previous", d.value, f"previously {d.text}") if d.category == "length" else d for d in head.details
            ]

    def _state(self, normal: Item) -> Detail:
        """A normal word said of a device or a lesion is a detail of it ("wires intact", "tip in good position")."""
        category = "integrity" if normal.id in self.words.flagged("sound") else "state"
        return Detail(category, normal.id, self.words.labels.get(normal.id, normal.id))
