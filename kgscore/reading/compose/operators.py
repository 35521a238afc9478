"""The operators of a sentence: negation, verbs, conjunctions, clause boundaries, advice and history."""

from __future__ import annotations

from kgscore.reading.compose.changes import Changes
from kgscore.reading.compose.phrases import Head
from kgscore.reading.items import Item


class Operators(Changes):
    """Reads operators: `_op_` and the kind of the item."""

    def _op_other_kind(self, item: Item) -> None:
        pass

    def _op_neg(self, item: Item) -> None:
        """Negation opens; the scope starts at the first cue of a list ("no A or no B")."""
        if ("or" not in self.last and "and" not in self.last and "comma" not in self.last) or not self.negated:
            self.neg_item = item
        if self.heads and self.after_verb and {"and", "comma"} & set(self.last) and not {"have", "cop"} & set(self.last):
            self.subject, self.after_verb = list(self.label), False
        self._close_rest()
        if item.id == "other":
            self.rest_from = len(self.heads)
        self.negated = True
        self.inference = None

    def _close_rest(self) -> None:
        """ "No other fracture": what was denied since holds for the rest only, that is for what no finding reports."""
        if self.rest_from is not None:
            for head in self.heads[self.rest_from :]:
                if head.status != "present":
                    head.otherwise = True
        self.rest_from = None

    def _op_negpost(self, item: Item) -> None:
        """Negation after its scope ("effusion is not seen")."""
        if self.group:
            self._deny(self._own_clause() or self.group)
        elif self.subject_qualities:
            self._quality_value("lost", item)
        self.negated = False

    def _own_clause(self) -> list[Head]:
        """Return the heads of the clause that ends here: after the conjunction that follows the last verb ("the liver is
        enlarged, focal lesions are not seen")."""
        start, verb = 0, False
        for chunk in self.chunks[: self.at]:
            if isinstance(chunk, Item):
                if verb and chunk.kind in ("comma", "and"):
                    start, verb = chunk.start, False
                verb = verb or chunk.kind in ("cop", "have", "seen")
        return [head for head in self.group if head.start >= start]

    def _op_seen(self, item: Item) -> None:
        """Existence ("there is", "is seen"): a new clause, or the value of a quality."""
        if self.text[item.start : item.start + 5].lower() == "there" and self.heads:
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

    def _op_cop(self, item: Item) -> None:
        self.after_verb = self.copula = True

    def _op_have(self, item: Item) -> None:
        self.after_verb, self.copula = True, False

    def _op_with(self, item: Item) -> None:
        """A companion: negation ends, and what comes may be placed together with what was."""
        if self.negated and self.group:
            self.negated = False
        self.companions = [h for h in self.group if not h.sites]
        self.inference = None
        self.after_verb = False

    def _op_except(self, item: Item) -> None:
        """What was denied or normal so far holds otherwise only."""
        self.negated = False
        for head in self.heads:
            if head.status != "present":
                head.otherwise = True
        if not self.heads:
            self.rest_from = 0
        self.group = []

    def _op_other(self, item: Item) -> None:
        self.other = True

    def _op_tip(self, item: Item) -> None:
        self.tip = True

    def _op_comma(self, item: Item) -> None:
        self.before_comma = len(self.heads)

    def _op_semi(self, item: Item) -> None:
        """A clause ends: its cues close and its subject goes."""
        self.negated = self.past = self.dropped = False
        self.subject_side = None if not self.label else self.subject_side
        self.hedge = self.inference = self.change = None
        self.group = []
        self.after_verb = False
        self.pending = []
        self.tip = False
        self.fresh_subject = True

        self.subject, self.subject_qualities = list(self.label), []
        self.before_comma = len(self.heads)

    def _op_but(self, item: Item) -> None:
        """A contrast ends the cues, but keeps the subject."""
        kept, qualities = self.subject, self.subject_qualities
        self._op_semi(item)
        self.subject, self.subject_qualities = kept, qualities

    def _op_drop(self, item: Item) -> None:
        """Advice, technique and questions report nothing; what stands before advice does ("nodule, follow-up advised")."""
        if self.dropped:
            return
        self.dropped = True
        spared = 0
        if item.id in ("recommendation", "communication"):
            spared = self.before_comma
        if item.id == "limitation" or (item.id == "recommendation" and self.last[-1:] == ["and"]):
            spared = len(self.heads)  # "the tube ends at the carina and should be withdrawn"
        for head in self.heads[spared:]:
            head.dead = True

    def _op_history(self, item: Item) -> None:
        self.history = True
