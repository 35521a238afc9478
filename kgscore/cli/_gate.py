"""`--fail-under`: a run of `kgscore score` as a check of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from kgscore.cli._common import complain

if TYPE_CHECKING:
    from kgscore.results.outcome import Means
    from kgscore.runs.batch import Settings

BELOW = 4


@dataclass(frozen=True, slots=True)
class Gate:
    """What means of metrics must reach, over the pairs that have a score. Candidates that say nothing have one."""

    wanted: Mapping[str, float]
    higher: Mapping[str, bool]

    @classmethod
    def of(cls, options: Iterable[str], settings: Settings) -> Gate:
        """Return the gate that options like `radot=0.6` ask for.

        Raises:
            typer.BadParameter: an option names no metric or no number, or a metric that is not computed.
            ProfileError: a metric is unknown.
        """
        from kgscore import metrics

        computed = {one.name: one for one in metrics.resolved(settings.metrics)}
        wanted: dict[str, float] = {}
        for option in options:
            name, given, text = option.rpartition("=")
            if not given:
                wrong = f"'{option}': name the metric, as in {next(iter(computed))}={option} (there are {', '.join(computed)})"
                raise typer.BadParameter(wrong, param_hint="--fail-under")
            try:
                wanted[name] = float(text)
            except ValueError:
                raise typer.BadParameter(f"'{option}': give METRIC=NUMBER", param_hint="--fail-under") from None
            if name not in computed:
                raise typer.BadParameter(f"'{name}' is not computed; name it in --metrics", param_hint="--fail-under")
        return cls(wanted, {name: computed[name].higher_is_better for name in wanted})

    def passed(self, found: Means) -> bool:
        """Say how each mean stands to what it must reach, and return whether all reach it. Nothing scored reaches nothing."""
        fine = True
        silent = found.tally.silent
        for name, limit in self.wanted.items():
            values = found.values.get(name, ())
            count = f"{len(values)} scored, {found.pairs - len(values)} not"
            count += f", {silent} say{'' if silent > 1 else 's'} nothing" if silent else ""
            if not values:
                complain(f"{name}: no pair has a score ({count}); FAILED")
                fine = False
                continue
            mean = sum(values) / len(values)
            reached = mean >= limit if self.higher[name] else mean <= limit
            must = "at least" if self.higher[name] else "at most"
            complain(f"{name}: mean {mean:.4f}, must be {must} {limit:g} ({count}); {'passed' if reached else 'FAILED'}")
            fine = fine and reached
        return fine
