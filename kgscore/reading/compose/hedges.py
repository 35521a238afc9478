"""Hedges, inferences and causes: how sure a finding is, and what explains it."""

from __future__ import annotations

import re

from kgscore.model import Detail
from kgscore.reading.compose.phrases import Head, Phrase
from kgscore.reading.compose.state import State
from kgscore.reading.items import Item

# Cues that speak of what follows, even where nobody knows it, and never of what stands before.
_OBJECT = re.compile(
    r"(?:\b(?:for|of|to|as|with)|(?:represent|reflect|suggest|indicat|imply|impli|favor|favour)\w*)\Z", re.IGNORECASE
)
# Open a list of which each member is possible, however it ends ("differential includes A, B and C").
_DIFFERENTIAL = re.compile(r"(?:the )?(?:differential|ddx|considerations|possibilities)", re.IGNORECASE)
# What comes after these is an earlier event, and not where the finding is.
_LATER = ("after", "following", "subsequent to")
# Subjects that report nothing by themselves ("findings are suspicious for …").
# Stands for a finding named before ("although a small one …").
_ONE = re.compile(r"\b(?:an?|any) (?:[a-z-]+ ){1,3}one\s+(?:(?:on|in) the (?:left|right)\s+)?\Z", re.IGNORECASE)
STRENGTH = {"probable": "likely ", "possible": "possible "}


