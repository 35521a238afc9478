"""`--fail-under`: a run of `kgscore score` as a check of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from kgscore.batch import Settings
    from kgscore.results.outcome import Outcome

BELOW = 4


@dataclass(slots=True)
class Gate:
    """Means of metrics against what they must reach, over the pairs that have a score. Candidates that say nothing have one."""

    wanted: Mapping[str, float]
    higher: Mapping[str, bool]
    _sums: dict[str, float] = field(default_factory=dict)
    _scored: dict[str, int] = field(default_factory=dict)
    _unscored: dict[str, int] = field(default_factory=dict)
    _silent: int = 0

    @classmethod
    def of(cls, options: Iterable[str], settings: Settings) -> Gate:
        """Return the gate that options like `0.8` (of the first metric) or `radot=0.6` ask for.

        Raises:
            typer.BadParameter: an option is no number, or names a metric that is not computed.
            ProfileError: a metric is unknown.
        """
        from kgscore import metrics

        chosen = metrics.chosen(settings.metrics)
        wanted: dict[str, float] = {}
        for option in options:
            name, given, text = option.rpartition("=")
            name = name if given else chosen[0]
            try:
                wanted[name] = float(text)
            except ValueError:
                raise typer.BadParameter(f"'{option}': give a number, or METRIC=NUMBER", param_hint="--fail-under") from None
            if name not in chosen:
                raise typer.BadParameter(f"'{name}' is not computed; name it in --metrics", param_hint="--fail-under")
        return cls(wanted, {name: metrics.metric(name).higher_is_better for name in wanted})

    def see(self, outcome: Outcome) -> None:
        """Take the scores of one pair."""
        self._silent += outcome.silent
        for name in self.wanted:
            value = outcome.scores.get(name)
            if value is None:
                self._unscored[name] = self._unscored.get(name, 0) + 1
            else:
                self._sums[name] = self._sums.get(name, 0.0) + value
                self._scored[name] = self._scored.get(name, 0) + 1

    def passed(self, say: Callable[[str], None]) -> bool:
        """Say how each mean stands to what it must reach, and return whether all reach it. Nothing scored reaches nothing."""
        fine = True
        for name, limit in self.wanted.items():
            scored = self._scored.get(name, 0)
            count = f"{scored} scored, {self._unscored.get(name, 0)} not"
            count += f", {self._silent} say{'' if self._silent > 1 else 's'} nothing" if self._silent else ""
            if not scored:
                say(f"{name}: no pair has a score ({count}); FAILED")
                fine = False
                continue
            mean = self._sums[name] / scored
            reached = mean >= limit if self.higher[name] else mean <= limit
            must = "at least" if self.higher[name] else "at most"
            say(f"{name}: mean {mean:.4f}, must be {must} {limit:g} ({count}); {'passed' if reached else 'FAILED'}")
            fine = fine and reached
        return fine
