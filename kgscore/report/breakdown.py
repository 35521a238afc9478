"""Explains in plain words how a score is computed: one function for each metric with more to say than its components."""

from __future__ import annotations

from collections.abc import Callable

from kgscore.model import Score
from kgscore.report.words import number

_CLASSES = ("abnormal", "normal")


def breakdown_lines(score: Score) -> list[str]:
    """Return the lines that derive a score; the last one ends with the score itself.

    >>> breakdown_lines(Score("other", "scored", 0.5, parts={"true_positives": 2.0}))
    ['true positives 2', 'other = 0.500']
    """
    return _SUMS.get(score.metric, _parts)(score)


def _parts(score: Score) -> list[str]:
    parts = "   ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in score.parts.items())
    return [*([parts] if parts else []), f"{score.metric} = {number(score.value)}"]


def _radsem(score: Score) -> list[str]:
    found = {name: score.parts[f"{name}_f1"] for name in _CLASSES if f"{name}_f1" in score.parts}
    lines, value = [_class(name, score) for name in found], number(score.value)
    if len(found) < 2:
        return [*lines, f"{score.metric} = {value}, the F1 of the only class present"]
    abnormal, normal = found.values()
    if abs(abnormal - normal) < 1e-6:
        return [*lines, f"{score.metric} = {value}, the F1 of both classes"]
    share = round(((score.value or 0.0) - normal) / (abnormal - normal), 6)  # the weight of the abnormal class
    return [*lines, f"{score.metric} = {share:g} × {number(abnormal)} + {1 - share:g} × {number(normal)} = {value}"]


def _class(name: str, score: Score) -> str:
    credit, f1 = score.parts[f"{name}_matched"], score.parts[f"{name}_f1"]
    missed, invented = score.parts[f"{name}_unmatched_reference"], score.parts[f"{name}_unmatched_candidate"]
    counts = f"{name + ' findings:':<18} credit {credit:g}, {missed:g} missed, {invented:g} invented"
    if missed + invented == 0:
        rule = "nothing to add or subtract" if f1 == 1 else "nothing missed or invented; partial agreement costs a little"
        return f"{counts} → F1 {number(f1)} ({rule})"
    return f"{counts} → F1 = 2×{credit:g} / (2×{credit:g} + {missed:g} + {invented:g}) = {number(f1)}"


def _clinical(score: Score) -> list[str]:
    parts = score.parts
    counts = ", ".join(f"{parts[name]:g} {name}" for name in ("correct", "minor", "wrong", "missed", "invented"))
    if not score.value:
        return [counts, f"clinical = {number(score.value)}: the candidate says nothing"]
    repute, good, bad = parts["repute"], parts["credited"], parts["lost"]
    sums = f"({repute:g} + {good:.2f}) / ({repute:g} + {good:.2f} + {bad:.2f})"
    lines = [f"findings: {counts}; {parts['actionable_errors']:g} actionable errors"]
    return [*lines, f"weight credited {good:.2f}, lost or invented {bad:.2f}", f"clinical = {sums} = {number(score.value)}"]


_SUMS: dict[str, Callable[[Score], list[str]]] = {"radsem": _radsem, "radsem_alt": _radsem, "clinical": _clinical}
