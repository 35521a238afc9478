"""Hugging Face `evaluate`-style calls: `compute(predictions=…, references=…)`, with or without that library."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum
from typing import TYPE_CHECKING, Any

from kgscore.config import USUAL
from kgscore.errors import InputError, MissingExtraError
from kgscore.io.in_memory import texts_of
from kgscore.io.records import PAIR_FIELDS, check_rows
from kgscore.metrics import metric as info_of
from kgscore.metrics import peer_metric_infos, resolved
from kgscore.results.outcome import Means
from kgscore.runs.batch import Settings, score_records

if TYPE_CHECKING:
    import evaluate


def compute(
    *, predictions: object, references: object, metrics: str | Sequence[str] = USUAL, profile: str = "default", jobs: int = 1,
    empty_candidate: str = "score", reader: str = "default", peers: str | Sequence[str] = (),
) -> dict[str, Any]:
    """Return the scores of generated reports (`predictions`) against their references, as `evaluate` metrics do.

    For each metric: `METRIC` is the mean over the scored pairs (None if there is none), `METRIC_scores` the score of each pair
    (None if it has none); `scored`, `empty` and `failed` are the numbers of pairs by status; and the coverage: `silent`, how many
    predictions say nothing, and `not_understood`, how many are not understood (both count as all missed; with
    `empty_candidate="skip"` they are `empty`), and `unlinked`, the share of the words of the predictions that no concept covers
    (0 to 1, None if there are no words). Compare systems only if these agree.

    Raises:
        InputError: the lists differ in length or are not lists of texts (several references for a study are rejected), or
            `empty_candidate` is neither "score" nor "skip".
        ProfileError: the profile, a metric or a peer is unknown.

    >>> compute(predictions=["Left pleural effusion."], references=["Left pleural effusion."])["radsem"]
    1.0
    """
    infos = (*resolved(metrics, files=True), *peer_metric_infos(peers))
    settings = Settings(profile, infos, empty_candidate=empty_candidate, reader=reader)
    means, scores = Means(), dict[str, list[float | None]]()
    for case in score_records(check_rows(pairs_of(predictions, references), PAIR_FIELDS), settings, jobs, slim=True):
        means.see(case.outcome)
        for name, value in case.outcome.scores.items():
            scores.setdefault(name, []).append(value)
    found: dict[str, Any] = {}
    for info in infos:
        there = means.values.get(info.name, ())
        found |= {info.name: fsum(there) / len(there) if there else None, f"{info.name}_scores": scores.get(info.name, [])}
    return found | means.counts | {"unlinked": means.unlinked / means.words if means.words else None}


def pairs_of(predictions: object, references: object) -> list[dict[str, Any]]:
    """Return the records of generated reports with their references; ids are the positions.

    Raises:
        InputError: the lists differ in length, or are not lists of texts.
    """
    predictions, references = texts_of("predictions", predictions), texts_of("references", references)
    if len(predictions) != len(references):
        raise InputError(f"{len(predictions)} predictions and {len(references)} references; give one prediction per reference")
    return [
        {"id": str(at), "reference": reference, "candidate": prediction}
        for at, (reference, prediction) in enumerate(zip(references, predictions, strict=True))
    ]


def evaluate_metric(
    metric: str = "radsem", profile: str = "default", jobs: int = 1, empty_candidate: str = "score", **options: Any
) -> evaluate.Metric:
    """Return a metric of the library `evaluate`, with `compute`, `add`, `add_batch` and `evaluate.combine`; `options` are the
    library's own (`keep_in_memory`, `num_process` …). Its results are those of `compute`.

    Raises:
        MissingExtraError: `evaluate` is not installed.
        ProfileError: the metric is unknown.
    """
    try:
        import datasets
        import evaluate
    except ImportError:
        raise MissingExtraError("the library 'evaluate' is not installed; install it, or use compute()") from None
    info = info_of(metric)

    class Metric(evaluate.Metric):
        def _info(self) -> evaluate.MetricInfo:
            return evaluate.MetricInfo(
                description=f"{info.summary} ({info.source})", citation=info.source,
                inputs_description="predictions: generated radiology reports; references: one reference report each",
                features=datasets.Features({name: datasets.Value("string") for name in ("predictions", "references")}),
            )  # fmt: skip

        def _compute(self, predictions: Sequence[str], references: Sequence[str]) -> dict[str, Any]:
            return compute(
                predictions=predictions, references=references, metrics=metric, profile=profile, jobs=jobs,
                empty_candidate=empty_candidate,
            )  # fmt: skip

    return Metric(**options)
