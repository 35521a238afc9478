"""kgscore scores a generated radiology report against a reference report, with an ontology-backed knowledge graph.

Everything a caller needs is here; nothing heavy is loaded until it is used.

>>> import kgscore
>>> result = kgscore.score(reference="Small left pleural effusion.", candidate="Left pleural effusion, small.")
>>> result.status, result.scores["radsem"].value
('scored', 1.0)
>>> kgscore.relate("No pleural effusion.", "Small left pleural effusion.").relation
'contradiction'
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscore.config import RECORD_TIMEOUT, USUAL
from kgscore.errors import InputError, KgscoreError, OntologyError, ProfileError, QueryError, RunError
from kgscore.version import __version__

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.labelling.decide import Labels
    from kgscore.metrics.base import MetricInfo
    from kgscore.model import Entailment, PairResult, Reading, Relation

# Names that are imported on first use: the functions' implementation, and the types that they return.
_HOMES = {
    "Scorer": "engine", "Run": "results.run", "MetricInfo": "metrics.base", "Matched": "metrics.base",
    "Labels": "labelling.decide", "Decision": "labelling.decide", "Corrected": "metrics.base",
    **dict.fromkeys(
        ("Contradiction", "Contribution", "Correction", "Detail", "Entailment", "Entity", "EntityRelation", "Finding", "Link",
         "PairResult", "Reading", "Relation", "Score", "Unlinked"), "model",
    ),
}  # fmt: skip

__all__ = [
    "Contradiction", "Contribution", "Corrected", "Correction", "Decision", "Detail", "Entailment", "Entity",
    "EntityRelation", "Finding", "InputError", "KgscoreError", "Labels", "Link", "Matched", "MetricInfo", "OntologyError",
    "PairResult", "ProfileError", "QueryError", "Reading", "Relation", "Run", "RunError", "Score", "Scorer", "Unlinked",
    "__version__", "entails", "labels", "read", "relate", "score", "score_many",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"kgscore.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'kgscore' has no attribute '{name}'")


def __dir__() -> list[str]:
    return __all__


def score(
    *, reference: str, candidate: str, profile: str | Path = "default", metrics: str | Iterable[str | MetricInfo | type] = USUAL,
    modules: Sequence[str | Path] = (), reader: str | Path = "default", empty_candidate: str = "score",
    peers: str | Iterable[str] = (),
) -> PairResult:
    """Score a candidate report against a reference report.

    Returns the findings of both sides, their relations, and a score per metric (clinical and radsem: 0 to 1, higher is better).
    A candidate that says nothing (blank, a refusal, no finding) or is not understood counts as all missed. A reference
    without findings makes the pair `empty`; one that is not understood at all makes it `failed`: neither has a score. The
    options are those of `Scorer` (`metrics` and `peers`: a name, "all", or several). Scorers are cached: files changed on disk
    are only read by a new `Scorer`.

    Raises:
        ProfileError: the profile, a metric or a peer is unknown.
        InputError: the reader is unknown, or `empty_candidate` is neither "score" nor "skip".

    >>> silent = score(reference="No pneumothorax.", candidate="")
    >>> silent.status, silent.scores["radsem"].value, silent.reason
    ('scored', 0.0, 'the candidate says nothing')
    """
    scorer = _scorer(str(profile), _chosen_metrics(metrics, peers), _paths(modules), str(reader), empty_candidate)
    return scorer.score(reference=reference, candidate=candidate)


def score_many(
    pairs: object = None, *, references: object = None, candidates: object = None, profile: str | Path = "default",
    metrics: str | Iterable[str | MetricInfo | type] = USUAL, jobs: int = 1, modules: Sequence[str | Path] = (),
    reader: str | Path = "default", empty_candidate: str = "score", peers: str | Iterable[str] = (), progress: bool | None = None,
    timeout: float | None = RECORD_TIMEOUT,
) -> Iterator[PairResult]:
    """Score many pairs; yield results in the order given.

    `pairs` are mappings with `id`, `reference` and `candidate`, or a data frame of pandas or polars or an Arrow table with those
    columns. Instead of pairs, `references` and `candidates` can be lists, series, arrays or generators of texts, which are
    paired by position. Pairs without ids (lists, tables without that column) are numbered from "1". None and NaN
    are missing values.

    A record that cannot be used, or takes longer than `timeout` seconds (None: no limit), is yielded as `failed`, with the
    reason and no score. `jobs` processes share the work;
    results do not depend on their number. A script that uses them needs `if __name__ == "__main__":`, since each imports it.
    `progress` shows a bar on standard error (None: only if it is a terminal). The other options are those of `Scorer`.

    Raises:
        InputError: neither pairs nor two lists are given, or they have the wrong type; the lists differ in
            length; a study has several references; or `empty_candidate` is neither "score" nor "skip".
        ProfileError: the profile, a metric or a peer is unknown.
        RunError: the script lacks that line, or a process was ended from outside.

    >>> pairs = [{"id": "a", "reference": "No pneumothorax.", "candidate": "No pneumothorax."}, {"id": "b"}]
    >>> [result.status for result in score_many(pairs)]
    ['scored', 'failed']
    >>> [result.scores["radsem"].value for result in score_many(references=["Cardiomegaly."], candidates=["Enlarged heart."])]
    [1.0]
    """
    from kgscore.io.in_memory import length_of, pairs_in_memory
    from kgscore.report.progress import with_progress
    from kgscore.runs.batch import Settings, score_records

    records = pairs_in_memory(pairs, references, candidates)
    chosen = _chosen_metrics(metrics, peers)
    settings = Settings(
        str(profile), chosen, _paths(modules), reader=str(reader), empty_candidate=empty_candidate, timeout=timeout
    )
    results = (case.result for case in score_records(records, settings, jobs))
    return with_progress(results, progress, length_of(pairs, references, candidates))


def relate(
    a: str, b: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = (), reader: str | Path = "default"
) -> Relation:
    """Return the relation of the generated statement b to the reference statement a, with the proof.

    >>> relate("The heart is enlarged.", "Cardiomegaly.").relation
    'equivalent'
    """
    return _scorer(str(profile), modules=_paths(modules), reader=str(reader)).relate(a, b)


def read(
    report: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = (), reader: str | Path = "default"
) -> Reading:
    """Return a reading of the report: its findings, entities, relations and the words that were not understood.

    >>> [(finding.concept, finding.status) for finding in read("The heart is enlarged.").findings]
    [('cardiomegaly', 'present')]
    """
    return _scorer(str(profile), modules=_paths(modules), reader=str(reader)).read(report)


def entails(
    report: str, statement: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = (),
    reader: str | Path = "default",
) -> Entailment:
    """Return whether the report entails the statement: entailed, contradicted or neutral, with the deciding spans.

    >>> entails("Bilateral pleural effusions.", "Left pleural effusion.").verdict
    'entailed'
    """
    return _scorer(str(profile), modules=_paths(modules), reader=str(reader)).entails(report, statement)


def labels(
    report: str, *, label_set: str = "chexpert14", profile: str | Path = "default", reader: str | Path = "default"
) -> Labels:
    """Return the value of every label of a set: `values` (present, absent, uncertain, not_mentioned), `numbers` as
    in CheXpert (1, 0, -1, None), and `decisions` with the finding and the proof behind each.

    `label_set` is the name of a shipped set or a `.yaml` or `.sssom.tsv` file. A report without values has a `status` and a
    `reason`.

    Raises:
        InputError: the set does not exist, or refers to something missing from the ontology.

    >>> found = labels("Possible left lower lobe pneumonia. No pneumothorax.").values
    >>> found["Pneumonia"], found["Pneumothorax"], found["Fracture"]
    ('uncertain', 'absent', 'not_mentioned')
    """
    return _scorer(str(profile), reader=str(reader)).labels(report, str(label_set))


@lru_cache(maxsize=8)
def _scorer(
    profile: str, metrics: tuple[str | MetricInfo | type, ...] = USUAL, modules: tuple[str, ...] = (),
    reader: str = "default", empty_candidate: str = "score",
) -> Scorer:
    from kgscore.engine import Scorer

    return Scorer(profile, metrics, modules, empty_candidate=empty_candidate, reader=reader)


def _chosen_metrics(
    metrics: str | Iterable[str | MetricInfo | type], peers: str | Iterable[str]
) -> tuple[str | MetricInfo | type, ...]:
    if isinstance(metrics, str) or not isinstance(metrics, Iterable) or peers:
        from kgscore.metrics import peer_metric_infos, resolved

        return *resolved(metrics, files=True), *peer_metric_infos(peers)
    from kgscore.metrics import load_metric_files

    return load_metric_files(metrics)


def _paths(modules: Sequence[str | Path]) -> tuple[str, ...]:
    if isinstance(modules, (str, Path)):
        raise InputError(f"modules: give a list of paths, as in modules=['{modules}']")
    return tuple(str(module) for module in modules)
