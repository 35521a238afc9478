"""Phrases that state nothing by themselves: sites, sides and details of what stands before, or of what comes."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from kgscore.model import Detail
from kgscore.ontology.index import LEVEL
from kgscore.reading.compose.kept import Kept
from kgscore.reading.compose.phrases import DIRECTIONS, Phrase, Place
from kgscore.reading.compose.state import LISTING, VERBS
from kgscore.reading.items import Item
from kgscore.reading.measurement import measurement

# What may stand after "prominent left hilum" in a line that says no more.
_PASSED = LISTING | {"prep", "cop", "seen"}
# Words with which the name of a place may begin ("stranding is seen around the pancreas").
_AROUND = re.compile(r"(?:around|surrounding|adjacent to|next to|between|within)\b", re.IGNORECASE)
# What stands between a distance and the point from which it is counted.
_FROM = re.compile(r"(?:from|above|below|beyond|(?:proxim|dist|crani|caud)al to|(?:super|infer)ior to)\Z", re.IGNORECASE)


class Additions(Kept):
    """Gives sites, sides and details to the heads that they are said of."""

    def _site_phrase(self, phrase: Phrase) -> None:
        """Sites alone: the place of what stands before, one more of a list, or the subject of what comes."""
        sites = self._places(phrase)
        if self._that_in(sites, phrase):
            return
        if self._value_at(phrase, sites) or self._abnormal_at(phrase, sites) or self._size_of(phrase, sites):
            return
        if self._reference(phrase):
            return
        if self.tip and self.group:
            self._put_tips(phrase, sites)
            return
        if self.group and (self._of_largest(phrase) or self._extends_on(phrase)):
            return
        if self.group and (self._one_more(phrase, sites) or self._place_before(phrase, sites) or self._list_site(phrase, sites)):
            return
        listing = (bool(self.last) and set(self.last) <= LISTING) or self._nor()
        own = self.after_verb and self._verb_next()  # "the midline is …, and the ventricles are small"
        if self.subject and listing and not self.group and (self.fresh_subject or not self.after_verb) and not own:
            side = self._side_after(phrase)
            before = [tuple((name, found or side) for name, found in places) for places in self.subject]
            kind = before[-1][:1] if len(before[-1]) > 1 and before[-1][0][0] in self.words.local else ()
            nested = before[-1] if len(before[-1]) > 1 and "and" in self.last else ()
            around = next((found for _, found in nested if found), None)
            if around and not kind:  # "in the left lung, in the upper and lower lobes"
                sites = [tuple((name, found or around) for name, found in places) for places in sites]
            elif "and" in self.last:
                sites = self._same_side(before, sites)
            self.subject = before + [(*kind, *places) for places in sites]  # "lymph nodes in the axilla and neck"
            return
        bare = not (self.group or self.subject_qualities or self.after_verb)
        inner = "prep" in self.last or not self.last  # "at 8 o'clock the right breast"
        if inner and self.subject and set(self.last) <= {"seen", "prep", "comma"} and self.fresh_subject and bare:
            self.subject = [(*inner, *outer) for inner in self.subject for outer in sites]
            return
        waiting = self.subject_qualities if "prep" in self.last and not self.group else []
        before = self.subject if waiting and LISTING & set(self.last) else []  # "the calibre of the aorta and of its branches"
        self._set_subject([*before, *sites], phrase)
        if waiting:
            self.subject_qualities = waiting

    def _reference(self, phrase: Phrase) -> bool:
        """ "A rectal mass 4 cm from the anal verge": a distance has a point from which it is counted, and no finding is there."""
        joint, before = (self.chunks[at] if at >= 0 else None for at in (self.at - 1, self.at - 2))
        measured = isinstance(before, Phrase) and before.items[-1].kind == "meas"
        if not isinstance(joint, Item) or not (measured or (self.tip and joint.kind == "near")):
            return False
        placed = self.words.placed
        counted = self.text[joint.start : joint.end].lower() == "from"
        lost = any((head.inherited or not head.sites) and head.concept not in placed for head in self.group)
        if not self.group or (lost and not counted):
            return False
        if not _FROM.match(self.text, joint.start, joint.end):
            return False
        for head in self.group if self.tip else ():
            head.tip_at_home = head.concept in self.words.devices  # "tip 4 cm above the carina": in the trachea
        text = measurement(before.items[-1].id, self.words.units)[1] if isinstance(before, Phrase) and measured else ""
        for head in self.group if text else ():
            head.details = [
                Detail("distance", d.value, f"{text} {self.text[joint.start : phrase.items[-1].end]}") if d.text == text else d
                for d in head.details
            ]
        return True

    def _value_at(self, phrase: Phrase, sites: list[tuple[Place, ...]]) -> bool:
        """ "Ventricles small": a size word after the structure is its value."""
        values = [m for m in phrase.modifiers if m.first > phrase.sites[-1].last and m.id in self.words.flagged("size_values")]
        if not values or self.negated:
            return False
        self._set_subject(sites, phrase)
        self.pending = []
        self._value_of_subject(phrase, values[0])
        return True

    def _size_of(self, phrase: Phrase, sites: list[tuple[Place, ...]]) -> bool:
        """ "Large ventricles and sulci.", "Small orbits.": all that a line says of structures is their size."""
        first = phrase.items[0]
        way = next((d for d in phrase.directions if d.kind in ("up", "down")), None)
        value = way or next((m for m in phrase.modifiers if self._sizes(m)), None)
        rest = self.chunks[self.at + 1 :]
        more = [chunk for chunk in rest if isinstance(chunk, Phrase)]
        bare = not any(chunk.heads or chunk.normals or chunk.qualities or chunk.unknown for chunk in more)
        listed = all(chunk.kind in _PASSED for chunk in rest if not isinstance(chunk, Phrase))
        if self.at or value is None or value.first > phrase.sites[0].first or phrase.unknown or not bare or not listed:
            return False
        grown = "up" in value.types
        if first.kind == "sideword" or (phrase.measures and not grown) or (self.label and not sites):
            return False
        self._set_subject(sites, phrase)
        self.pending = self._measures(phrase)
        for before, chunk in pairwise(rest):
            if isinstance(chunk, Phrase) and isinstance(before, Item):
                places = self._places(chunk)
                nested = [(*inner, *outer) for inner in self.subject for outer in places]
                self.subject = nested if before.kind == "prep" and places else self.subject + places
                self.pending = self.pending + self._measures(chunk)
        self._value_of_subject(phrase, value)
        self.dropped = "list" if more else ""
        return True

    def _sizes(self, item: Item) -> bool:
        """Whether a descriptor may be the size of a structure ("small", "prominent")."""
        return item.id in self.words.flagged("size_values") or "up" in item.types or "down" in item.types

    def _abnormal_at(self, phrase: Phrase, sites: list[tuple[Place, ...]]) -> bool:
        """ "Abnormal kidney": a direction that is a finding by itself, at the sites of the phrase."""
        direction = phrase.directions[-1] if phrase.directions else self._denied_abnormal()
        entry = direction.types.get("F") if direction is not None else None
        if direction is None or (direction.kind not in ("abnormal", "neg") and entry is None):
            return False
        head = self._new("F", entry.id if entry else self.words.role("any_abnormality"), direction, phrase)
        head.sites = sites
        self.attached = True
        head.details += self._details(phrase, [])
        self.group = [head]
        self.heads.append(head)
        self._spent()
        return True

    def _denied_abnormal(self) -> Item | None:
        """Return the cue before, where it holds the adjective: "no abnormal lymph nodes"."""
        cue = self.chunks[self.at - 1] if self.last[-1:] == ["neg"] else None
        return cue if isinstance(cue, Item) and self.text[cue.start : cue.end].lower().endswith("abnormal") else None

    def _put_tips(self, phrase: Phrase, sites: list[tuple[Place, ...]]) -> None:
        """ "With its tip in the right atrium": where a device ends, and so where it is."""
        if "and" in self.last:
            # "Leads ending in the right atrium and the right ventricle": one finding each.
            plural = [head for head in self.group if head.tips and self.text[head.item.start : head.item.end].endswith("s")]
            self.group = [replace(head, tips=[], details=list(head.details)) for head in plural] or self.group
            self.heads += self.group if plural else []
        waiting = [head for head in self.group if not head.tips and not head.tip_at_home]
        for head in waiting or self.group:
            if head.concept in self.words.devices:
                if head.change == "resolved" and head.status == "absent":
                    head.status, head.change = "present", None  # "withdrawn, and now ends in …"
                head.tips += [name for alternative in sites for name, _ in alternative]
                if not head.shared:
                    head.side = head.side or next((side for places in head.sites for _, side in places if side), None)
                head.sites = sites
                head.details += self._details(phrase, [])

    def _place_before(self, phrase: Phrase, sites: list[tuple[Place, ...]]) -> bool:
        """A preposition before the sites places the heads before it; after "near" only those without a place of their own."""
        if "near" in self.last and (self.after_verb or not self._verb_next()):
            bare = [
                h
                for h in self.group
                if h.concept in self.words.devices or ((h.inherited or not h.sites) and h.concept not in self.words.settled)
            ]
            if bare:
                self._attach(bare, sites, phrase)
            elif phrase.sides and sites:
                for head in self.group:  # "perinephric stranding around the left kidney"
                    self._put_side(head, sites[0][-1][1] or "")
            self.passed = 0 if bare else self.at
            return True
        if self.last[-1:] == ["prep"] and self._extends_into(phrase):
            return True
        if self._goes_on_in() and self.attached:
            self._extend(sites, self._side_after(phrase))
            return True
        if "prep" in self.last and self._place_of_largest(phrase, sites):
            return True
        around = self.last == ["seen"] and _AROUND.match(self.text, phrase.items[0].start)
        if {"prep", "cause"} & set(self.last) or around:
            level = all(name.startswith("disc_") and LEVEL.search(name) for places in sites for name, _ in places)
            heads = self._sharing(level=level)
            self._attach(heads, sites, phrase)
            for head in heads[:-1]:
                head.shared = True
            self.attached = True
            return True
        return False

    def _goes_on_in(self) -> bool:
        """Whether a list of places goes on with a preposition: "in the kidneys, along the ureters, or within the bladder"."""
        if "prep" not in self.last or not {"and", "or"} & set(self.last):
            after = [chunk.kind for chunk in self.chunks[self.at + 1 :] if isinstance(chunk, Item) and chunk.kind != "comma"]
            return self.last == ["comma", "prep"] and after[:2] in (["or", "prep"], ["and", "prep"])
        return True

    def _list_site(self, phrase: Phrase, sites: list[tuple[Place, ...]]) -> bool:
        """ "In the liver and the spleen": one more site of the coordination, where no clause of its own begins with it."""
        listing = bool(self.last) and set(self.last) <= LISTING
        clause = self._owns_next() or ((self._verb_next() or self._opens_clause()) and not self._disagrees(phrase))
        if not listing or clause:
            return False
        noun = phrase.unknown[-1] if phrase.unknown else None
        if noun is not None and noun.first == phrase.sites[-1].last + 1:
            return True  # "adenopathy or adrenal lipodystrophy": a finding that nobody knows, and no place
        if self.passed == self.at - len(self.last) - 1 > 0:
            self.passed = self.at  # "inseparable from the uterus and the sigmoid colon"
            return True
        sized = bool(phrase.measures) and self.last == ["comma"]  # "hepatic veins patent, portal vein 12 mm"
        if self.attached or (all(h.kind in ("N", "Q") for h in self.group) and not sized):
            self._extend(sites, self._side_after(phrase))
            return True
        if phrase.measures and self.last == ["comma"]:
            return False  # "Uterus anteverted, endometrium 8 mm"
        lone = [h for h in self.group if not h.sites or h.inherited]
        if lone:
            self._attach(lone, sites, phrase)
            self.attached = True
        return bool(lone)

    def _side_phrase(self, phrase: Phrase) -> None:
        """A side alone: of what stands before, or of what comes."""
        side = self._phrase_side(phrase)
        if side is None:
            return
        self._measured_side(phrase)
        said = self._value_said(phrase) or self._side_of_same(side) or self._both_of_list(phrase)
        if said or self._one_on(side, phrase) or self._pair_on(side) or self._both_now(side, phrase):
            return
        details = self._details(phrase, [])
        if self._other_side_too(side, details):
            return
        self.beside = details
        if (self.group and self.last != ["comma"]) or (self.group and not self._following_head()):
            if self._contrast(side, details):
                return
            for head in self.group:
                self._put_side(head, side)
                head.details += details
        elif self.group and self._contrast(side, details):
            return
        else:
            self.subject_side = side
            self.pending = details
            if self.subject:
                self.subject = [tuple((name, found or side) for name, found in alternative) for alternative in self.subject]

    def _both_of_list(self, phrase: Phrase) -> bool:
        """ "Collapse of T8 and of T9, both unchanged": two findings, and no side."""
        following = self._next()
        several = sum(head.kind == "F" for head in self.heads) > 1 or any(len(head.sites) > 1 for head in self.heads)
        verb = isinstance(following, Item) and (following.kind == "change" or following.kind in VERBS)
        if not several or not verb or not self._says_both(phrase):
            return False
        self.group = [head for head in self.heads if head.kind == "F" and not head.dead]
        self.after_verb = True
        return True

    def _contrast(self, side: str, details: list[Detail]) -> bool:
        """ "severe on the right and mild on the left": a bilateral head, one side at a time."""
        if side not in ("left", "right"):
            return False
        found = False
        for head in self.group:
            if self._is_both(head):
                waiting = [d for d in self.pending if d.category != "previous"]
                head.details += [Detail(d.category, d.value, f"{side}: {d.text}") for d in (*waiting, *details)]
                found = True
        if found:
            self.pending = []
        return found

    def _value_said(self, phrase: Phrase) -> bool:
        """ "The hila are prominent bilaterally": a size word after the verb is the value of the subject."""
        values = [m for m in phrase.modifiers if m.id in self.words.flagged("size_values") or not DIRECTIONS.isdisjoint(m.types)]
        if not values or not self.after_verb or not self.copula or len(phrase.modifiers) > 3 or self.group:
            return False
        if not self.subject and not self.subject_qualities:
            return False
        if (side := self._phrase_side(phrase)) is not None:
            self.subject = [tuple((name, found or side) for name, found in places) for places in self.subject]
        self._value_of_subject(phrase, values[0])
        return True

    def _detail_phrase(self, phrase: Phrase) -> None:
        """Descriptors alone: of what stands before, or of what comes."""
        if self._value_said(phrase):
            return
        details = self._details(phrase, [])
        if not details:
            return
        if self.last[-1:] == ["neg"] and self._shares_noun():
            self.pending = self.pending + details
            return
        if self.last[-1:] == ["neg"] and phrase.modifiers:
            self._denied_adjective(phrase, details)
            return
        if self.group and any(self._is_both(h) for h in self.group) and self._side_next():
            self.pending = details
        elif self.group and (self._one_more_size(phrase, details) or self._measures_next(phrase, details)):
            return
        elif self.group:
            for head in self._described():
                head.details += details
                head.end = max(head.end, phrase.items[-1].end)
            self.beside = details
        else:
            self.pending = self.pending + details

    def _shares_noun(self) -> bool:
        """Whether another adjective with the noun of both follows ("no large or moderate effusion")."""
        joint, following = (*self.chunks[self.at + 1 : self.at + 3], None, None)[:2]
        if not isinstance(joint, Item) or joint.kind not in LISTING or not isinstance(following, Phrase):
            return False
        cue = self.neg_item
        return bool(following.heads) and (cue is None or self.text[cue.start : cue.end].lower() != "nothing")

    def _denied_adjective(self, phrase: Phrase, details: list[Detail]) -> None:
        """ "Nothing acute", "nothing focal": the adjective restricts what is denied."""
        acutely, localizing = self.words.role("acutely"), self.words.role("localizing")
        everything = self.words.role("all_acute" if any(d.value == acutely for d in details) else "any_abnormality")
        entry = phrase.modifiers[0].types.get("F")
        head = self._new("F", entry.id if entry else everything, phrase.modifiers[0], phrase)
        head.details += [d for d in details if d.value not in (acutely, localizing, phrase.modifiers[0].id if entry else "")]
        self._take_subject(head)
        if self.group and not head.sites:
            head.sites, head.side, head.inherited = list(self.group[0].sites), self.group[0].side, True
        self.group = [head]
        self.heads.append(head)
        self._spent()
