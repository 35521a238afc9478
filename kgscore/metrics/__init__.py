"""The metrics, by name."""

from __future__ import annotations

from kgscore.metrics.base import Matched, MetricInfo
from kgscore.metrics.radsem import INFO as _RADSEM

METRICS: dict[str, MetricInfo] = {info.name: info for info in (_RADSEM,)}

__all__ = ["METRICS", "Matched", "MetricInfo"]
