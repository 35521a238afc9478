"""The effect of a profile's weights on the scores of a run: shares of the findings against shares of the cost."""

from __future__ import annotations

from dataclasses import dataclass
from math import fsum
from typing import Literal

from kgscore.errors import RunError
from kgscore.matching.weighting import Weighting
from kgscore.model import Finding
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.results.scores import RunName
from kgscore.results.sql import ask

Grouping = Literal["type", "region", "severity"]


@dataclass(frozen=True, slots=True)
class Effect:
    """A group of findings: their mean weight, their share of all findings and their share of all cost (0 to 1)."""

    group: str
    weight: float
    findings: float
    cost: float


def effects(name: RunName, metric: str, profile: Profile, index: Index, by: Grouping = "type") -> list[Effect]:
    """Return the weight of each group of findings under a profile, and its share of a metric's total cost. Raises RunError if the
    run cannot be read, or no finding has a cost in that metric; ProfileError if the profile names something missing from the
    ontology."""
    weighting = Weighting(profile, index)
    sql = (
        "SELECT o.concept, f.status, f.sites, o.region, o.severity, count(DISTINCT (o.position, o.report, o.number)) AS said,"
        " coalesce(sum(c.cost), 0) AS cost FROM finding_outcomes o"
        " JOIN findings f ON (f.run, f.position, f.report, f.number) = (o.run, o.position, o.report, o.number)"
        " LEFT JOIN contributions c ON c.run = o.run AND c.position = o.position AND c.metric = $metric"
        " AND CASE o.report WHEN 'reference' THEN c.reference = o.number ELSE c.reference IS NULL AND c.candidate = o.number END"
        " WHERE o.run = $run GROUP BY ALL ORDER BY ALL"
    )
    sums: dict[str, list[float]] = {}
    for row in ask(name.folder, sql, values={"metric": metric, "run": name.run}).rows():
        finding = Finding("", 0, 0, row["concept"], "", tuple(row["sites"]), status=row["status"])
        kind = index.observation_type(row["concept"], finding.asserts).replace("_", ", ")
        groups = {"type": kind, "region": str(row["region"]), "severity": f"severity {row['severity']}"}
        into = sums.setdefault(groups[by], [0.0, 0.0, 0.0])
        into[0] += row["said"]
        into[1] += row["said"] * weighting.finding(finding)
        into[2] += row["cost"]
    said, cost = (fsum(one[at] for one in sums.values()) for at in (0, 2))
    if not said or not cost:
        raise RunError(f"{name.name}: no finding has a cost in {metric}; choose another --metric")
    return [Effect(group, one[1] / one[0], one[0] / said, one[2] / cost) for group, one in sums.items()]
