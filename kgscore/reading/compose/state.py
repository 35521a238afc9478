"""The state of the walk through a sentence: subject, coordination and open cues, and what is still to come."""

from __future__ import annotations

import re

from kgscore.model import Detail
from kgscore.reading.compose.phrases import Head, Phrase, Place, Vocabulary
from kgscore.reading.items import Item

# Opens an apposition ("…, the largest a node of 18 mm").
LARGEST = re.compile(r"\s*(?:the )?(?:largest|biggest)\b", re.IGNORECASE)
# Say of a structure what a verb would ("no mass, duct not dilated", "the sella is empty, and the sinus contains a cyst").
ELLIPTIC = re.compile(r"not|free of|free from|negative for|devoid of|contains?|containing no", re.IGNORECASE)
# Goes on with what stands before ("foci in the lobe and the insula, which are old").
_RELATIVE = re.compile(r"\b(?:which|that)\s+\Z", re.IGNORECASE)
# Say that a finding is still there, and not that it is the same.
_STILL = re.compile(r"(?:(?:is|has|have|not|yet|been|un)[ -]?)*(?:resolv|clear|persist)", re.IGNORECASE)
# A noun that may be plural, and a verb that is.
_PLURAL = re.compile(r"(?:(?! of\b).)*(?:s|a|i|ae)(?= of\b|\Z)", re.IGNORECASE)
_OF_MANY = re.compile(r"(?:are|were|have|measure|appear|remain|show|demonstrate|look|seem|lie|contain|exhibit)\b", re.IGNORECASE)
LISTING = frozenset(("and", "or", "versus", "comma", "slash"))
_ENDING = LISTING | {"semi", "but", "seen"}
VERBS = ("cop", "have")
OTHER_SIDE = {"left": "right", "right": "left"}


