"""The layout of the drawing of a parsed sentence: its items, and arcs from heads to places, sides, modifiers and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from kgscore.reading.structure.values import Parse
from kgscore.reading.trace import Step, concept_text, finding_text, kind_of

_LETTER, _SPACE, _LEVEL, _TOP = 7.6, 22.0, 24.0, 18.0  # pixels: per letter, between items, between arcs, above them


@dataclass(frozen=True, slots=True)
class Word:
    """An item in the drawing: the x of its centre, its words, kind, concept, and the statuses of the statements that it heads."""

    x: float
    text: str
    kind: str
    name: str
    status: str


@dataclass(frozen=True, slots=True)
class Arc:
    """An arc from a head: its start and end, its top, and the role of the other item."""

    start: float
    end: float
    top: float
    label: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """The drawing of a sentence: its words and their offsets in the report, its fate, its findings as text, and the picture,
    with `base` as the baseline of the words."""

    sentence: str
    start: int
    end: int
    fate: str
    findings: Sequence[str]
    width: float
    base: float
    words: Sequence[Word]
    arcs: Sequence[Arc]


def drawing_of(step: Step) -> Drawing:
    """Return the layout of the items and arcs of a sentence."""
    ties = sorted(set(_ties(step.structure)), key=lambda tie: (abs(tie[1] - tie[0]), tie))
    levels = _levels([(min(one, other), max(one, other)) for one, other, _ in ties])
    base = _TOP + _LEVEL * (max(levels, default=-1) + 1)
    words: list[Word] = []
    at = 0.0
    for position, item in enumerate(step.items):
        text = step.text[item.start : item.end].replace("\n", " ")
        status = ", ".join(dict.fromkeys(one.status for one in step.structure if one.head == position))
        width = _LETTER * max(len(text), len(kind_of(item)), len(concept_text(item)), len(status)) + _SPACE
        words.append(Word(at + width / 2, text, kind_of(item), concept_text(item), status))
        at += width
    tops = (base - _LEVEL * (level + 1) for level in levels)
    arcs = [Arc(words[one].x, words[other].x, top, label) for (one, other, label), top in zip(ties, tops, strict=True)]
    span = step.offset + step.begin, step.offset + len(step.text)
    return Drawing(step.sentence, *span, step.fate, [finding_text(one) for one in step.findings], at, base, words, arcs)


def _ties(structure: Parse) -> Iterator[tuple[int, int, str]]:
    """Yield head, other item and the role of that for the head."""
    for one in structure:
        for place in one.places:
            yield from ((one.head, item, "where") for item in place.items)
            yield from ((one.head, side, "side") for side in (place.side,) if side is not None)
        yield from ((one.head, item, "how") for item in one.modifiers)
        yield from ((one.head, item, "names") for item in one.names)


def _levels(spans: Iterable[tuple[int, int]]) -> list[int]:
    """Return the level of each span, so that no two on one level overlap: each the lowest that is free."""
    taken: list[list[tuple[int, int]]] = []
    found = []
    for first, last in spans:
        free = (n for n, row in enumerate(taken) if all(last <= start or end <= first for start, end in row))
        level = next(free, len(taken))
        taken[level:level] = [[]] if level == len(taken) else []
        taken[level].append((first, last))
        found.append(level)
    return found
