"""Clinical units (RadOT-Eval III-C, IV-B): findings with what aligns them and what is compared once they are aligned."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kgscore.matching.axes import Axes, sides_meet
from kgscore.matching.weights import depth_coefficient
from kgscore.metrics.radot_tables import Tables
from kgscore.metrics.transport import Matrix
from kgscore.model import Finding
from kgscore.ontology.index import Index

_WORD = re.compile(r"[a-z0-9]+")
_STOP = re.compile(r"(?<!\d)\.|\.(?!\d)|[;\n]")


@dataclass(frozen=True, slots=True)
class Unit:
    """One statement of a report. `finding` is None for the empty unit, which stands for a report that says nothing.

    `words` are those of canonical finding, surface and span; `text` those of the span; `severity` lies on the ordinal scale.
    """

    finding: Finding | None
    canonical: str
    words: frozenset[str]
    text: frozenset[str]
    anatomy: frozenset[str]
    polarity: str
    comparison: str
    uncertainty: str
    device: str
    modifiers: frozenset[str]
    severity: float


_NONE: frozenset[str] = frozenset()


class Units:
    """Makes units of findings and compares them. `published`: by words; otherwise by the ontology."""

    def __init__(self, index: Index, tables: Tables, published: bool, decay: float) -> None:
        self.index = index
        self.tables = tables
        self.published = published
        self.decay = decay
        self.axes = Axes(index)
        self.nothing = Unit(None, "", _NONE, _NONE, _NONE, "", "", "", "", _NONE, tables.severity_empty)

    def of(self, findings: Sequence[Finding], text: str) -> tuple[Unit, ...]:
        """Return the units of a report. A statement about both sides is one unit."""
        stops = [0, *(stop.end() for stop in _STOP.finditer(text)), len(text)]
        return tuple(self._unit(finding, _sentence(text, stops, finding)) for finding in _folded(findings))

    def costs(self, left: Sequence[Unit], right: Sequence[Unit]) -> dict[str, Matrix]:
        """Return a matrix for each of the nine channels: alignment costs in [0, 1], side costs (severity up to 3)."""
        by: dict[str, Callable[[Unit, Unit], float]] = {
            "finding": self._finding,
            "anatomy": self._anatomy,
            "polarity": lambda a, b: self._categorical("polarity", a.polarity, b.polarity),
            "text": lambda a, b: unlike(a.text, b.text),
            "comparison": lambda a, b: self._categorical("comparison", a.comparison, b.comparison),
            "uncertainty": lambda a, b: self._categorical("uncertainty", a.uncertainty, b.uncertainty),
            "device": lambda a, b: self._categorical("device", a.device, b.device),
            "modifier": lambda a, b: unlike(a.modifiers, b.modifiers),
            "severity": lambda a, b: abs(a.severity - b.severity),
        }
        return {name: np.array([[cost(a, b) for b in right] for a in left], dtype=np.float64) for name, cost in by.items()}

    def _unit(self, finding: Finding, sentence: str) -> Unit:
        details = [d for d in finding.details if d.category not in self.tables.not_modifiers]
        concept = self.index.concepts.get(finding.concept or "")
        canonical = (finding.concept or "") if not self.published else finding.label.lower() if finding.concept else ""
        sites = frozenset(f"{side}{self.index.label(site)}" for site in finding.sites for side in _sides(finding))
        span = sentence or finding.text
        values = frozenset(d.text.lower() if self.published else d.value for d in details)
        said = " ".join((finding.label, *sites, *(d.value for d in details)))
        text_words = words(span) if self.published or not finding.concept else words(said)
        return Unit(
            finding,
            canonical,
            words(f"{finding.label} {finding.text} {span}"),
            text_words,
            sites,
            "present" if finding.asserts else "absent",
            _comparison(finding),
            finding.certainty,
            finding.label.lower() if concept is not None and concept.kind == "devices" else "",
            values if self.published else values - self.tables.sizes.keys(),
            self._severity(finding),
        )

    def _severity(self, finding: Finding) -> float:
        found = []
        for detail in finding.details:
            if detail.category == "severity_descriptor":
                found.append(self.tables.severities.get(detail.value, self.tables.severity_unknown))
            elif not self.published and detail.value in self.tables.sizes:
                found.append(self.tables.sizes[detail.value])
        return max(found, default=self.tables.severity_empty)

    def _finding(self, a: Unit, b: Unit) -> float:
        """0 for one canonical finding. As published, else the share of words not shared; of the ontology, 1 − coefficient of
        the steps between two classes of which one contains the other, else 1; words only where one is unlinked."""
        if a.canonical and a.canonical == b.canonical:
            return 0.0
        if self.published or not (a.canonical and b.canonical):
            return unlike(a.words, b.words) if a.words or b.words else 1.0
        assert a.finding is not None
        assert b.finding is not None
        axis = self.axes.concept(a.finding, b.finding)
        return 1.0 if axis is None else self._away(axis[1])

    def _anatomy(self, a: Unit, b: Unit) -> float:
        if self.published or a.finding is None or b.finding is None:
            return 1.0 if a.finding is None or b.finding is None else unlike(a.anatomy, b.anatomy)
        if not sides_meet(a.finding, b.finding):
            return 1.0
        axis = self.axes.anatomy(a.finding, b.finding)
        return 1.0 if axis is None else self._away(axis[1])

    def _away(self, steps: int) -> float:
        return 1.0 - depth_coefficient(steps, self.decay) if steps else 0.0

    def _categorical(self, name: str, a: str, b: str) -> float:
        if a == b:
            return 0.0
        missing, mismatch = self.tables.categorical[name]
        return mismatch if a and b else missing


def unlike(one: frozenset[str], other: frozenset[str]) -> float:
    """Return 1 − |one ∩ other| / |one ∪ other| (Jaccard); two empty sets are alike.

    >>> unlike(frozenset("ab"), frozenset("bc"))
    0.6666666666666667
    """
    return 1.0 - len(one & other) / len(one | other) if one or other else 0.0


def words(text: str) -> frozenset[str]:
    """Return the lower-case alphanumeric words of a text, each once."""
    return frozenset(_WORD.findall(text.lower()))


def _folded(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings with the two halves of a statement about both sides as one, without a side."""
    sides: dict[tuple[object, ...], set[str]] = {}
    for finding in findings:
        if finding.both and finding.side:
            sides.setdefault(_half(finding), set()).add(finding.side)
    seen = set()
    for finding in findings:
        half = _half(finding)
        if len(sides.get(half, ())) < 2 or not finding.both:
            yield finding
        elif half not in seen:
            seen.add(half)
            yield replace(finding, side=None)


def _half(finding: Finding) -> tuple[object, ...]:
    return finding.start, finding.end, finding.concept, finding.label, finding.sites, finding.status, finding.details


def _sides(finding: Finding) -> tuple[str, ...]:
    if finding.side:
        return (f"{finding.side} ",)
    return ("left ", "right ") if finding.both else ("",)


def _comparison(finding: Finding) -> str:
    if finding.change:
        return finding.change
    return next((d.value for d in finding.details if d.category in ("comparison", "previous")), "")


def _sentence(text: str, stops: Sequence[int], finding: Finding) -> str:
    """Return the sentence that holds a finding, given where sentences begin."""
    begin = stops[max(0, bisect_right(stops, finding.start) - 1)]
    end = stops[min(len(stops) - 1, bisect_left(stops, finding.end))]
    return text[begin:end].strip()
