"""Qualities and their values: size, density, signal and the like, increased, reduced, lost or normal."""

from __future__ import annotations

from kgscore.reading.compose.phrases import DIRECTIONS, Head, Phrase
from kgscore.reading.compose.sites import Sites
from kgscore.reading.compose.state import LISTING
from kgscore.reading.items import Item

# The roles of the findings that a direction without a quality amounts to, and words for a height.
_DEVIATING = {"up": "grown", "down": "shrunken", "lost": "effaced", "abnormal": "any_abnormality"}
_LEVELS = {"low": "lowered", "lower": "lowered", "high": "raised"}
MOVED = {"up": "increased", "down": "decreased"}


class Qualities(Sites):
    """Makes heads of qualities."""

    def _quality_heads(self, phrase: Phrase, qualities: list[Item]) -> None:
        """Make heads of qualities with a value ("normal size", "increased density")."""
        sites = self._places(phrase) or []
        direction = next(iter(phrase.directions), None)
        fresh: list[Head] = []
        bearers = (
            [h for h in self.group if h.kind == "F" and h.status == "present"]
            if not sites and self.after_verb and not self.subject
            else []
        )
        if bearers:
            for head in bearers:
                if direction is not None and direction.kind in ("up", "down"):
                    head.change = "stable" if self.negated else MOVED[direction.kind]
            return
        for quality in qualities:
            concept, normal = self._deviation(quality.id, direction, bool(phrase.normals))
            head = self._new("Q", concept, quality, phrase)
            head.quality, head.direction = quality.id, None if normal else direction
            head.status = ("present" if self._denies_normal else "normal") if normal else self._denied
            head.sites = list(sites)
            if sites and not phrase.sites and self.subject and self.after_verb:
                self._within_subject(head)
            head.side = self._phrase_side(phrase) if not sites else None
            head.details += [d for d in self._details(phrase, []) if d.category != "nature"]
            if not sites:
                self._take_subject(head)
            fresh.append(head)
        listing = bool(self.last) and set(self.last) <= LISTING
        self.group = self.group + fresh if listing else fresh
        self.heads += fresh
        self._spent()

    def _within_subject(self, head: Head) -> None:
        """ "Hip joints show preserved joint space": a quality of a kind of structure, in the one spoken of."""
        if len(self.subject) == 1:
            head.within, head.within_side = tuple(name for name, _ in self.subject[0]), self.subject[0][-1][1]

    def _direction_phrase(self, phrase: Phrase) -> None:
        """A bare "increased", "low", "lost", "abnormal": of a waiting quality, a change of a finding, or an abnormality."""
        direction = phrase.directions[-1]
        if self._predicates_go_on():
            head = self._new("Q", self.words.role(_DEVIATING[direction.kind]), direction, phrase)
            head.sites, head.side, head.direction = list(self.group[-1].sites), self.group[-1].side, direction
            self.group = [head]
            self.heads.append(head)
            self._spent()
        elif self.subject_qualities:
            self._direction_of_qualities(phrase, direction)
        elif self.group and any(h.kind == "F" for h in self.group) and direction.kind in MOVED:
            for head in self.group:
                head.change = "stable" if self.negated else MOVED[direction.kind]
            self.negated = False
        elif self.subject:
            self._direction_of_subject(phrase, direction)

    def _predicates_go_on(self) -> bool:
        """ "The discs are degenerated and reduced in height": a quality follows, of what the adjective before was said of."""
        joint, value = (self.chunks[at] if at < len(self.chunks) else None for at in (self.at + 1, self.at + 2))
        if not isinstance(joint, Item) or joint.kind != "prep" or not isinstance(value, Phrase) or not value.qualities:
            return False
        listed = bool(self.last) and set(self.last) <= LISTING and bool(self.group)
        return listed and self.group[-1].item.adjective and bool(self.group[-1].sites) and not value.sites

    def _direction_of_qualities(self, phrase: Phrase, direction: Item) -> None:
        """ "Size is increased": the values of the qualities that waited."""
        fresh = []
        for quality in self.subject_qualities:
            concept, _ = self._deviation(quality.id, direction, False)
            head = self._new("Q", concept, direction, phrase)
            head.quality = quality.id
            head.start = min(head.start, quality.start)
            head.details += self._details(phrase, [])
            self._take_subject(head)
            head.inherited = False
            fresh.append(head)
        self.group = fresh
        self.heads += fresh
        self._spent()

    def _direction_of_subject(self, phrase: Phrase, direction: Item) -> None:
        """ "The ventricles are enlarged": a finding of the subject."""
        word = self.text[direction.start : direction.end].lower()
        entry = direction.types.get("F")
        concept = entry.id if entry else self.words.role(_LEVELS.get(word, _DEVIATING[direction.kind]))
        head = self._new("Q" if entry is None else "F", concept, direction, phrase)
        head.details += self._details(phrase, [])
        self._take_subject(head)
        head.inherited = False
        self.group = [head]
        self.heads.append(head)
        self._spent()

    def _value_of_subject(self, phrase: Phrase, value: Item) -> None:
        """ "Ventricles small": a size word said of a structure is its size."""
        known = sorted(DIRECTIONS.intersection(value.types))
        if value.kind not in DIRECTIONS:
            value.kind, value.types = known[0] if known else ("down" if value.id in self.words.flagged("little") else "up"), {}
        phrase.directions, phrase.modifiers = [value], [m for m in phrase.modifiers if m is not value]
        self._direction_phrase(phrase)

    def _refine(self, heads: list[Head], phrase: Phrase) -> None:
        """Qualities after a value refine it: "normal in size", "normal shape and position"."""
        for quality in phrase.qualities:
            for head in heads:
                value = head.direction or (head.item if head.item.kind in DIRECTIONS else None)
                concept, _ = self._deviation(quality.id, value, value is None)
                if head.quality is None and (head.kind != "N" or head.concept in self.words.flagged("bare_normals")):
                    head.concept, head.quality, head.kind = concept, quality.id, "Q"
                    head.end = max(head.end, quality.end)
                elif head.quality != quality.id and not any(
                    o.quality == quality.id and o.sites == head.sites for o in self.heads
                ):
                    twin = Head("Q", concept, quality, head.start, quality.end)
                    twin.sites, twin.side, twin.status, twin.certainty = list(head.sites), head.side, head.status, head.certainty
                    twin.quality, twin.inherited, twin.otherwise, twin.direction = (
                        quality.id,
                        head.inherited,
                        head.otherwise,
                        value,
                    )
                    self.heads.append(twin)
                    self.group = [*self.group, twin]

    def _deviation(self, quality: str, direction: Item | None, normal: bool) -> tuple[str, bool]:
        """Return the finding that a value of a quality is, and whether it is denied by it."""
        values = self.words.qualities.get(quality, {})
        deviation = values.get("dev", self.words.role("any_abnormality"))
        if direction is None or (normal and direction.kind not in ("up", "down")):
            return deviation, normal
        key = {"up": "up", "down": "down", "lost": "lost", "abnormal": "off"}[direction.kind]
        return values.get(key, deviation), False
