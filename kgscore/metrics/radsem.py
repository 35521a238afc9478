"""RadSEM (3.4): abnormal-focused weighted F1 over capacity-constrained matched credit.

Range 0 to 1, higher is better. With nothing to score on either side the result is `empty`, never a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from kgscore.metrics.base import Matched, MetricInfo
from kgscore.model import Score

ABNORMAL, NORMAL = "abnormal", "normal"
_LAMBDA = 0.25


def radsem(matched: Matched) -> Score:
    """Return the RadSEM score of a matched pair; `parts` holds M, the unmatched counts and F1 of each class."""
    parts: dict[str, float] = {}
    weighted = total = 0.0
    unmatched_reference, unmatched_candidate = matched.unmatched()
    mixture = {ABNORMAL: matched.profile.abnormal_weight, NORMAL: matched.profile.normal_weight}
    for name, alpha in mixture.items():
        abnormal = name == ABNORMAL
        links = [k for k in matched.links if matched.reference[k.reference].asserts == abnormal]
        missed = sum(matched.reference[i].asserts == abnormal for i in unmatched_reference)
        invented = sum(matched.candidate[j].asserts == abnormal for j in unmatched_candidate)
        if not links and not missed and not invented:
            continue
        credit = sum(link.flow for link in links)
        f1 = class_f1(credit, missed, invented, [link.relation.weight for link in links])
        parts |= {
            f"{name}_matched": credit,
            f"{name}_unmatched_reference": float(missed),
            f"{name}_unmatched_candidate": float(invented),
            f"{name}_f1": f1,
        }
        weighted += alpha * f1
        total += alpha
    if not total:
        return Score("radsem", "empty", None, "neither report holds a finding", parts)
    return Score("radsem", "scored", weighted / total, "", parts)


def class_f1(credit: float, missed: int, invented: int, weights: Sequence[float]) -> float:
    """Return F1 of one class: 2M / (2M + U_ref + U_gen), with the no-unmatched rule and its partial adjustment.

    >>> class_f1(4.0, 2, 0, [1.0] * 4)
    0.8
    >>> round(class_f1(1 / 6, 0, 0, [1 / 6]), 6)
    0.791667
    """
    if missed + invented == 0:
        if not weights or min(weights) >= 1.0:
            return 1.0
        mean = sum(weights) / len(weights)
        return min(1.0, max(0.0, 1.0 - _LAMBDA / sqrt(len(weights)) * (1.0 - mean)))
    return 2.0 * credit / (2.0 * credit + missed + invented)


INFO = MetricInfo("radsem", radsem, 0.0, 1.0, True, "RadSEM, arXiv:2606.17062, section 3.4")
