"""The overview of a run for a page: columns of every case for sorting and filtering, and figures over all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median
from types import MappingProxyType
from typing import Any

from kgscore.report.items import KINDS, by_finding, encode_items, items_of, tally, worst_tier
from kgscore.results.cases import LOST, CaseLine, Item
from kgscore.results.zeros import Zero

_SHOWN = 25
_REASONS = 12
_GROUPS, _GROUP_LENGTH = 40, 60
_BINS = 20
Interval = tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class MetricFigures:
    """A metric over a run. `mean` and `median` are of the `scored` cases (None: no scored case); `interval` is the 95 %
    interval of the mean (None: not computed, or too few cases); `spread` counts the scores in 20 equal parts of the range."""

    name: str
    summary: str
    low: float
    high: float | None
    higher_is_better: bool
    scored: int
    without: int
    mean: float | None
    median: float | None
    interval: Interval = None
    spread: Sequence[int] = ()

    @property
    def top(self) -> float:
        """The upper end of the axis on a page: the highest possible score, or else twice the end of the interval."""
        if self.high is not None:
            return self.high
        return 2 * max(self.interval[1] if self.interval else self.mean or 0.0, 1e-9)


@dataclass(frozen=True, slots=True)
class Danger:
    """An error of one kind about an urgent or critical finding, in `cases` of the cases."""

    kind: str
    label: str
    tier: int
    cases: int


@dataclass(frozen=True, slots=True)
class Lost:
    """An abnormal finding of one tier with errors: how often wrong, missed and invented, out of how many mentions."""

    label: str
    tier: int
    wrong: int
    missed: int
    invented: int
    of: int

    @property
    def all(self) -> int:
        """The number of errors."""
        return self.wrong + self.missed + self.invented


@dataclass(frozen=True, slots=True)
class Group:
    """The cases with one value of an input column: the first metric over them, and how many have a severe error."""

    value: str
    cases: int
    mean: float | None
    interval: Interval
    critical: int
    urgent: int


@dataclass(frozen=True, slots=True)
class Overview:
    """Figures over all cases. `critical` and `urgent` count the cases whose most severe error has that tier; `abnormal` and
    `denials` count the outcomes of abnormal and negative findings; `groups` are by column of the input. `coverage` describes the
    coverage in words; `zeros` are the baselines by metric, if computed."""

    counts: Mapping[str, int]
    metrics: Sequence[MetricFigures]
    critical: int
    urgent: int
    dangers: Sequence[Danger]
    abnormal: Mapping[str, int]
    denials: Mapping[str, int]
    lost: Sequence[Lost]
    groups: Mapping[str, Sequence[Group]]
    reasons: Sequence[tuple[str, int]]
    coverage: str = ""
    zeros: Mapping[str, Zero] = field(default_factory=dict)


def columns(lines: Sequence[CaseLine], metrics: Sequence[str]) -> dict[str, Any]:
    """Return the columns of all cases as JSON values: ids, status, scores, first words, corrections, outcomes of the findings
    (`items`, numbers from `kgscore.report.items.encode_items`), and the columns of the input that group cases."""
    labels: dict[str, int] = {}
    items = [encode_items(items_of(line), labels) for line in lines]
    corrections = [line.corrections for line in lines]
    return {
        "ids": [line.id for line in lines], "status": [line.status for line in lines], "first": [line.first for line in lines],
        "scores": {name: [line.scores.get(name) for line in lines] for name in metrics},
        "corrections": None if corrections.count(None) == len(lines) else corrections,
        "items": items, "labels": list(labels), "fields": fields(lines),
    }  # fmt: skip


def fields(lines: Sequence[CaseLine]) -> dict[str, list[str]]:
    """Return the further columns of the input that group cases: those with 2 to 40 different short texts."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for line in lines for name in line.fields):
        values = ["" if (value := line.fields.get(name)) is None else str(value) for line in lines]
        kinds = set(values)
        if 2 <= len(kinds) <= _GROUPS and max(map(len, kinds)) <= _GROUP_LENGTH:
            found[name] = values
    return found


def overview(
    lines: Sequence[CaseLine], metrics: Sequence[Any], intervals: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    coverage: str = "", groups: Mapping[tuple[str, str], Interval] = MappingProxyType({}), zeros: Sequence[Zero] = (),
) -> Overview:
    """Return the figures over all cases. `metrics` are `MetricInfo`s, in the order of the run; `intervals` are those of
    their means, at 95 %, and `groups` those of the first one by column and value."""
    items = [items_of(line) for line in lines]
    tiers = Counter(map(worst_tier, items))
    every = [one for mine in items for one in mine]
    # Scored cases have a reason if their candidate says nothing or is not understood.
    reasons = Counter(f"{line.status}: {line.reason}" for line in lines if line.reason)
    figures = [metric_figures(info, lines, intervals.get(info.name)) for info in metrics]
    return Overview(
        Counter(line.status for line in lines), figures, tiers[4], tiers[3], _urgent_errors(items), tally(every),
        tally(every, denial=True), _findings_with_errors(every),
        _value_groups(lines, items, metrics[0].name if metrics else "", groups), reasons.most_common(_REASONS), coverage,
        {one.metric: one for one in zeros},
    )  # fmt: skip


def metric_figures(info: Any, lines: Sequence[CaseLine], interval: Interval = None) -> MetricFigures:
    """Return the figures of a metric over these cases."""
    values = [value for line in lines if (value := line.scores.get(info.name)) is not None]
    high = info.high if info.high is not None else max(values, default=1.0)
    wide = (high - info.low) or 1.0
    bins = Counter(min(_BINS - 1, max(0, int((value - info.low) / wide * _BINS))) for value in values)
    return MetricFigures(
        info.name, info.summary, info.low, info.high, info.higher_is_better, len(values), len(lines) - len(values),
        fmean(values) if values else None, median(values) if values else None, interval, [bins[at] for at in range(_BINS)],
    )  # fmt: skip


def _urgent_errors(items: Sequence[Sequence[Item]]) -> list[Danger]:
    cases = Counter(one for mine in items for one in set(mine) if one.grave >= 3)
    found = [Danger(one.kind, one.label, one.tier, count) for one, count in cases.items()]
    return sorted(found, key=lambda one: (-one.tier, -one.cases, KINDS.index(one.kind), one.label))[:_SHOWN]


def _findings_with_errors(items: Sequence[Item]) -> list[Lost]:
    """Return the abnormal findings with errors, the most severe first, then the most frequent."""
    rows = [
        Lost(label, tier, seen["wrong"], seen["missed"], seen["invented"], seen.total())
        for (label, tier), seen in by_finding(items).items() if any(seen[kind] for kind in LOST)
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-row.tier, -row.all, row.label))[: 2 * _SHOWN]


def _value_groups(
    lines: Sequence[CaseLine], items: Sequence[Sequence[Item]], metric: str, intervals: Mapping[tuple[str, str], Interval]
) -> dict[str, list[Group]]:
    found: dict[str, list[Group]] = defaultdict(list)
    graves = [worst_tier(mine) for mine in items]
    for name, values in fields(lines).items():
        for value in sorted(set(values)):
            mine = [at for at, one in enumerate(values) if one == value]
            scores = [score for at in mine if (score := lines[at].scores.get(metric)) is not None]
            tiers, mean = Counter(graves[at] for at in mine), fmean(scores) if scores else None
            found[name].append(Group(value, len(mine), mean, intervals.get((name, value)), tiers[4], tiers[3]))
    return dict(found)
