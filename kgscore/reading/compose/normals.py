"""Normal statements, and qualities that wait for their value."""

from __future__ import annotations

import re

from kgscore.reading.compose.additions import Additions
from kgscore.reading.compose.phrases import Head, Phrase, Place
from kgscore.reading.compose.state import LISTING
from kgscore.reading.items import Item

_STUDY = r"(?:study|examination|exam|scan|investigation|survey|imaging|radiographs?|films?|x-?rays?|CT|MRI|ultrasound|sonogram)"
_REST = r"(?:remaining|other)(?: visuali[sz]ed| imaged| included)? (?:structures|findings)"
_VERB = r"(?:\s+(?:is|are|was|appears?|otherwise|also|entirely|grossly))*"
_STUDY_BEFORE = re.compile(rf"(?:\A\W*elsewhere,?(?: there is)?|\b(?:{_STUDY}|{_REST})\b){_VERB}\s*\Z", re.IGNORECASE)
_STUDY_AFTER = re.compile(rf"\s+(?:[\w-]+\s+){{0,2}}{_STUDY}\b", re.IGNORECASE)
_DENIAL = re.compile(r"(?:no|nothing|without|free)\b", re.IGNORECASE)


class Normals(Additions):
    """Makes heads of normal words."""

    def _normal_heads(self, phrase: Phrase) -> None:
        """Make heads of normal words, said of the sites of the phrase, of the subject or of waiting qualities."""
        sites = self._places(phrase)
        middle, sound = (phrase.normals[0].id in self.words.flagged(role) for role in ("in_midline", "sound"))
        if middle and not self.copula and any(h.kind == "F" for h in self.group):
            self._normal_of_findings(phrase.normals[0])  # "a cyst in the midline"
            return
        if not sites and self._describes_finding(phrase):
            return
        if not sites and self.last in (["colon"], ["comma"]) and sound and self._all_devices():
            self._normal_of_findings(phrase.normals[0])  # "VP shunt: tubing intact"
            return
        listing = bool(self.last) and set(self.last) <= LISTING
        before = bool(phrase.sites) and phrase.sites[0].first < phrase.normals[0].first
        if {"comma", "and"} & set(self.last) and "neg" not in self.last:
            self.negated = False
        denial = _DENIAL.match(self.text, phrase.normals[0].start) is not None
        if denial and self.heads and {"comma", "and"} & set(self.last):
            self.subject, self.subject_qualities = list(self.label), []
        if sites and before and listing and self.fresh_subject:
            self.subject = self.subject + sites
            sites = self.subject
        elif sites:
            if before:
                waiting = self.subject_qualities if "prep" in self.last and not self.group else []
                self._set_subject(sites, phrase)
                self.subject_qualities = waiting or self.subject_qualities
        elif not denial and not self.subject and self.after_verb and any(h.kind == "F" for h in self.group):
            if not self._is_normal_there(phrase):
                self._normal_of_findings(phrase.normals[0])
            return
        if not sites and not self.subject and self.group and listing and all(h.kind in "NQ" for h in self.group):
            fresh = [self._normal_twin(phrase, head) for head in self.group]
        else:
            qualities: list[Item | None] = [*self.subject_qualities] or [None]
            fresh = [self._normal_head(phrase, n, quality, sites, denial) for n in phrase.normals for quality in qualities]
        self.group = fresh
        self.heads += fresh
        self.fresh_subject = False
        self._spent()

    def _normal_by_descriptor(self, phrase: Phrase) -> None:
        """ "The ventricles are in keeping with the patient's age": said of a structure, a descriptor is its normal value."""
        item = phrase.items[0]
        value = self._normal_by(item.id) if len(phrase.items) == 1 and self.copula and self.after_verb else None
        if value is not None and not self.group and not self.negated and (self.subject or self.subject_qualities):
            item.kind, item.id, item.types, item.choices = "N", value, {}, ()
            phrase.modifiers, phrase.normals = [], [item]

    def _all_devices(self) -> bool:
        """Whether the coordination is of devices."""
        return bool(self.group) and all(head.concept in self.words.devices for head in self.group)

    def _describes_finding(self, phrase: Phrase) -> bool:
        """ "A mass in the frontal lobe, enhancing homogeneously": what a normal word after a comma says of the finding before."""
        last = self.group[-1] if self.group else None
        if last is None or self.last != ["comma"] or self.negated or self.other or last.status != "present":
            return False
        if last.kind != "F" or last.concept not in self.words.generic:
            return False
        if self.words.role("plain_normal") in (normal.id for normal in phrase.normals):
            return False
        if self.subject or self.subject_qualities or _DENIAL.match(self.text, phrase.normals[0].start):
            return False
        last.details += [*self._details(phrase, []), *(self._state(normal) for normal in phrase.normals)]
        return True

    def _normal_by(self, descriptor: str) -> str | None:
        """Return the normal word that a descriptor of findings amounts to where it is said of a structure, or None."""
        for role, normal in (("reads_normal", "plain_normal"), ("reads_midline", "at_midline")):
            if descriptor in self.words.flagged(role):
                return self.words.role(normal)
        return None

    def _is_normal_there(self, phrase: Phrase) -> bool:
        """ "No mass at the vaginal cuff, which is unremarkable": what was denied has no state, but its place has; "the
        distended bladder is unremarkable"."""
        head = self.group[-1]
        described = head.status == "present" and head.item.adjective and phrase.normals[0].id == self.words.role("plain_normal")
        if (head.status != "absent" and not described) or not head.sites or head.inherited:
            return False
        self.negated = False
        normal = self._normal_twin(phrase, head)
        self.group = [normal]
        self.heads.append(normal)
        self._spent()
        return True

    def _normal_of_findings(self, normal: Item) -> None:
        """ "The mass is smooth": a normal word of a finding is a detail of it; "is normal" makes a normal statement of it."""
        for head in self.group:
            if normal.id == self.words.role("plain_normal"):
                head.status = "present" if self.negated else "normal"
            else:
                head.details.append(self._state(normal))

    def _normal_twin(self, phrase: Phrase, before: Head) -> Head:
        """Return one more normal statement of what the one before was said of ("clear and symmetric")."""
        denied = self._denies_normal
        head = self._new("N", phrase.normals[0].id, phrase.normals[0], phrase)
        head.sites, head.side = list(before.sites), before.side
        head.status = "present" if denied else "normal"
        return head

    def _normal_head(
        self, phrase: Phrase, normal: Item, quality: Item | None, sites: list[tuple[Place, ...]], denial: bool
    ) -> Head:
        denied = self._denies_normal
        head = self._new("N", normal.id, normal, phrase)
        head.sites = self._fronted(sites)
        head.side = self._phrase_side(phrase) if not sites else None
        if quality is not None:
            head.kind, head.quality = "Q", quality.id
            head.concept, _ = self._deviation(quality.id, None, True)
            head.start = min(head.start, quality.start)
        if not sites:
            self._take_subject(head)
            head.inherited = denial
            head.whole = quality is None and not head.sites and self._of_study(normal)
        head.status = "present" if denied else "normal"
        head.details += self._measures(phrase)
        return head

    def _of_study(self, normal: Item) -> bool:
        """ "Otherwise normal study", "the examination is unremarkable": said of all that was examined."""
        before = self.text[max(0, normal.start - 45) : normal.start]
        return bool(_STUDY_BEFORE.search(before) or _STUDY_AFTER.match(self.text, normal.end))

    def _quality_phrase(self, phrase: Phrase) -> None:
        """A phrase with a quality but no value yet ("size …", "in size"): it waits for its value, or refines what came before."""
        if (
            self.last[-1:] == ["neg"]
            and self.neg_item is not None
            and "abnormal" in self.text[self.neg_item.start : phrase.qualities[0].start].lower()
        ):
            self._quality_heads(phrase, phrase.qualities)
            return
        clause = bool({"comma", "and"} & set(self.last)) and self._verb_next()
        if clause:
            self.negated = False  # "The liver is not enlarged, its contours are even"
        lacking = self.last[-1:] == ["neg"] and phrase.qualities[0].id == self.words.role("flowing") and not phrase.sites
        if lacking and self.neg_item is not None and self._ends_clause():
            self.subject_qualities = list(phrase.qualities)  # "an enlarged ovary without flow"
            self._quality_value("lost", self.neg_item)
            return
        valued = self.after_verb
        sites = self._places(phrase)
        if (
            sites
            and self.group
            and set(self.last) <= {"and", "comma"}
            and all(h.kind in "NQ" and not h.sites for h in self.group)
        ):
            for head in self.group:  # "Normal caliber and signal intensity of the spinal cord"
                head.sites = list(sites)
            sites = []
        # "The knee has normal alignment and joint space"
        of_same = bool(self.group) and not phrase.sites and self.after_verb and all(h.quality and h.sites for h in self.group)
        if self.group and self.last and ("prep" in self.last or (set(self.last) <= LISTING and (not sites or of_same))):
            refined = [h for h in self.group if h.kind in ("N", "Q")]
            if refined and not clause:
                self._refine(refined, phrase)
                if (side := self._phrase_side(phrase)) is not None and not sites:
                    for head in self.group:  # "normal compression and augmentation bilaterally"
                        self._put_side(head, side)
                return
            if not sites and not clause and any(h.kind == "F" for h in self.group):
                self._detail_phrase(phrase)
                return
            if sites and "prep" in self.last:  # "straightening of the normal cervical lordosis"
                self._attach(self._sharing(), sites, phrase)
                return
        if sites:
            self._set_subject(sites, phrase)
        elif phrase.sides:
            self.subject_side = self._phrase_side(phrase)
        elif self.group and self.last and set(self.last) <= LISTING and not clause:
            self.subject = list(self.label)
        if set(self.last) <= LISTING and self.last and self.subject_qualities and not valued:
            self.subject_qualities = self.subject_qualities + phrase.qualities
        else:
            self.subject_qualities = list(phrase.qualities)
        if clause or not ("prep" in self.last or (set(self.last) <= LISTING and self.last)):
            self.group = []
