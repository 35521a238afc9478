"""A torchmetrics Metric: the mean score over all batches and processes, with counts of the pairs without a score.

Requires torch and torchmetrics (not installed with kgscore; install the build for your machine).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torchmetrics import Metric

from kgscore.integrations.compute import pairs_of
from kgscore.metrics import metric as info_of
from kgscore.results.outcome import loss_kind
from kgscore.runs.batch import Settings, score_mappings


class KgscoreMetric(Metric):
    """The mean of a kgscore metric over generated reports.

    `update(preds, target)` takes generated and reference reports, a text or a list each; `compute()` returns the mean over all
    scored pairs, NaN if there is none. `scored`, `empty` and `failed` hold the numbers of pairs by status, `silent` how many
    generated reports say nothing and `not_understood` how many are not understood (both count as all missed, and are in the
    mean). States are sums (in double precision), so that reduction over processes is exact.

    Raises:
        ProfileError: the profile or the metric is unknown.
    """

    is_differentiable = False
    full_state_update = False
    total: torch.Tensor
    scored: torch.Tensor
    empty: torch.Tensor
    failed: torch.Tensor
    silent: torch.Tensor
    not_understood: torch.Tensor

    def __init__(
        self, metric: str = "radsem", profile: str = "default", jobs: int = 1, empty_candidate: str = "score", **options: Any
    ) -> None:
        super().__init__(**options)
        info_of(metric)
        self.metric, self.jobs = metric, jobs
        self.settings = Settings(profile, (metric,), empty_candidate=empty_candidate)
        self.add_state("total", default=torch.tensor(0.0, dtype=torch.float64), dist_reduce_fx="sum")
        for name in ("scored", "empty", "failed", "silent", "not_understood"):
            self.add_state(name, default=torch.tensor(0), dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is better."""
        return info_of(self.metric).higher_is_better

    @property
    def plot_lower_bound(self) -> float:
        """The lowest score of the metric."""
        return info_of(self.metric).low

    @property
    def plot_upper_bound(self) -> float | None:
        """The highest score of the metric, None if unbounded."""
        return info_of(self.metric).high

    def update(self, preds: str | Sequence[str], target: str | Sequence[str]) -> None:
        """Add generated reports and their references.

        Raises:
            InputError: their numbers differ, or one has several references.
        """
        generated = [preds] if isinstance(preds, str) else preds
        references = [target] if isinstance(target, str) else target
        for result in score_mappings(pairs_of(generated, references), self.settings, self.jobs):
            value = result.scores[self.metric].value
            lost = loss_kind(result.reason)
            self.silent += lost == "silent"
            self.not_understood += lost == "not_understood"
            if value is not None:
                self.total += value
                self.scored += 1
            elif result.status == "failed":
                self.failed += 1
            else:
                self.empty += 1

    def compute(self) -> torch.Tensor:
        """Return the mean over the scored pairs, NaN if there is none."""
        return self.total / self.scored
