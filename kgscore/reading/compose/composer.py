"""Composition: from the items of one sentence to heads with their sites, sides, polarity, hedges and details.

A sentence is a run of noun phrases and of operators between them (prepositions, verbs, conjunctions, cues). The
phrases are walked from left to right; a small state says what the subject is, which heads stand in the present
coordination, and which cues are open.
"""

from __future__ import annotations

from kgscore.reading.compose.limits import Limits
from kgscore.reading.compose.phrases import Head, Phrase, Place, phrases
from kgscore.reading.compose.predicates import values_repeated
from kgscore.reading.compose.respective import deal_out
from kgscore.reading.compose.state import LISTING
from kgscore.reading.items import Item


class Composer(Limits):
    """Walks the phrases of one sentence."""

    def run(self, items: list[Item], label: list[tuple[Place, ...]], label_side: str | None) -> list[Head]:
        """Return the heads of the sentence. `label` gives the sites of a heading before it."""
        self.subject = list(label)
        self.label = list(label)
        self.subject_side = label_side
        self.chunks = values_repeated(phrases(items, self.text))
        for at, chunk in enumerate(self.chunks):
            self.at = at
            if isinstance(chunk, Phrase):
                self._phrase(chunk)
                self.last = []
            else:
                getattr(self, f"_op_{chunk.kind}", self._op_other_kind)(chunk)
                self.last.append(chunk.kind)
        if (
            self.negated
            and self.neg_item is not None
            and self.group
            and not self._open_after(self.neg_item)
            and not self._unknown_after(self.neg_item)
        ):
            self._deny(self.group)
        self._close_rest()
        return deal_out([head for head in self.heads if not head.dead], self.text)

    def _phrase(self, phrase: Phrase) -> None:
        """Read a phrase by what is in it: qualities with values, findings, normal words, or what only adds to these."""
        for item in phrase.sides:
            if item.id in ("left", "right"):
                self.memory_side = item.id
        if self.dropped or self.history:
            for item in phrase.items:
                item.used = True
            return
        self._other_one(phrase)
        self._judge(phrase)
        self._normal_by_descriptor(phrase)
        heads = self._heads_of(phrase)
        if heads is None:
            return
        if phrase.qualities and (phrase.normals or phrase.directions):
            listed = bool(self.last) and set(self.last) <= LISTING and not self.group
            self._quality_heads(phrase, [*(self.subject_qualities if listed else ()), *phrase.qualities])
        elif heads:
            self._finding_heads(phrase, heads)
        elif phrase.normals:
            self._normal_heads(phrase)
        elif phrase.qualities:
            self._quality_phrase(phrase)
        elif phrase.directions and not phrase.sites:
            self._direction_phrase(phrase)
        elif phrase.sites:
            self._site_phrase(phrase)
        elif phrase.sides:
            self._side_phrase(phrase)
        elif phrase.modifiers or phrase.measures:
            self._detail_phrase(phrase)

    def _heads_of(self, phrase: Phrase) -> list[Item] | None:
        """Return the nouns of a phrase; None where its adjectives only wait for the noun of the next phrase."""
        heads = self._noun_heads(phrase)
        adjectives = not phrase.sites and all(h.adjective and "M" in h.types for h in phrase.heads)
        if not heads and not phrase.normals:
            heads = [self._as_finding(m) for m in phrase.modifiers if self._enhances(m)][:1]
        elif heads and self._describes_before(phrase, adjectives):
            self._as_descriptors(phrase)
            phrase.modifiers += phrase.heads
            phrase.heads, heads = [], []
        if heads and adjectives and self._qualifies_next():
            self._as_descriptors(phrase)
            self.pending = self.pending + [self.words.detail(i.id) for i in (*phrase.modifiers, *phrase.heads)]
            return None
        return heads

    def _qualifies_next(self) -> bool:
        """Whether this phrase of adjectives belongs to the noun after a comma ("displaced, angulated fracture")."""
        after = self.chunks[self.at + 1 : self.at + 3]
        return (
            len(after) == 2
            and isinstance(after[0], Item)
            and after[0].kind == "comma"
            and isinstance(after[1], Phrase)
            and any(not h.adjective for h in after[1].heads)
            and not (self.group or self.after_verb)
        )

    def _as_descriptors(self, phrase: Phrase) -> None:
        """Take the adjectives of a phrase for descriptors instead of findings."""
        for head in phrase.heads:
            head.kind, head.id = "M", head.types["M"].id if "M" in head.types else head.id

    def _describes_before(self, phrase: Phrase, adjectives: bool) -> bool:
        """Whether `adjectives`, or others after a comma, describe the lesion before ("mass in the right lobe, FDG-avid")."""
        if not self.group or self.group[-1].kind != "F":
            return False
        if self.group[-1].concept in self.words.own and any(head.id in self.words.own for head in phrase.heads):
            return False  # "high on T2, enhancing"
        named = bool(phrase.heads) and all("M" in head.types for head in phrase.heads) and not phrase.sites
        if named and self.last[-1:] in (["with"], ["and"]) and not self.negated and self._of_fracture(phrase):
            return True  # "the ulna is fractured, with mild displacement"
        if adjectives and self.last and ("and" not in self.last or self._of_fracture(phrase)):
            return True
        return (
            (self.last == ["comma"] or (self.last == ["and"] and self.after_verb and not self.group[-1].item.adjective))
            and self.group[-1].status == "present"
            and self.group[-1].concept in self.words.generic
            and not (phrase.sites or phrase.sides or phrase.normals or phrase.qualities)
            and all((head.adjective or "M" in head.types) and head.id not in self.words.own for head in phrase.heads)
        )

    def _of_fracture(self, phrase: Phrase) -> bool:
        """Whether words for fractures describe one ("fractured and displaced")."""
        fracture = "fracture" in self.words.labels.get(self.group[-1].concept, "").split()
        return fracture and all(self.words.parents.get(h.types["M"].id) == "fracture_descriptor" for h in phrase.heads)

    def _enhances(self, item: Item) -> bool:
        """Whether a descriptor is a way of enhancing."""
        return self.words.parents.get(item.id) == "enhancement_descriptor" and item.id != self.words.role("without_enhancing")

    def _as_finding(self, item: Item) -> Item:
        """ "Rim enhancement" by itself is an enhancement with a detail."""
        return Item("F", self.words.role("enhancing"), None, False, item.start, item.end, item.first, item.last)
