"""The baselines of a run: its references against a normal report, and against other patients' reports."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from kgscore.engine import Scorer
from kgscore.errors import KgscoreError
from kgscore.language.endpoint import READERS
from kgscore.metrics import metric, names
from kgscore.resources import yaml_of
from kgscore.results.cases import RunInfo, load_run
from kgscore.results.files import open_tables
from kgscore.results.scores import RunName
from kgscore.results.zeros import Zero, load_zeros, store_zeros
from kgscore.runs.batch import scorer_for, settings_of

MOST = 100  # references scored
_CASES = "SELECT reference, fields FROM cases WHERE run = ? AND status = 'scored' AND reference IS NOT NULL ORDER BY position"


def zeros_of(name: RunName) -> list[Zero]:
    """Return the baselines of each metric of a run, from at most 100 evenly spaced references: computed once and cached in the
    run folder. None with a language-model reader, or if kgscore, its knowledge or the profile has changed since the run. Raises
    RunError if the run cannot be read."""
    run = load_run(name.folder, name.run)
    found = load_zeros(name.folder, name.run, run.signature)
    if found is not None:
        return found
    if made := _compute(run):
        store_zeros(name.folder, name.run, run.signature, made)
    return made


def _compute(run: RunInfo) -> list[Zero]:
    shipped = {one for one in run.metrics if one in names() and metric(one).needs == "nothing"}
    if run.reader in READERS or not shipped:
        return []
    settings = settings_of(run, [module.path for module in run.modules])
    try:
        if dict(scorer_for(settings).signature) != dict(run.signature):
            return []
        scorer = scorer_for(replace(settings, metrics=tuple(one for one in run.metrics if one in shipped), remember=2 * MOST))
    except KgscoreError:  # a module, a profile file or a metric's package is missing
        return []
    references = _references(run)
    texts = list(references)
    normal = _scores(scorer, ((text, normal_report(fields)) for text, fields in references.items()))
    other = _scores(scorer, zip(texts, [*texts[1:], *texts[:1]], strict=True))
    return [_make_zero(one, len(texts), normal[one], other[one]) for one in scorer.metrics]


def _scores(scorer: Scorer, pairs: Iterable[tuple[str, str]]) -> Mapping[str, Sequence[float]]:
    """Return for each metric the scores of pairs of reference and candidate, those of a text with itself left out."""
    values: dict[str, list[float]] = {one: [] for one in scorer.metrics}
    for reference, candidate in pairs:
        if candidate != reference:
            for one, score in scorer.score(reference=reference, candidate=candidate).scores.items():
                if score.value is not None:
                    values[one].append(score.value)
    return values


def _make_zero(name: str, references: int, normal: Sequence[float], other: Sequence[float]) -> Zero:
    info = metric(name)
    one, two = (fmean(some) if some else None for some in (normal, other))
    return Zero(name, references, one, two, info.higher_is_better, info.high if info.higher_is_better else info.low)


def _references(run: RunInfo) -> dict[str, Mapping[str, Any]]:
    """Return distinct references of a run, evenly spaced, each with the further columns of its record."""
    with open_tables(run.folder) as connection:
        rows = connection.execute(_CASES, [run.run]).fetchall()
    different = list(dict(reversed(rows)).items())[::-1]
    count = min(MOST, len(different))
    return {text: json.loads(fields) for text, fields in (different[at * len(different) // count] for at in range(count))}


def normal_report(fields: Mapping[str, Any]) -> str:
    """Return a normal report for a record, by its column `modality`."""
    data = yaml_of("mappings", "normal_reports.yaml")
    said = str(fields.get("modality") or "").lower()
    return str(next((row["text"] for row in data["reports"] if any(words in said for words in row["modality"])), data["other"]))
