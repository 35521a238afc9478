"""What an operation is done to, and what is said of a device: both are where that is ("resection of a left frontal glioma")."""

from __future__ import annotations

import re

from kgscore.reading.compose.normals import Normals
from kgscore.reading.compose.phrases import Head
from kgscore.reading.items import Item

_DEFINITE = re.compile(r"\b(?:the|this|that|these|those|its)\s+\Z", re.IGNORECASE)


class Objects(Normals):
    """Reads "of" and "in" before a finding."""

    def _points_at(self, head: Head) -> bool:
        """Whether "in the mass" only names what is spoken of."""
        denied = self.last == ["prep"] or all(h.kind == "N" or h.status == "absent" for h in self.group)
        return denied and _DEFINITE.search(self.text, max(0, head.start - 6), head.start) is not None

    def _after_of(self) -> bool:
        """Whether "of" stands right before what is read."""
        joint = self.chunks[self.at - 1] if self.at else None
        return isinstance(joint, Item) and self.text[joint.start : joint.end].lower() == "of"

    def _states_object(self, object_: Head) -> bool:
        """Place what stands before a preposition where its object is; return whether that states the object: "no fluid level
        within the cavity" speaks of a cavity and neither states nor denies it, loosening of a prosthesis of the prosthesis, a
        resection of a mass of one that is gone."""
        last, devices, acts = self.group[-1], self.words.devices, self.words.devices | self.words.states
        present = last.status == "present"
        operated = self._after_of() and last.concept in acts and object_.concept not in acts
        borne = present and last.concept not in devices
        held = borne and object_.concept in devices - self.words.states
        done = borne and object_.concept in devices & self.words.states  # "bulging through the craniectomy"
        pointed = self._points_at(object_)
        if (operated and present) or held or pointed:
            self._put_beside([last] if operated or held else self.group, object_)
        if operated and last.concept in self.words.flagged("removing"):
            taken = last.concept in self.words.flagged("taking")
            last.concept = self.words.role("after_surgery") if taken else last.concept
            return False
        return operated or done or not (pointed or held)

    def _put_beside(self, heads: list[Head], object_: Head) -> None:
        """Put heads without a place of their own where another one is."""
        for head in heads:
            if object_.sites and (head.inherited or not head.sites):
                head.sites, head.inherited = list(object_.sites), False
            elif not head.sites and not object_.sites:
                head.host, head.side = object_.concept, head.side or object_.side
