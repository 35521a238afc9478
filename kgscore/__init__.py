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
    from kgscore.model import Entailment, PairResult, Reading, Relation
    from kgscore.results.run import Run

__all__ = [
    "InputError",
    "KgscoreError",
    "OntologyError",
    "ProfileError",
    "QueryError",
    "Run",
    "RunError",
    "Scorer",
    "__version__",
    "entails",
    "labels",
    "read",
    "relate",
    "score",
    "score_many",
]


def __getattr__(name: str) -> Any:
    if name == "Scorer":
        from kgscore.engine import Scorer

        return Scorer
    if name == "Run":
        from kgscore.results.run import Run

        return Run
    raise AttributeError(f"module 'kgscore' has no attribute '{name}'")


def score(
    *, reference: str, candidate: str, profile: str | Path = "default", metrics: tuple[str, ...] = ("radsem",),
    modules: Sequence[str | Path] = (),
) -> PairResult:
    """Score a candidate report against a reference report.

    Returns the findings of both sides, how they relate, and a score per metric (radsem: 0 to 1, higher is better).
    A candidate that says nothing (blank, refusing, without a finding) has missed everything. A reference without findings makes
    the pair `empty`, a report that is not understood at all makes it `failed`: neither has a score. `modules` are the paths of
    ontology modules of your own, as for `Scorer`; a module that changes on disk is read again by a new `Scorer`, not here.

    Raises:
        ProfileError: the profile or a metric is unknown.

    >>> silent = score(reference="No pneumothorax.", candidate="")
    >>> silent.status, silent.scores["radsem"].value, silent.reason
    ('scored', 0.0, 'the candidate says nothing')
    """
    return _scorer(str(profile), tuple(metrics), _paths(modules)).score(reference=reference, candidate=candidate)


def score_many(
    pairs: Iterable[Mapping[str, str]], *, profile: str | Path = "default", metrics: tuple[str, ...] = ("radsem",), jobs: int = 1,
    modules: Sequence[str | Path] = (),
) -> Iterator[PairResult]:
    """Score many pairs, each a mapping with `id`, `reference` and `candidate`; yield results in the order given.

    A record that cannot be used is yielded as `failed`, with the reason and no score. `jobs` processes share the work;
    the results do not depend on it.

    >>> pairs = [{"id": "a", "reference": "No pneumothorax.", "candidate": "No pneumothorax."}, {"id": "b"}]
    >>> [result.status for result in score_many(pairs)]
    ['scored', 'failed']
    """
    from kgscore.batch import Settings, score_mappings

    return score_mappings(pairs, Settings(str(profile), tuple(metrics), _paths(modules)), jobs)


def relate(a: str, b: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = ()) -> Relation:
    """Return how the generated statement b stands to the reference statement a, with the proof.

    >>> relate("The heart is enlarged.", "Cardiomegaly.").relation
    'equivalent'
    """
    return _scorer(str(profile), modules=_paths(modules)).relate(a, b)


def read(report: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = ()) -> Reading:
    """Return what a report says: its findings, entities, relations and the words that were not understood.

    >>> [(finding.concept, finding.status) for finding in read("The heart is enlarged.").findings]
    [('cardiomegaly', 'present')]
    """
    return _scorer(str(profile), modules=_paths(modules)).read(report)


def entails(report: str, statement: str, *, profile: str | Path = "default", modules: Sequence[str | Path] = ()) -> Entailment:
    """Return whether the report says the statement: entailed, contradicted or neutral, with the spans that decide it.

    >>> entails("Bilateral pleural effusions.", "Left pleural effusion.").verdict
    'entailed'
    """
    return _scorer(str(profile), modules=_paths(modules)).entails(report, statement)


def labels(report: str, *, label_set: str = "chexpert14", profile: str | Path = "default") -> Labels:
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
    return _scorer(str(profile)).labels(report, str(label_set))


@lru_cache(maxsize=8)
def _scorer(profile: str, metrics: tuple[str, ...] = ("radsem",), modules: tuple[str, ...] = ()) -> Scorer:
    from kgscore.engine import Scorer

    return Scorer(profile, metrics, modules)


def _paths(modules: Sequence[str | Path]) -> tuple[str, ...]:
    return tuple(str(module) for module in modules)
