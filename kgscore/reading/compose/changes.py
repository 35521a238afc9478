"""Change and comparison: with earlier examinations, and of one side with the other."""

from __future__ import annotations

import re

from kgscore.model import Detail
from kgscore.reading.compose.hedges import Hedges
from kgscore.reading.compose.phrases import Head, Phrase
from kgscore.reading.compose.state import OTHER_SIDE
from kgscore.reading.items import Item

# "Increased in size", said of a structure: an abnormal size, and no change of a finding.
_COMPARED = re.compile(r"(?:when )?compar|in comparison|since|relative to", re.IGNORECASE)
# After the noun of a change, what changed.
_OF = re.compile(r"\b(?:in|of)\b", re.IGNORECASE)
_NOUNS = ("increase ", "decrease ", "reduction ")
_SIZED = {"increased": "grown", "decreased": "shrunken"}


# "Compared with the prior study, a nodule …": what is spoken of is what comes now.
_EXAMINATION = re.compile(
    r"\b(?:stud(?:y|ies)|exam\w*|scans?|films?|images?|imaging|radiographs?|x-?rays?|ultrasound|sonogram|mammogram|CT|MRI?|PET\S*)\b",
    re.IGNORECASE,
)


class Changes(Hedges):
    """Reads words of change and comparison."""

    def _op_change(self, item: Item) -> None:
        """A change of what follows ("new effusion") or of what stands before ("effusion, unchanged")."""
        following = self._following()
        value = item.id
        said = self.text[item.start : item.end].lower()
        if self._new_or_changed(value) or (said == "worse" and self._worse_there(item)):
            return
        what = _OF.search(self.text, item.end - 3, item.end + 3) or said.endswith(" size")
        if self.last[-1:] == ["neg"] and value not in ("new", "stable") and what:
            self.negated, value = False, "stable"  # "no improvement of the consolidation"
        # "No change in the adenoma or the cyst", "Unchanged: adenoma and cyst."
        self.change_holds = said.endswith((" in", " of")) or self.text[item.end : item.end + 1] == ":"
        sized = said.endswith("in size") and value in _SIZED and (self.copula or said.startswith(_NOUNS))
        if self.subject and self.after_verb and not self.group and sized:
            self._size_of_subject(item, value)
            return
        if (
            following is not None
            and following.measures
            and not following.heads
            and self.text[item.start : item.end].lower().endswith("from")
        ):
            self.pending.append(Detail("previous", "", "previously"))
        direct: object = self._measures_structure(following) or (
            following is not None and following.heads and (not self.group or value == "new" or self._changes_next(said))
        )
        if direct:
            self.change = value
        elif self.group:
            whole = self.after_verb and len(self.group) == len(self.heads)
            said_of = self._own_clause() or (self.heads if whole else self.group)
            here = [head for head in said_of if head.status == "present"] or said_of  # "no effusion, otherwise stable"
            waiting = [head for head in here if head.change is None]  # "increasing callus, hardware unchanged"
            for head in waiting or here:
                self._changed(head, value, item.start)
        elif following is not None or value == "resolved":
            self.change = value
        elif self.heads:
            self._changed(self.heads[-1], value, item.start)

    def _measures_structure(self, phrase: Phrase | None) -> bool:
        """Whether a phrase names a quality of a structure ("with stable ventricular size")."""
        if phrase is None or phrase is not self._next() or self.last[-1:] != ["with"]:
            return False
        return any(phrase.sites or any(entry.site for entry in quality.types.values()) for quality in phrase.qualities)

    def _new_or_changed(self, value: str) -> bool:
        """ "No new or enlarging nodule": new comes first, and the other change adds nothing."""
        joints = ("or", "comma") if self.negated else ("or",)
        kinds = [chunk.kind for chunk in self.chunks[self.at + 1 : self.at + 3] if isinstance(chunk, Item)]
        if value == "new" and kinds[1:] == ["change"] and kinds[0] in joints:
            self.change = value
            return True
        return self.change == "new" and bool(self.last) and self.last[-1] in joints

    def _worse_there(self, item: Item) -> bool:
        """ "Osteoarthritis of both knees, worse medially on the right": a comparison of places, and no change."""
        following = self._next()
        if not isinstance(following, Phrase) or following.heads or not self.group:
            return False
        if not (following.sides or following.sites or following.modifiers):
            return False
        if following.sides:
            item.kind = "greater"
            self._op_greater(item)
        return True

    def _changes_next(self, said: str) -> bool:
        """Whether a change begins a part of its own ("…, decreased effusion", "tube with decrease in the effusion")."""
        companion = self.last[-1:] == ["with"] and said.endswith((" in", " of"))
        return companion or (("comma" in self.last or "and" in self.last) and self.last[-1] != "cop")

    def _own_clause(self) -> list[Head]:
        """Return the heads of the clause that ends here: after the conjunction that follows the last verb ("the liver is
        enlarged, focal lesions are not seen")."""
        start, verb = 0, False
        for chunk in self.chunks[: self.at]:
            if isinstance(chunk, Item):
                if verb and chunk.kind in ("comma", "and"):
                    start, verb = chunk.start, False
                moved = chunk.kind == "change" and self.text[chunk.start : chunk.start + 2].lower() == "ha"  # "has decreased"
                verb = verb or moved or chunk.kind in ("cop", "have", "seen")
        return [head for head in self.group if head.start >= start]

    def _size_of_subject(self, item: Item, value: str) -> None:
        """ "The spleen is increased in size" is a size of the spleen."""
        head = Head("Q", self.words.role(_SIZED[value]), item, item.start, item.end, list(self.subject))
        head.status, head.details, head.side = self._denied, list(self.pending), self.subject_side
        self.group = [head]
        self.heads.append(head)
        self._spent()

    def _op_past(self, item: Item) -> None:
        """An earlier examination: what it showed is not reported, a size it had is a detail."""
        following = self._next()
        if isinstance(following, Item) and following.kind == "cop" and self.at + 2 < len(self.chunks):
            following = self.chunks[self.at + 2]  # "previously measuring 24 mm"
        before = self.chunks[self.at - 1] if self.at else None
        if isinstance(before, Phrase) and before.items[-1].kind == "meas" and not isinstance(following, Phrase):
            self._earlier_size()
        if self.text[item.start : item.start + 3].lower() == "on ":
            for head in self.group:
                head.dead = head.dead or head.kind == "N"
            return
        if self._compares(item, following):
            return
        if isinstance(following, Phrase) and following.heads and item.id == "":
            self.past = self.change is None and not _EXAMINATION.search(self.text, item.end, following.items[0].start)
        elif isinstance(following, Phrase) and following.measures and not following.heads:
            self.pending.append(Detail("previous", "", "previously"))

    def _earlier_size(self) -> None:
        """ "5.4 cm (5.1 cm on the prior study)": the last of two sizes is the earlier one."""
        for head in self.group:
            lengths = [at for at, d in enumerate(head.details) if d.category == "length"]
            if len(lengths) > 1:
                last = head.details[lengths[-1]]
                head.details[lengths[-1]] = Detail("previous", last.value, f"previously {last.text}")

    def _compares(self, item: Item, following: Phrase | Item | None) -> bool:
        """ "Compared to the prior film the tube has been removed": what comes without a comma is spoken of now."""
        first = self.chunks[0]
        opens = isinstance(first, Item) and self.at < 2 and _COMPARED.match(self.text, first.start) is not None
        after = self.chunks[self.at + 2] if self.at + 2 < len(self.chunks) else None
        return opens and isinstance(following, Phrase) and not (isinstance(after, Item) and after.kind == "comma")

    def _op_ref(self, item: Item) -> None:
        self.past = True

    def _op_greater(self, item: Item) -> None:
        """A comparison of sides ("right greater than left"), or with before ("larger")."""
        following = self._next()
        if isinstance(following, Phrase) and following.measures:
            return
        if self._between_places(following):
            item.kind = "and"
            return
        before = self._adjacent_side(-1)
        after = self._adjacent_side(1)
        if after is None and (before is None or (self.group and self.after_verb)):
            for head in self.group:
                self._changed(head, "increased" if item.kind == "greater" else "decreased", item.start)
            return
        larger, smaller = (before, after) if before and after else (after, None)
        if item.kind == "less":
            larger, smaller = smaller or OTHER_SIDE.get(larger or ""), larger
        if larger in OTHER_SIDE:
            compare = (larger, smaller or OTHER_SIDE[larger])
            heads = [] if self._both_compared() else self.group or self.heads[-1:]
            self.compare = None if heads else compare
            # "Canal stenosis and bilateral foraminal narrowing, left worse than right": of what is on both sides.
            for head in [head for head in heads if self._is_both(head)] or heads:
                head.compare = compare
                if before and after and self._beside_bare():
                    # "Effusions, left greater than right": the side before was not where they are.
                    head.side = "both" if head.side == before else head.side
                    head.sites = [tuple((n, "both" if s == before else s) for n, s in places) for places in head.sites]
                if head.side is None and not any(side for alternative in head.sites for _, side in alternative):
                    head.side = "both"

    def _op_less(self, item: Item) -> None:
        self._op_greater(item)

    def _between_places(self, following: Phrase | Item | None) -> bool:
        """ "C5-C6 > C6-C7", "upper lobes more than lower lobes": both places have the finding."""
        before = self.chunks[self.at - 1] if self.at else None
        if not isinstance(before, Phrase) or not isinstance(following, Phrase) or before.items[-1].kind != "A":
            return False
        sided = before.items[-1].side or following.items[0].side or before.sides or following.sides
        places = {before.items[-1].id, following.items[0].id}
        return following.items[0].kind == "A" and not following.heads and not sided and len(places) > 1

    def _beside_bare(self) -> bool:
        """Whether only a side stands before a comparison, after a comma."""
        before = self.chunks[max(0, self.at - 2) : self.at]
        bare = isinstance(before[-1], Phrase) and all(item.kind in ("sideword", "A") for item in before[-1].items)
        return bare and len(before) == 2 and isinstance(before[0], Item) and before[0].kind in ("comma", "open")

    def _both_compared(self) -> bool:
        """Whether what follows is on both sides: "right greater than left effusions"."""
        following = self._next()
        if not isinstance(following, Phrase) or not following.sides or following.items[0] is not following.sides[0]:
            return False
        if following.heads or following.sites:
            following.sides[0].id = "both"
            return True
        return False

    def _adjacent_side(self, step: int) -> str | None:
        """Return the side said by the nearest phrase before (-1) or after (1)."""
        at = self.at + step
        while 0 <= at < len(self.chunks):
            chunk = self.chunks[at]
            if isinstance(chunk, Phrase):
                if chunk.sides:
                    side = chunk.sides[-1 if step < 0 else 0].id
                    if not chunk.heads and not chunk.sites:
                        for it in chunk.sides:
                            it.used = True
                    return side if side in ("left", "right") else None
                return None
            at += step
        return None
