"""Clinical units (RadOT-Eval III-C, IV-B): findings with the attributes that align them and those compared after alignment; and
the constants of the metric. `mappings/radot.yaml` states which of them the paper gives."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import product
from typing import Any

import numpy as np

from kgscore.caches import BoundedDict, Numbering
from kgscore.matching.axes import axes_of, sides_meet
from kgscore.matching.relation import depth_coefficient
from kgscore.metrics.transport import Matrix
from kgscore.model import Detail, Finding
from kgscore.ontology.index import Index
from kgscore.resources import yaml_of

_WORD = re.compile(r"[a-z0-9]+")
_STOP = re.compile(r"(?<!\d)\.|\.(?!\d)|[;\n]")
ALIGNMENT = ("finding", "anatomy", "polarity", "text")
SIDE = ("comparison", "uncertainty", "device", "modifier", "severity")


@dataclass(frozen=True, slots=True)
class Tables:
    """The constants of `mappings/radot.yaml`, which says what each is."""

    priors: Mapping[str, Sequence[float]]
    categorical: Mapping[str, Mapping[str, float]]
    severity: Mapping[str, Any]
    not_modifiers: Sequence[str]
    diffuse_below: float
    edge_floor: float


@cache
def tables() -> Tables:
    """Return the constants.

    Raises:
        KgscoreError: the file is missing from the installation.
    """
    return Tables(**yaml_of("mappings", "radot.yaml"))


@dataclass(frozen=True, slots=True)
class Unit:
    """One statement of a report. `finding` is None for the empty unit, which stands for a report that says nothing.

    `words` are those of canonical finding, surface and span; `text` those of the span; `severity` is on the ordinal scale.
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
# How many pairs of findings are cached.
_REMEMBERED = 500_000


class Units:
    """Builds units from findings and compares them. `published`: by words; otherwise by the ontology."""

    def __init__(self, index: Index, tables: Tables, published: bool, decay: float) -> None:
        self.index, self.tables, self.published, self.decay, self.axes = index, tables, published, decay, axes_of(index)
        self._kinds: Numbering[tuple[object, ...]] = Numbering(_REMEMBERED)
        self._known: dict[tuple[int, int], tuple[float, float]] = BoundedDict(_REMEMBERED)
        self._sizes: Mapping[str, float] = tables.severity["sizes"]
        self.nothing = Unit(None, "", _NONE, _NONE, _NONE, "", "", "", "", _NONE, tables.severity["empty"])

    def of(self, findings: Sequence[Finding], text: str) -> tuple[Unit, ...]:
        """Return the units of a report. A bilateral statement is one unit."""
        stops = [0, *(stop.end() for stop in _STOP.finditer(text)), len(text)]
        return tuple(self._unit(finding, _sentence(text, stops, finding)) for finding in _merge_bilateral(findings))

    def costs(self, left: Sequence[Unit], right: Sequence[Unit]) -> dict[str, Matrix]:
        """Return a matrix for each of the nine channels: alignment costs in [0, 1], side costs (severity up to 3)."""
        degrees = [np.array([unit.severity for unit in side], dtype=np.float64) for side in (left, right)]
        finding, anatomy = self._finding_and_anatomy_costs(left, right)
        found = {
            "finding": finding,
            "anatomy": anatomy,
            "text": jaccard_distances([unit.text for unit in left], [unit.text for unit in right]),
            "modifier": jaccard_distances([unit.modifiers for unit in left], [unit.modifiers for unit in right]),
            "severity": np.abs(degrees[0][:, None] - degrees[1][None, :]),
        }
        found |= {name: self._categorical(name, left, right) for name in self.tables.categorical}
        return {name: found[name] for name in (*ALIGNMENT, *SIDE)}

    def _unit(self, finding: Finding, sentence: str) -> Unit:
        details = [d for d in finding.details if d.category not in self.tables.not_modifiers]
        named = finding.label.lower() if self.published else finding.concept or ""
        sites = frozenset(f"{side}{self.index.label(site)}" for site, side in product(finding.sites, _sides(finding)))
        span = sentence or finding.text
        said = " ".join((finding.label, *sites, *(d.value for d in details)))
        return Unit(
            finding,
            named if finding.concept else "",
            words(finding.label) | words(finding.text) | words(span),
            words(span) if self.published or not finding.concept else words(said),
            sites,
            "present" if finding.asserts else "absent",
            finding.change or _comparison(finding),
            finding.certainty,
            finding.label.lower() if finding.concept in self.index.of_kind("devices") else "",
            self._modifiers(details),
            self._severity(finding),
        )

    def _modifiers(self, details: Sequence[Detail]) -> frozenset[str]:
        if self.published:
            return frozenset(d.text.lower() for d in details)
        return frozenset(d.value for d in details) - self._sizes.keys()

    def _severity(self, finding: Finding) -> float:
        scale, severe = self.tables.severity, finding.values("severity_descriptor")
        found: list[float] = [scale["values"].get(value, scale["unknown"]) for value in severe]
        if not self.published:
            found += [self._sizes[value] for value in finding.values() - severe if value in self._sizes]
        return max(found, default=self.nothing.severity)

    def _finding_and_anatomy_costs(self, left: Sequence[Unit], right: Sequence[Unit]) -> tuple[Matrix, Matrix]:
        """Return the costs of findings and of anatomy; those of two linked findings are cached in the ontology form."""
        found = np.empty((2, len(left), len(right)))
        kinds = [[self._kind(unit) for unit in side] for side in (left, right)]
        for (i, a), (j, b) in product(enumerate(left), enumerate(right)):
            key = (kinds[0][i], kinds[1][j])
            if key not in self._known or not all(key):
                self._known[key] = self._finding(a, b), self._anatomy(a, b)
            found[:, i, j] = self._known[key]
        return found[0], found[1]

    def _kind(self, unit: Unit) -> int:
        """Return a number for the content that decides the costs of a linked finding in the ontology form; 0 for other units."""
        f = unit.finding
        if self.published or f is None or not unit.canonical:
            return 0
        return self._kinds((f.concept, f.genus, f.sites, f.side, f.both, f.asserts, f.details))

    def _finding(self, a: Unit, b: Unit) -> float:
        """Return 0 for one canonical finding, else the share of words not shared or, if linked, the cost of the steps between."""
        if a.canonical and a.canonical == b.canonical:
            return 0.0
        if self.published or not (a.canonical and b.canonical):
            return jaccard_distance(a.words, b.words) if a.words or b.words else 1.0
        assert a.finding is not None
        assert b.finding is not None
        axis = self.axes.concept(a.finding, b.finding)
        return 1.0 if axis is None else self._step_cost(axis[1])

    def _anatomy(self, a: Unit, b: Unit) -> float:
        if self.published or a.finding is None or b.finding is None:
            return 1.0 if a.finding is None or b.finding is None else jaccard_distance(a.anatomy, b.anatomy)
        if not sides_meet(a.finding, b.finding):
            return 1.0
        axis = self.axes.anatomy(a.finding, b.finding)
        return 1.0 if axis is None else self._step_cost(axis[1])

    def _step_cost(self, steps: int) -> float:
        return 1.0 - depth_coefficient(steps, self.decay) if steps else 0.0

    def _categorical(self, name: str, left: Sequence[Unit], right: Sequence[Unit]) -> Matrix:
        """Return 0 for equal values, otherwise the cost of a missing value or a mismatch."""
        missing, mismatch = (self.tables.categorical[name][kind] for kind in ("missing", "mismatch"))
        said = [[getattr(unit, name) for unit in side] for side in (left, right)]
        if len({*said[0], *said[1]}) == 1:
            return np.zeros((len(left), len(right)))
        numbers = {value: number for number, value in enumerate(dict.fromkeys(("", *said[0], *said[1])))}
        one, other = (np.array([numbers[value] for value in values]) for values in said)
        apart = one[:, None] != other[None, :]
        both = (one[:, None] > 0) & (other[None, :] > 0)
        return np.where(apart, np.where(both, mismatch, missing), 0.0)


