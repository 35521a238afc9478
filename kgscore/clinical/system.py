"""Figures of a system over many pairs: which errors it makes, and how many of them matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from kgscore.verdict import CATEGORIES, DIMENSIONS, ERRORS, Aligned, Verdict

# The tier from which a finding is actionable (notable or above), and relevant for triage (urgent or critical).
_FROM = {"triage": 3, "actionable": 2}
_HITS = ("correct", "minor")


def profile_of(cases: Sequence[tuple[Verdict, Sequence[str], str]]) -> dict[str, Any]:
    """Return the figures of a system as plain values, from its verdicts, each with the regions of its findings and its modality.

    `actionable_errors` is the mean of the actionable errors per report (`of_reports`), lower is better; `sure_errors` is that
    of the errors that are not doubtful. A recall is the share of the reference's findings from a tier on that are reported
    without a major error (by the tier of the outcome: a graver finding said instead gives its own), a precision that of the
    candidates' findings; None if there are none. `dimensions` counts, for each dimension, the matched findings that are clean,
    or have a minor or a major error; `tiers` counts findings by tier and category; `findings`, `regions` and `modalities` count
    actionable errors, the most frequent first.
    """
    found = [one for verdict, _, _ in cases for one in verdict.findings]
    said = [one for verdict, _, _ in cases for one in verdict.said]
    asked = [(one.tier, one.category in _HITS) for one in found if one.category != "invented"]
    of_reports = tuple(sum(one.actionable for one in verdict.findings) for verdict, _, _ in cases)
    sure = sum(one.actionable and not one.doubts for one in found)
    rates = {
        f"{name}_{kind}": _rate(findings, tier)
        for name, tier in _FROM.items() for kind, findings in (("recall", asked), ("precision", said))
    }  # fmt: skip
    return {
        "reports": len(cases), "actionable_errors": _share(sum(of_reports), len(cases)),
        "sure_errors": _share(sure, len(cases)), "of_reports": of_reports, **rates,
        "dimensions": {dimension: _clean_minor_major(found, dimension) for dimension in DIMENSIONS},
        "tiers": {str(tier): _categories(found, tier) for tier in (4, 3, 2, 1)},
        **_actionable(cases),
    }  # fmt: skip


def _categories(found: Sequence[Aligned], tier: int) -> dict[str, int]:
    count = Counter(one.category for one in found if one.tier == tier)
    return {category: count[category] for category in CATEGORIES}


def _actionable(cases: Sequence[tuple[Verdict, Sequence[str], str]]) -> dict[str, list[dict[str, Any]]]:
    """Return the actionable errors by finding, by region and by modality."""
    errors: dict[str, dict[str, Counter[str]]] = {"findings": {}, "regions": {}, "modalities": {}}
    for verdict, places, modality in cases:
        for one, place in zip(verdict.findings, places, strict=True):
            for kind, name in zip(errors, (one.unsided, place, modality), strict=True) if one.actionable else ():
                errors[kind].setdefault(name, Counter())[one.category] += 1
    errors["modalities"].pop("", None)
    return {kind: _errors_by_name(by_name) for kind, by_name in errors.items()}


def _rate(findings: Sequence[tuple[int, bool]], tier: int) -> dict[str, float | None]:
    """Return how many findings from a tier on are correct, of how many, and their share."""
    mine = [right for own, right in findings if own >= tier]
    return {"right": sum(mine), "of": len(mine), "share": _share(sum(mine), len(mine))}


def _share(count: int, of: int) -> float | None:
    return count / of if of else None


def _clean_minor_major(found: Sequence[Aligned], dimension: str) -> dict[str, int]:
    """Return how many findings are clean on a dimension, and how many have a minor or a major error: of the matched ones, and for
    presence of all."""
    count = {"clean": 0, "minor": 0, "major": 0}
    for one in found:
        if dimension == "presence" or one.category in (*_HITS, "wrong"):
            mine = [error.major for error in one.errors if error.dimension == dimension]
            count["major" if any(mine) else "minor" if mine else "clean"] += 1
    return count


def _errors_by_name(counts: Mapping[str, Counter[str]]) -> list[dict[str, Any]]:
    """Return counts of actionable errors by name, the most frequent first."""
    rows = [{"name": name, **{kind: of[kind] for kind in ERRORS}} for name, of in counts.items()]
    return sorted(rows, key=lambda row: (-sum(row[kind] for kind in ERRORS), row["name"]))