class State:
    """What the pieces of composition share: each adds to it what one kind of words does."""

    def __init__(self, vocabulary: Vocabulary, text: str) -> None:
        self.words = vocabulary
        self.text = text
        self.heads: list[Head] = []
        self.group: list[Head] = []
        self.subject: list[tuple[Place, ...]] = []
        self.subject_qualities: list[Item] = []
        self.subject_side: str | None = None
        self.fresh_subject = False
        self.negated = False
        self.neg_item: Item | None = None
        self.hedge: str | None = None
        self.hedge_holds = False
        self.inference: str | None = None
        self.concluded: Head | None = None
        self.change: str | None = None
        self.change_holds = False
        self.past = False
        self.other = False
        self.rest_from: int | None = None
        self.pending: list[Detail] = []
        self.compare: tuple[str, str] | None = None
        self.tip = False
        self.dropped = ""  # why the words of this clause are passed over, if they are
        self.restricting = False
        self.around: list[Head] = []
        self.last: list[str] = []
        self.after_verb = False
        self.history = False
        self.memory_side: str | None = None
        self.companions: list[Head] = []
        self.before_comma = self.before_clause = 0
        self.copula = False
        self.nested: list[Head] = []
        self.placed: list[Head] = []
        self.label: list[tuple[Place, ...]] = []
        self.attached = False
        self.beside: list[Detail] = []
        self.chunks: list[Phrase | Item] = []
        self.at = self.extended = self.passed = 0

    @property
    def _denied(self) -> str:
        """The status of a finding here."""
        return "absent" if self.negated else "present"

    @property
    def _denies_normal(self) -> bool:
        """Whether a normal word here is denied: not after a finding was ("no stones, wall of normal thickness")."""
        return self.negated and not (self.neg_item is not None and self._open_after(self.neg_item))

    # ---- what stands around --------------------------------------------------------------------------------------
    def _open_after(self, cue: Item) -> bool:
        """Whether a finding stands after a cue."""
        return any(head.start > cue.start for head in self.heads)

    def _unknown_after(self, cue: Item) -> bool:
        """Whether words that nobody knows stand after a cue: it may negate those."""
        return any(isinstance(c, Phrase) and c.unknown and c.unknown[-1].start > cue.start for c in self.chunks)

    def _next(self) -> Phrase | Item | None:
        """Return the next phrase or operator."""
        return self.chunks[self.at + 1] if self.at + 1 < len(self.chunks) else None

    def _following(self) -> Phrase | None:
        """Return the next phrase, if only prepositions or adverbs stand before it."""
        for chunk in self.chunks[self.at + 1 :]:
            if isinstance(chunk, Phrase):
                return chunk
            if chunk.kind not in ("prep", "near", "and", "hedge", "change", "past", "neg", "cause"):
                return None
        return None

    def _verb_next(self) -> bool:
        """Whether a verb follows, with nothing between but a list that states nothing by itself."""
        before: set[str] = set()
        for at in range(self.at + 1, len(self.chunks)):
            chunk = self.chunks[at]
            if isinstance(chunk, Phrase):
                if chunk.heads or chunk.normals or self._says_both(chunk):
                    return False
            elif chunk.kind not in LISTING or LARGEST.match(self.text, chunk.end):
                if ELLIPTIC.fullmatch(self.text, chunk.start, chunk.end) or self._normal_after(at):
                    return True
                relative = _RELATIVE.search(self.text, max(0, chunk.start - 7), chunk.start)
                if before == {"comma"} and {"and", "or"} & set(self.last):
                    return False  # "tears of the one and the other ligament, the third being intact"
                # "…, involving its body, and is extruded"
                return chunk.kind in VERBS and relative is None and not before >= {"comma", "and"}
            else:
                before.add(chunk.kind)
        return False

    def _disagrees(self, phrase: Phrase) -> bool:
        """Whether the verb after a structure cannot be of it alone ("nodules in the liver and spleen are unchanged")."""
        verb, noun = self._next(), phrase.items[-1]
        if not isinstance(verb, Item) or verb.kind not in VERBS or noun.kind != "A" or noun.side == "both":
            return False
        several = " and " in self.text[noun.start : noun.end]  # "the heart and mediastinum are normal"
        plural = several or _PLURAL.match(self.text, noun.start, noun.end) or any(item.id == "both" for item in phrase.sides)
        return not plural and _OF_MANY.match(self.text, verb.start, verb.end) is not None

    def _says_both(self, phrase: Phrase) -> bool:
        """Whether "both" stands by itself."""
        word = phrase.items[0]
        return len(phrase.items) == 1 and self.text[word.start : word.end].lower() == "both"

    def _normal_after(self, at: int) -> bool:
        """Whether "otherwise" and a normal word follow a structure ("cataract surgery, orbits otherwise normal")."""
        cue = self.chunks[at]
        after = self.chunks[at + 1] if at + 1 < len(self.chunks) else None
        otherwise = isinstance(cue, Item) and cue.kind == "other"
        return otherwise and isinstance(after, Phrase) and bool(after.normals) and not after.sites

    def _ends_clause(self) -> bool:
        """Whether nothing follows that may be the value of a quality."""
        following = self._next()
        return following is None or (isinstance(following, Item) and following.kind in _ENDING)

    def _opens_clause(self) -> bool:
        """Whether a verb follows, with nothing between but phrases that place this one ("… and the duct above it is dilated")."""
        for chunk in self.chunks[self.at + 1 :]:
            if isinstance(chunk, Phrase):
                if chunk.heads or chunk.normals:
                    return False
            elif chunk.kind in VERBS:
                return not _RELATIVE.search(self.text, max(0, chunk.start - 7), chunk.start)
            elif chunk.kind not in ("prep", "near"):
                return False
        return False

    def _nor(self) -> bool:
        """Whether the cue before goes on with a negated list ("neither a mass nor a collection in the neck")."""
        cue = self.chunks[self.at - 1] if self.at else None
        return isinstance(cue, Item) and self.text[cue.start : cue.end].lower() == "nor"

    def _owns_next(self) -> bool:
        """Whether the next phrase states something by itself."""
        following = self._next()
        if isinstance(following, Item) and following.kind == "prep" and self.at + 2 < len(self.chunks):
            # "…, wall of normal thickness": a quality with its value.
            value = self.chunks[self.at + 2]
            return isinstance(value, Phrase) and bool(value.qualities and (value.normals or value.directions)) and not value.sites
        return isinstance(following, Phrase) and bool(following.normals or following.heads)

    def _following_head(self) -> bool:
        """Whether the next phrase names a finding."""
        following = self._next()
        return isinstance(following, Phrase) and bool(following.heads)

    def _side_next(self) -> bool:
        """Whether only a side follows ("severe on the left")."""
        for chunk in self.chunks[self.at + 1 : self.at + 3]:
            if isinstance(chunk, Phrase):
                return bool(chunk.sides) and not chunk.sites and not chunk.heads
        return False

    def _measured(self) -> bool:
        """Whether what stands before has a size."""
        return any(d.category == "length" for head in self.group for d in head.details)

    def _is_both(self, head: Head) -> bool:
        """Whether a head is said of both sides."""
        return head.side == "both" or any(side == "both" for alternative in head.sites for _, side in alternative)

    # ---- what is said of heads -----------------------------------------------------------------------------------
    def _deny(self, heads: list[Head], certainty: str | None = None) -> None:
        """Turn what heads say round."""
        for head in heads:
            if head.status == "present":
                head.status = "absent"
            elif head.status == "normal":
                head.status = "present"
            if certainty:
                head.certainty = certainty

    def _changed(self, head: Head, value: str, at: int) -> None:
        """Say of a head how it changed, by the word at an offset; a change denied is none."""
        if value == "resolved":
            head.status = "absent"
        if self.negated and value != "resolved":
            value = "stable"
        if head.change in ("increased", "decreased") and value == "stable" and _STILL.match(self.text, at):
            return  # "has decreased but has not resolved"
        head.change = value

    def _spent(self) -> None:
        """Close the cues that hold for one finding only; a hedge goes on with the list."""
        listed = self.change == "stable" and self._list_goes_on_to(("and", "or"))  # "unchanged tube, line and drain"
        following = self._next()
        # "No new haemorrhage or ischaemia."
        listed = listed or (self.change == "new" and self.negated and isinstance(following, Item) and following.kind == "or")
        if not listed and not (self.change_holds and self._list_goes_on_to(("or", "versus"))):
            self.change = None
        self.pending = []
        self.past = False
        whole = ("and", "or", "versus") if self.hedge_holds else ("or", "versus")
        if not self.negated and not self._list_goes_on_to(whole):
            self.hedge = None

    def _list_goes_on_to(self, last: tuple[str, ...]) -> bool:
        """Whether a list goes on: by a conjunction, or by commas that lead to one of the `last` ones."""
        following = self._next()
        if not isinstance(following, Item):
            return False
        if following.kind == "comma":
            rest = self.chunks[self.at + 1 :]
            kinds = [chunk.kind for chunk in rest if isinstance(chunk, Item)]
            ends = next((i for i, kind in enumerate(kinds) if kind not in ("comma", "hedge")), None)
            return ends is not None and kinds[ends] in last
        return following.kind in ("or", "slash", "versus", "and", "with")