def jaccard_distance(one: frozenset[str], other: frozenset[str]) -> float:
    """Return 1 − |one ∩ other| / |one ∪ other| (Jaccard); 0 for two empty sets.

    >>> jaccard_distance(frozenset("ab"), frozenset("bc"))
    0.6666666666666667
    """
    return 1.0 - len(one & other) / len(one | other) if one or other else 0.0


def jaccard_distances(left: Sequence[frozenset[str]], right: Sequence[frozenset[str]]) -> Matrix:
    """Return `jaccard_distance` of each set of the left and each of the right.

    >>> jaccard_distances([frozenset("ab"), frozenset()], [frozenset("bc"), frozenset()]).round(3).tolist()
    [[0.667, 1.0], [1.0, 0.0]]
    """
    numbers = {word: number for number, word in enumerate(frozenset().union(*left, *right))}
    if not numbers:
        return np.zeros((len(left), len(right)))
    one, other = (np.zeros((len(side), len(numbers))) for side in (left, right))
    for table, side in ((one, left), (other, right)):
        table[[row for row, held in enumerate(side) for _ in held], [numbers[word] for held in side for word in held]] = 1.0
    shared = one @ other.T
    whole = one.sum(axis=1)[:, None] + other.sum(axis=1)[None, :] - shared
    return np.where(whole > 0.0, 1.0 - shared / np.maximum(whole, 1.0), 0.0)


@lru_cache(maxsize=20_000)
def words(text: str) -> frozenset[str]:
    """Return the lower-case alphanumeric words of a text, each once."""
    return frozenset(_WORD.findall(text.lower()))


def _merge_bilateral(findings: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings with the two halves of a bilateral statement joined into one, without a side."""
    sides: dict[tuple[object, ...], set[str]] = {}
    for finding in findings:
        if finding.both and finding.side:
            sides.setdefault(_half_key(finding), set()).add(finding.side)
    seen = set()
    for finding in findings:
        half = _half_key(finding)
        if len(sides.get(half, ())) < 2 or not finding.both:
            yield finding
        elif half not in seen:
            seen.add(half)
            yield replace(finding, side=None)


def _half_key(finding: Finding) -> tuple[object, ...]:
    return finding.start, finding.end, finding.concept, finding.label, finding.sites, finding.status, finding.details


def _sides(finding: Finding) -> tuple[str, ...]:
    if finding.side:
        return (f"{finding.side} ",)
    return ("left ", "right ") if finding.both else ("",)


def _comparison(finding: Finding) -> str:
    return next((d.value for d in finding.details if d.category in ("comparison", "previous")), "")


def _sentence(text: str, stops: Sequence[int], finding: Finding) -> str:
    """Return the sentence that contains a finding, given the offsets of sentences."""
    begin = stops[max(0, bisect_right(stops, finding.start) - 1)]
    end = stops[min(len(stops) - 1, bisect_left(stops, finding.end))]
    return text[begin:end].strip()
