"""Missed and invented findings by region of the body, shaded by tier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kgscore.model import TIERS
from kgscore.report.plots.theme import Table, ThemeName, canvas, draw_empty, table_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class RegionErrors:
    """The errors of one region: missed and invented findings by severity, 1 to 4, and all findings there."""

    region: str
    label: str
    missed: NDArray[np.int64]
    invented: NDArray[np.int64]
    findings: int

    @property
    def errors(self) -> int:
        """The number of wrong findings."""
        return int(self.missed.sum() + self.invented.sum())

    @property
    def share(self) -> float:
        """The share of wrong findings in the region, 0 to 1."""
        return self.errors / self.findings if self.findings else 0.0


def errors_of(by_region: Table, labels: Mapping[str, str] | None = None) -> list[RegionErrors]:
    """Return the errors of each region, most first; `labels` names the regions. A contradicted finding counts on the side that it
    stands on."""
    sums: dict[str, tuple[NDArray[np.int64], NDArray[np.int64], list[int]]] = {}
    for row in table_rows(by_region):
        missed, invented, findings = sums.setdefault(row["region"], (np.zeros(4, np.int64), np.zeros(4, np.int64), []))
        at = min(4, max(1, row["severity"])) - 1
        missed[at] += row["missed"] + row["wrong_in_reference"]
        invented[at] += row["invented"] + row["wrong_in_candidate"]
        findings.append(row["in_reference"] + row["in_candidate"])
    found = [
        RegionErrors(region, (labels or {}).get(region, region.replace("_", " ")), missed, invented, sum(counts))
        for region, (missed, invented, counts) in sums.items()
    ]
    return sorted(found, key=lambda one: (-one.errors, one.region))


def errors_by_tier(by_region: Table, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what `missed_invented` shows: errors by region and tier."""
    return [
        {"region": one.region, "label": one.label, "tier": TIERS[tier], "missed": missed, "invented": invented}
        for one in errors_of(by_region, labels)
        for tier, (missed, invented) in enumerate(zip(one.missed.tolist(), one.invented.tolist(), strict=True), 1)
    ]


def shares(by_region: Table, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return what the picture of the body shows: errors among all findings of each region."""
    return [
        {"region": one.region, "label": one.label, "errors": one.errors, "findings": one.findings, "share": one.share}
        for one in errors_of(by_region, labels)
    ]


def missed_invented(by_region: Table, *, labels: Mapping[str, str] | None = None, theme: ThemeName = "light") -> Figure:
    """Return missed and invented findings by region, each bar in shades of severity.

    `by_region` has the columns of the view of that name (rows of one run; only asserted findings if only those should count);
    `labels` names the regions. A wrong finding counts as missed on the reference side and as invented on the candidate
    side.
    """
    rows = [one for one in errors_of(by_region, labels) if one.errors]
    with canvas(theme, 7.2, 1.9 + 0.42 * max(1, len(rows))) as (figure, ax, look):
        from matplotlib.patches import Patch
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        told = (f"{one.label} {one.missed.sum()} missed, {one.invented.sum()} invented" for one in rows)
        figure.set_label(f"Missed and invented findings by region and severity: {'; '.join(told) or 'none'}")
        for sign, name, shades in ((-1, "missed", look.missed), (1, "invented", look.invented)):
            _bars(ax, rows, sign, name, shades)
        _counts(ax, rows, look.muted)
        ax.axvline(0, color=look.ink, linewidth=1)
        ax.set_yticks(range(len(rows)), [one.label for one in rows])
        ax.invert_yaxis()
        widest = max([1, *(int(max(one.missed.sum(), one.invented.sum())) for one in rows)])
        ax.set_xlim(-widest * 1.75, widest * 1.75)  # room for the counts
        ax.xaxis.set_major_locator(MaxNLocator(7, integer=True))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{abs(value):.0f}"))
        ax.tick_params(left=False)
        ax.spines["left"].set_visible(False)
        ax.set_xlabel("findings: ← missed | invented →")
        ax.set_title("Missed and invented findings")
        keys = [Patch(facecolor=look.missed[i], label=" ") for i in range(4)]
        keys += [Patch(facecolor=look.invented[i], label=TIERS[i + 1]) for i in range(4)]
        figure.legend(
            handles=keys, loc="outside lower center", ncols=2, fontsize=8, columnspacing=-1.2, handlelength=1.4,
            title="missed, invented: the most severe in the middle", title_fontsize=8,
        )
        if not rows:
            draw_empty(ax, "nothing missed, nothing invented", look)
    return figure


def _bars(ax: Axes, rows: Sequence[RegionErrors], sign: int, name: str, shades: Sequence[str]) -> None:
    start = np.zeros(len(rows))
    for severity in (3, 2, 1, 0):  # the most severe are in the middle
        width = np.array([getattr(one, name)[severity] for one in rows], dtype=float)
        # No outlines: a slice of one finding would be all outline.
        style: dict[str, Any] = {"color": shades[severity], "linewidth": 0, "height": 0.7}
        ax.barh(range(len(rows)), sign * width, left=sign * start, **style)
        start += width


def _counts(ax: Axes, rows: Sequence[RegionErrors], colour: str) -> None:
    for at, one in enumerate(rows):
        for sign, tiers in ((-1, one.missed), (1, one.invented)):
            count, critical = int(tiers.sum()), int(tiers[3])
            told = f"{count:,}" + (f", {critical:,} critical" if critical else "")
            align: dict[str, Any] = {"ha": "right" if sign < 0 else "left", "va": "center"}
            ax.annotate(
                told, (sign * count, at), xytext=(sign * 5, 0), textcoords="offset points", fontsize=8, color=colour, **align
            )
