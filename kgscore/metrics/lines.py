"""The lines of a report, and the words of the reference that a correction needs.

A line ends at a full stop that is not inside a number, or at the end of a text line (FineRadScore 3.1).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from kgscore.model import Finding, Reading
from kgscore.reading.sections import sentences

Read = Callable[[str], Reading]
_CUT = re.compile(r"\s*[;,]\s+(?:(?:and|but|with)\s+)?|\s+(?:and|with|but|plus|without)\s+|\s+[–—-]\s+")
_STOPS = " \t\n.;,"
_START = attrgetter("start")
# How many shorter passages are tried before the whole sentence is taken.
_TRIES = 15


class Line(NamedTuple):
    """A line, by its offsets in the report."""

    start: int
    end: int


def lines_of(text: str) -> list[Line]:
    """Return the lines of a report, in order; a label ("Lungs:") belongs to the line that it opens.

    >>> [text[a:b] for text in ["A 2.5 cm nodule. No effusion."] for a, b in lines_of(text)]
    ['A 2.5 cm nodule.', 'No effusion.']
    """
    return list(_lines(text))


@lru_cache(maxsize=256)
def _lines(text: str) -> tuple[Line, ...]:
    return tuple(Line(min(s.start, s.label[0]) if s.label else s.start, s.end) for s in sentences(text))


def join_lines(lines: Sequence[str]) -> tuple[str, list[Line]]:
    """Return given lines as one report, each closed by a full stop, and the offsets of each in it."""
    text, places = "", []
    for line in lines:
        said = " ".join(line.split())
        start = len(text)
        text += said if said.endswith((".", "!", "?", ":")) else f"{said}."
        places.append(Line(start, len(text)))
        text += "\n"
    return text, places


def line_at(lines: Sequence[Line], offset: int) -> int:
    """Return the number of the line that holds a character, or of the last one before it."""
    return max(0, bisect_right(lines, offset, key=_START) - 1)


def meaning_key(finding: Finding) -> tuple[object, ...]:
    """Return the content of a finding, without its position."""
    return (
        finding.concept or finding.label, finding.sites, finding.side, finding.status, finding.certainty,
        frozenset((d.category, d.value) for d in finding.details), finding.change, finding.tip,
    )  # fmt: skip


class Edits(NamedTuple):
    """How the lines of a candidate come from those of its reference: `kept` holds the lines that are there word for word, and
    `origins` the line of the reference that each other line stands for."""

    kept: Mapping[int, int]
    origins: Mapping[int, int]


def edits(theirs: Sequence[str], ours: Sequence[str], words: Callable[[str], Collection[str]]) -> Edits:
    """Return how the lines of a candidate (`theirs`) come from those of its reference (`ours`). As many lines in a row as the
    reference has between the same kept lines stand for those, one for one, if they share half of the `words` of either.

    >>> edits(["Clear lungs.", "No nodule."], ["Clear lungs", "Calcified nodule"], str.split)
    Edits(kept={0: 0}, origins={})
    """
    kept, origins = dict[int, int](), dict[int, int]()
    matcher = SequenceMatcher(None, [*map(wording, theirs)], [*map(wording, ours)], autojunk=False)
    for change, start, end, first, last in matcher.get_opcodes():
        if last - first == end - start:
            pairs = zip(range(start, end), range(first, last), strict=True)
            (kept if change == "equal" else origins).update(pairs)
    ends = {n: (set(words(theirs[n])), set(words(ours[k]))) for n, k in origins.items()}
    return Edits(kept, {n: origins[n] for n, (a, b) in ends.items() if 0 < min(len(a), len(b)) <= 2 * len(a & b)})


def wording(text: str) -> str:
    """Return the words of a line, however it is written."""
    return " ".join(text.lower().split()).rstrip(".")


def passages(text: str, lines: Sequence[Line], wanted: Mapping[int, Sequence[Finding]], read: Read | None) -> list[str]:
    """Return the words of a report that state the wanted findings, given by line: of each line the part needed, or all of it if
    no finding is given.

    A shorter passage is taken only if it reads, on its own, as these findings; without `read`, sentences stay whole.
    """
    return [_trim_line(text, lines[number], wanted[number], read) for number in sorted(wanted)]


def _trim_line(text: str, line: Line, wanted: Sequence[Finding], read: Read | None) -> str:
    whole = _as_sentence(text[line.start : line.end])
    if read is None or not wanted:
        return whole
    needed = {meaning_key(finding) for finding in wanted}
    asserted = {meaning_key(finding) for finding in read(f"{whole}.").findings if finding.asserts}
    for tried, (start, end) in enumerate(_clauses(text, line, wanted)):
        part = _as_sentence(text[start:end])
        if tried >= _TRIES or part == whole:
            break
        found = read(f"{part}.").findings
        if needed <= {meaning_key(f) for f in found} and {meaning_key(f) for f in found if f.asserts} <= needed | asserted:
            return part
    return whole


def _clauses(text: str, line: Line, wanted: Sequence[Finding]) -> Iterator[tuple[int, int]]:
    """Yield the runs of clauses that contain all wanted findings, shortest first."""
    starts, ends = [line.start], []
    for cut in _CUT.finditer(text, line.start, line.end):
        ends.append(cut.start())
        starts.append(cut.end())
    ends.append(line.end)
    first, last = min(f.start for f in wanted), max(min(f.end, line.end) for f in wanted)
    runs = [(a, b) for a in starts for b in ends if a <= first and b >= last]
    yield from sorted(runs, key=lambda run: run[1] - run[0])


def _as_sentence(words: str) -> str:
    said = " ".join(words.split()).strip(_STOPS)
    return said[:1].upper() + said[1:]
