"""Grounds a model's answer in the ontology: its quotes must occur in the report, and its words are linked by the lexicon
and composed like those of any report. Words outside the ontology stay unlinked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from kgscore.caches import MemoizedDict
from kgscore.linking.lexicon import Lexicon
from kgscore.model import Detail, Entity, EntityRelation, Finding, Reading, Unlinked
from kgscore.ontology.index import Index
from kgscore.reading.build import deduplicate
from kgscore.reading.sections import sentences
from kgscore.reading.tokens import phrase_key

Read = Callable[[str], Reading]
Graph = tuple[tuple[Entity, ...], tuple[EntityRelation, ...]]
_SIDES = {"left": "left ", "right": "right ", "both": "bilateral "}
_ONE_SIDE = ("left", "right")
# The result of `Grounder._judged` for a statement that was fully understood, except for its details.
_WHOLLY = (1, 1, 1, 1, 0, 1)
# A detail that can precede its noun: words without a preposition or number.
_ADJECTIVE = re.compile(r"(?!.*\b(?:at|in|on|of|the|than|to|with|from|by|previously|otherwise)\b)[a-z][a-z -]*\Z", re.IGNORECASE)
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Item:
    """One finding from a model's answer, with the place of its quote in the report."""

    start: int
    end: int
    finding: str
    presence: str
    place: str = ""
    side: str = ""
    level: str = ""
    certainty: str = "definite"
    details: tuple[str, ...] = ()
    measure: str = ""
    change: str = ""
    tip: str = ""
    suggests: tuple[str, ...] = ()


class Grounded(NamedTuple):
    """A grounded item: its findings, its unlinked words, and the reading that they come from."""

    findings: tuple[Finding, ...]
    unlinked: tuple[str, ...]
    reading: Reading


def locate_items(report: str, given: Iterable[Mapping[str, Any]]) -> tuple[list[Item], int]:
    """Return the items whose quotes occur in the report, in text order, and the number rejected. Whitespace and case
    of a quote may differ from the report's; identical quotes are matched in order."""
    found: list[Item] = []
    refused = 0
    after: dict[str, int] = {}
    for one in given:
        same = " ".join(one["quote"].split()).lower()
        span = _locate_quote(report, one["quote"], after.get(same, 0)) or _locate_quote(report, one["quote"], 0)
        if span is None:
            refused += 1
            continue
        rest = {key: _value(value) for key, value in one.items() if key != "quote"}
        item = Item(*span, **rest)
        if any((item.start, item.finding, item.place) == (o.start, o.finding, o.place) for o in found):
            after[same] = item.end
        found.append(item)
    return sorted(found, key=lambda item: item.start), refused


def _locate_quote(report: str, quote: str, after: int) -> tuple[int, int] | None:
    at = report.find(quote, after)
    if at >= 0 and quote.strip():
        return at, at + len(quote)
    words = quote.split()
    match = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE).search(report, after) if words else None
    return match and match.span()


def _value(value: Any) -> Any:
    """Return a field of an answer normalised for an item: texts in one line."""
    return tuple(map(_value, value)) if isinstance(value, list) else _BLANKS.sub(" ", value).strip(" .;:,")


class Grounder:
    """Grounds items with the words and definitions of the ontology; `read` reads the canonical statement of an item."""

    def __init__(self, index: Index, lexicon: Lexicon, read: Read) -> None:
        self._index = index
        self._lexicon = lexicon
        self._read = read
        self._known = MemoizedDict(self._ground)

    def ground(self, item: Item) -> Grounded:
        """Return a grounded item: of the possible statements, the first that is understood best."""
        return self._known[replace(item, start=0, end=0)]

    def _ground(self, item: Item) -> Grounded:
        said = len(item.details) + len(item.suggests) + bool(item.measure) + bool(item.tip)
        best: tuple[tuple[int, ...], Grounded] | None = None
        for statement in statements(item):
            found = self._rate_statement(item, statement)
            best = found if best is None or found[0] > best[0] else best
            if best[0] >= (*_WHOLLY, said):
                break
        assert best is not None
        return best[1]

    def _rate_statement(self, item: Item, said: str) -> tuple[tuple[int, ...], Grounded]:
        """Return a possible statement of an item, with a rating of how well it was understood: higher is better."""
        reading = self._read(said)
        denied = item.presence != "present"
        agreed = [one for one in reading.findings if one.concept and not (denied and one.asserts)]
        unlinked = tuple(dict.fromkeys(one.text for one in reading.unlinked))
        expected = (2 if item.side == "both" else 1, 2 if denied else 1)
        merit = (
            bool(agreed) and len(agreed) == len(reading.findings),
            item.side not in _ONE_SIDE or all(one.side in (item.side, None) for one in agreed),
            len({one.concept for one in agreed}) <= 1,
            all(self._is_at_place(item, one) for one in agreed),
            -len(unlinked),
            len({one.side for one in agreed}) == len(agreed) in expected,
            sum(map(_detail_count, agreed)),
        )
        return tuple(map(int, merit)), Grounded(tuple(agreed) or reading.findings, unlinked, reading)

    def _is_at_place(self, item: Item, finding: Finding) -> bool:
        """Return whether a finding is where the item says, as far as the lexicon knows the place."""
        names = (f"{item.level} {item.place}", item.place) if item.level else (item.place,)
        known = next(filter(None, (self._lexicon.structures(phrase_key(name)) for name in names)), ())
        sites = (*finding.sites, *finding.tip)
        return not known or any(self._index.either_inside(site, place.id) for place in known for site in sites)


