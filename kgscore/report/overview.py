"""A run in short for a page: columns of every case to sort and filter by, and what is to be said of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from types import MappingProxyType
from typing import Any

from kgscore.results.cases import VERDICTS, CaseLine

_LOST = ("contradicted", "missed", "invented")
_SHOWN = 12
_GROUPS, _GROUP_LENGTH = 40, 60


@dataclass(frozen=True, slots=True)
class MetricFigures:
    """A metric over a run. `mean` and `median` are of the `scored` cases (None: there are none); `interval` is the 95 %
    interval of the mean (None: not computed, or too few cases)."""

    name: str
    summary: str
    low: float
    high: float | None
    higher_is_better: bool
    scored: int
    without: int
    mean: float | None
    median: float | None
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """A finding that was often missed, invented or contradicted: in `cases` of the cases, `count` times of `of`."""

    label: str
    severity: int
    count: int
    of: int
    cases: int


@dataclass(frozen=True, slots=True)
class Overview:
    """What is to be said of all cases. `coverage` says how much is behind the figures, in words. `outcomes` maps a report and a
    class ("abnormal", "normal") to the count of each verdict; `lost` maps a verdict to the findings it befell most."""

    counts: Mapping[str, int]
    metrics: Sequence[MetricFigures]
    outcomes: Mapping[str, Mapping[str, Mapping[str, int]]]
    lost: Mapping[str, Sequence[Lost]]
    reasons: Sequence[tuple[str, int]]
    coverage: str = ""


def columns(lines: Sequence[CaseLine], metrics: Sequence[str]) -> dict[str, Any]:
    """Return the columns of all cases as JSON can hold them: ids, status, scores, how many findings of each verdict, which
    findings (numbers of `labels`), the severity of the gravest abnormal finding that was lost (0: none was), and the columns
    of the input that sort cases into groups.

    What both reports hold is counted once: as many as there are in that report which holds more of them.
    """
    labels: dict[str, int] = {}
    counts: dict[str, list[int]] = {verdict: [] for verdict in VERDICTS}
    findings: dict[str, list[list[int]]] = {verdict: [] for verdict in VERDICTS}
    gravest: list[int] = []
    for line in lines:
        held: dict[str, list[int]] = {verdict: [] for verdict in VERDICTS}
        seen: Counter[tuple[str, str]] = Counter()
        for one in line.findings:
            held[one.verdict].append(labels.setdefault(one.label, len(labels)))
            seen[one.verdict, one.report] += 1
        for verdict in VERDICTS:
            counts[verdict].append(max(seen[verdict, "reference"], seen[verdict, "candidate"]))
            findings[verdict].append(sorted(set(held[verdict])))
        lost = (one.severity for one in line.findings if one.verdict in _LOST and one.asserts)
        gravest.append(max(lost, default=0))
    return {
        "ids": [line.id for line in lines],
        "status": [line.status for line in lines],
        "scores": {name: [line.scores.get(name) for line in lines] for name in metrics},
        "counts": counts,
        "findings": findings,
        "labels": list(labels),
        "severity": gravest,
        "fields": _fields(lines),
    }


def _fields(lines: Sequence[CaseLine]) -> dict[str, list[str]]:
    """Return the further columns of the input that sort cases into groups: those of 2 to 40 different short texts."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for line in lines for name in line.fields):
        values = ["" if (value := line.fields.get(name)) is None else str(value) for line in lines]
        kinds = set(values)
        if 2 <= len(kinds) <= _GROUPS and max(map(len, kinds)) <= _GROUP_LENGTH:
            found[name] = values
    return found


def overview(
    lines: Sequence[CaseLine], metrics: Sequence[Any], intervals: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    coverage: str = "",
) -> Overview:
    """Return what is to be said of all cases. `metrics` are `MetricInfo`s, in the order of the run; `intervals` are those of
    their means, at 95 %."""
    outcomes: dict[str, dict[str, Counter[str]]] = {}
    for line in lines:
        for one in line.findings:
            kind = "abnormal" if one.asserts else "normal"
            outcomes.setdefault(one.report, {}).setdefault(kind, Counter())[one.verdict] += 1
    reasons = Counter(f"{line.status}: {line.reason}" for line in lines if line.status != "scored")
    return Overview(
        Counter(line.status for line in lines),
        [_figures(info, lines, intervals.get(info.name)) for info in metrics],
        outcomes,
        {verdict: _lost(lines, verdict) for verdict in _LOST},
        reasons.most_common(_SHOWN),
        coverage,
    )


def _figures(info: Any, lines: Sequence[CaseLine], interval: tuple[float, float] | None) -> MetricFigures:
    values = [value for line in lines if (value := line.scores.get(info.name)) is not None]
    return MetricFigures(
        info.name, info.summary, info.low, info.high, info.higher_is_better, len(values), len(lines) - len(values),
        fmean(values) if values else None, median(values) if values else None, interval,
    )  # fmt: skip


def _lost(lines: Sequence[CaseLine], verdict: str) -> list[Lost]:
    """Return the abnormal findings that a verdict befell most; of contradicted ones, those of the reference."""
    report = "candidate" if verdict == "invented" else "reference"
    count: Counter[tuple[str, int]] = Counter()
    of: Counter[tuple[str, int]] = Counter()
    cases: Counter[tuple[str, int]] = Counter()
    for line in lines:
        mine = [one for one in line.findings if one.report == report and one.asserts]
        of.update((one.label, one.severity) for one in mine)
        hit = [(one.label, one.severity) for one in mine if one.verdict == verdict]
        count.update(hit)
        cases.update(set(hit))
    rows = [Lost(*key, number, of[key], cases[key]) for key, number in count.items()]
    return sorted(rows, key=lambda row: (-row.count, -row.severity, row.label))[:_SHOWN]
