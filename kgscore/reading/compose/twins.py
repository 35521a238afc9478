"""One more finding like the one before: at another site or on the other side, with details of its own."""

from __future__ import annotations

import re
from dataclasses import replace

from kgscore.model import Detail
from kgscore.reading.compose.phrases import Head, Phrase, Place
from kgscore.reading.compose.qualities import MOVED, Qualities
from kgscore.reading.compose.state import LISTING, OTHER_SIDE, VERBS
from kgscore.reading.items import Item

# Details of which a finding has one.
_GRADES = frozenset(("length", "percent", "severity_descriptor", "size_descriptor"))
_ONE = re.compile(r"\b(?:one\s+(?:(?:in|of|at)\s+(?:the\s+)?)?|(?P<no>not)\s+)\Z", re.IGNORECASE)
_THAT = re.compile(
    r"\b(?:that|those|the ones?|another|another one|a second|a second one|a similar one)\s+(?:in|of|at|within)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)


# Stand before a change in one place of what was said before.
_AFTER = (["with"], ["comma"], ["and"], ["but"])


class Twins(Qualities):
    """Makes heads of heads."""

    def _one_more(self, phrase: Phrase, sites: list[tuple[Place, ...]]) -> bool:
        """ "In the upper lobe (5 mm) and the lower lobe (8 mm)": a finding each, where each has a measurement of its own."""
        rest = [c for c in self.chunks[self.at + 1 : self.at + 3] if isinstance(c, Phrase) or c.kind not in ("open", "cop")]
        after = rest[0] if rest and isinstance(rest[0], Phrase) and not (rest[0].heads or rest[0].sites) else None
        measured = bool(phrase.measures or (after is not None and after.measures))
        listing = {"and", "comma"} & set(self.last) and set(self.last) <= LISTING | {"close", "prep"}
        if not listing or not self.attached:
            return False
        clause = self._verb_next() or self._owns_next() or self._opens_clause()
        bracketed = "close" in self.last and not clause  # "at C4-C5 (central), C5-C6 (left)"
        if not bracketed and not (measured and any(d.category == "length" for d in self.beside)):
            return False
        if any(head.kind != "F" or head.status != "present" for head in self.group):
            return False
        own = self._details(phrase, [])
        kept = [[detail for detail in head.details if detail not in self.beside] + own for head in self.group]
        self.group = [_twin(head, list(sites), details) for head, details in zip(self.group, kept, strict=True)]
        self.heads += self.group
        self.beside, self.after_verb = own, False
        return True

    def _one_more_size(self, phrase: Phrase, details: list[Detail]) -> bool:
        """ "A 5 mm nodule in the upper lobe and 8 mm in the lower lobe", "moderate stenosis at L3-4 and severe at L4-5": one more
        finding, with its own size or grade."""
        following = self._following()
        placed = following is not None and (following.sites or following.sides) and not (following.heads or following.normals)
        listing = bool({"and", "comma"} & set(self.last)) and set(self.last) <= LISTING
        joint = self._next()
        if not placed or not listing or not self.attached or not isinstance(joint, Item):
            return False
        head, graded = self.group[-1], _GRADES.intersection(d.category for d in details)
        if joint.kind != "prep" or head.kind != "F" or graded.isdisjoint(d.category for d in head.details):
            return False
        kept = [detail for detail in head.details if detail.category not in graded]
        flipped: list[tuple[Place, ...]] = []
        if following is not None and not following.sites:  # "70% stenosis of the left artery and 50% of the right"
            flipped = [tuple((name, OTHER_SIDE.get(side or "")) for name, side in places) for places in head.sites]
            if {side for places in flipped for _, side in places} != {following.sides[0].id}:
                return False
        self.group = [_twin(head, flipped, [*kept, *details])]
        self.heads += self.group
        self.attached = False
        return True

    def _other_side_too(self, side: str, details: list[Detail]) -> bool:
        """ "10 mm on the right and 8 mm on the left": one more finding, on the other side, with what is said of it there."""
        other = OTHER_SIDE.get(side)
        listing = bool(self.last) and set(self.last) <= LISTING
        if other is None or not details or not listing or not self.beside or not self.group:
            return False
        if any({head.side, *(found for places in head.sites for _, found in places)} - {None} != {other} for head in self.group):
            return False
        twins = []
        for head in self.group:
            sites = [tuple((name, side if found == other else found) for name, found in places) for places in head.sites]
            kept = [detail for detail in head.details if detail not in self.beside]
            twins.append(_twin(head, sites, [*kept, *details], side))
        self.group = twins
        self.heads += twins
        return True

    def _op_negpost(self, item: Item) -> None:
        """ "Small effusion on the right, none on the left": the finding before is denied on the other side."""
        following = self._next()
        if isinstance(following, Item) and self._none_in(item, following):
            return
        alone = following.items[0] if isinstance(following, Phrase) and len(following.items) == 1 else item
        side = alone.id
        if not self.group or any(_sides(head) != {OTHER_SIDE.get(side)} or head.kind != "F" for head in self.group):
            super()._op_negpost(item)
            return
        alone.used = True
        self.group = [self._on_side(head, side) for head in self.group]
        for head in self.group:
            head.status, head.details = "absent", []
        self.heads += self.group

    def _none_in(self, item: Item, following: Item) -> bool:
        """ "Fluid in both mastoids, none in the middle ears": the finding before is denied at another place."""
        place = self.chunks[self.at + 2] if self.at + 2 < len(self.chunks) else None
        none = self.text[item.start : item.end].lower() in ("none", "nil") and following.kind == "prep"
        said = bool(self.group) and all(head.kind == "F" and head.sites for head in self.group)
        if not none or not said or not isinstance(place, Phrase) or not place.sites or place.heads or place.normals:
            return False
        self.group = [_twin(head, [], []) for head in self.group]
        for head in self.group:
            head.status, head.side, head.change = "absent", None, None
        self.heads += self.group
        return True

    def _op_change(self, item: Item) -> None:
        side = self._side_of_change()
        if side is not None and self._changed_on(side, item.id, item.start):
            return
        if not self._changed_at(item):
            super()._op_change(item)

    def _changed_at(self, item: Item) -> bool:
        """ "Opacities in both lungs, with clearing of the left base": a change in one place only is one more finding there."""
        rest = self.chunks[self.at + 1 : self.at + 3]
        if rest and isinstance(rest[0], Item) and rest[0].kind == "prep":
            rest = rest[1:]
        elif not self.text[item.start : item.end].lower().endswith((" in", " of")):
            return False
        place = rest[0] if rest and isinstance(rest[0], Phrase) else None
        head = self.group[-1] if self.group else None
        if place is None or head is None or not place.sites or len(place.sites) + len(place.sides) < len(place.items):
            return False
        if head.kind != "F" or head.inherited or self.last[-1:] not in _AFTER:
            return False
        if not (head.sites or head.change):
            self._changed(head, item.id, item.start)
            self._attach([head], self._places(place), place)
            place.sites, place.sides = [], []
            return True
        twin = _twin(head, self._places(place), [])
        twin.status, twin.change, twin.inherited = "present", None, False
        self._changed(twin, item.id, item.start)
        self.heads.append(twin)
        self.group, self.attached = [twin], True
        return True

    def _direction_phrase(self, phrase: Phrase) -> None:
        value, sides = MOVED.get(phrase.directions[-1].kind), [item.id for item in phrase.sides]
        if value is None or len(sides) != 1 or not self._changed_on(sides[0], value, phrase.directions[-1].start):
            super()._direction_phrase(phrase)

    def _side_of_change(self) -> str | None:
        """Return the side that stands alone before a change or after it ("the left is unchanged", "stable on the left")."""
        at = self.at - 1
        while at >= 0 and getattr(self.chunks[at], "kind", "") in VERBS:
            at -= 1
        before, after = self.chunks[at] if at >= 0 else None, self._next()
        if isinstance(after, Phrase) and (after.heads or after.sites):
            return None
        for beside in (after, before):
            if isinstance(beside, Phrase) and all(item.kind == "sideword" for item in beside.items):
                return beside.sides[0].id
        return None

    def _changed_on(self, side: str, value: str, at: int) -> bool:
        """ "Bilateral effusions, the right increased and the left unchanged": one finding a side, each with its change."""
        spoken = [head for head in self.group or self.heads[-1:] if head.kind == "F" and not head.item.adjective]
        if side not in OTHER_SIDE or not spoken:
            return False
        own = [head for head in spoken if _sides(head) == {side}]
        if not own:
            own = [self._on_side(head, side) for head in spoken if _sides(head) in ({"both"}, {OTHER_SIDE[side]})]
            for head in spoken if own else ():
                _put_on(head, OTHER_SIDE[side])
            self.heads += own
        if not own:
            own = [head for head in spoken if not _sides(head) and head.status == "present"]
            for head in own:
                self._put_side(head, side)
        if not own:
            return False
        for head in own:
            self._changed(head, value, at)
        self.group = spoken if own[0] in spoken else [*spoken, *own]
        return True

    def _on_side(self, head: Head, side: str) -> Head:
        """Return a finding like another one, on one side."""
        twin = _twin(head, list(head.sites), list(head.details) if self._is_both(head) else [])
        twin.change = None
        twin.status = "present"
        _put_on(twin, side)
        return twin

    def _measured_side(self, phrase: Phrase) -> None:
        """ "Bilateral cysts, the right measuring 4 cm": a side takes the size that is said of it after "measuring"."""
        verb, size = (*self.chunks[self.at + 1 : self.at + 3], None, None)[:2]
        if len(phrase.items) > 1 or not isinstance(verb, Item) or not isinstance(size, Phrase) or not size.measures:
            return
        if self.text[verb.start : verb.end].lower() == "measuring" and not (size.heads or size.sites or size.sides):
            phrase.items += size.items
            phrase.measures, phrase.modifiers = size.measures, size.modifiers
            del self.chunks[self.at + 1 : self.at + 3]

    def _op_spoken(self, item: Item) -> None:
        """ "The former …, the latter …": what follows is of the first or last of two findings, or of one at two places; after a
        preposition, they say where what stands before is ("transformation of the latter")."""
        asking = self.group[-1:] if self.last[-1:] == ["prep"] else []
        two = [head for head in self.heads if head.kind == "F" and head.status == "present" and head not in asking][-2:]
        if two and len(two[-1].sites) == 2:
            one = two[-1]
            two = [_twin(one, [places], list(one.details)) for places in one.sites]
            if not asking:
                at = self.heads.index(one)
                self.heads[at : at + 1] = two
        if len(two) < 2:
            return
        spoken = two[item.id == "latter"]
        for head in asking:
            head.sites, head.side, head.inherited = list(spoken.sites), spoken.side, False
        if not asking:
            self.group = [spoken]
            self.subject, self.subject_qualities, self.after_verb, self.negated = list(spoken.sites), [], True, False

    def _other_one(self, phrase: Phrase) -> None:
        """ "The left sulcus is blunted, the right sharp": the structure spoken of, on the other side."""
        side = OTHER_SIDE.get(phrase.items[0].id) if phrase.items[0].kind == "sideword" else None
        said = (phrase.normals or phrase.directions or phrase.heads) and all(head.adjective for head in phrase.heads)
        if side is None or phrase.sites or not said or phrase.unknown or not {"comma", "and", "but"} & set(self.last):
            return
        spoken = next((head.sites for head in reversed(self.heads) if head.sites), [])
        if not self.copula or not spoken or {found for places in spoken for _, found in places} != {side}:
            return
        other = phrase.items[0].id
        phrase.items[0].used = True
        self.subject = [tuple((name, other) for name, _ in places) for places in spoken]
        self.subject_side, self.subject_qualities = None, []
        self.group, self.negated, self.after_verb, self.fresh_subject = [], False, True, True
        self.last = ["cop"]

    def _that_in(self, sites: list[tuple[Place, ...]], phrase: Phrase) -> bool:
        """ "…, whereas that in the middle lobe persists": one more finding like the one before."""
        before = next((head for head in reversed(self.heads) if head.kind == "F"), None)
        at = phrase.items[0].start
        if before is None or self.last[-1:] != ["prep"] or not _THAT.search(self.text, max(0, at - 28), at):
            return False
        twin = _twin(before, sites, [])
        twin.status, twin.change, twin.certainty = "present", None, "definite"
        twin.inherited = twin.shared = twin.dead = False
        self.group, self.attached = [twin], True
        self.heads.append(twin)
        return True

    def _both_now(self, side: str, phrase: Phrase) -> bool:
        """ "Fractures on the right and on the left", "no effusion on the right or on the left": on both sides."""
        following = self._next()
        alone = len(phrase.items) == 1 and not isinstance(following, Phrase) and (following is None or following.kind != "prep")
        listing = {"and", "or", "slash"} & set(self.last) and set(self.last) <= LISTING
        if not alone or not listing or not self.group or any(_sides(head) != {OTHER_SIDE.get(side)} for head in self.group):
            return False
        for head in self.group:
            _put_on(head, "both")
        return True

    def _pair_on(self, side: str) -> bool:
        """ "On the right at L4-5 and on the left at L5-S1": one more finding, on this side at the place that follows."""
        rest = [c for c in self.chunks[self.at + 1 : self.at + 4] if isinstance(c, Phrase) or c.kind != "comma"][:2]
        listing = "and" in self.last and set(self.last) <= LISTING and self.attached
        if not listing or len(rest) < 2 or not isinstance(rest[0], Item) or rest[0].kind != "prep" or side not in OTHER_SIDE:
            return False
        place = rest[1]
        if not isinstance(place, Phrase) or not place.sites or place.heads or place.normals or place.sides:
            return False
        if any(not head.sites or head.kind != "F" or side in _sides(head) for head in self.group):
            return False
        self.group = [_twin(head, [], list(head.details)) for head in self.group]
        for head in self.group:
            head.side = side
        self.heads += self.group
        self.attached = False
        return True

    def _one_on(self, side: str, phrase: Phrase) -> bool:
        """ "No effusion on the right; a small one on the left": one more finding like the one before, on this side."""
        before = next((head for head in reversed(self.heads) if head.kind == "F"), None)
        at = phrase.sides[0].start
        said = _ONE.search(self.text, max(0, at - 14), at)
        if before is None or side not in OTHER_SIDE or said is None or (said["no"] and _sides(before) != {OTHER_SIDE[side]}):
            return False
        twin = self._on_side(before, side)
        twin.status = "absent" if said["no"] else twin.status  # "dilated on the left but not on the right"
        twin.details, twin.certainty, twin.joined = self._details(phrase, []), "definite", True
        self.group, self.negated = [twin], False
        self.heads.append(twin)
        return True

    def _side_of_same(self, side: str) -> bool:
        """ "The right kidney is normal, the left is atrophic": the structure just spoken of, on the other side."""
        following = self._next()
        if side == "both" and self._both_of_same(following):
            return True
        spoken = self.subject or next((head.sites for head in reversed(self.group) if head.sites), [])
        sided = any(found == OTHER_SIDE.get(side) for places in spoken for _, found in places)
        if not isinstance(following, Item) or following.kind not in VERBS or not sided or not self.heads:
            return False
        self.subject = [tuple((name, side if found else None) for name, found in places) for places in spoken]
        self.subject_side, self.subject_qualities = None, []
        self.group, self.negated, self.after_verb, self.fresh_subject = [], False, False, True
        return True

    def _both_of_same(self, following: Phrase | Item | None) -> bool:
        """ "Neither kidney is obstructed; both contain cysts": the paired structure just spoken of."""
        if not isinstance(following, Item) or following.kind not in VERBS or self.subject or not self.heads:
            return False
        sites = self.heads[-1].sites
        if not sites or sites[-1][-1][0] not in self.words.paired:
            return False
        self.subject = [tuple((name, "both") for name, _ in places) for places in sites]
        self.group, self.negated, self.after_verb, self.fresh_subject = [], False, False, True
        return True


def _twin(head: Head, sites: list[tuple[Place, ...]], details: list[Detail], side: str | None = None) -> Head:
    """Return a head like another one, at other sites or, if it has a side, on another one."""
    twin = replace(head, sites=sites, details=details, tips=list(head.tips), alternatives=list(head.alternatives), outer=[])
    twin.side = side if side and head.side else head.side
    return twin


def _sides(head: Head) -> set[str]:
    """Return the sides said of a head."""
    return {side for side in (head.side, *(found for places in head.sites for _, found in places)) if side}


def _put_on(head: Head, side: str) -> None:
    """Put a head on one side, wherever it had one."""
    head.sites = [tuple((name, side if found else None) for name, found in places) for places in head.sites]
    head.side = side if head.side or not any(found for places in head.sites for _, found in places) else None
