"""Sites and sides: those of a phrase, of the subject, and of the heads that a preposition or a list places."""

from __future__ import annotations

import re

from kgscore.ontology.index import LEVEL
from kgscore.reading.compose.details import Details
from kgscore.reading.compose.phrases import Head, Phrase, Place
from kgscore.reading.compose.state import OTHER_SIDE
from kgscore.reading.items import Item

_WHICH = re.compile(r"\bwhich\s\Z", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|both|each)\s+\Z", re.IGNORECASE)
_THIS = re.compile(r"\b(?:this|that|the same|these|said)\s+\Z", re.IGNORECASE)


class Sites(Details):
    """Places heads."""

    def _op_cop(self, item: Item) -> None:
        if self.last == ["comma"] and self.at > 1 and _WHICH.search(self.text, max(0, item.start - 7), item.start):
            self._of_object()
        super()._op_cop(item)

    def _op_with(self, item: Item) -> None:
        """A companion of what stands before, or, after "which", of the structure there."""
        if self.last == ["comma"] and self.at > 1 and _WHICH.search(self.text, max(0, item.start - 7), item.start):
            before = self.chunks[self.at - 2]
            if isinstance(before, Phrase) and before.sites and before.items[-1].kind == "A":
                # "Arthrosis of the facet joints, which contain fluid": said of the structure before.
                self.subject, self.subject_qualities, self.group = self._places(before), [], []
        super()._op_with(item)

    def _of_object(self) -> None:
        """ "A mass obstructs the duct, which is dilated": what follows is said of the structure that something is done to."""
        before = self.chunks[self.at - 2]
        if not isinstance(before, Phrase) or not before.sites or not before.heads or not self.group:
            return
        if before.items[-1] is before.sites[-1] and before.heads[-1].adjective:
            self.subject, self.subject_qualities, self.group = self._places(before), [], []

    def _op_where(self, item: Item) -> None:
        """ "… at the head, where there is a mass": the clause that follows is of the place before."""
        before = next((chunk for chunk in reversed(self.chunks[: self.at]) if isinstance(chunk, Phrase)), None)
        places = self._places(before) if before is not None else []
        if before is not None and before.sides and not places and self.group:
            # "Necrosis of both femoral heads, worse on the left, where there is collapse."
            side = before.sides[-1].id
            places = [tuple((name, side) for name, _ in alternative) for alternative in self.group[-1].sites]
        if places:
            self._op_semi(item)
            self.subject = places

    def _places(self, phrase: Phrase) -> list[tuple[Place, ...]]:
        """Return the sites named in a phrase as one nested alternative; sides come from the words before them."""
        places: list[Place] = []
        side: str | None = None
        for item in phrase.items:
            if item.kind == "sideword" and not item.used:
                if item.id in ("left", "right", "both"):
                    side = item.id if side in (None, item.id) else "both"
                elif item.id == "same":
                    side = self._last_side()
                elif item.id == "opposite":
                    side = OTHER_SIDE.get(self._last_side() or "")
            elif item.kind == "A":
                if item.id in self.words.kinds and _THIS.search(self.text, max(0, item.start - 14), item.start):
                    continue
                places.append((item.id, item.side or side))
        if not places:
            named = [
                e.site
                for item in (*phrase.qualities, *phrase.normals)
                for e in item.types.values()
                if e.type in ("Q", "N") and e.site
            ]
            places = [(named[0], side)] if named else []
        if places and side and not any(found for _, found in places):
            places = [(name, found or side) for name, found in places]
        return [tuple(places)] if places else []

    def _phrase_side(self, phrase: Phrase) -> str | None:
        """Return the side of a phrase without a site."""
        sides = [item.id for item in phrase.sides if not item.used]
        if not sides:
            return next((item.side for item in phrase.heads if item.side), None)
        if "both" in sides or {"left", "right"} <= set(sides):
            return "both"
        if sides[0] == "same":
            return self._last_side()
        if sides[0] == "opposite":
            return OTHER_SIDE.get(self._last_side() or "")
        return sides[0]

    def _side_after(self, phrase: Phrase) -> str | None:
        """Return the side said after all else in a phrase: it holds for the whole list before ("effusion and atelectasis on
        the right")."""
        last = phrase.items[-1]
        said = last.kind == "sideword" and last is phrase.sides[0] and len(phrase.items) > 1
        return last.id if said and last.id in ("left", "right", "both") else None

    def _last_side(self) -> str | None:
        """Return the side spoken of last."""
        for head in reversed(self.heads):
            if head.side:
                return head.side
            for alternative in head.sites:
                for _, side in alternative:
                    if side:
                        return side
        return self.subject_side or self.memory_side

    def _set_subject(self, sites: list[tuple[Place, ...]], phrase: Phrase) -> None:
        """Make sites the subject of what comes."""
        if self.last == ["prep"] and self.subject_side and not self.label:  # "on the right side of the neck"
            sites = [tuple((name, side or self.subject_side) for name, side in places) for places in sites]
        self.subject = sites
        self.subject_side = None
        self.fresh_subject = True
        self.attached = False
        if not phrase.qualities:
            self.subject_qualities = []
        self.after_verb = False
        if {"comma", "and"} & set(self.last) and "neg" not in self.last:
            self.negated = False
        if phrase.measures or phrase.modifiers:
            self.pending = self._details(phrase, [])
        if self.group and "prep" not in self.last:
            self.group = []
            if self.negated and self.heads and self.neg_item is not None and self._open_after(self.neg_item):
                self.negated = False

    def _take_subject(self, head: Head) -> None:
        """A head without a site of its own takes the subject of its clause, weakly: the builder checks that it fits."""
        if self.subject:
            head.sites = list(self.subject)
            head.inherited = not (self.after_verb and head.item.adjective and self.subject != self.label)
            if other := OTHER_SIDE.get(head.side or ""):  # "Left lung: volume loss; right hyperinflated"
                head.sites = [tuple((n, head.side if s == other else s) for n, s in places) for places in head.sites]
        elif self.around and self.around[0].status == head.status == "present":
            # "Lesion in the ilium (low T1 signal)".
            head.sites, head.inherited, head.shared = list(self.around[0].sites), True, True
        if head.side is None and self.subject_side and not self.subject:
            head.side = self.subject_side

    def _fronted(self, sites: list[tuple[Place, ...]]) -> list[tuple[Place, ...]]:
        """ "On the left, a mass in the canal": the side said first holds for sites without one."""
        if self.subject_side is None or self.subject or self.label:
            return list(sites)
        return [tuple((name, side or self.subject_side) for name, side in alternative) for alternative in sites]

    def _attach(self, heads: list[Head], sites: list[tuple[Place, ...]], phrase: Phrase) -> None:
        """Put sites after a preposition on the heads before it: within those they have, or for those they inherited."""
        details = self.beside = self._details(phrase, [])
        self.placed = heads
        for head in heads:
            if head.inherited and head.item.adjective and head.kind == "F" and head.sites == self.label:
                # "Femoral artery: occluded at the adductor canal": said of what the label names.
                head.sites, head.inherited = [(*alternative, *more) for alternative in self.label for more in sites], False
            elif head.inherited or not head.sites:
                head.within = tuple(name for name, _ in head.sites[0]) if len(head.sites) == 1 else ()
                around = {side for alternative in head.sites for _, side in alternative}
                head.within_side = head.sites[0][-1][1] if len(head.sites) == 1 and head.sites[0] else None
                head.sites, head.shared = list(sites), False
                if len(around) == 1:  # "in the left kidney there is a cyst in the upper pole"
                    side = next(iter(around))
                    head.sites = [tuple((n, s or (side if n in self.words.lateral else None)) for n, s in a) for a in sites]
                if head.side and sites and all(side is None for a in sites for _, side in a):
                    head.sites = [tuple((name, head.side) for name, _ in alternative) for alternative in sites]
                head.inherited = False
            else:
                head.outer = list(head.sites)
                head.sites = [(*alternative, *more) for alternative in head.sites for more in sites]
            head.details += details
            head.end = max(head.end, max(item.end for item in phrase.items))

    def _sharing(self, *, level: bool = False) -> list[Head]:
        """Return the heads of the coordination that a following prepositional phrase places: the last one, and those before
        it that are bare and joined by "and" or "or" ("nodules and masses in both lungs"). "Into" and "of" place the last one
        ("oedema and rupture into the ventricle", "brain swelling with effacement of sulci"). A `level` of the spine also
        places what has a side ("bilateral facet arthropathy and flavum hypertrophy at L4-5")."""
        last = self.group[-1]
        before = self.chunks[self.at - 1]
        word = self.text[before.start : before.end].lower() if isinstance(before, Item) else ""
        if word.endswith("into"):
            return [last]
        if _ALL.search(self.text, last.end, before.start if isinstance(before, Item) else last.end):
            return list(self.group)  # "stranding, gas and ascites, all in the right lower quadrant"
        homely = {id(h) for h in self.companions if h.concept in self.words.placed and (word == "of" or h.side)}
        waiting = [h for h in self.companions if not h.sites and id(h) not in homely]
        self.companions = []
        if waiting and "prep" in self.last:
            return [*waiting, *self.group]
        if self.nested:
            return [h for h in (*self.group, *self.nested) if h.inherited or not h.sites or h in self.nested]
        if level and not self.after_verb:
            return [h for h in self.group if h is last or (h.kind == last.kind and h.joined and not _levelled(h))]
        bare = [h for h in self.group if (h.inherited or not h.sites) and h.side is None and not self._of_own(h, word)]
        return [h for h in self.group if h is last or (h.kind == last.kind and h.joined and h in bare)]

    def _of_own(self, head: Head, word: str) -> bool:
        """Whether a finding before is where its companion is, and "of" places the last one only: "wedging of L1 with height loss,
        and retropulsion of its corner"."""
        return word in ("of", "from") and head.shared and bool(head.sites)

    def _extend(self, sites: list[tuple[Place, ...]], side: str | None = None) -> None:
        """Add sites to the heads of the coordination ("in the liver and spleen")."""
        placed = {id(head) for head in self.placed}
        apart = [head for head in self.group if id(head) in placed]
        last = self.group[-1]
        heads = apart or [head for head in self.group if head.kind in ("N", "Q") or head.sites == last.sites]
        anew = self._anew()
        for head in heads:  # "pacemaker in the chest wall, leads in the atrium and the ventricle"
            if side is not None and not any(found for places in head.sites for _, found in places):
                head.sites = [tuple((name, side) for name, _ in places) for places in head.sites]
            around = [()] if anew else head.outer or [()]
            more = [(*outer, *inner) for outer in around for inner in self._same_side(head.sites, sites)]
            head.sites = head.sites + [s for s in more if s not in head.sites]
            if head.kind in ("N", "Q"):
                head.inherited = False

    def _anew(self) -> bool:
        """Whether a place is said by itself, and not with the one before "of": "in the base of the lung and in the hilum"."""
        preps = [c for c in self.chunks[: self.at] if isinstance(c, Item) and c.kind == "prep"]
        said = [self.text[c.start : c.end].lower() for c in preps[-2:]]
        return self.last[-1:] == ["prep"] and len(said) == 2 and said[0] == "of" != said[1]

    def _same_side(self, before: list[tuple[Place, ...]], sites: list[tuple[Place, ...]]) -> list[tuple[Place, ...]]:
        """ "The right renal pelvis and ureter": the side holds for the later of two paired structures too."""
        side = before[-1][-1][1] if before and before[-1] else None
        if side not in ("left", "right"):
            return sites
        return [tuple((n, s or (side if n in self.words.paired else None)) for n, s in alternative) for alternative in sites]

    def _put_side(self, head: Head, side: str) -> None:
        """Give a head a side, where its sites have none."""
        if head.sites and not head.inherited:
            # "The frontal and parietal lobes on the left": the side holds for all that were listed without one.
            bare = not any(found for alternative in head.sites for _, found in alternative)
            for at in range(len(head.sites)) if bare else (-1,):
                if any(found for _, found in head.sites[at]):
                    continue  # "a mass in the right breast at 9 o'clock and another in the left"
                head.sites[at] = tuple((name, found or side) for name, found in head.sites[at])
        else:
            if head.sites:
                head.sites = [tuple((name, found or side) for name, found in alternative) for alternative in head.sites]
            head.side = head.side or side

    def _share_side(self, phrase: Phrase, heads: list[Head]) -> None:
        """Give the side that ends a list to the heads before it that have none."""
        side = self._side_after(phrase)
        if side is None or not {"and", "or"} & set(self.last):
            return
        for head in heads:
            said = head.side or any(found for places in head.sites for _, found in places)
            if head.kind == "F" and not said and (head.inherited or not head.sites):
                head.side, head.shared = side, True


def _levelled(head: Head) -> bool:
    """Whether a level of the spine was said of a head."""
    return any(LEVEL.search(name) for places in head.sites for name, _ in places) and not head.inherited
