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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgscore.config import PLAIN
from kgscore.errors import (
    InputError,
    KgscoreError,
    OntologyError,
    ProfileError,
    QueryError,
    RunError,
)
from kgscore.version import __version__

if TYPE_CHECKING:
    from kgscore.engine import Scorer
    from kgscore.labelling.decide import Labels
    from kgscore.metrics.base import MetricInfo
    from kgscore.model import Entailment, PairResult, Reading, Relation

# What is loaded when it is asked for: what does the work, and the types of what it returns.
_HOMES = {
    "Scorer": "engine", "Run": "results.run", "MetricInfo": "metrics.base", "Matched": "metrics.base",
    "Labels": "labelling.decide", "Decision": "labelling.decide", "Corrected": "metrics.base",
    **dict.fromkeys(
        ("Contradiction", "Contribution", "Correction", "Detail", "Entailment", "Entity", "EntityRelation", "Finding", "Link",
         "PairResult", "Reading", "Relation", "Score", "Unlinked"), "model",
    ),
}  # fmt: skip

__all__ = [
    "Contradiction",
    "Contribution",
    "Corrected",
    "Correction",
    "Decision",
    "Detail",
    "Entailment",
    "Entity",
    "EntityRelation",
    "Finding",
    "InputError",
    "KgscoreError",
    "Labels",
    "Link",
    "Matched",
    "MetricInfo",
    "OntologyError",
    "PairResult",
    "ProfileError",
    "QueryError",
    "Reading",
    "Relation",
    "Run",
    "RunError",
    "Score",
    "Scorer",
    "Unlinked",
    "__version__",
    "entails",
    "labels",
    "read",
    "relate",
    "score",
    "score_many",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"kgscore.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'kgscore' has no attribute '{name}'")


Metrics = Iterable["str | MetricInfo | type"]


def score(
    *, reference: str, candidate: str, profile: str | Path = "default", metrics: Metrics = (PLAIN,),
    modules: Sequence[str | Path] = (), reader: str | Path = "default",
) -> PairResult:
    """Score a candidate report against a reference report.

    Returns the findings of both sides, how they relate, and a score per metric (radsem: 0 to 1, higher is better).
    A candidate that says nothing (blank, refusing, without a finding) has missed everything. A reference without findings makes
    the pair `empty`, a report that is not understood at all makes it `failed`: neither has a score. `modules` are the paths of
    ontology modules of your own, and `reader` names what reads, as for `Scorer`; what changes on disk is read again by a new
    `Scorer`, not here.

    Raises:
        ProfileError: the profile or a metric is unknown.
        InputError: there is no such reader.

    >>> silent = score(reference="No pneumothorax.", candidate="")
    >>> silent.status, silent.scores["radsem"].value, silent.reason
    ('scored', 0.0, 'the candidate says nothing')
    """
    return _scorer(str(profile), _chosen(metrics), _paths(modules), str(reader)).score(
        reference=reference, candidate=candidate
    )


def score_many(
    pairs: Iterable[Mapping[str, object]] | None = None, *, references: Sequence[str] | None = None,
    candidates: Sequence[str] | None = None, profile: str | Path = "default", metrics: Metrics = (PLAIN,), jobs: int = 1,
    modules: Sequence[str | Path] = (), reader: str | Path = "default",
) -> Iterator[PairResult]:
    """Score many pairs, each a mapping with `id`, `reference` and `candidate`, or two lists of texts, of which those at the same
    place are a pair (with ids from "1"); yield results in the order given.

    A record that cannot be used is yielded as `failed`, with the reason and no score. `jobs` processes share the work;
    the results do not depend on it. A script that uses them needs `if __name__ == "__main__":`, for each imports it.

    Raises:
        InputError: there are neither pairs nor two lists, or the lists are of different length.
        ProfileError: the profile or a metric is unknown.
        RunError: the script lacks that line, or a process was ended from outside.

    >>> pairs = [{"id": "a", "reference": "No pneumothorax.", "candidate": "No pneumothorax."}, {"id": "b"}]
    >>> [result.status for result in score_many(pairs)]
    ['scored', 'failed']
    >>> [result.scores["radsem"].value for result in score_many(references=["Cardiomegaly."], candidates=["Enlarged heart."])]
    [1.0]
    """
    from kgscore.metrics import brought
    from kgscore.records import given_pairs
    from kgscore.runs.batch import Settings, score_records

    records = given_pairs(pairs, references, candidates)
    settings = Settings(str(profile), brought(_chosen(metrics)), _paths(modules), reader=str(reader))
    return (case.result for case in score_records(records, settings, jobs))


def relate(
    a: str, b: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = (), reader: str | Path = "default"
) -> Relation:
    """Return how the generated statement b stands to the reference statement a, with the proof.

    >>> relate("The heart is enlarged.", "Cardiomegaly.").relation
    'equivalent'
    """
    return _scorer(str(profile), modules=_paths(modules), reader=str(reader)).relate(a, b)


def read(
    report: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = (), reader: str | Path = "default"
) -> Reading:
    """Return what a report says: its findings, entities, relations and the words that were not understood.

    >>> [(finding.concept, finding.status) for finding in read("The heart is enlarged.").findings]
    [('cardiomegaly', 'present')]
    """
    return _scorer(str(profile), modules=_paths(modules), reader=str(reader)).read(report)


def entails(
    report: str, statement: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = (),
    reader: str | Path = "default",
) -> Entailment:
    """Return whether the report says the statement: entailed, contradicted or neutral, with the spans that decide it.

    >>> entails("Bilateral pleural effusions.", "Left pleural effusion.").verdict
    'entailed'
    """
    return _scorer(str(profile), modules=_paths(modules), reader=str(reader)).entails(report, statement)


def labels(
    report: str, *, label_set: str = "chexpert14", profile: str | Path = "default", reader: str | Path = "default"
) -> Labels:
    """Return what a report says of every label of a set: `values` (present, absent, uncertain, not_mentioned), `numbers` as
    CheXpert writes them (1, 0, -1, None), and `decisions` with the finding and the proof behind each.

    `label_set` is the name of a shipped set or a `.yaml` or `.sssom.tsv` file. A report without values has a `status` and a
    `reason`.

    Raises:
        InputError: there is no such set, or it names something that the ontology does not have.

    >>> found = labels("Possible left lower lobe pneumonia. No pneumothorax.").values
    >>> found["Pneumonia"], found["Pneumothorax"], found["Fracture"]
    ('uncertain', 'absent', 'not_mentioned')
    """
    return _scorer(str(profile), reader=str(reader)).labels(report, str(label_set))


@lru_cache(maxsize=8)
def _scorer(
    profile: str, metrics: tuple[str | MetricInfo | type, ...] = (PLAIN,), modules: tuple[str, ...] = (),
    reader: str = "default",
) -> Scorer:
    from kgscore.engine import Scorer

    return Scorer(profile, metrics, modules, reader=reader)


def _chosen(metrics: Metrics) -> tuple[str | MetricInfo | type, ...]:
    if isinstance(metrics, str) or not isinstance(metrics, Iterable):
        from kgscore.metrics import resolved

        resolved(metrics)  # says what is wrong
    return tuple(metrics)


def _paths(modules: Sequence[str | Path]) -> tuple[str, ...]:
    if isinstance(modules, (str, Path)):
        raise InputError(f"modules: give a list of paths, as in modules=['{modules}']")
    return tuple(str(module) for module in modules)
