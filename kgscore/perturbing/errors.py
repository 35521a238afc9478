"""Errors put into the words of a sentence: another side, place, degree, size, course, certainty, device or finding.

An error counts only if the report, read again, differs in just that: the way in which two readings may differ is given with each
kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from kgscore.model import Entity, Finding
from kgscore.perturbing.edits import Change
from kgscore.perturbing.english import lower_first, tidy, upper_first
from kgscore.perturbing.means import Means
from kgscore.perturbing.source import Draft, Line

# The fields of `Means.key` that a kind of error may change.
_CONCEPT, _SITES, _SIDE, _ASSERTS, _CERTAINTY, _DETAILS, _CHANGE, _TIP, _ALTERNATIVES = range(9)
_MEASURE = re.compile(r"\d+(?:\.\d+)?(?:\s?(?:mm|cm))?(?:\s?[x×*]\s?\d+(?:\.\d+)?(?:\s?(?:mm|cm))?)*\s?(?:mm|cm)\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_BEFORE = re.compile(r"(?:previously|formerly|was|from|prior|earlier)\s*(?:measur\w+|of)?\s*\(?\Z", re.IGNORECASE)
_COMPARISON = re.compile(
    r",?\s*\b(?:(?:is|are|has|have)\s+)?(?:(?:slightly|mildly|markedly|essentially|not significantly)\s+)?"
    r"(?:unchanged|stable|increased|decreased|larger|smaller|improved|worsened)(?:\s+(?:in size|in extent))?"
    r"(?:\s+(?:from|since|than|compared (?:with|to))\s+[^,.;]+)?(?=\s*(?:[.,;]|\Z))",
    re.IGNORECASE,
)
_ARTICLED = re.compile(r"(?:\b(?:the|a|an|left|right|mid|distal|proximal|lower|upper)\s+)+\Z", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:[.,;)]|\Z)")
_RECENT = re.compile(r"\b(?:acute|new|recent|prior|previous)", re.IGNORECASE)
_TRIES = 6
Error = Callable[[Draft, int, Random], Draft | None]
Categories = tuple[int, ...]
Pair = tuple[Finding, Finding]


class _Put(NamedTuple):
    """New words for a stretch of a line."""

    start: int
    end: int
    text: str


class WordErrors:
    """Makes errors that change words of one line, which must stand in the draft as in the source."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.kinds: dict[str, Error] = {
            "change_side": self._side,
            "change_location": self._location,
            "change_severity": self._degree,
            "change_descriptor": self._descriptor,
            "change_measurement": self._measurement,
            "change_comparison": self._trend,
            "add_comparison": self._added_comparison,
            "omit_comparison": self._omitted_comparison,
            "change_certainty": self._certainty,
            "change_device": self._device,
            "change_device_position": self._device_position,
            "wrong_finding": self._finding,
        }
        swaps = means.lists.sides
        self._sides = re.compile(rf"\b(?:{'|'.join(sorted(swaps, key=len, reverse=True))})\b(?!-\w*to)", re.IGNORECASE)

    # ---- place ---------------------------------------------------------------------------------------------------
    def _side(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line = draft.source.lines[number]
        fixed = {s for unit in line.units for f in unit.findings for s in f.sites if self._one_sided(s)}
        words = list(self._sides.finditer(line.text))
        if fixed or not words:
            return None
        sides = {f.side for unit in line.units for f in unit.findings if f.side}
        ways = [words] if len(sides) <= 1 else []
        for unit in random.sample(line.units, len(line.units)):
            first = unit.first
            ways.append([w for w in words if first.start <= line.start + w.start() < first.end])
        puts = ([self._swapped(word) for word in way] for way in ways if way)
        allowed = (_SIDE, _SITES, _TIP, _DETAILS)
        return self._first(draft, number, puts, "change_side", (3,), allowed, _moved)

    def _one_sided(self, site: str) -> bool:
        concept = self.means.index.concepts.get(site)
        return concept is not None and bool(concept.values.get("side"))

    def _swapped(self, word: re.Match[str]) -> _Put:
        other = self.means.lists.sides.get(word[0]) or self.means.lists.sides[word[0].lower()]
        return _Put(word.start(), word.end(), upper_first(other) if word[0][0].isupper() else other)

    def _location(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line = draft.source.lines[number]
        places = [e for e in line.entities if e.type == "anatomy" and self._is_site(line, e)]
        puts = (
            [_Put(e.start - line.start, e.end - line.start, _cased(text, e.text))]
            for e in random.sample(places, len(places))
            for text in self._kin(e, random)
        )
        allowed = (_SITES, _CONCEPT, _TIP)
        return self._first(draft, number, puts, "change_location", (3,), allowed, lambda a, b: not set(a.sites) & set(b.sites))

    def _kin(self, entity: Entity, random: Random) -> list[str]:
        """Return names of siblings of what an entity names, in random order."""
        found = self.means.words.siblings(entity.concept, entity.text)
        return random.sample(found, len(found))

    def _is_site(self, line: Line, entity: Entity) -> bool:
        """Whether an entity names where an asserted finding is, and has no side in its own words."""
        sites = {s for unit in line.units if unit.asserts for f in unit.findings for s in (*f.sites, *f.tip)}
        return entity.concept in sites and re.search(r"\b(?:left|right)\b", entity.text, re.IGNORECASE) is None

    # ---- description ---------------------------------------------------------------------------------------------
    def _degree(self, draft: Draft, number: int, random: Random) -> Draft | None:
        puts = self._of_scales(draft.source.lines[number], random)
        return self._first(draft, number, puts, "change_severity", (4,), (_DETAILS,), _asserted)

    def _of_scales(self, line: Line, random: Random) -> Iterator[list[_Put]]:
        for scale in random.sample(self.means.lists.scales, len(self.means.lists.scales)):
            for match in self._words(line, scale):
                at = scale.index(match[0].lower())
                others = [word for word in scale if word != scale[at] and word not in self.means.lists.never_put]
                far = [word for word in others if abs(scale.index(word) - at) > 1] or others
                if far:
                    yield [_put(match, random.choice(far))]

    def _descriptor(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line = draft.source.lines[number]
        said = [(row, match) for row in self.means.lists.kinds for match in self._words(line, row)]
        rows = [row if match[0].lower() == row[0] else row[::-1] for row, match in said]
        puts = ([_put(match, row[1])] for row in random.sample(rows, len(rows)) for match in self._words(line, row[:1]))
        return self._first(draft, number, puts, "change_descriptor", (4,), (_DETAILS,), _asserted)

    def _words(self, line: Line, words: Sequence[str]) -> list[re.Match[str]]:
        """Return where one of these words describes something: not inside the name of a structure."""
        either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        pattern = re.compile(rf"(?<!-)\b(?:{either})\b(?!-)", re.IGNORECASE)
        named = [(e.start - line.start, e.end - line.start) for e in line.entities if e.type == "anatomy"]
        return [m for m in pattern.finditer(line.text) if not any(a <= m.start() < b for a, b in named)]

    def _measurement(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line = draft.source.lines[number]
        device = any(self._is_device(unit.first) for unit in line.units)
        kind, category = ("change_device_position", 3) if device else ("change_measurement", 4)
        return self._first(draft, number, self._sizes(line, random), kind, (category,), (_DETAILS,))

    def _sizes(self, line: Line, random: Random) -> Iterator[list[_Put]]:
        for match in _MEASURE.finditer(line.text):
            if _BEFORE.search(line.text, 0, match.start()):
                continue
            lists = self.means.lists
            longest = max(map(float, _NUMBER.findall(match[0]))) * (10 if "cm" in match[0] else 1)
            degrees = lists.degrees_large if longest >= lists.large_from else lists.degrees
            for factor in random.sample(degrees, len(degrees)):
                yield [_Put(match.start(), match.end(), _NUMBER.sub(lambda n, f=factor: _times(n[0], f), match[0]))]  # type: ignore[misc]

    def _is_device(self, finding: Finding) -> bool:
        return self.means.index.observation_type(finding.concept, True).startswith("device")

    # ---- course and certainty ------------------------------------------------------------------------------------
    def _trend(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line, trends = draft.source.lines[number], self.means.lists.trends
        if any(self._is_device(unit.first) for unit in line.units):
            return None
        puts = ([_put(match, random.choice(trends[match[0].lower()]))] for match in self._words(line, tuple(trends)))
        allowed = (_CHANGE, _DETAILS)
        return self._first(draft, number, puts, "change_comparison", (5, 6), allowed, lambda a, b: a.change != b.change)

    def _added_comparison(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line = draft.source.lines[number]
        if len(line.units) != 1 or not line.units[0].asserts or line.units[0].first.change or not line.text.endswith("."):
            return None
        if line.units[0].first.certainty != "definite" or _RECENT.search(line.text):
            return None
        said = random.choice((", unchanged from the prior study", ", stable compared with the prior study"))
        puts = iter([[_Put(len(line.text) - 1, len(line.text) - 1, said)]])
        return self._first(draft, number, puts, "add_comparison", (5,), (_CHANGE,))

    def _omitted_comparison(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line = draft.source.lines[number]
        puts = ([_Put(m.start(), m.end(), "")] for m in _COMPARISON.finditer(line.text) if m.start() > 0)
        return self._first(draft, number, puts, "omit_comparison", (6,), (_CHANGE, _DETAILS), lambda a, b: b.change is None)

    def _certainty(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line = draft.source.lines[number]
        rows = [pair for row in self.means.lists.certainties for pair in (row, row[::-1])]
        puts = ([_put(match, row[1])] for row in random.sample(rows, len(rows)) for match in self._words(line, row[:1]))
        return self._first(draft, number, puts, "change_certainty", (), (_CERTAINTY, _DETAILS))

    # ---- another thing -------------------------------------------------------------------------------------------
    def _device(self, draft: Draft, number: int, random: Random) -> Draft | None:
        return self._other(draft, number, random, "change_device", device=True)

    def _finding(self, draft: Draft, number: int, random: Random) -> Draft | None:
        return self._other(draft, number, random, "wrong_finding", device=False)

    def _other(self, draft: Draft, number: int, random: Random, kind: str, *, device: bool) -> Draft | None:
        """Return a draft in which a device or finding is a sibling of it (same parent, other name)."""
        line = draft.source.lines[number]
        names = [u.anchor for u in line.units if u.anchor and u.asserts and self._is_device(u.first) == device]
        puts = (
            [_Put(e.start - line.start, e.end - line.start, _cased(text, e.text))]
            for e in random.sample(names, len(names))
            for text in self._kin(e, random)
        )
        allowed = (_CONCEPT, _SITES, _TIP, _DETAILS, _ALTERNATIVES)
        return self._first(draft, number, puts, kind, (1, 2), allowed, self._unrelated)

    def _unrelated(self, one: Finding, other: Finding) -> bool:
        return other.concept is not None and self.means.relator.relate(one, other).relation == "unrelated"

    def _device_position(self, draft: Draft, number: int, random: Random) -> Draft | None:
        line, index = draft.source.lines[number], self.means.index
        puts: list[list[_Put]] = []
        for unit in line.units:
            if unit.anchor is None or not unit.asserts or not self._is_device(unit.first):
                continue
            concept = unit.first.concept or ""
            known = [names for above, names in self.means.lists.places.items() if index.is_a(concept, above)]
            tips = [e for e in line.entities if e.type == "anatomy" and e.start > unit.anchor.end and e.concept in unit.first.tip]
            tips = [tip for tip in tips if _ENDS.match(line.text, tip.end - line.start)]
            for tip in tips:
                start = tip.start - line.start
                lead = _ARTICLED.search(line.text, 0, start)
                for name in random.sample(known[0], len(known[0])) if known else ():
                    puts.append([_Put(lead.start() if lead else start, tip.end - line.start, f"the {name}")])
        allowed = (_SITES, _SIDE, _TIP)
        made = self._first(draft, number, iter(puts), "change_device_position", (3,), allowed, lambda a, b: a.tip != b.tip)
        return made or (self._measurement(draft, number, random) if any(self._is_device(u.first) for u in line.units) else None)

    # ---- the test ------------------------------------------------------------------------------------------------
    def _first(
        self, draft: Draft, number: int, puts: Iterator[list[_Put]], kind: str, categories: Categories, allowed: Sequence[int],
        test: Callable[[Finding, Finding], bool] = lambda one, other: True,
    ) -> Draft | None:  # fmt: skip
        """Return the first draft that differs, when read, only in the fields allowed, in findings that pass the test."""
        line = draft.source.lines[number]
        before = self.means.read(draft.version().text).findings
        for tried, put in enumerate(puts):
            if tried >= _TRIES:
                return None
            text = line.text
            for one in sorted(put, reverse=True):
                text = text[: one.start] + one.text + text[one.end :]
            text = upper_first(tidy(text)) if line.text[:1].isupper() else tidy(text)
            made = draft.with_line(number, text)
            pairs = self._paired(before, self.means.read(made.version().text).findings, allowed)
            if text != line.text and pairs and all(test(one, other) for one, other in pairs):
                made.changes.append(self._change(line, put, kind, categories, pairs))
                return made
        return None

    def _paired(self, before: Sequence[Finding], after: Sequence[Finding], allowed: Sequence[int]) -> list[Pair]:
        """Return the findings that changed, each with what it became, or nothing where something else changed as well."""
        delta = self.means.delta(before, after)
        if len(delta.lost) != len(delta.gained):
            return []
        left = list(delta.gained)
        pairs = []
        for one in delta.lost:
            mine = self._rest(one, allowed)
            other = next((f for f in left if self._rest(f, allowed) == mine), None)
            if other is None:
                return []
            left.remove(other)
            pairs.append((one, other))
        return pairs

    def _rest(self, finding: Finding, allowed: Sequence[int]) -> tuple[object, ...]:
        return tuple(value for at, value in enumerate(self.means.key(finding)) if at not in allowed)

    def _change(
        self, line: Line, put: Sequence[_Put], kind: str, categories: Categories, pairs: Sequence[Pair]
    ) -> Change:
        first, last = min(p.start for p in put), max(p.end for p in put)
        keys = {self.means.key(one) for one, _ in pairs}
        counted = [row for unit in line.units for row in zip(unit.findings, unit.numbers, strict=True)]
        numbers = tuple(number for finding, number in counted if self.means.key(finding) in keys)
        after = line.text[first:last]
        for one in sorted(put, reverse=True):
            after = after[: one.start - first] + one.text + after[one.end - first :]
        severity = max(self.means.severity(one, categories, other) for one, other in pairs)
        span = (line.start + first, line.start + last)
        was, became = pairs[0]
        return Change(kind, span, line.text[first:last], after, was.concept, became.concept, numbers, categories, severity)


def _moved(one: Finding, other: Finding) -> bool:
    return one.side != other.side or one.details != other.details


def _asserted(one: Finding, other: Finding) -> bool:
    return one.asserts


def _put(match: re.Match[str], word: str) -> _Put:
    return _Put(match.start(), match.end(), _cased(word, match[0]))


def _cased(new: str, old: str) -> str:
    return upper_first(new) if old[:1].isupper() and not old[:2].isupper() else lower_first(new)


def _times(number: str, factor: float) -> str:
    """Return a number times a factor with as many decimals as it had, and never the same."""
    decimals = len(number.partition(".")[2])
    made = f"{float(number) * factor:.{decimals}f}"
    return made if float(made) not in (float(number), 0.0) else f"{float(number) + 2:.{decimals}f}"
