"""Composition: from the items of one sentence to heads with their sites, sides, polarity, hedges and details.

A sentence is a run of noun phrases and of operators between them (prepositions, verbs, conjunctions, cues). The
phrases are walked from left to right; a small state says what the subject is, which heads stand in the present
coordination, and which cues are open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kgscore.model import Detail
from kgscore.reading.mentions import Item, measurement

Place = tuple[str, str | None]
_IN_PHRASE = frozenset(
    ("A", "F", "M", "Q", "N", "sideword", "up", "down", "lost", "abnormal", "meas", "num", "W", "stop", "dash", "hash")
)
_DEFINITE = re.compile(r"\b(?:the|this|that|these|those|its)\s+\Z", re.IGNORECASE)
_ACTING = re.compile(r"(?:ing|es|[^s]s)\Z", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are)\b", re.IGNORECASE)
_DENIAL = re.compile(r"(?:no|nothing|without|free)\b", re.IGNORECASE)
_DIRECTIONS = frozenset(("up", "down", "lost", "abnormal"))
_VALUES = ("up", "down", "lost", "abnormal")
_BARE = ("normal", "preserved", "smooth", "symmetric", "homogeneous", "intact", "clear")
_THIS = re.compile(r"\b(?:this|that|the same|these|said)\s+\Z", re.IGNORECASE)
_CHANGING = ("increas", "decreas", "reduc", "diminish")
_LISTING = frozenset(("and", "or", "versus", "comma", "slash"))


@dataclass(slots=True)
class Head:
    """One finding in the making. `sites` is a list of alternatives (coordination); each is the nested sites of one finding."""

    kind: str
    concept: str
    item: Item
    start: int
    end: int
    sites: list[tuple[Place, ...]] = field(default_factory=list)
    side: str | None = None
    status: str = "present"
    certainty: str = "definite"
    details: list[Detail] = field(default_factory=list)
    change: str | None = None
    alternatives: list[str] = field(default_factory=list)
    quality: str | None = None
    compare: tuple[str, str] | None = None
    inherited: bool = False
    otherwise: bool = False
    tips: list[str] = field(default_factory=list)
    dead: bool = False
    empty: bool = False
    joined: bool = True
    outer: list[tuple[Place, ...]] = field(default_factory=list)
    definite: bool = False
    direction: Item | None = None
    normals: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Phrase:
    """A noun phrase: its items by type."""

    items: list[Item]
    sites: list[Item] = field(default_factory=list)
    heads: list[Item] = field(default_factory=list)
    modifiers: list[Item] = field(default_factory=list)
    qualities: list[Item] = field(default_factory=list)
    normals: list[Item] = field(default_factory=list)
    directions: list[Item] = field(default_factory=list)
    sides: list[Item] = field(default_factory=list)
    measures: list[Item] = field(default_factory=list)
    unknown: list[Item] = field(default_factory=list)


def phrases(items: list[Item], text: str) -> list[Phrase | Item]:
    """Cut items into noun phrases and operators."""
    out: list[Phrase | Item] = []
    current: Phrase | None = None
    for item in items:
        kind = item.kind
        if kind == "stop" or (kind == "dash" and current is None):
            continue
        if kind == "F" and item.adjective and current is not None and any(not h.adjective for h in current.heads) and _ACTING.search(text, item.start, item.end):
            out.append(Item("cause", "", None, False, item.start, item.start, item.first, item.first))
            current = None
        if kind in _IN_PHRASE:
            if current is None:
                current = Phrase([])
                out.append(current)
            current.items.append(item)
            if kind == "A":
                current.sites.append(item)
            elif kind == "F":
                current.heads.append(item)
            elif kind == "M":
                current.modifiers.append(item)
            elif kind == "Q":
                current.qualities.append(item)
            elif kind == "N":
                current.normals.append(item)
            elif kind in ("up", "down", "lost", "abnormal"):
                current.directions.append(item)
            elif kind == "sideword":
                current.sides.append(item)
            elif kind == "meas":
                current.measures.append(item)
            elif kind == "W":
                current.unknown.append(item)
        else:
            current = None
            out.append(item)
    return out


@dataclass(slots=True)
class Vocabulary:
    """The few facts about concepts that composition asks for."""

    empty: frozenset[str]
    qualities: dict[str, dict[str, str]]
    generic: frozenset[str]
    labels: dict[str, str]
    parents: dict[str, str]
    devices: frozenset[str]
    own: frozenset[str]
    placed: frozenset[str]
    kinds: frozenset[str]
    states: frozenset[str]
    paired: frozenset[str]

    def detail(self, concept: str) -> Detail:
        """Return a descriptor as a detail: category, value, text."""
        return Detail(self.parents.get(concept, "nature"), concept, self.labels.get(concept, concept))


class Composer:
    """Walks the phrases of one sentence."""

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
        self.inference: str | None = None
        self.change: str | None = None
        self.past = False
        self.excepting = False
        self.other = False
        self.pending: list[Detail] = []
        self.compare: tuple[str, str] | None = None
        self.tip = False
        self.dropped = False
        self.last: list[str] = []
        self.after_verb = False
        self.history = False
        self.memory_side: str | None = None
        self.companions: list[Head] = []
        self.before_comma = 0
        self.copula = False
        self.nested: list[Head] = []
        self.label: list[tuple[Place, ...]] = []

    # ---- the walk ------------------------------------------------------------------------------------------------
    def run(self, items: list[Item], label: list[tuple[Place, ...]], label_side: str | None) -> list[Head]:
        """Return the heads of the sentence. `label` gives the sites of a heading before it."""
        self.subject = list(label)
        self.label = list(label)
        self.subject_side = label_side
        chunks = phrases(items, self.text)
        self.chunks = chunks
        for self.at, chunk in enumerate(chunks):
            if isinstance(chunk, Phrase):
                self._phrase(chunk)
                self.last = []
            else:
                getattr(self, f"_op_{chunk.kind}", self._op_other_kind)(chunk)
                self.last.append(chunk.kind)
        if (
            self.negated
            and self.neg_item is not None
            and self.group
            and not self._open_after(self.neg_item)
            and not self._unknown_after(self.neg_item)
        ):
            self._deny(self.group)
        return [head for head in self.heads if not head.dead]

    def _open_after(self, cue: Item) -> bool:
        return any(head.start > cue.start for head in self.heads)

    def _unknown_after(self, cue: Item) -> bool:
        return any(isinstance(c, Phrase) and c.unknown and c.unknown[-1].start > cue.start for c in self.chunks)

    def _following(self) -> Phrase | None:
        """Return the next phrase, if only prepositions or adverbs stand before it."""
        for chunk in self.chunks[self.at + 1 :]:
            if isinstance(chunk, Phrase):
                return chunk
            if chunk.kind not in ("prep", "near", "and", "hedge", "change", "past", "neg", "cause"):
                return None
        return None

    def _next_op(self, skip_listing: bool = False) -> str | None:
        for chunk in self.chunks[self.at + 1 :]:
            if isinstance(chunk, Phrase):
                if not skip_listing or chunk.heads or chunk.normals:
                    return None
            elif not skip_listing or chunk.kind not in _LISTING:
                return chunk.kind
        return None

    # ---- operators -----------------------------------------------------------------------------------------------
    def _op_other_kind(self, item: Item) -> None:
        pass

    def _op_neg(self, item: Item) -> None:
        if ("or" not in self.last and "and" not in self.last and "comma" not in self.last) or not self.negated:
            self.neg_item = item
        if self.heads and self.after_verb and {"and", "comma"} & set(self.last):
            self.subject, self.after_verb = list(self.label), False
        self.negated = True
        self.inference = None

    def _op_negpost(self, item: Item) -> None:
        if self.group:
            self._deny(self.group)
        elif self.subject_qualities:
            self._quality_value("lost", item)
        self.negated = False

    def _op_seen(self, item: Item) -> None:
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

    def _op_cop(self, item: Item) -> None:
        self.after_verb = self.copula = True

    def _op_have(self, item: Item) -> None:
        self.after_verb, self.copula = True, False

    def _op_semi(self, item: Item) -> None:
        self.negated = self.excepting = self.past = self.dropped = False
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
        kept, qualities = self.subject, self.subject_qualities
        self._op_semi(item)
        self.subject, self.subject_qualities = kept, qualities

    def _op_except(self, item: Item) -> None:
        self.negated = False
        self.excepting = True
        for head in self.heads:
            if head.status != "present":
                head.otherwise = True
        self.group = []

    def _op_other(self, item: Item) -> None:
        self.other = True

    def _op_with(self, item: Item) -> None:
        if self.negated and self.group:
            self.negated = False
        self.companions = [h for h in self.group if not h.sites]
        self.inference = None
        self.after_verb = False

    def _drop_empty_subject(self) -> None:
        """ "Findings are suspicious for …" reports nothing by its subject."""
        if (
            len(self.group) == 1
            and self.group[0].concept in ("finding", "change", "area", "shadow")
            and not self.group[0].details
            and self._following() is not None
        ):
            self.group[0].dead = True
            self.heads.remove(self.group[0])
            self.group = []

    def _op_hedge(self, item: Item) -> None:
        self._drop_empty_subject()
        following = self._following()
        strength = item.id
        if strength == "unlikely":
            if self.group and (following is None or not following.heads):
                self._deny(self.group, "probable")
            else:
                self.negated, self.neg_item, self.hedge = True, item, "probable"
            return
        if (
            following is not None
            and (following.heads or following.normals)
            and not (following.heads and not self.heads and False)
        ):
            self.hedge = strength
            if self.group and not {"with", "and"} & set(self.last[-1:]):
                self.inference = strength
        elif self._appended(strength):
            return
        else:
            for head in self.group:
                head.certainty = strength
                if head.status == "absent":
                    head.status = "present"
            self.negated = False

    def _op_ask(self, item: Item) -> None:
        following = self._following()
        if following is not None and following.heads:
            self.hedge = "possible"
        else:
            for head in self.group:
                head.certainty = "possible"

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
        if (last.concept in self.words.generic and target.concept == last.concept) or self.text[target.end : last.start].strip(
            " "
        ).strip() not in (",", ":", ", ddx", "(", "- ddx"):
            return False
        label = self.words.labels.get(last.concept, last.concept)
        prefix = {"probable": "likely ", "possible": "possible "}.get(strength, "")
        target.details.append(Detail("inference", last.concept, prefix + label))
        target.alternatives.append(last.concept)
        self.heads.pop()
        self.group = [target]
        return True

    def _op_versus(self, item: Item) -> None:
        """ "Atelectasis versus consolidation": alternatives, each of them possible."""
        if self._appended("possible"):
            self.inference = "possible"
        elif self.inference is None and not self.negated:
            for head in self.group:
                head.certainty = "possible"
            self.hedge = "possible"

    def _op_assert(self, item: Item) -> None:
        self.negated = False

    def _op_infer(self, item: Item) -> None:
        self._drop_empty_subject()
        self.inference = self.hedge or "definite"

    def _op_cause(self, item: Item) -> None:
        self.inference = None
        if not self.negated or self.group:
            self.negated = False
        self.after_verb = False

    def _op_change(self, item: Item) -> None:
        following = self._following()
        value = item.id
        if (
            following is not None
            and following.measures
            and not following.heads
            and self.text[item.start : item.end].lower().endswith("from")
        ):
            self.pending.append(Detail("previous", "", "previously"))
        direct = (
            following is not None
            and following.heads
            and (not self.group or value == "new" or (("comma" in self.last or "and" in self.last) and self.last[-1] != "cop"))
        )
        if direct:
            self.change = value
        elif self.group:
            for head in self.heads if self.after_verb and len(self.group) == len(self.heads) else self.group:
                self._changed(head, value)
        elif following is not None or value == "resolved":
            self.change = value
        elif self.heads:
            self._changed(self.heads[-1], value)

    def _changed(self, head: Head, value: str) -> None:
        if value == "resolved":
            head.status = "absent"
        if self.negated and value != "resolved":
            value = "stable"
        head.change = value

    def _op_past(self, item: Item) -> None:
        following = self.chunks[self.at + 1] if self.at + 1 < len(self.chunks) else None
        if self.text[item.start : item.start + 3].lower() == "on ":
            for head in self.group:
                head.dead = head.dead or head.kind == "N"
            return
        if isinstance(following, Phrase) and following.heads and item.id == "":
            self.past = True
        elif isinstance(following, Phrase) and following.measures and not following.heads:
            self.pending.append(Detail("previous", "", "previously"))

    def _op_ref(self, item: Item) -> None:
        self.past = True

    def _op_greater(self, item: Item) -> None:
        following = self.chunks[self.at + 1] if self.at + 1 < len(self.chunks) else None
        if isinstance(following, Phrase) and following.measures:
            return
        before = self._adjacent_side(-1)
        after = self._adjacent_side(1)
        if after is None and (before is None or (self.group and self.after_verb)):
            for head in self.group:
                self._changed(head, "increased" if item.kind == "greater" else "decreased")
            return
        larger, smaller = (before, after) if before and after else (after, None)
        if item.kind == "less":
            larger, smaller = smaller or ({"left": "right", "right": "left"}.get(larger or "")), larger
        other = {"left": "right", "right": "left"}
        if larger in other:
            self.compare = (larger, smaller or other[larger])
            for head in self.group or self.heads[-1:]:
                head.compare = self.compare
                if head.side is None and not any(side for alternative in head.sites for _, side in alternative):
                    head.side = "both"

    _op_less = _op_greater

    def _adjacent_side(self, step: int) -> str | None:
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

    def _op_tip(self, item: Item) -> None:
        self.tip = True

    def _op_comma(self, item: Item) -> None:
        self.before_comma = len(self.heads)

    def _op_drop(self, item: Item) -> None:
        """Advice, technique and questions report nothing; what stands before advice and a comma does ("nodule, follow-up advised")."""
        self.dropped = True
        spared = self.before_comma if item.id == "recommendation" else 0
        for head in self.heads[spared:]:
            head.dead = True

    def _op_history(self, item: Item) -> None:
        self.history = True

    # ---- phrases -------------------------------------------------------------------------------------------------
    def _phrase(self, phrase: Phrase) -> None:
        for item in phrase.sides:
            if item.id in ("left", "right"):
                self.memory_side = item.id
        if self.dropped or self.history:
            for item in phrase.items:
                item.used = True
            return
        heads = self._noun_heads(phrase)
        if not heads and not phrase.normals:
            heads = [
                self._as_finding(m)
                for m in phrase.modifiers
                if self.words.parents.get(m.id) == "enhancement_descriptor" and m.id != "no_enhancement"
            ][:1]
        elif (
            heads
            and not phrase.sites
            and self.group
            and self.group[-1].kind == "F"
            and self.last
            and "and" not in self.last
            and all(h.adjective and "M" in h.types for h in phrase.heads)
        ):
            for head in phrase.heads:
                head.kind, head.id = "M", head.types["M"].id
            phrase.modifiers += phrase.heads
            phrase.heads, heads = [], []
        if heads and not phrase.sites and all(h.adjective and "M" in h.types for h in phrase.heads) and self._qualifies_next():
            for head in phrase.heads:
                head.kind, head.id = "M", head.types["M"].id
            self.pending = self.pending + [self.words.detail(i.id) for i in (*phrase.modifiers, *phrase.heads)]
            return
        if phrase.qualities and (phrase.normals or phrase.directions or (self.negated and not heads and False)):
            self._quality_heads(phrase, phrase.qualities)
        elif heads:
            self._finding_heads(phrase, heads)
        elif phrase.normals:
            self._normal_heads(phrase)
        elif phrase.qualities:
            self._quality_phrase(phrase)
        elif phrase.directions and not phrase.sites:
            self._direction_phrase(phrase)
        elif phrase.sites:
            self._site_phrase(phrase)
        elif phrase.sides:
            self._side_phrase(phrase)
        elif phrase.modifiers or phrase.measures:
            self._detail_phrase(phrase)

    def _qualifies_next(self) -> bool:
        """Whether this phrase of adjectives belongs to the noun after a comma ("displaced, angulated fracture")."""
        after = self.chunks[self.at + 1 : self.at + 3]
        return (
            len(after) == 2
            and isinstance(after[0], Item)
            and after[0].kind == "comma"
            and isinstance(after[1], Phrase)
            and any(not h.adjective for h in after[1].heads)
            and not self.group
        )

    def _as_finding(self, item: Item) -> Item:
        """ "Rim enhancement" by itself is an enhancement with a detail."""
        return Item("F", "enhancement", None, False, item.start, item.end, item.first, item.last)

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
            if item.adjective and not later and not phrase.sites and phrase.unknown and phrase.unknown[-1].first == item.last + 1:
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

    def _splits(self, item: Item, later: Item, phrase: Phrase) -> bool:
        return any(item.last < site.first < later.first for site in phrase.sites) and later.first - item.last > 3

    def _details(self, phrase: Phrase, heads: list[Item]) -> list[Detail]:
        found: list[Detail] = []
        for item in phrase.modifiers:
            if item.id != "abnormal_value":
                found.append(self.words.detail(item.id))
        for item in phrase.heads:
            if item not in heads and item.id not in self.words.empty:
                entry = item.types.get("M")
                found.append(
                    self.words.detail(entry.id) if entry else Detail("nature", item.id, self.words.labels.get(item.id, item.id))
                )
        found += self._measures(phrase)
        return found

    def _measures(self, phrase: Phrase) -> list[Detail]:
        found = []
        for item in phrase.measures:
            kind, text = measurement(item.id)
            span = re.fullmatch(r"([\d.]+)-([\d.]+) mm", text)
            if span and self.text[: item.start].lower().endswith("from "):
                found += [
                    Detail("previous", f"{span[1]} mm", f"previously {span[1]} mm"),
                    Detail(kind, f"{span[2]} mm", f"{span[2]} mm"),
                ]
                continue
            before = self.text[max(0, item.start - 45) : item.start].lower()
            if self.pending and self.pending[-1].category == "previous":
                self.pending.pop()
                found.append(Detail("previous", text, f"previously {text}"))
            elif any(word in before for word in ("largest", "biggest", "larger", "bigger", "up to", "maximum")) and not any(
                c in before for c in ".;"
            ):
                found.append(Detail(kind, text, f"largest {text}"))
            else:
                found.append(Detail(kind, text, text))
        return found

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
                    side = {"left": "right", "right": "left"}.get(self._last_side() or "")
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

    def _last_side(self) -> str | None:
        for head in reversed(self.heads):
            if head.side:
                return head.side
            for alternative in head.sites:
                for _, side in alternative:
                    if side:
                        return side
        return self.subject_side or self.memory_side

    def _phrase_side(self, phrase: Phrase) -> str | None:
        sides = [item.id for item in phrase.sides if not item.used]
        if not sides:
            return next((item.side for item in phrase.heads if item.side), None)
        if "both" in sides or {"left", "right"} <= set(sides):
            return "both"
        if sides[0] == "same":
            return self._last_side()
        if sides[0] == "opposite":
            return {"left": "right", "right": "left"}.get(self._last_side() or "")
        return sides[0]

    def _status(self, negated: bool) -> str:
        return "absent" if negated else "present"

    def _new(self, kind: str, concept: str, item: Item, phrase: Phrase) -> Head:
        gone = (
            self.negated and self.neg_item is not None and "longer" in self.text[self.neg_item.start : self.neg_item.end].lower()
        )
        head = Head(kind, concept, item, min(i.start for i in phrase.items), max(i.end for i in phrase.items))
        if kind == "N":
            head.normals = [entry.id for entry in item.choices if entry.type == "N"]
        head.status = self._status(self.negated)
        if self.hedge:
            head.certainty = self.hedge
        if self.change:
            head.change = self.change
            if self.change == "resolved":
                head.status = "absent"
        elif gone:
            head.change = "resolved" if kind == "F" else "new"
            for other in self.heads:
                if kind == "F" and other.concept == concept:
                    other.dead = True
        if self.compare:
            head.compare = self.compare
        head.details = list(self.pending)
        head.otherwise = self.other
        head.definite = self.text[max(0, head.start - 5) : head.start].lower().strip() in (
            "the",
            "this",
            "that",
            "these",
            "those",
        )
        head.dead = self.past and concept not in self.words.states
        return head

    def _finding_heads(self, phrase: Phrase, nouns: list[Item]) -> None:
        listing = bool(self.last) and set(self.last) <= _LISTING | {"neg", "hedge", "change", "stop"} and bool(self.group)
        fresh_cue = "neg" in self.last
        if self.negated and not fresh_cue and listing and _VERB.search(self.text, nouns[0].start, nouns[0].end):
            self.negated, self.subject = False, []
        if (
            self.negated
            and not fresh_cue
            and self.group
            and self.group[0].status == "absent"
            and listing
            and self.last[0] == "comma"
            and not self._list_goes_on(phrase)
        ):
            self.negated = False
        if self.inference and self.heads and self._infers(phrase, nouns):
            return
        sites = self._places(phrase)
        side = self._phrase_side(phrase) if not sites else None
        if (
            sites
            and self.fresh_subject
            and not self.group
            and self.last
            and set(self.last) <= _LISTING
            and not self.after_verb
            and phrase.sites[:1]
            and phrase.sites[0].first < nouns[0].first
        ):
            sites = [*self.subject, *sites]  # "sulci and basal cisterns effaced"
        following = self.chunks[self.at + 1] if self.at + 1 < len(self.chunks) else None
        if isinstance(following, Item) and following.kind in ("cop", "have") and not sites and self.heads:
            self.subject, self.subject_qualities = [], []
        details = self._details(phrase, nouns)
        direction = next((d for d in phrase.directions if self.text[d.start : d.end].lower().startswith(_CHANGING)), None)
        normal = next((n for n in phrase.normals if n.last < nouns[0].first and n.id in ("normal", "preserved")), None)
        fresh: list[Head] = []
        for item in nouns:
            head = self._new("F", item.id, item, phrase)
            head.sites = self._fronted(sites)
            head.side = side or (item.side if not sites else None)
            head.details += details
            if direction is not None and head.change is None:
                head.change = "increased" if direction.kind == "up" else "decreased"
            if normal is not None:
                head.status = "present" if self.negated else "normal"
            if not sites:
                self._take_subject(head)
                if (
                    not head.sites
                    and head.side is None
                    and self.group
                    and {"with", "neg"} & set(self.last)
                    and not {"comma", "and", "or", "semi"} & set(self.last)
                ):
                    head.sites, head.inherited = list(self.group[0].sites), True
            fresh.append(head)
        for other in phrase.normals if normal is None else ():
            if other.id == "normal" and other.last > nouns[-1].last:
                if not self.negated:
                    for head in fresh:
                        head.status = "normal"
            else:
                for head in fresh:
                    head.details.append(self._state(other))
        if self.last == ["prep"] and self.group and all(h.kind == "Q" and not h.sites for h in self.group):
            # "Decreased size of the abscess" is a change of the abscess.
            way = self.group[0].direction
            for head in self.group:
                head.dead = True
            for head in fresh:
                head.change = {"up": "increased", "down": "decreased"}.get(way.kind) if way is not None else head.change
            self.group = []
        if self.last == ["prep"] and self.group and _DEFINITE.search(self.text, max(0, fresh[0].start - 6), fresh[0].start):
            # "No fluid level within the cavity" speaks of a cavity and neither states nor denies it.
            for head in self.group:
                if (head.inherited or not head.sites) and sites:
                    head.sites, head.inherited = list(sites), False
            return
        self.nested = []
        self.fresh_subject = False
        self.attached = bool(phrase.sites) and phrase.sites[0].first > nouns[0].first
        if self.group and self.last == ["prep"] and not any(h.kind != "F" for h in self.group) and not self.after_verb:
            self.nested = fresh
        elif listing:
            if "neg" in self.last or (not {"and", "or", "versus"} & set(self.last) and not self.negated):
                for head in self.group:
                    head.joined = False
            self.group = self.group + fresh
        else:
            self.group = fresh
        self.heads += fresh
        self._spent()

    def _trailing_side(self, phrase: Phrase, nouns: list[Item]) -> None:
        """ "Hydronephrosis and stranding on the left": a side said last holds for the whole list."""
        last = phrase.sides[-1] if phrase.sides else None
        if last is None or last.first < nouns[-1].last or last.last == last.first or not {"and", "or"} & set(self.last):
            return
        for head in self.group:
            if head.side is None and all(side is None for alternative in head.sites for _, side in alternative):
                head.side = last.id

    def _state(self, normal: Item) -> Detail:
        """A normal word said of a device or a lesion is a detail of it ("wires intact", "tip in good position")."""
        return Detail(
            "integrity" if normal.id.startswith("intact") else "state", normal.id, self.words.labels.get(normal.id, normal.id)
        )

    def _spent(self) -> None:
        self.change = None
        self.pending = []
        self.past = False
        following = self.chunks[self.at + 1] if self.at + 1 < len(self.chunks) else None
        if not self.negated and not (isinstance(following, Item) and following.kind in ("or", "slash", "versus", "and", "with")):
            self.hedge = None

    def _fronted(self, sites: list[tuple[Place, ...]]) -> list[tuple[Place, ...]]:
        """ "On the left, a mass in the canal": the side said first holds for sites without one."""
        if self.subject_side is None or self.subject or self.label:
            return list(sites)
        return [tuple((name, side or self.subject_side) for name, side in alternative) for alternative in sites]

    def _list_goes_on(self, phrase: Phrase) -> bool:
        """Whether a negated list goes on with this phrase: it ends in or/nor/and, or stays bare."""
        if any(m for m in phrase.modifiers if self.words.parents.get(m.id, "").startswith(("size", "severity", "quantity"))):
            rest = self.chunks[self.at + 1 :]
            return any(not isinstance(c, Phrase) and c.kind == "or" for c in rest)
        for chunk in self.chunks[self.at + 1 :]:
            if isinstance(chunk, Phrase):
                if chunk.heads or chunk.normals:
                    return True
            elif chunk.kind in ("cop", "have") or chunk.kind == "change":
                return False
            elif chunk.kind in ("or", "comma", "and", "seen", "negpost"):
                return True
        return True

    def _infers(self, phrase: Phrase, nouns: list[Item]) -> bool:
        """After "likely", "consistent with": a generic head keeps the inference as a detail; else it is a finding of its own."""
        target = next((h for h in reversed(self.group or self.heads) if h.status == "present"), None)
        strength = self.inference
        if (
            target is None
            or target.concept not in self.words.generic
            or (phrase.sites and self._places(phrase) != target.sites and target.sites)
        ):
            self.hedge = strength if strength in ("probable", "possible") else "probable"
            return False
        for item in nouns:
            label = self.words.labels.get(item.id, item.id)
            prefix = {"probable": "likely ", "possible": "possible "}.get(strength or "", "")
            target.details.append(Detail("inference", item.id, prefix + label))
            target.alternatives.append(item.id)
            item.used = True
        target.details += [d for d in self._details(phrase, nouns) if d.category in ("length",)]
        self.hedge = None
        return True

    def _take_subject(self, head: Head) -> None:
        """A head without a site of its own takes the subject of its clause, weakly: the builder checks that it fits."""
        if self.subject:
            head.sites = list(self.subject)
            head.inherited = not (self.after_verb and head.item.adjective and self.subject != self.label)
        if head.side is None and self.subject_side and not self.subject:
            head.side = self.subject_side

    def _quality_heads(self, phrase: Phrase, qualities: list[Item]) -> None:
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
                    head.change = "stable" if self.negated else {"up": "increased", "down": "decreased"}[direction.kind]
            return
        for quality in qualities:
            concept, normal = self._deviation(quality.id, direction, bool(phrase.normals))
            head = self._new("Q", concept, quality, phrase)
            head.quality, head.direction = quality.id, None if normal else direction
            head.status = ("present" if self.negated else "normal") if normal else self._status(self.negated)
            head.sites = list(sites)
            head.side = self._phrase_side(phrase) if not sites else None
            head.details += [d for d in self._details(phrase, []) if d.category != "nature"]
            if not sites:
                self._take_subject(head)
            fresh.append(head)
        listing = bool(self.last) and set(self.last) <= _LISTING
        self.group = self.group + fresh if listing else fresh
        self.heads += fresh
        self._spent()

    def _deviation(self, quality: str, direction: Item | None, normal: bool) -> tuple[str, bool]:
        values = self.words.qualities.get(quality, {})
        deviation = values.get("dev", "abnormality")
        if direction is None or (normal and direction.kind not in ("up", "down")):
            return deviation, normal
        key = {"up": "up", "down": "down", "lost": "lost", "abnormal": "off"}[direction.kind]
        return values.get(key, deviation), False

    def _quality_phrase(self, phrase: Phrase) -> None:
        """A phrase with a quality but no value yet ("size …", "in size"): it waits for the predicate, or refines what came before."""
        if (
            self.last[-1:] == ["neg"]
            and self.neg_item is not None
            and "abnormal" in self.text[self.neg_item.start : phrase.qualities[0].start].lower()
        ):
            self._quality_heads(phrase, phrase.qualities)
            return
        sites = self._places(phrase)
        if self.group and self.last and ("prep" in self.last or (set(self.last) <= _LISTING and not sites)):
            refined = [h for h in self.group if h.kind in ("N", "Q")]
            if refined:
                self._refine(refined, phrase)
                return
            if not sites and any(h.kind == "F" for h in self.group):
                self._detail_phrase(phrase)
                return
        if sites:
            self._set_subject(sites, phrase)
        elif phrase.sides:
            self.subject_side = self._phrase_side(phrase)
        elif self.group and self.last and set(self.last) <= _LISTING:
            self.subject = list(self.label)
        if set(self.last) <= _LISTING and self.last and self.subject_qualities:
            self.subject_qualities = self.subject_qualities + phrase.qualities
        else:
            self.subject_qualities = list(phrase.qualities)
        if not (set(self.last) & {"prep"} or (set(self.last) <= _LISTING and self.last)):
            self.group = []

    def _refine(self, heads: list[Head], phrase: Phrase) -> None:
        """Qualities after a value refine it: "normal in size", "normal shape and position"."""
        for quality in phrase.qualities:
            for head in heads:
                value = head.direction or (head.item if head.item.kind in _VALUES else None)
                concept, _ = self._deviation(quality.id, value, value is None)
                if head.quality is None and (head.kind != "N" or head.concept in _BARE):
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

    def _normal_heads(self, phrase: Phrase) -> None:
        sites = self._places(phrase)
        before = bool(phrase.sites) and phrase.sites[0].first < phrase.normals[0].first
        if {"comma", "and"} & set(self.last) and "neg" not in self.last:
            self.negated = False
        denial = _DENIAL.match(self.text, phrase.normals[0].start) is not None
        if denial and self.heads and {"comma", "and"} & set(self.last):
            self.subject, self.subject_qualities = list(self.label), []
        if sites and before and self.last and set(self.last) <= _LISTING and self.fresh_subject:
            self.subject = self.subject + sites
            sites = self.subject
        elif sites:
            if before:
                self._set_subject(sites, phrase)
        elif not denial and not self.subject and self.group and self.after_verb and any(h.kind == "F" for h in self.group):
            normal = phrase.normals[0]
            if normal.id == "normal":
                for head in self.group:
                    head.status = "present" if self.negated else "normal"
                return
            for head in self.group:
                head.details.append(self._state(normal))
            return
        qualities: list[Item] = self.subject_qualities
        if (
            not sites
            and not self.subject
            and self.group
            and self.last
            and set(self.last) <= _LISTING
            and all(h.kind in "NQ" for h in self.group)
        ):
            fresh = []
            for head in list(self.group):
                twin = self._new("N", phrase.normals[0].id, phrase.normals[0], phrase)
                twin.sites, twin.side = list(head.sites), head.side
                twin.status = "present" if self.negated else "normal"
                fresh.append(twin)
        else:
            fresh = []
            for normal in phrase.normals:
                for quality in qualities or [None]:  # type: ignore[list-item]
                    head = self._new("N", normal.id, normal, phrase)
                    head.sites = self._fronted(sites)
                    head.side = self._phrase_side(phrase) if not sites else None
                    head.otherwise = self.other
                    if quality is not None:
                        head.kind, head.quality = "Q", quality.id
                        head.concept, _ = self._deviation(quality.id, None, True)
                        head.start = min(head.start, quality.start)
                    if not sites:
                        self._take_subject(head)
                        head.inherited = denial
                    head.status = "present" if self.negated else "normal"
                    head.details += self._measures(phrase)
                    fresh.append(head)
        self.group = fresh
        self.heads += fresh
        self.fresh_subject = False
        self._spent()

    def _direction_phrase(self, phrase: Phrase) -> None:
        """A bare "increased", "low", "lost", "abnormal": the value of a waiting quality, a change of a finding, or an abnormality."""
        direction = phrase.directions[-1]
        if self.subject_qualities:
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
        elif self.group and any(h.kind == "F" for h in self.group) and direction.kind in ("up", "down"):
            for head in self.group:
                head.change = "stable" if self.negated else {"up": "increased", "down": "decreased"}[direction.kind]
            self.negated = False
        elif self.subject:
            concept = {"up": "enlargement", "down": "small_size", "lost": "effacement", "abnormal": "abnormality"}[direction.kind]
            word = self.text[direction.start : direction.end].lower()
            concept = {"low": "depression", "lower": "depression", "high": "elevation"}.get(word, concept)
            entry = direction.types.get("F")
            head = self._new("Q" if entry is None else "F", entry.id if entry else concept, direction, phrase)
            head.details += self._details(phrase, [])
            self._take_subject(head)
            head.inherited = False
            self.group = [head]
            self.heads.append(head)
            self._spent()

    def _site_phrase(self, phrase: Phrase) -> None:
        sites = self._places(phrase)
        values = [m for m in phrase.modifiers if m.first > phrase.sites[-1].last and m.id in ("large", "very_large", "small")]
        if values and not self.negated:
            self._set_subject(sites, phrase)
            self.pending = []
            self._value_of_subject(phrase, values[0])
            return
        listing = bool(self.last) and set(self.last) <= _LISTING
        upcoming = self._next_op(skip_listing=True)
        if phrase.directions:
            direction = phrase.directions[-1]
            if direction.kind == "abnormal" or direction.types.get("F"):
                entry = direction.types.get("F")
                head = self._new("F", entry.id if entry else "abnormality", direction, phrase)
                head.sites = sites
                head.details += self._details(phrase, [])
                self.group = [head]
                self.heads.append(head)
                self._spent()
                return
        if self.tip and self.group:
            for head in self.group:
                if head.concept in self.words.devices:
                    head.tips += [name for alternative in sites for name, _ in alternative]
                    head.side = head.side or next((side for alternative in head.sites for _, side in alternative if side), None)
                    head.sites = sites
                    head.details += self._details(phrase, [])
            return
        if self.group and "near" in self.last and not (upcoming in ("cop", "have") and not self.after_verb):
            bare = [
                h
                for h in self.group
                if h.concept in self.words.devices or ((h.inherited or not h.sites) and h.concept not in self.words.placed)
            ]
            if bare:
                self._attach(bare, sites, phrase)
            return
        if (
            self.group
            and {"prep", "cause"} & set(self.last)
            and not (upcoming in ("cop", "have") and not self.after_verb and self._fronting())
        ):
            self._attach(self._sharing(), sites, phrase)
            self.attached = True
            return
        if self.group and listing and upcoming not in ("cop", "have") and not self._owns_next() and not self._opens_clause():
            if all(h.kind in ("N", "Q") for h in self.group) or self.attached:
                self._extend(sites)
                return
            lone = [h for h in self.group if not h.sites or h.inherited]
            if lone:
                self._attach(lone, sites, phrase)
                self.attached = True
                return
        if self.subject and listing and not self.group and (self.fresh_subject or not self.after_verb):
            self.subject = self.subject + sites
            return
        if self.last == ["prep"] and self.fresh_subject and not self.group and not self.subject_qualities and not self.after_verb:
            self.subject = [(*inner, *outer) for inner in self.subject for outer in sites]
            return
        waiting = self.subject_qualities if "prep" in self.last and not self.group else []
        self._set_subject(sites, phrase)
        if waiting:
            self.subject_qualities = waiting

    attached = False

    def _sharing(self) -> list[Head]:
        """Return the heads of the coordination that a following prepositional phrase places: the last one, and those before
        it that are bare and joined by "and" or "or" ("nodules and masses in both lungs")."""
        last = self.group[-1]
        waiting, self.companions = [h for h in self.companions if not h.sites], []
        if waiting and "prep" in self.last:
            return [*waiting, *self.group]
        if self.nested:
            return [h for h in (*self.group, *self.nested) if h.inherited or not h.sites or h in self.nested]
        return [
            h
            for h in self.group
            if h is last or (h.kind == last.kind and h.joined and (h.inherited or not h.sites) and h.side is None)
        ]

    def _fronting(self) -> bool:
        return False

    def _same_side(self, before: list[tuple[Place, ...]], sites: list[tuple[Place, ...]]) -> list[tuple[Place, ...]]:
        """ "The right renal pelvis and ureter": the side holds for the later of two paired structures too."""
        side = before[-1][-1][1] if before and before[-1] else None
        if side not in ("left", "right"):
            return sites
        return [tuple((n, s or (side if n in self.words.paired else None)) for n, s in alternative) for alternative in sites]

    def _opens_clause(self) -> bool:
        """Whether a verb follows, with nothing between but phrases that place this one ("… and the duct above it is dilated")."""
        for chunk in self.chunks[self.at + 1 :]:
            if isinstance(chunk, Phrase):
                if chunk.heads or chunk.normals:
                    return False
            elif chunk.kind in ("cop", "have"):
                return True
            elif chunk.kind not in ("prep", "near"):
                return False
        return False

    def _owns_next(self) -> bool:
        following = self.chunks[self.at + 1] if self.at + 1 < len(self.chunks) else None
        return isinstance(following, Phrase) and bool(following.normals or following.heads)

    def _set_subject(self, sites: list[tuple[Place, ...]], phrase: Phrase) -> None:
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

    def _attach(self, heads: list[Head], sites: list[tuple[Place, ...]], phrase: Phrase) -> None:
        """Put sites after a preposition on the heads before it: nested under what they have, or instead of what they inherited."""
        details = self._details(phrase, [])
        for head in heads:
            if head.inherited or not head.sites:
                head.sites = list(sites)
                if head.side and sites and all(side is None for a in sites for _, side in a):
                    head.sites = [tuple((name, head.side) for name, _ in alternative) for alternative in sites]
                head.inherited = False
            else:
                head.outer = list(head.sites)
                head.sites = [(*alternative, *more) for alternative in head.sites for more in sites]
            head.details += details
            head.end = max(head.end, max(item.end for item in phrase.items))

    def _extend(self, sites: list[tuple[Place, ...]]) -> None:
        for head in self.group:
            more = [(*outer, *inner) for outer in head.outer or [()] for inner in self._same_side(head.sites, sites)]
            head.sites = head.sites + [s for s in more if s not in head.sites]
            if head.kind in ("N", "Q"):
                head.inherited = False

    def _side_phrase(self, phrase: Phrase) -> None:
        side = self._phrase_side(phrase)
        if side is None:
            return
        details = self._details(phrase, [])
        if (self.group and self.last != ["comma"]) or (self.group and not self._following_head()):
            if self._contrast(side, details):
                return
            for head in self.group:
                self._put_side(head, side)
                head.details += details
        elif self.group and self._contrast(side, details):
            return
        else:
            self.subject_side = side
            self.pending = details
            if self.subject:
                self.subject = [tuple((name, found or side) for name, found in alternative) for alternative in self.subject]

    def _following_head(self) -> bool:
        following = self.chunks[self.at + 1] if self.at + 1 < len(self.chunks) else None
        return isinstance(following, Phrase) and bool(following.heads)

    def _contrast(self, side: str, details: list[Detail]) -> bool:
        """ "severe on the right and mild on the left": a bilateral head, one side at a time."""
        if side not in ("left", "right"):
            return False
        found = False
        for head in self.group:
            if self._is_both(head):
                waiting = [d for d in self.pending if d.category != "previous"]
                head.details += [Detail(d.category, d.value, f"{side}: {d.text}") for d in (*waiting, *details)]
                found = True
        if found:
            self.pending = []
        return found

    def _is_both(self, head: Head) -> bool:
        return head.side == "both" or any(side == "both" for alternative in head.sites for _, side in alternative)

    def _put_side(self, head: Head, side: str) -> None:
        if head.sites and not head.inherited:
            last = head.sites[-1]
            head.sites[-1] = tuple((name, found or side) for name, found in last)
        else:
            if head.sites:
                head.sites = [tuple((name, found or side) for name, found in alternative) for alternative in head.sites]
            head.side = head.side or side

    def _value_of_subject(self, phrase: Phrase, value: Item) -> None:
        """ "Ventricles small": a size word said of a structure is its size."""
        known = sorted(_DIRECTIONS & value.types.keys())
        value.kind, value.types = known[0] if known else ("down" if value.id == "small" else "up"), {}
        phrase.directions, phrase.modifiers = [value], [m for m in phrase.modifiers if m is not value]
        self._direction_phrase(phrase)

    def _detail_phrase(self, phrase: Phrase) -> None:
        values = [m for m in phrase.modifiers if m.id in ("large", "very_large", "small") or _DIRECTIONS & m.types.keys()]
        if values and self.after_verb and self.copula and len(phrase.modifiers) < 3 and not self.group and (self.subject or self.subject_qualities):
            self._value_of_subject(phrase, values[0])
            return
        details = self._details(phrase, [])
        if not details:
            return
        if self.last[-1:] == ["neg"] and phrase.modifiers:
            self._denied_adjective(phrase, details)
            return
        following = self.chunks[self.at + 1] if self.at + 1 < len(self.chunks) else None
        on_side = isinstance(following, Item) and following.kind == "prep"
        if self.group and any(self._is_both(h) for h in self.group) and self._side_next():
            self.pending = details
        elif (self.group and not on_side) or self.group:
            for head in self.group if self.after_verb else self.group[-1:]:
                head.details += details
                head.end = max(head.end, phrase.items[-1].end)
        else:
            self.pending = self.pending + details

    def _denied_adjective(self, phrase: Phrase, details: list[Detail]) -> None:
        """ "Nothing acute", "nothing focal": the adjective restricts what is denied."""
        acute = any(d.value == "acute" for d in details)
        head = self._new("F", "acute_abnormality" if acute else "abnormality", phrase.modifiers[0], phrase)
        head.details += [d for d in details if d.value not in ("acute", "localized")]
        self._take_subject(head)
        self.group = [head]
        self.heads.append(head)
        self._spent()

    def _side_next(self) -> bool:
        for chunk in self.chunks[self.at + 1 : self.at + 3]:
            if isinstance(chunk, Phrase):
                return bool(chunk.sides) and not chunk.sites and not chunk.heads
        return False

    def _deny(self, heads: list[Head], certainty: str | None = None) -> None:
        for head in heads:
            if head.status == "present":
                head.status = "absent"
            elif head.status == "normal":
                head.status = "present"
            if certainty:
                head.certainty = certainty
