"""What a system comes to over many pairs: which errors it makes, and how many of them matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kgscore.judged import CATEGORIES, DIMENSIONS, Aligned, Verdict

# From which tier on a finding is actionable (notable or graver), and a matter of triage (urgent or critical).
ACTIONABLE, TRIAGE = 2, 3
_RATES = ("recall", "precision")
_HITS = ("correct", "minor")
_ANSWERED = ("correct", "minor", "wrong")


@dataclass(frozen=True, slots=True)
class Rate:
    """How many `right` of how many, and their share (0 to 1); None of none."""

    right: int
    of: int

    @property
    def share(self) -> float | None:
        """The share, 0 to 1."""
        return self.right / self.of if self.of else None


@dataclass(frozen=True, slots=True)
class System:
    """A system by its verdicts.

    `actionable` counts the actionable errors of each report (lower is better; their mean is the headline). A recall is the share
    of the reference's findings of some tier that are reported without a major error, a precision that of the candidates'.
    `dimensions` maps each to the answered findings that are clean there, or have a minor or a major error; `categories` counts
    findings by tier and category, `worst` the actionable errors of a finding by category, the most frequent first.
    """

    actionable: tuple[int, ...]
    triage_recall: Rate
    triage_precision: Rate
    actionable_recall: Rate
    actionable_precision: Rate
    dimensions: Mapping[str, tuple[int, int, int]]
    categories: Mapping[int, Mapping[str, int]]
    worst: Sequence[tuple[str, Mapping[str, int]]]

    @property
    def errors_per_report(self) -> float | None:
        """The mean of actionable errors a report; None without a report."""
        return sum(self.actionable) / len(self.actionable) if self.actionable else None


def system_of(verdicts: Iterable[Verdict]) -> System:
    """Return what the verdicts on a system's reports come to."""
    known = list(verdicts)
    found = [one for verdict in known for one in verdict.findings]
    said = [one for verdict in known for one in verdict.said]
    asked = [(one.tier, one.category in _HITS) for one in found if one.category != "invented"]
    worst: dict[str, Counter[str]] = {}
    for one in found:
        if one.actionable:
            worst.setdefault(one.what.removeprefix("left ").removeprefix("right "), Counter())[one.category] += 1
    return System(
        tuple(sum(one.actionable for one in verdict.findings) for verdict in known),
        _rate(asked, TRIAGE), _rate(said, TRIAGE), _rate(asked, ACTIONABLE), _rate(said, ACTIONABLE),
        {dimension: _profile(found, dimension) for dimension in DIMENSIONS},
        {tier: _counts(one.category for one in found if one.tier == tier) for tier in (4, 3, 2, 1)},
        sorted(worst.items(), key=lambda item: (-sum(item[1].values()), item[0])),
    )  # fmt: skip


def _rate(findings: Sequence[tuple[int, bool]], tier: int) -> Rate:
    mine = [right for own, right in findings if own >= tier]
    return Rate(sum(mine), len(mine))


def _counts(categories: Iterable[str]) -> dict[str, int]:
    count = Counter(categories)
    return {category: count[category] for category in CATEGORIES}


def _profile(found: Sequence[Aligned], dimension: str) -> tuple[int, int, int]:
    """Return how many findings are clean on a dimension, and how many have a minor and a major error there: of those that were
    answered, and for presence of all."""
    clean = minor = major = 0
    for one in found:
        category, errors = one.category, one.errors
        if dimension != "presence" and category not in _ANSWERED:
            continue
        mine = [error.major for error in errors if error.dimension == dimension]
        major, minor, clean = major + any(mine), minor + (bool(mine) and not any(mine)), clean + (not mine)
    return clean, minor, major


def profile_of(cases: Sequence[tuple[Verdict, Sequence[str], str]]) -> dict[str, Any]:
    """Return the figures of a system as plain values, from its verdicts, each with the regions of its findings and its modality:
    `of_reports` (actionable errors of each), rates, and errors by dimension, tier, finding, region and modality."""
    made = system_of(verdict for verdict, _, _ in cases)
    regions: dict[str, Counter[str]] = {}
    modalities: dict[str, Counter[str]] = {}
    for verdict, places, modality in cases:
        for one, place in zip(verdict.findings, places, strict=True):
            if one.actionable:
                regions.setdefault(place, Counter())[one.category] += 1
                modalities.setdefault(modality, Counter())[one.category] += 1
    rates = {f"{tier}_{kind}": getattr(made, f"{tier}_{kind}") for tier in ("triage", "actionable") for kind in _RATES}
    names = ("clean", "minor", "major")
    return {
        "reports": len(made.actionable), "actionable_errors": made.errors_per_report, "of_reports": made.actionable,
        **{name: {"right": rate.right, "of": rate.of, "share": rate.share} for name, rate in rates.items()},
        "dimensions": {name: dict(zip(names, counts, strict=True)) for name, counts in made.dimensions.items()},
        "tiers": {str(tier): counts for tier, counts in made.categories.items()},
        "findings": _named(dict(made.worst)), "regions": _named(regions),
        "modalities": _named({name: counts for name, counts in modalities.items() if name}),
    }  # fmt: skip


def _named(counts: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """Return counts of actionable errors by name, the most frequent first."""
    rows = [{"name": name, **{kind: of.get(kind, 0) for kind in ("missed", "wrong", "invented")}} for name, of in counts.items()]
    return sorted(rows, key=lambda row: (-sum(row[kind] for kind in ("missed", "wrong", "invented")), row["name"]))
