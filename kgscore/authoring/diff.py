"""The effect of a change of modules: readings and scores with one set of modules and with another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Any

from kgscore.authoring.examples import brief_finding
from kgscore.engine import Scorer
from kgscore.io.records import PAIR_FIELDS, Record
from kgscore.model import PairResult, Reading

_Differences = tuple[list[dict[str, Any]], list[dict[str, Any]]]  # the findings only before, and only after


@dataclass(frozen=True, slots=True)
class Change:
    """The differences for one record: by report (`report`, `reference`, `candidate`) the findings removed and added, the scores
    that differ (before, after) and the status, if it differs."""

    id: str
    readings: Mapping[str, _Differences]
    scores: Mapping[str, tuple[float | None, float | None]]
    status: tuple[str, str] | None

    @property
    def any(self) -> bool:
        """Whether anything differs."""
        return bool(self.readings or self.scores or self.status)


@dataclass(slots=True)
class Totals:
    """Totals over all records: counts before and after, and the sums of the scores of pairs scored both times."""

    records: int = 0
    changed: int = 0
    readings_changed: int = 0
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    scores: dict[str, list[tuple[float, float]]] = field(default_factory=dict)


class Comparison:
    """Reads and scores records with two scorers and adds up the differences."""

    def __init__(self, before: Scorer, after: Scorer) -> None:
        self.before, self.after = before, after
        self.totals = Totals()

    def terms(self) -> dict[str, list[str]]:
        """Return the ids of concepts added, removed, or different in the index."""
        one, other = self.before.index, self.after.index
        common = one.concepts.keys() & other.concepts.keys()
        changed = {
            name for name in common
            if one.concepts[name] != other.concepts[name]
            or any(getattr(one, table).get(name) != getattr(other, table).get(name) for table in _TABLES)
        }
        return {
            "added": sorted(other.concepts.keys() - common), "removed": sorted(one.concepts.keys() - common),
            "changed": sorted(changed),
        }

    def of(self, record: Record) -> Change:
        """Return the differences for a record with a `report`, or a pair with `reference` and `candidate`."""
        change = self._report(record) if "report" in record.fields else self._pair(record)
        self.totals.records += 1
        self.totals.changed += change.any
        self.totals.readings_changed += len(change.readings)
        return change

    def _report(self, record: Record) -> Change:
        report = record.fields["report"]
        readings = self._readings({"report": (self.before.read(report), self.after.read(report))})
        return Change(record.id, readings, {}, None)

    def _pair(self, record: Record) -> Change:
        one, other = (scorer.score_record(record) for scorer in (self.before, self.after))
        both = {
            name: (_read(one, name, self.before, record), _read(other, name, self.after, record)) for name in PAIR_FIELDS
        }
        scores = {name: (score.value, other.scores[name].value) for name, score in one.scores.items()}
        for name, (before, after) in scores.items():
            if before is not None and after is not None:
                self.totals.scores.setdefault(name, []).append((before, after))
        changed = {name: values for name, values in scores.items() if values[0] != values[1]}
        status = (one.status, other.status) if one.status != other.status else None
        return Change(record.id, self._readings(both), changed, status)

    def _readings(self, both: Mapping[str, tuple[Reading, Reading]]) -> dict[str, _Differences]:
        found = {}
        for name, (one, other) in both.items():
            for total, reading in ((self.totals.before, one), (self.totals.after, other)):
                total["findings"] += len(reading.findings)
                total["linked"] += sum(finding.concept is not None for finding in reading.findings)
                total["unknown"] += len(reading.unlinked)
            gone, come = _differences([brief_finding(f) for f in one.findings], [brief_finding(f) for f in other.findings])
            if gone or come:
                found[name] = (gone, come)
        return found


_TABLES = (
    "ancestors", "within", "hard_sites", "soft_sites", "definitions", "differentiae", "features", "chief", "made",
    "opposites", "implied", "overlaps", "denials",
)  # fmt: skip


def _read(result: PairResult, name: str, scorer: Scorer, record: Record) -> Reading:
    """Return the reading of one side; a pair that was not scored must be read for it."""
    found: Reading | None = getattr(result, name)
    return scorer.read(record.fields[name]) if found is None else found


def _differences(one: Sequence[dict[str, Any]], other: Sequence[dict[str, Any]]) -> _Differences:
    """Return the items only in the first and only in the second list."""
    come, gone = list(other), []
    for item in one:
        if item in come:
            come.remove(item)
        else:
            gone.append(item)
    return gone, come


def summary(totals: Totals) -> Iterator[str]:
    """Yield the totals as text lines."""
    yield f"{totals.records} records, {totals.changed} changed, {totals.readings_changed} readings changed"
    for name, label in (("findings", "findings"), ("linked", "findings linked to a concept"), ("unknown", "unknown phrases")):
        yield f"{label}: {totals.before[name]} before, {totals.after[name]} after"
    for metric, pairs in totals.scores.items():
        before, after = (fsum(values) / len(pairs) for values in zip(*pairs, strict=True))
        up, down = sum(b > a for a, b in pairs), sum(b < a for a, b in pairs)
        mean = f"{metric}: mean {before:.4f} before, {after:.4f} after"
        yield f"{mean}; {up} up, {down} down, of {len(pairs)} pairs scored both times"
