"""Heads that are findings: which nouns of a phrase are, what they share with the list, and what they explain."""

from __future__ import annotations

import re

from kgscore.model import Detail
from kgscore.reading.compose.hedges import STRENGTH
from kgscore.reading.compose.objects import Objects
from kgscore.reading.compose.phrases import Head, Phrase, Place
from kgscore.reading.compose.qualities import MOVED
from kgscore.reading.compose.state import LISTING, VERBS
from kgscore.reading.items import Item

_SIDES = ("left", "right", "both")
# What accompanies a disease and is none.
_VERB = re.compile(r"\b(?:is|are)\b", re.IGNORECASE)
# Opens one more item of what a sentence lists.
_ITEM = re.compile(r"(?:,\s*and|\band\s+an?|,\s*an?)\s+\Z", re.IGNORECASE)
_IN_LIST = LISTING | {"neg", "hedge", "change", "stop"}
_WITH = re.compile(r"\b(?:with|and)\b", re.IGNORECASE)
_CHANGING = ("increas", "decreas", "reduc", "diminish")


class Findings(Objects):
    """Makes heads of findings."""

    def _noun_heads(self, phrase: Phrase) -> list[Item]:
        """Return the items that are heads: adjectives before another head or an empty noun are not (see `_modifier_of`)."""
        heads: list[Item] = []
        if (
            len(phrase.heads) > 1
            and phrase.sites
            and all(h.adjective for h in phrase.heads)
            and phrase.sites[0].first > phrase.heads[-1].first
        ):
            return list(phrase.heads)
        for position, item in enumerate(phrase.heads):
            later = phrase.heads[position + 1 :]
            if item.adjective and not later and not phrase.sites and self._names_unknown(item, phrase):
                continue
            if item.id in self.words.empty and phrase.normals:
                continue
            if item.id in self.words.empty:
                if (position and phrase.heads[position - 1].adjective) or (position and phrase.heads[position - 1] in heads):
                    continue
                density = next((e for m in phrase.modifiers if m.last < item.first for e in m.choices if e.type == "F"), None)
                if density is not None:
                    item.id = density.id
                heads.append(item)
            elif (
                item.adjective
                and any(other.id not in self.words.empty for other in later)
                and not self._splits(item, later[0], phrase)
            ):
                if item.id in self.words.own:
                    heads.append(item)
                continue
            else:
                heads.append(item)
        return heads

    def _names_unknown(self, item: Item, phrase: Phrase) -> bool:
        """Whether an adjective stands before a noun that nobody knows; an adverb is none ("enhances avidly")."""
        after = phrase.unknown[-1] if phrase.unknown else None
        return after is not None and after.first == item.last + 1 and not self.text[: after.end].endswith("ly")

    def _splits(self, item: Item, later: Item, phrase: Phrase) -> bool:
        """Whether a structure far from the adjective stands between it and the noun: then they are two findings."""
        if item.id in self.words.flagged("uptakes"):
            return False  # "FDG-avid right upper lobe nodule"
        return any(item.last < site.first < later.first for site in phrase.sites) and later.first - item.last > 3

    def _finding_heads(self, phrase: Phrase, nouns: list[Item]) -> None:
        """Make heads of the findings of a phrase, or explain the one before by them."""
        operated = {"past"} if any(item.id in self.words.states for item in nouns) else set()  # "no mass, prior mastectomy"
        if operated and self.last[:1] == ["open"] and "neg" not in self.last:
            self.negated = False  # "no gallbladder seen (prior cholecystectomy)"
        listing = bool(self.last) and bool(self.group) and set(self.last) - operated <= _IN_LIST
        self._end_negation(phrase, nouns, listing)
        if self._made_of(phrase, nouns):
            self.inference = "definite"
        if self.inference and self.heads and self._infers(phrase, nouns):
            return
        if self.restricting and self.group and {"with", "and", "or"} & set(self.last):
            for head in self.group:
                head.details += [self.words.detail(item.id) for item in nouns]
            return
        following = self._next()
        if self._ends_device(nouns, following):
            return
        sites = self._finding_sites(phrase, nouns)
        if isinstance(following, Item) and following.kind in VERBS and not sites and self.heads:
            self.subject, self.subject_qualities = [], []
        details = self._details(phrase, nouns)
        self._end_size(phrase, nouns)
        fresh = [self._finding_head(item, phrase, sites) for item in nouns]
        for head in fresh:
            head.details += details
        if self.concluded is not None:
            for head in fresh:  # "encephalomalacia in the lobe, consistent with infarct, and dilatation of the ventricle"
                if not sites and self.concluded.sites:
                    head.sites, head.joined = list(self.concluded.sites), False
                    head.shared = head.concept in self.words.placed
                    head.inherited = head.shared or self.concluded.inherited
            self.concluded = None
        self._values_beside(phrase, nouns, fresh)
        if {"prep", "cause", "past"} & set(self.last) and any(item.id in self.words.states for item in nouns):
            for head in self.group:
                # "Postoperative changes of a laminectomy" are the laminectomy.
                head.dead = head.dead or head.concept == self.words.role("after_surgery")
        if self.last in (["prep"], ["prep", "past"], ["seen", "prep"]) and self.group:
            grown = self.group[0].concept == self.words.role("grown") and (self.group[0].inherited or not self.group[0].sites)
            if self.last[0] == "prep" and (grown or all(h.kind == "Q" and not h.sites for h in self.group)):
                self._changes_of(fresh)
            elif self.last == ["prep"] and not self._states_object(fresh[0]):
                return
            elif self._points_at(fresh[0]) and self.last != ["prep"]:
                self._put_beside(self.group, fresh[0])
                return
        if self.last == ["near"] and self.group and all(item.id in self.words.devices for item in nouns):
            self._put_beside(self.group, fresh[0])
            if self.negated:
                return  # "no lucency about the screws"
        self._join(phrase, nouns, fresh, listing)

    def _made_of(self, phrase: Phrase, nouns: list[Item]) -> bool:
        """ "Hypodensities of small vessel disease", "opacities of pneumonia": what is seen, and the disease that it is."""
        before = self.group[-1] if self.group else None
        if self.last != ["prep"] or not self._after_of():
            return False
        if before is None or before.kind != "F" or before.status != "present" or before.concept not in self.words.seen:
            return False
        return not phrase.sites and not nouns[0].adjective and nouns[0].id in self.words.placed - self.words.seen

    def _ends_device(self, nouns: list[Item], following: Phrase | Item | None) -> bool:
        """ "A port with its catheter tip in the atrium": a part of the device before, where that ends."""
        return (
            isinstance(following, Item)
            and following.kind == "tip"
            and "with" in self.last
            and bool(self.group)
            and self.group[-1].concept in self.words.devices
            and all(item.id in self.words.devices for item in nouns)
            and (self.text[following.start : following.start + 3].lower() == "tip" or nouns[0].id in self.words.flagged("lines"))
        )

    def _end_negation(self, phrase: Phrase, nouns: list[Item], listing: bool) -> None:
        """Negation ends before a finding that has its own verb, and where the list of what is denied does not go on."""
        if not self.negated or not listing or "neg" in self.last:
            return
        if _VERB.search(self.text, nouns[0].start, nouns[0].end):
            self.negated, self.subject = False, []
        elif self.group[-1].status == "absent" and self._breaks_off() and not self._list_goes_on(phrase, nouns):
            self.negated = False

    def _end_size(self, phrase: Phrase, nouns: list[Item]) -> None:
        """The size of a structure is none of the finding that comes after it: "endometrium 7 mm, intramural fibroid"."""
        steps = {("comma",): 2, ("neg",): 2, ("comma", "neg"): 3}.get(tuple(self.last), 0)
        before = self.chunks[self.at - steps] if 0 < steps <= self.at else None
        sized = isinstance(before, Phrase) and bool(before.measures and before.sites and not before.heads)
        if sized and (phrase.measures or self.negated or not nouns[0].adjective):
            self.pending = [detail for detail in self.pending if detail.category != "length"]

    def _breaks_off(self) -> bool:
        """Whether a comma stands before that does not end the list of what is denied ("…, or a large effusion")."""
        return self.last[0] == "comma" and "or" not in self.last

    def _finding_sites(self, phrase: Phrase, nouns: list[Item]) -> list[tuple[Place, ...]]:
        """Return the sites of a phrase, with the subject that it lists on ("sulci and basal cisterns effaced")."""
        sites = self._places(phrase)
        fronted = self.fresh_subject and not self.group and not self.after_verb
        listed = bool(self.last) and set(self.last) <= LISTING and fronted
        if sites and fronted and set(self.last) == {"prep"}:
            return [(*inner, *outer) for inner in self.subject for outer in sites]  # "In the left zone at mid gland a lesion"
        if sites and listed and phrase.sites and phrase.sites[0].first < nouns[0].first:
            return [*self.subject, *self._same_side(self.subject, sites)]
        return sites

    def _finding_head(self, item: Item, phrase: Phrase, sites: list[tuple[Place, ...]]) -> Head:
        """Return the head of one noun: at the sites of the phrase, the subject's, or those of the finding that it accompanies."""
        head = self._new("F", item.id, item, phrase)
        if "RADS" in self.words.labels.get(item.id, ""):
            head.status = "present"  # "without suspicious features (TI-RADS 2)"
        if item.id in self.words.devices and "tip" not in self.last:
            self.tip = False
        if self.group and {"with", "cause"} & set(self.last[-1:]) and not self.negated:
            beside = any(item.id == self.words.role("beside") for item in phrase.modifiers)
            head.lent = self._lent((*self.nested, *self.group)[0], beside=beside)
        if sites:
            head.sites = self._fronted(sites)
            if item.adjective and self.copula and not self.group and len(self.subject) == 1 and self.subject != self.label:
                # "The left lower lobe is consolidated behind the heart."
                head.sites = [(*self.subject[0], *alternative) for alternative in head.sites]
            if (self.after_verb or self.fresh_subject) and len(self.subject) == 1:
                head.within = tuple(name for name, _ in self.subject[0])  # "L1 shows a fracture of the upper endplate"
            return head
        head.side = self._phrase_side(phrase) or item.side
        self._take_subject(head)
        if head.side is None and self.group:
            self._accompany(head)
        return head

    def _accompany(self, head: Head) -> None:
        """Put what goes with a finding, or what that lacks, where that is: "cyst in segment 4 with calcification"."""
        first = self.group[-1] if self.group[-1].item.adjective and self.group[-1].sites else self.group[0]
        lacking = self.last == ["comma", "neg"] and first.concept not in self.words.devices
        lacking = lacking and self.text[: head.start].rstrip().lower().endswith("without")
        last = set(self.last)
        goes_with = bool({"with", "neg"} & last) and not {"comma", "and", "or", "semi"} & last
        goes_with = goes_with or "with" in last <= {"comma", "with", "neg"}
        own = bool(first.sites) and not first.inherited and (head.inherited or head.sites == self.label)
        listed = self.group[0].shared and bool(last) and last <= _IN_LIST
        listed = listed and (head.concept not in self.words.settled or first.concept in self.words.devices)
        if ((own or not head.sites) and (lacking or goes_with)) or (listed and not head.sites):
            head.sites, head.inherited, head.shared = list(first.sites), True, True

    def _lent(self, head: Head, *, beside: bool) -> tuple[str, str, bool] | None:
        """Return concept and side of a finding, for what it goes with: "left hydronephrosis due to a ureteral stone", "left
        effusion with adjacent atelectasis"."""
        sides = {side for alternative in head.sites for _, side in alternative if side} or {head.side or ""}
        side = next(iter(sides))
        known = len(sides) == 1 and side in _SIDES and head.status == "present"
        return (head.concept, side, beside or "cause" in self.last) if known else None

    def _values_beside(self, phrase: Phrase, nouns: list[Item], fresh: list[Head]) -> None:
        """Directions and normal words in the phrase of a finding: a change, a denial, or a state of it."""
        direction = next((d for d in phrase.directions if self.text[d.start : d.end].lower().startswith(_CHANGING)), None)
        if direction is not None:
            for head in fresh:
                head.change = head.change or ("increased" if direction.kind == "up" else "decreased")
        if any(n.last < nouns[0].first and n.id in self.words.flagged("kept_normal") for n in phrase.normals):
            for head in fresh:
                head.status = "present" if self.negated else "normal"
            return
        for normal in phrase.normals:
            for head in fresh:
                if normal.id != self.words.role("plain_normal") or normal.last <= nouns[-1].last:
                    head.details.append(self._state(normal))
                elif not self.negated:
                    head.status = "normal"

    def _changes_of(self, fresh: list[Head]) -> None:
        """ "Decreased size of the abscess", "enlargement of the abscess" is a change of the abscess."""
        way = self.group[0].direction
        grown = self.group[0].concept == self.words.role("grown")
        for head in self.group:
            head.dead = True
        for head in fresh:
            head.change = MOVED.get(way.kind) if way is not None else "increased" if grown else head.change
            if grown and self.negated:
                head.status, head.change = "present", "stable"  # "no enlargement of the nodule"
        self.group = []

    def _join(self, phrase: Phrase, nouns: list[Item], fresh: list[Head], listing: bool) -> None:
        """Add heads to the coordination, or begin a new one with them."""
        self.nested, self.placed = [], []
        self.fresh_subject = False
        self.attached = bool(phrase.sites) and phrase.sites[0].first > nouns[0].first
        if self.group and self.last == ["prep"] and all(h.kind == "F" for h in self.group) and not self.after_verb:
            self.nested = fresh
        elif listing:
            self._share_side(phrase, self.group)
            if ("neg" in self.last and not self._nor()) or (not {"and", "or", "versus"} & set(self.last) and not self.negated):
                listed = self.last == ["comma"] and all(h.item.adjective and h.concept in self.words.own for h in self.group)
                for head in self.group:
                    head.joined = head.item.adjective and self.last == ["comma"] and not self.after_verb
                    if listed and phrase.sites and (head.inherited or not head.sites):  # "T1 hypointense, T2 hyperintense pons"
                        head.sites, head.inherited = list(fresh[-1].sites), fresh[-1].inherited
            if self.attached:  # "no fluid or gas around the pancreas"
                for head in self.group:
                    if head.joined and head.kind == "F" and not head.sites and head.side is None:
                        head.sites, head.shared = list(fresh[-1].sites), True
            self.group = self.group + fresh
        else:
            self.group = fresh
        self.heads += fresh
        self._spent()

    def _list_goes_on(self, phrase: Phrase, nouns: list[Item]) -> bool:
        """Whether a negated list goes on with this phrase: it ends in or/nor/and, or stays bare."""
        graded = any(self.words.parents.get(m.id) in self.words.flagged("grading") for m in phrase.modifiers)
        graded = graded or bool(phrase.measures and phrase.measures[0].first < nouns[0].first)  # "no mass, 5 mm stone"
        device = nouns[0].id in self.words.devices and self.group[-1].concept not in self.words.devices
        if graded or device:  # "no pneumothorax, chest tube in place"
            rest = self.chunks[self.at + 1 :]
            return any(not isinstance(c, Phrase) and c.kind == "or" for c in rest)
        for chunk in self.chunks[self.at + 1 :]:
            if isinstance(chunk, Phrase):
                if chunk.heads or chunk.normals:
                    return True
            elif chunk.kind in VERBS or chunk.kind == "change":
                return False
            elif chunk.kind in ("or", "comma", "and", "seen", "negpost"):
                return True
        return True

    def _infers(self, phrase: Phrase, nouns: list[Item]) -> bool:
        """After "likely", "consistent with": a generic head keeps the inference as a detail; else it is a finding of its own."""
        target = next((h for h in reversed(self.group or self.heads) if h.status == "present"), None)
        if target is not None and target.concept not in self.words.lumps:
            # "A mass with a dural tail, likely meningioma": the mass is.
            whole = next((h for h in reversed(self.heads) if h.concept in self.words.lumps and h.status == "present"), None)
            if whole is not None and _WITH.search(self.text, whole.end, target.start):
                target = whole
        others = [h for h in self.heads if h is not target and h.status == "present" and h.concept not in self.words.generic]
        if target is not None and others and target.concept in self.words.flagged("signs"):
            target = None  # "oedematous pancreas, stranding and fluid, consistent with pancreatitis"
        if target is not None and target.alternatives and _ITEM.search(self.text, 0, phrase.items[0].start):
            self.inference = None  # "densities, likely atelectasis, and a granuloma in the upper lobe"
            return False
        strength = self.inference
        if (
            target is None
            or target.concept not in self.words.generic
            or (phrase.sites and self._places(phrase) != target.sites and target.sites)
        ):
            self.hedge = strength if strength in ("probable", "possible") else "probable"
            self.inference = None
            self.concluded = target
            return False
        for item in nouns:
            label = self.words.labels.get(item.id, item.id)
            prefix = STRENGTH.get(strength or "", "")
            target.details.append(Detail("inference", item.id, prefix + label))
            target.alternatives.append(item.id)
            item.used = True
        target.details += [d for d in self._details(phrase, nouns) if d.category == "length"]
        self.hedge = None
        return True