def _detail_count(finding: Finding) -> int:
    return len(finding.details) + len(finding.alternatives) + len(finding.tip)


def statements(item: Item) -> Iterator[str]:
    """Yield the possible statements of an item, one canonical sentence each."""
    side = _SIDES.get(item.side, "")
    before = " ".join(one for one in item.details if _ADJECTIVE.match(one))
    noun = f"{before} {item.finding}".strip()
    more = [one for one in item.details if not _ADJECTIVE.match(one)]
    more += [item.measure, _tip_text(item.tip), *item.suggests]
    tail = "".join(f", {one}" for one in more if one)
    aside = "".join(f", {one}" for one in (*item.details, item.measure, _tip_text(item.tip), *item.suggests) if one)
    negative = "no " if item.presence == "absent" else ""
    for place in _places(item):
        where = f"{side}{place}".strip()
        if not place:
            said = [f"{negative}{side}{noun}{tail}", f"{negative}{side}{item.finding}{aside}"]
        elif item.presence == "normal":
            said = [f"{where}: {item.finding}{aside}", f"{where} {item.finding}{aside}", f"{item.finding} of the {where}{aside}"]
            said += [f"the {where} is {item.finding.removesuffix(' position')}{aside}"]
        else:
            said = [f"{negative}{noun} in the {where}{tail}", f"{where}: {negative}{noun}{tail}"]
            said += [f"{negative}{where} {noun}{tail}", f"{negative}{noun} of the {where}{tail}"]
            said += [f"{where}: {negative}{item.finding}{aside}", f"{negative}{side}{noun}{tail}"]
        yield from (f"{text[:1].upper()}{text[1:]}." for text in said)


def _places(item: Item) -> list[str]:
    level, place = item.level, item.place
    if not level:
        return [place]
    return list(dict.fromkeys((f"{level} {place}".strip(), f"{level} of the {place}" if place else level, level)))


def _tip_text(tip: str) -> str:
    if not tip:
        return ""
    return f"tip {tip}" if tip[0].isdigit() or tip.split()[0] in ("above", "below", "at", "in", "near") else f"tip in the {tip}"


def findings_of(item: Item, grounded: Grounded, report: str, section: str) -> list[Finding]:
    """Return the findings of an item at its place in the report; the closed fields of the item take precedence."""
    certainty, change = item.certainty, item.change or None
    found = []
    for one in grounded.findings:
        restricted = one.restricted or (not one.asserts and change == "new")
        found.append(replace(
            one, text=report[item.start : item.end], start=item.start, end=item.end, section=section, restricted=restricted,
            certainty=one.certainty if certainty == "definite" else certainty,  # type: ignore[arg-type]
            change=change or one.change,  # type: ignore[arg-type]
        ))  # fmt: skip
    return found or [_unlinked(item, report, section)]


def _unlinked(item: Item, report: str, section: str) -> Finding:
    """Return an item that no concept covers as an unlinked finding: it can only match identical words."""
    side = item.side if item.side in _ONE_SIDE else None
    details = tuple(Detail("measurement", item.measure, item.measure) for _ in (item.measure,) if item.measure)
    return Finding(
        report[item.start : item.end], item.start, item.end, None, item.finding, (), side,  # type: ignore[arg-type]
        item.presence, item.certainty, details, item.change or None, section=section,  # type: ignore[arg-type]
        words=frozenset(phrase_key(item.finding)),
    )  # fmt: skip


def reading_of(report: str, items: Sequence[tuple[Item, Grounded]]) -> Reading:
    """Return the reading of a report made of its items, with the unlinked words at their quotes."""
    cuts = [(one.start, one.section) for one in sentences(report)]
    findings: list[Finding] = []
    unlinked: list[Unlinked] = []
    for item, grounded in items:
        section = next((name for start, name in reversed(cuts) if start <= item.start), "")
        findings += findings_of(item, grounded, report, section)
        unlinked += [Unlinked(words, item.start, item.end) for words in grounded.unlinked]

    def graph() -> Graph:
        """Return the entities and relations of all items, each at the quote of its item."""
        quoted = [[replace(one, start=item.start, end=item.end) for one in said.reading.entities] for item, said in items]
        return joined_graphs(zip(quoted, (said.reading.relations for _, said in items), strict=True))

    return Reading(tuple(deduplicate(findings)), tuple(unlinked), graph)


def joined_graphs(graphs: Iterable[tuple[Sequence[Entity], Sequence[EntityRelation]]]) -> Graph:
    """Return the entities and relations of some readings as those of one."""
    entities: list[Entity] = []
    relations: list[EntityRelation] = []
    for own, between in graphs:
        base = len(entities)
        entities += own
        relations += [replace(one, source=one.source + base, target=one.target + base) for one in between]
    return tuple(entities), tuple(relations)
