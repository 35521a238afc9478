"""A report to be changed: its sentences, their statements, and the pieces that may be reordered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

from kgscore.lab.perturbing.edits import Change, Edit, Span, apply_edits, difference
from kgscore.linking.lexicon import Lexicon
from kgscore.model import Entity, Finding, Reading
from kgscore.reading.sections import SILENT, sentences
from kgscore.reading.tokens import MEASURE, tokenize

# A sentence with such a beginning refers to the previous one.
_BACK = re.compile(
    r"(?:it|its|this|these|those|they|their|there (?:is|are) (?:also|associated|no other|no associated)|also|another"
    r"|other(?:wise|s)?|no other|no additional|additional(?:ly)?|again|both|similar(?:ly)?|remaining"
    r"|the (?:remaining|rest|remainder|other|same|lesion|mass|nodule|collection|tip|former|latter|largest"
    r"|above|aforementioned|hematoma|fracture|tumou?r)|adjacent|associated|surrounding|extent|here|elsewhere|however|with)\b",
    re.IGNORECASE,
)
# Reader cues that join clauses; commas and semicolons do too.
_JOINTS = ("and", "or", "with", "but")
_COMMA = re.compile(r"\s*[,;]\s+")
_MOVABLE_GAP = re.compile(r"[\s\-*•‣▪◦·–—+>()\d.a-h]*\Z")


@dataclass(frozen=True, slots=True)
class Unit:
    """One statement of a sentence: findings that differ in their side only. `numbers` are their numbers in the reading."""

    findings: tuple[Finding, ...]
    numbers: tuple[int, ...]
    anchor: Entity | None

    @property
    def first(self) -> Finding:
        """The representative finding."""
        return self.findings[0]

    @property
    def asserts(self) -> bool:
        """Whether the unit asserts its finding."""
        return self.first.asserts


def findings_of(units: Iterable[Unit]) -> list[Finding]:
    """Return the findings of units, in order."""
    return [finding for unit in units for finding in unit.findings]


@dataclass(frozen=True, slots=True)
class Cue:
    """Words of a line that qualify its findings: a kind of the reader's cues ("neg", "cop", "change" …) or "measure"."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: its place in the report, words and label, statements, entities and cues; their offsets count from its start."""

    start: int
    end: int
    text: str
    label: str
    units: tuple[Unit, ...]
    entities: tuple[Entity, ...]
    cues: tuple[Cue, ...]
    section: str

    @property
    def clauses(self) -> list[Span]:
        """The spans between commas and the cues that join clauses."""
        joints = [(cue.start, cue.end) for cue in self.cues if cue.kind in _JOINTS]
        cuts = [(0, 0), *sorted([*joints, *(m.span() for m in _COMMA.finditer(self.text))]), (len(self.text), 0)]
        return [(end, start) for (_, end), (start, _) in pairwise(cuts) if self.text[end:start].strip(" .")]

    def clauses_of(self, units: Iterable[Unit]) -> set[Span]:
        """Return the clauses in which units begin."""
        starts = [self.at(unit)[0] for unit in units]
        return {(a, b) for a, b in self.clauses if any(a <= start < b for start in starts)}

    def cues_of(self, *kinds: str, start: int = 0, end: int | None = None) -> list[Cue]:
        """Return the cues of some kinds inside a span."""
        last = len(self.text) if end is None else end
        return [cue for cue in self.cues if cue.kind in kinds and start <= cue.start and cue.end <= last]

    def at(self, unit: Unit) -> Span:
        """Return the span of the line that states a unit."""
        return max(unit.first.start - self.start, 0), min(unit.first.end - self.start, len(self.text))

    def change(self, kind: str, after: str, start: int = 0, end: int | None = None, **known: Any) -> Change:
        """Return the record of a substitution in the line, with further `known` fields."""
        last = len(self.text) if end is None else end
        return Change(kind, (self.start + start, self.start + last), self.text[start:last], after, **known)

    def edit(self, start: int, end: int, after: str) -> Edit:
        """Return the edit of a substitution in the line."""
        return Edit(start, end, self.text[start:end], after)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers of all findings in the line."""
        return tuple(number for unit in self.units for number in unit.numbers)

    def words_of(self, unit: Unit) -> str:
        """Return the words of a unit."""
        return self.text[slice(*self.at(unit))]


@dataclass(frozen=True, slots=True)
class Source:
    """A report as read: its lines in order, and the pieces (of one or several lines) that may be reordered."""

    text: str
    reading: Reading
    lines: tuple[Line, ...]
    pieces: tuple[Span, ...]


def parse_source(text: str, read: Callable[[str], Reading], lexicon: Lexicon) -> Source:
    """Return a report with its statements, sentence by sentence."""
    reading = read(text)
    lines = []
    starts: list[tuple[int, bool]] = []
    for said in sentences(text):
        inside = [(n, f) for n, f in enumerate(reading.findings) if said.start <= f.start < said.end and said.section != SILENT]
        found = (e for e in reading.entities if said.start <= e.start < said.end)
        entities = tuple(replace(e, start=e.start - said.start, end=e.end - said.start) for e in found)
        label = text[said.label[0] : said.label[1]] if said.label else ""
        words = text[said.start : said.end]
        cues = tuple(_cues(words, lexicon))
        lines.append(Line(said.start, said.end, words, label, _units(inside, entities, said.start), entities, cues, said.section))
        opens = said.label is not None or said.opens_line
        starts.append((said.label[0] if said.label else said.start, opens))
    return Source(text, reading, tuple(lines), tuple(_pieces(text, lines, starts)))


def _cues(text: str, lexicon: Lexicon) -> Iterator[Cue]:
    tokens = tokenize(text)
    yield from (Cue("measure", token.start, token.end) for token in tokens if token.kind == MEASURE)
    for mention in lexicon.scan(tokens):
        if mention.form is not None:
            yield Cue(mention.form.kind, tokens[mention.first].start, tokens[mention.last].end)


def _units(findings: Sequence[tuple[int, Finding]], entities: Sequence[Entity], start: int) -> tuple[Unit, ...]:
    """Return findings grouped by content, ignoring sides."""
    groups: dict[tuple[object, ...], list[tuple[int, Finding]]] = {}
    for number, finding in findings:
        key = (finding.start, finding.end, finding.concept, finding.sites, finding.status, finding.label)
        groups.setdefault(key, []).append((number, finding))
    return tuple(
        Unit(tuple(f for _, f in group), tuple(n for n, _ in group), _anchor(group[0][1], entities, start))
        for group in groups.values()
    )


def _anchor(finding: Finding, entities: Sequence[Entity], start: int) -> Entity | None:
    """Return the entity that names a finding: its own concept, else the last observation in its words."""
    inside = [e for e in entities if e.start >= finding.start - start - 1 and e.end <= finding.end - start + 1]
    if finding.status == "normal" and any(e.type == "descriptor" for e in inside):
        return [e for e in inside if e.type == "descriptor"][-1]
    named = [e for e in inside if e.type not in ("anatomy", "descriptor")]
    own = [e for e in named if e.concept == finding.concept]
    return next(iter(own or named[::-1] or inside[::-1]), None)


def _pieces(text: str, lines: Sequence[Line], starts: Sequence[tuple[int, bool]]) -> list[Span]:
    """Return runs of lines that belong together: those after a label, and a sentence with those that refer to it."""
    pieces: list[Span] = []
    labelled = False
    for number, (line, (start, opens)) in enumerate(zip(lines, starts, strict=True)):
        glued = bool(number) and not line.label and ((labelled and not opens) or _BACK.match(line.text) is not None)
        if glued and "\n\n" not in text[pieces[-1][1] : start]:
            pieces[-1] = (pieces[-1][0], line.end)
        else:
            pieces.append((start, line.end))
            labelled = bool(line.label)
    return pieces


def movable(source: Source) -> list[list[int]]:
    """Return the runs of pieces, by number, that may be reordered: only blanks, bullets and numbers are between them."""
    sections = [next(line.section for line in source.lines if a <= line.start < b) for a, b in source.pieces]
    runs: list[list[int]] = [[0]] if source.pieces else []
    for number, (one, other) in enumerate(pairwise(source.pieces), 1):
        if sections[number - 1] == sections[number] and _MOVABLE_GAP.match(source.text[one[1] : other[0]]):
            runs[-1].append(number)
        else:
            runs.append([number])
    return [run for run in runs if len(run) > 1]


@dataclass(slots=True)
class Draft:
    """A changed report in progress: the new words of each line by its number (an empty text omits the line), sentences
    to insert after lines, the pieces of the source in their new `order` (empty: unchanged), and the changes."""

    source: Source
    texts: dict[int, str] = field(default_factory=dict)
    added: list[tuple[int, str]] = field(default_factory=list)
    order: tuple[Span, ...] = ()
    changes: list[Change] = field(default_factory=list)

    def copy(self) -> Draft:
        """Return a copy of the draft that can be changed independently."""
        return Draft(self.source, dict(self.texts), list(self.added), self.order, list(self.changes))

    def with_line(self, number: int, text: str, changes: Sequence[Change] = ()) -> Draft:
        """Return a draft with new words for a line."""
        made = self.copy()
        made.texts[number] = text
        made.changes += changes
        return made

    def line(self, number: int) -> str:
        """Return the current words of a line."""
        return self.texts.get(number, self.source.lines[number].text)

    def edits(self) -> list[Edit]:
        """Return the edits of the source in order, one per changed line."""
        kept = [number for number in range(len(self.source.lines)) if self.line(number)]
        found = list(self._removal_edits(kept))
        for number in kept:
            line, said = self.source.lines[number], [self.line(number), *(text for at, text in self.added if at == number)]
            edit = difference(line.start, line.text, " ".join(said))
            found += [edit] if edit else []
        return sorted(found, key=lambda edit: (edit.start, edit.end))

    def _removal_edits(self, kept: Sequence[int]) -> Iterator[Edit]:
        """Yield the edits that remove runs of lines without words, up to the next remaining line, or from the last one."""
        lines, text = self.source.lines, self.source.text
        for before, after in pairwise([-1, *kept, len(lines)]):
            if after - before > 1:
                last = after == len(lines)
                start = lines[before].end if last and before >= 0 else self._line_start(before + 1)
                end = lines[-1].end if last else self._line_start(after)
                yield Edit(start, end, text[start:end], "")

    def _line_start(self, number: int) -> int:
        line = self.source.lines[number]
        return self.source.text.rindex(line.label, 0, line.start) if line.label else line.start

    @property
    def text(self) -> str:
        """The report that results from the draft."""
        return apply_edits(self.source.text, self.edits(), self.order)

    def as_json(self) -> dict[str, Any]:
        """Return the record of the changes: those that produce the text from the source (`applied`), and their meaning."""
        edits, changes = ([asdict(one) for one in some] for some in (self.edits(), self.changes))
        return {"edits": edits, "order": self.order, "changes": changes}
