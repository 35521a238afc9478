"""The operators of a sentence: negation, verbs, conjunctions, clause boundaries, advice and history."""

from __future__ import annotations

from kgscore.model import Detail
from kgscore.reading.compose.changes import Changes
from kgscore.reading.compose.phrases import Head, Phrase
from kgscore.reading.compose.state import ELLIPTIC
from kgscore.reading.items import Item

_WAS = ("was", "were")
# An exception that opens a sentence restricts all that it denies.
WHOLE = -1
_ELSEWHERE = ("elsewhere", "else")
# "No lesion with washout" denies what is so, and not all lesions.
# What is said of the examination rather than of the patient; a clause of findings may follow it.
_REMARKS = ("technique", "quality", "limitation")
_SHOWING = ("show", "demonstrat", "reveal", "exhibit")


class Operators(Changes):
    """Reads operators: `_op_` and the kind of the item."""

    def _op_other_kind(self, item: Item) -> None:
        pass

    def _op_neg(self, item: Item) -> None:
        """Negation opens; the scope starts at the first cue of a list ("no A or no B")."""
        if ("or" not in self.last and "and" not in self.last and "comma" not in self.last) or not self.negated:
            self.neg_item = item
        goes_on = self.negated and not self.copula  # "the breast shows no mass, no calcification"
        listed = {"and", "comma"} & set(self.last) and not {"have", "cop"} & set(self.last)
        said = ELLIPTIC.fullmatch(self.text, item.start, item.end)  # "thin-walled and free of stones"
        valued = self.after_verb or (bool(self.group) and all(head.status == "normal" for head in self.group))
        if self.heads and valued and listed and not goes_on and not said:
            self.subject, self.after_verb = list(self.label), False
        if self.rest_from != WHOLE:
            self._close_rest()
        if item.id == "other":
            self.rest_from = len(self.heads)
        self.negated = True
        self.inference = None

    def _op_rather(self, item: Item) -> None:
        """ "Abscess favoured over tumour", "favour abscess over tumour", "abscess rather than tumour": what stands before is
        the likely one of the two, and what follows is not."""
        said = self.text[item.start : item.end].lower()
        following = self._following()
        hedged = bool(self.group) and (self.group[-1].certainty == "probable" or self.group[-1].alternatives)
        named = following is not None and following.heads and not following.sites
        if said != "over" and following is not None and self.group and len(following.modifiers) == len(following.items):
            following.modifiers = []  # "more likely chronic than acute"
            return
        if said in ("over", "than") and not (hedged and named):
            return
        if not self._appended("probable") and said not in ("over", "than", "rather than"):
            for head in self.group:
                head.certainty = "probable"
        self.negated, self.neg_item, self.inference = True, item, None
        self.hedge = None if said == "rather than" else "probable"
        item.kind = "neg"

    def _op_prep(self, item: Item) -> None:
        if self.text[item.start : item.end].lower() == "over":
            self._op_rather(item)

    def _close_rest(self) -> None:
        """ "No other fracture": what was denied since holds for the rest only, that is for what no finding reports."""
        if self.rest_from is not None:
            for head in self.heads[max(self.rest_from, 0) :]:
                if head.status != "present":
                    head.otherwise = True
        self.rest_from = None

    def _op_negpost(self, item: Item) -> None:
        """Negation after its scope ("effusion is not seen"), or "absent" before its noun ("with absent flow")."""
        following = self._next()
        opens = self.last[-1:] in (["with"], ["and"], ["comma"]) and self.text[item.start : item.end].lower() == "absent"
        if opens and isinstance(following, Phrase) and (following.heads or following.qualities) and not following.normals:
            self.subject_qualities = list(following.qualities)
            if following.qualities:
                self._quality_value("lost", item)
                following.qualities = []
            else:
                self._op_neg(item)
            return
        if self.group:
            self._deny(self._denied_last() or self.group)
        elif self.subject_qualities:
            self._quality_value("lost", item)
        self.negated = False

    def _denied_last(self) -> list[Head]:
        """Return the heads that a negation after them is said of: of its own clause, or, where only the finding before them was
        described, the last one ("small left hydrocele, varicocele none")."""
        own = self._own_clause()
        start = own[0].start if own else 0
        joined = any(isinstance(c, Item) and c.start > start and c.kind in ("and", "or", "slash") for c in self.chunks[: self.at])
        if len(own) > 1 and not joined and own[-2].details and not own[-1].details:
            return own[-1:]  # "small left hydrocele, varicocele none"
        return own

    def _op_seen(self, item: Item) -> None:
        """Existence ("there is", "is seen"): a new clause, or the value of a quality."""
        there = self.text[item.start : item.start + 5].lower() == "there" and self.last[-1:] != ["where"]
        if there and (self.heads or self.last[-1:] == ["and"]) and not self._placed_first():
            self.subject, self.subject_qualities = list(self.label), []
            if "and" in self.last or "comma" in self.last:
                self.negated = False
        elif self.subject_qualities and not self.group and not self.negated:
            self._quality_value("N", item)
        if (
            self.negated
            and self.neg_item is not None
            and self.group
            and not self._open_after(self.neg_item)
            and self.last[-1:] == ["neg"]
        ):
            self._deny(self.group)
            self.negated = False

    def _placed_first(self) -> bool:
        """Whether a clause begins with a place: "… at L2-3; at L4-5 there is a bulge"."""
        place, before = (self.chunks[at] if at >= 0 else None for at in (self.at - 1, self.at - 2))
        placed = isinstance(place, Phrase) and bool(place.sites) and not place.heads and self.fresh_subject and not self.group
        return placed and isinstance(before, Item) and before.kind == "prep"

    def _op_cop(self, item: Item) -> None:
        self.after_verb = self.copula = True
        following = self._next()
        size = isinstance(following, Phrase) and following.measures and not following.heads
        if size and self._measured() and self.text[item.start : item.end].lower() in _WAS:
            self.pending.append(Detail("previous", "", "previously"))  # "nodule 6 mm (was 4 mm)"

    def _clause_next(self) -> bool:
        """Whether a clause of its own follows: with a denial, "there is", or a verb after its first words."""
        following, after = (*self.chunks[self.at + 1 : self.at + 3], None, None)[:2]
        if isinstance(following, Item):
            there = self.text[following.start : following.start + 5].lower() == "there"
            return following.kind == "neg" or (following.kind == "seen" and there)
        return isinstance(following, Phrase) and isinstance(after, Item) and after.kind in ("cop", "have", "seen")

    def _op_have(self, item: Item) -> None:
        if self.dropped in _REMARKS and self.text[item.start : item.end].lower().startswith(_SHOWING):
            self.dropped = ""  # "the lateral view shows a fracture"
        if self.copula and self.negated and self.last[-1:] == ["and"]:
            self.negated = False  # "the fracture is not displaced and shows callus"
        self.after_verb, self.copula = True, False

    def _op_with(self, item: Item) -> None:
        """A companion: negation ends, and what comes may be placed together with what was."""
        bare = self.words.flagged("bare_lesions")
        self.restricting = self.negated and bool(self.group) and all(head.concept in bare for head in self.group)
        if self.negated and self.group:
            self.negated = self.restricting
        self.companions = [h for h in self.group if not h.sites]
        self.inference = None
        self.after_verb = False

    def _op_except(self, item: Item) -> None:
        """What was denied or normal so far holds otherwise only."""
        self.negated = False
        for head in self.heads:
            if head.status != "present":
                head.otherwise = True
        if not self.heads:  # "Except for a small effusion, the chest is normal."
            self.rest_from = WHOLE
        self.group = []

    def _op_other(self, item: Item) -> None:
        denied = bool(self.group) and all(head.status == "absent" for head in self.group)
        after = set(self.last) <= {"cop", "seen"} and self.text[item.start : item.end].lower() in _ELSEWHERE
        if denied and (after or self.last[-1:] == ["prep"]):
            for head in self.group:
                head.otherwise = True  # "No lesion is seen elsewhere in the liver", "in the rest of the liver"
            return
        self.other = True

    def _op_tip(self, item: Item) -> None:
        self.tip = True

    def _op_open(self, item: Item) -> None:
        """Brackets open: what stands in them is said of what stands before."""
        self.around = list(self.group)

    def _op_close(self, item: Item) -> None:
        """What comes after brackets is said of what stood before them, and of the findings in them that have no place."""
        if self.around and any(head not in self.around for head in self.group):
            inner = [head for head in self.group if head not in self.around and head.kind == "F" and not head.sites]
            for head in (*inner, *self.around):
                head.joined = True
            if all(head.status == "present" for head in (*inner, *self.around)):
                self.group = [*self.around, *inner]
        self.around = []

    def _op_comma(self, item: Item) -> None:
        if self.dropped in _REMARKS and self._clause_next():
            self.dropped = ""  # "although limited by motion, there is no haemorrhage"
        self.restricting = False
        self.before_comma = len(self.heads)

    def _op_semi(self, item: Item) -> None:
        """A clause ends: its cues close and its subject goes."""
        if self.rest_from == WHOLE:
            self._close_rest()
        self.negated = self.past = self.other = False
        self.dropped = ""
        self.subject_side = None if not self.label else self.subject_side
        self.hedge = self.inference = self.change = self.compare = None
        self.group = []
        self.after_verb = False
        self.pending = []
        self.tip = self.restricting = False
        self.fresh_subject = True

        self.subject, self.subject_qualities = list(self.label), []
        self.before_comma = self.before_clause = len(self.heads)

    def _op_colon(self, item: Item) -> None:
        """What a clause with a verb leads to is a clause of its own ("the hila are elevated: old tuberculosis")."""
        if self.after_verb and self.heads:
            self._op_semi(item)

    def _op_but(self, item: Item) -> None:
        """A contrast ends the cues, but keeps the subject."""
        kept, qualities, group = self.subject, self.subject_qualities, self.group
        self._op_semi(item)
        self.subject, self.subject_qualities = kept, qualities
        following = self._next()
        if isinstance(following, Item) and following.kind in ("hedge", "infer") and not self._verb_next():
            self.group = group  # "foci, which are nonspecific but likely reflect …"

    def _op_drop(self, item: Item) -> None:
        """Advice, technique and questions report nothing; what stands before advice does ("nodule, follow-up advised")."""
        if self.dropped or (item.id in _REMARKS and self.last[-1:] == ["prep"]):
            return  # "a nodule is seen on the lateral view"
        if item.id == "comparison" and self.last[-1:] in (["past"], ["change"], ["prep"]):
            return  # "unchanged since the comparison film"
        self.dropped = item.id
        spared = self.before_comma if item.id in ("recommendation", "communication") else self.before_clause
        if item.id == "limitation" or (item.id == "recommendation" and self.last[-1:] == ["and"]):
            spared = len(self.heads)  # "the tube ends at the carina and should be withdrawn"
        for head in self.heads[spared:]:
            head.dead = True

    def _op_history(self, item: Item) -> None:
        """What a patient had or has; "ago" after a comparison or a size only tells when."""
        before = [chunk.kind for chunk in self.chunks[: self.at] if isinstance(chunk, Item)]
        ago = self.text[item.start : item.end].lower().endswith("ago")
        self.history = not (ago and (self._measured() or {"past", "change"} & set(before)))
