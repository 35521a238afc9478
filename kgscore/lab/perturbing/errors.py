"""Word-level errors in a sentence: another side, place, degree, size, course, certainty, device or finding.

An error is only accepted if the re-read report differs in exactly that: the allowed difference between two readings is part of
each kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from kgscore.lab.perturbing.edits import Change, Edit, Span, apply_edits
from kgscore.lab.perturbing.means import Means, match_case, tidy, upper_first
from kgscore.lab.perturbing.source import Draft, Line, Unit, findings_of
from kgscore.model import Entity, Finding

# The fields of `Means.key` that a kind of error may change.
_CONCEPT, _SITES, _SIDE, _ASSERTS, _CERTAINTY, _DETAILS, _CHANGE, _TIP, _ALTERNATIVES = range(9)
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SIDED = re.compile(r"\b(?:left|right)\b", re.IGNORECASE)
_BEFORE_TIP = re.compile(r"(?:\b(?:the|a|an|left|right|mid|distal|proximal|lower|upper)\s+)+\Z", re.IGNORECASE)
_COMPARED = (", unchanged from the prior study", ", stable compared with the prior study")
_UNITS = ("mm", "cm")
_TRIES = 6
Error = Callable[[Draft, int, Random], Draft | None]
Puts = Callable[[Line, Random], Iterable[list[Edit]]]


class _Kind(NamedTuple):
    """A word-level error: its categories (ReXVal), fields that may differ, what makes it, a condition on each changed finding."""

    categories: tuple[int, ...]
    fields: tuple[int, ...]
    puts: Puts
    test: Callable[[Finding, Finding], bool] = lambda one, other: True


class WordErrors:
    """Makes errors by changing words of one line, which must be unchanged in the draft."""

    def __init__(self, means: Means) -> None:
        self.means, self.lists = means, means.lists
        scales = _distant(self.lists["scales"], self.lists["never_put"])
        kinds, sure = self.lists["kinds"], self.lists["certainties"]
        trends = self._no_device(self._swaps(self.lists["trends"]))
        another = (_CONCEPT, _SITES, _TIP, _DETAILS, _ALTERNATIVES)
        self._kinds = {
            "change_side": _Kind((3,), (_SIDE, _SITES, _TIP, _DETAILS), self._sides, _differs_in("side", "details")),
            "change_location": _Kind(
                (3,), (_SITES, _CONCEPT, _TIP), self._locations, lambda a, b: not set(a.sites) & set(b.sites)
            ),
            "change_severity": _Kind((4,), (_DETAILS,), self._swaps(scales), lambda a, b: a.asserts),
            "change_descriptor": _Kind((4,), (_DETAILS,), self._swaps(_alternatives(kinds)), lambda a, b: a.asserts),
            "change_measurement": _Kind((4,), (_DETAILS,), self._no_device(self._sizes)),
            "change_comparison": _Kind((5, 6), (_CHANGE, _DETAILS), trends, _differs_in("change")),
            "add_comparison": _Kind((5,), (_CHANGE,), self._add_comparison),
            "omit_comparison": _Kind((6,), (_CHANGE, _DETAILS), self._omit_change, lambda a, b: b.change is None),
            "change_certainty": _Kind((), (_CERTAINTY, _DETAILS), self._swaps(_alternatives(sure))),
            "change_device": _Kind((1, 2), another, partial(self._sibling_edits, device=True), self._unrelated),
            "wrong_finding": _Kind((1, 2), another, partial(self._sibling_edits, device=False), self._unrelated),
            "change_device_position": _Kind(
                (3,), (_SITES, _SIDE, _TIP, _DETAILS), self._positions, _differs_in("tip", "details")
            ),
        }
        self.kinds: dict[str, Error] = {kind: partial(self._make, kind) for kind in self._kinds}

    def _make(self, kind: str, draft: Draft, number: int, random: Random) -> Draft | None:
        """Return the first draft with a kind of error in a line whose reading differs only as the kind allows."""
        line, how = draft.source.lines[number], self._kinds[kind]
        before = self.means.read(draft.text).findings
        for put in islice(how.puts(line, random), _TRIES):
            text = tidy(apply_edits(line.text, put))
            text = upper_first(text) if line.text[:1].isupper() else text
            one = draft.with_line(number, text)
            pairs = self._pair_changes(before, self.means.read(one.text).findings, how.fields)
            if text != line.text and pairs and all(how.test(*pair) for pair in pairs):
                one.changes.append(self._change(line, put, kind, pairs))
                return one
        return None

    # ---- word substitutions ------------------------------------------------------------------------------------------
    def _sides(self, line: Line, random: Random) -> Iterator[list[Edit]]:
        """Yield all sides of a line swapped if it has one side only, then those of each finding."""
        concepts = self.means.index.concepts
        sites = {site for unit in line.units for site in unit.first.sites}
        if any(concepts[site].values.get("side") for site in sites & concepts.keys()):
            return  # there is none on the other side
        sides = self.lists["sides"]
        words = self._words(line, tuple(sides), r"(?!-\w*to)")
        puts = [line.edit(w.start(), w.end(), sides.get(w[0]) or match_case(sides[w[0].lower()], w[0])) for w in words]
        if len({finding.side for finding in findings_of(line.units)} - {None}) <= 1 and puts:
            yield puts
        for unit in random.sample(line.units, len(line.units)):
            start, end = line.at(unit)
            if mine := [put for put in puts if start <= put.start < end]:
                yield mine

    def _locations(self, line: Line, random: Random) -> Iterator[list[Edit]]:
        """Yield another structure for one with an asserted finding whose words contain no side."""
        sites = {s for f in findings_of(unit for unit in line.units if unit.asserts) for s in (*f.sites, *f.tip)}
        places = [e for e in line.entities if e.type == "anatomy" and e.concept in sites and not _SIDED.search(e.text)]
        return self._substitute_siblings(line, places, random)

    def _sibling_edits(self, line: Line, random: Random, *, device: bool) -> Iterator[list[Edit]]:
        """Yield a sibling (same parent, other name) for a device or a finding."""
        units = [unit for unit in line.units if unit.asserts and self._is_device(unit.first) == device]
        return self._substitute_siblings(line, [unit.anchor for unit in units if unit.anchor], random)

    def _substitute_siblings(self, line: Line, entities: Sequence[Entity], random: Random) -> Iterator[list[Edit]]:
        """Yield siblings of the concepts of entities, in random order."""
        for entity in random.sample(entities, len(entities)):
            found = self.means.words.siblings(entity.concept, entity.text)
            for text in random.sample(found, len(found)):
                yield [line.edit(entity.start, entity.end, match_case(text, entity.text))]

    def _swaps(self, rows: Mapping[str, list[str]]) -> Puts:
        """Return a function that substitutes one word for another, as given by the rows."""

        def substitute(line: Line, random: Random) -> Iterator[list[Edit]]:
            found = list(self._words(line, tuple(rows)))
            for match in random.sample(found, len(found)):
                yield [line.edit(match.start(), match.end(), match_case(random.choice(rows[match[0].lower()]), match[0]))]

        return substitute

    def _words(self, line: Line, words: Sequence[str], end: str = "(?!-)") -> Iterator[re.Match[str]]:
        """Yield the places where one of these words is a descriptor: not inside the name of a structure."""
        either = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        named = [(e.start, e.end) for e in line.entities if e.type == "anatomy"]
        for match in re.finditer(rf"(?<!-)\b(?:{either})\b{end}", line.text, re.IGNORECASE):
            if end != "(?!-)" or not any(a <= match.start() < b for a, b in named):
                yield match

    # ---- sizes, courses and tips -------------------------------------------------------------------------------------
    def _sizes(self, line: Line, random: Random) -> Iterator[list[Edit]]:
        """Yield other sizes for those of a line, except those of earlier studies."""
        for cue in line.cues_of("measure"):
            text, clause = line.text[cue.start : cue.end], max((a for a, _ in line.clauses if a <= cue.start), default=0)
            if not text.endswith(_UNITS) or line.cues_of("past", start=clause, end=cue.start):
                continue
            longest = max(map(float, _NUMBER.findall(text))) * (10 if text.endswith("cm") else 1)
            degrees = self.lists["degrees_large" if longest >= self.lists["large_from"] else "degrees"]
            for factor in random.sample(degrees, len(degrees)):
                yield [line.edit(cue.start, cue.end, _NUMBER.sub(partial(_scaled_number, factor), text))]

    def _add_comparison(self, line: Line, random: Random) -> Iterator[list[Edit]]:
        """Yield a comparison added to a line with one finding without a course or an age."""
        first = line.units[0].first if len(line.units) == 1 else None
        if first is None or not first.asserts or first.change or first.certainty != "definite" or not line.text.endswith("."):
            return
        aged = any(self.means.index.is_a(detail.value, "temporality") for detail in first.details)
        if not aged and not line.cues_of("change", "past"):
            yield [line.edit(len(line.text) - 1, len(line.text) - 1, random.choice(_COMPARED))]

    def _omit_change(self, line: Line, random: Random) -> Iterator[list[Edit]]:
        """Yield the line without the words for a course: to the end of its clause, with the preceding verb or comma."""
        for cue in line.cues_of("change"):
            clause = next(((a, b) for a, b in line.clauses if a <= cue.start < b), (cue.start, cue.end))
            verb = next((one.start for one in line.cues_of("cop") if not line.text[one.end : cue.start].strip()), cue.start)
            start = len(line.text[: verb if verb > clause[0] else clause[0]].rstrip(" ,;"))
            if start:
                yield [line.edit(start, len(line.text[: clause[1]].rstrip(". ")), "")]

    def _positions(self, line: Line, random: Random) -> Iterator[list[Edit]]:
        """Yield another place for the tip of a device, then other measures."""
        devices = [u for u in line.units if u.anchor and u.asserts and self._is_device(u.first)]
        for unit in devices:
            rows, concept = self.lists["places"].items(), unit.first.concept or ""
            names: Sequence[str] = next((row for above, row in rows if self.means.index.is_a(concept, above)), [])
            for start, end in _tips(line, unit):
                yield from ([line.edit(start, end, f"the {name}")] for name in random.sample(names, len(names)))
        if devices:
            yield from self._sizes(line, random)

    # ---- acceptance --------------------------------------------------------------------------------------------------
    def _no_device(self, puts: Puts) -> Puts:
        """Return the same function, disabled for lines about a device."""
        return lambda line, random: () if any(self._is_device(unit.first) for unit in line.units) else puts(line, random)

    def _is_device(self, finding: Finding) -> bool:
        return self.means.index.observation_type(finding.concept, True).startswith("device")

    def _unrelated(self, one: Finding, other: Finding) -> bool:
        return other.concept is not None and self.means.relator.relate(one, other).relation == "unrelated"

    def _pair_changes(
        self, before: Sequence[Finding], after: Sequence[Finding], fields: Sequence[int]
    ) -> list[tuple[Finding, Finding]]:
        """Return the changed findings, each with its new form, or nothing if something else changed as well."""

        def other_fields(finding: Finding) -> list[object]:
            return [value for at, value in enumerate(self.means.key(finding)) if at not in fields]

        delta = self.means.delta(before, after)
        left = list(delta.gained)
        pairs = []
        for one in delta.lost:
            other = next((f for f in left if other_fields(f) == other_fields(one)), None)
            if other is None:
                return []
            left.remove(other)
            pairs.append((one, other))
        return [] if left else pairs

    def _change(self, line: Line, put: Sequence[Edit], kind: str, pairs: Sequence[tuple[Finding, Finding]]) -> Change:
        first, last = min(p.start for p in put), max(p.end for p in put)
        keys = self.means.keys(one for one, _ in pairs)
        counted = (row for unit in line.units for row in zip(unit.findings, unit.numbers, strict=True))
        numbers = tuple(number for finding, number in counted if self.means.key(finding) in keys)
        after = apply_edits(line.text[:last], put)[first:]
        categories = self._kinds[kind].categories
        severity = max(self.means.severity(one, categories, other) for one, other in pairs)
        was, became = pairs[0]
        named = {"concept_before": was.concept, "concept_after": became.concept, "findings": numbers}
        return line.change(kind, after, first, last, **named, categories=categories, severity=severity)


def _tips(line: Line, unit: Unit) -> Iterator[Span]:
    """Yield the places of a device's tip that follow it and end a clause, with article and side."""
    for tip in line.entities:
        if tip.type == "anatomy" and tip.concept in unit.first.tip and unit.anchor and tip.start > unit.anchor.end:
            lead = _BEFORE_TIP.search(line.text, 0, tip.start)
            if any(not line.text[tip.end : b].strip(" .)") for a, b in line.clauses if a <= tip.start < b):
                yield lead.start() if lead else tip.start, tip.end


def _differs_in(*fields: str) -> Callable[[Finding, Finding], bool]:
    return lambda one, other: any(getattr(one, field) != getattr(other, field) for field in fields)


def _alternatives(rows: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """Return for each word of a pair the others it is paired with."""
    found: dict[str, list[str]] = {}
    for one, other in rows:
        found.setdefault(one, []).append(other)
        found.setdefault(other, []).append(one)
    return found


def _distant(scales: Sequence[Sequence[str]], never: Sequence[str]) -> dict[str, list[str]]:
    """Return for each word of a scale those at least two steps from it, or the others if there are none."""
    found: dict[str, Any] = {}
    for scale in scales:
        for at, word in enumerate(scale):
            others = [other for other in scale if other != word and other not in never]
            found.setdefault(word, [o for o in others if abs(scale.index(o) - at) > 1] or others)
    return {word: others for word, others in found.items() if others}


def _scaled_number(factor: float, match: re.Match[str]) -> str:
    """Return a number times a factor with the same number of decimals, and always different."""
    number = match[0]
    decimals = len(number.partition(".")[2])
    made = f"{float(number) * factor:.{decimals}f}"
    return made if float(made) not in (float(number), 0.0) else f"{float(number) + 2:.{decimals}f}"