class Hedges(State):
    """Reads hedges and inferences."""

    def _op_hedge(self, item: Item) -> None:
        """A hedge before or after what it is said of; "unlikely" denies."""
        said = self.text[item.start : item.end]
        if self.negated and said.lower() == "whether":
            return
        if self.negated and "comma" in self.last and self.group and self._open_after(self.neg_item or item):
            self.negated = False
        self._drop_empty_subject()
        following = self._following() or self._after_parenthesis()
        strength = item.id
        if not self.group:
            self._one_of_those(item, following)
        self.hedge_holds = _DIFFERENTIAL.match(said) is not None
        if strength == "unlikely":
            if self.group and (following is None or not following.heads):
                self._deny(self._after_comma() or self.group, "probable")
            else:
                self.negated, self.neg_item, self.hedge, self.inference = True, item, "probable", None
            return
        if self._hedges_descriptor(following):
            return
        if following is not None and (following.heads or following.normals):
            self.hedge = strength
            if self.group and not {"with", "and"} & set(self.last[-1:]):
                self.inference = strength
        elif self._appended(strength):
            return
        elif following is not None and following.unknown and _OBJECT.search(said):
            self.hedge = strength
        elif isinstance(after := self._next(), Item) and after.kind in ("change", "greater", "less"):
            return  # "…, perhaps slightly larger"
        else:
            for head in self.group:
                head.certainty = strength
                if head.status == "absent":
                    head.status = "present"
            self.negated = False

    def _after_comma(self) -> list[Head]:
        """Return the heads after the last comma, where a conjunction joins none of them to those before it ("a mass, or
        abscess", but "wall thickening, ischaemia considered unlikely")."""
        commas = [at for at, c in enumerate(self.chunks[: self.at]) if isinstance(c, Item) and c.kind == "comma"]
        if not commas or any(isinstance(c, Item) and c.kind in ("and", "or", "slash") for c in self.chunks[commas[-1] : self.at]):
            return []
        return [head for head in self.group if head.start > self.chunks[commas[-1]].start]  # type: ignore[union-attr]

    def _after_parenthesis(self) -> Phrase | None:
        """Return the phrase of a finding that a hedge between commas is said of ("a pseudocyst or, less likely, a tumour")."""
        if self.last[-2:] not in (["or", "comma"], ["comma", "or"], ["hedge", "comma"]):
            return None
        comma, phrase = (*self.chunks[self.at + 1 : self.at + 3], None, None)[:2]
        named = isinstance(phrase, Phrase) and bool(phrase.heads)
        return phrase if named and isinstance(comma, Item) and comma.kind == "comma" else None  # type: ignore[return-value]

    def _one_of_those(self, item: Item, following: Phrase | None) -> None:
        """ "No effusion, although a small one cannot be excluded": one more finding of the kind spoken of."""
        one = _ONE.search(self.text, 0, item.start)
        spoken = next((head for head in reversed(self.heads) if head.kind == "F"), None)
        if one is None or spoken is None or (following is not None and (following.heads or following.sites)):
            return
        head = Head("F", spoken.concept, spoken.item, one.start(), one.end(), list(spoken.sites))
        head.side = self.subject_side or spoken.side
        head.inherited, head.details = spoken.inherited, list(self.pending)
        self.pending, self.group = [], [head]
        self.heads.append(head)

    def _hedges_descriptor(self, following: Phrase | None) -> bool:
        """Whether only a descriptor of a finding before is hedged, and not that ("fracture of the wrist, likely chronic")."""
        return (
            following is not None
            and following is self._next()
            and bool(following.modifiers)
            and len(following.modifiers) == len(following.items)
            and any(head.kind == "F" for head in self.group)
        )

    def _op_ask(self, item: Item) -> None:
        """A question mark makes what follows, or else what stands before, possible."""
        following = self._following()
        if following is not None and following.heads:
            self.hedge = "possible"
            if self.group and self.last[-1:] == ["comma"]:
                self.inference = "possible"  # "opacity, ?pneumonia"
        else:
            for head in self.group:
                head.certainty = "possible"

    def _op_versus(self, item: Item) -> None:
        """ "Atelectasis versus consolidation": alternatives, each of them possible."""
        if self._appended("possible"):
            self.inference = "possible"
        elif self.inference is None and not self.negated:
            for head in self.group:
                head.certainty = "possible"
            self.hedge = "possible"

    def _op_infer(self, item: Item) -> None:
        if self.negated and "comma" in self.last and not self.group and self.subject_qualities:
            self._quality_value("lost", item)  # "no vascularity, consistent with torsion"
        if self.negated and "comma" in self.last and self.group:
            self.negated = False
        if self.negated and self.neg_item is not None and self.neg_item.id == "unlikely" and self.group and not self.last:
            for head in self.group:  # "unlikely that the opacity represents pneumonia"
                head.status, head.certainty = "present", "definite"
            self.group = []
            return
        dropped = self._drop_empty_subject()
        if dropped and self.text[item.start : item.end].lower().endswith("with"):
            # "Findings are consistent with …" concludes, and a conclusion is not certain.
            self.hedge = self.hedge or "probable"
        self.inference = None if dropped else self.hedge or "definite"

    def _op_cause(self, item: Item) -> None:
        """What comes is a cause or a consequence: a finding of its own."""
        self.inference = None
        if not self.negated or self.group:
            self.negated = False
        self.after_verb = False
        if self.text[item.start : item.end].lower() in _LATER:
            self.group, self.subject = [], list(self.label)

    def _quality_value(self, kind: str, item: Item) -> None:
        """ "Flow is present", "flow is absent": existence is the value of a quality."""
        for quality in self.subject_qualities:
            values = self.words.qualities.get(quality.id, {})
            if not {"lost", "down"} & values.keys():
                continue
            concept = values.get("lost") or values["down"]
            head = Head("Q", concept, quality, quality.start, item.end)
            head.status = "normal" if kind == "N" else "present"
            head.quality = quality.id
            head.sites = list(self.subject)
            head.side = self.subject_side if not self.subject else None
            self.group = [head]
            self.heads.append(head)

    def _op_assert(self, item: Item) -> None:
        self.negated = False

    def _drop_empty_subject(self) -> bool:
        """ "Findings are suspicious for …" reports nothing by its subject: return whether it was so."""
        if (
            len(self.group) == 1
            and self.group[0].concept in self.words.flagged("names_nothing")
            and not self.group[0].details
            and self._following() is not None
        ):
            empty = self.group[0]
            empty.dead = True
            self.heads.remove(empty)
            self.group = []
            if empty.sites and not self.subject:  # "Changes in the left lower lobe, consistent with pneumonia"
                self.subject, self.subject_side = list(empty.sites), empty.side
            return True
        return not self.heads and not any(isinstance(chunk, Phrase) and chunk.unknown for chunk in self.chunks[: self.at])

    def _appended(self, strength: str) -> bool:
        """ "Opacity, pneumonia favoured": the last finding explains a generic one before it and becomes its inference."""
        if len(self.heads) < 2:
            return False
        target, last = self.heads[-2], self.heads[-1]
        if (
            last.status != "present"
            or target.status != "present"
            or target.concept not in self.words.generic
            or last.details
            or (last.sites and not last.inherited)
        ):
            return False
        between = self.text[target.end : last.start].strip()
        twice = last.concept in self.words.generic and target.concept == last.concept
        if twice or between not in (",", ":", ", ddx", "(", "- ddx"):
            return False
        label = self.words.labels.get(last.concept, last.concept)
        prefix = STRENGTH.get(strength, "")
        target.details.append(Detail("inference", last.concept, prefix + label))
        target.alternatives.append(last.concept)
        self.heads.pop()
        self.group = [target]
        return True
