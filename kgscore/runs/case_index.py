"""The cases of a run folder for display: the stored results, with corrections computed by the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from kgscore.engine import Scorer
from kgscore.errors import InputError, OntologyError, ProfileError
from kgscore.io.records import PAIR_FIELDS, clean_texts
from kgscore.language.endpoint import READERS
from kgscore.metrics import MetricInfo, metric, names
from kgscore.metrics.fineradscore import Fineradscore
from kgscore.ontology.modules import find_module
from kgscore.report.contrast import Contrast, contrast, contrast_columns
from kgscore.report.html import Plot
from kgscore.report.overview import MetricFigures, Overview, fields, metric_figures, overview
from kgscore.report.pictures import pictures
from kgscore.report.view import case_view
from kgscore.results.cases import CaseLine, RunInfo, load_cases, load_concepts, load_lines, load_run, load_texts
from kgscore.results.comparison import compare
from kgscore.results.coverage import coverage
from kgscore.results.decode import StoredCase
from kgscore.results.layout import RunModule
from kgscore.results.scores import RunName, Scores, load_scores
from kgscore.results.statistics import summarise
from kgscore.results.zeros import Zero, load_zeros
from kgscore.runs.batch import Settings, scorer_for, settings_of

T = TypeVar("T")
_TOGETHER = 50  # cases read at once
# A scorer caches results; two threads must not write to it at once.
SCORING = Lock()


class Casebook:
    """One run of a folder, opened for reading. `note` says what cannot be shown as it was scored; empty if nothing."""

    def __init__(self, folder: Path, run: int | None = None) -> None:
        """Open a run, the last one if `run` is None.

        Raises:
            RunError: the folder or the run does not exist, or cannot be opened.
        """
        self.info: RunInfo = load_run(folder, run)
        self.note = ""
        self._same = True
        there, lost = _modules(self.info.modules)
        try:
            self.scorer = scorer_for(settings_of(self.info, there))
        except (ProfileError, OntologyError, InputError) as error:
            # A profile file, a model or a metric's package may be gone: the stored results can still be shown.
            lost = lost or str(error)
            self.scorer = scorer_for(Settings())
        if lost:
            self._same = False
            self.note = f"{lost}. {self._score_note()}"
        elif not _same_signature(self.scorer.signature, self.info.signature):
            self.note = f"{_change_note(self.info.modules)}. {self._score_note()}"
        # Labels of concepts no longer in the ontology come from the run.
        self._known = load_concepts(folder, self.info.run) if self.note else {}

    def _score_note(self) -> str:
        if Fineradscore.name in self.info.metrics:
            return "Verdicts, costs, scores and corrections are those of the run."
        rest = "Corrections are computed now." if self._same else "Corrections are not shown."
        return f"Verdicts, costs and scores are those of the run. {rest}"

    @property
    def metrics(self) -> list[MetricInfo]:
        """The metrics of the run, except those not installed."""
        return [metric(name) for name in self.info.metrics if name in names()]

    def lines(self) -> list[CaseLine]:
        """Return a summary of every case, in input order."""
        return load_lines(self.info.folder, self.info.run)

    def texts(self) -> list[str]:
        """Return the text of both reports of every case, in input order."""
        return load_texts(self.info.folder, self.info.run)

    def scores(self) -> Scores:
        """Return the scores of the run as columns."""
        return load_scores(RunName(self.info.folder, self.info.run, self.info.folder.name))

    def overview(self, lines: Sequence[CaseLine], zeros: Sequence[Zero] | None = None) -> Overview:
        """Return the overview of all cases, with bootstrap intervals of the means; `zeros` defaults to the stored baselines."""
        scores = self.scores()
        rows = {row.metric: row for row in summarise(scores)}
        ends = {name: row.interval for name, row in rows.items() if row.interval is not None}
        groups = _intervals(scores, [*fields(lines)]) if self.metrics else {}
        based = load_zeros(self.info.folder, self.info.run, self.info.signature) if zeros is None else zeros
        return overview(lines, self.metrics, ends, str(coverage(scores)), groups, based or ())

    def plots(self) -> list[Plot]:
        """Return the plots available for the run."""
        return pictures(self.info)

    def views(self, start: int = 0, stop: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the views of the cases from position `start` up to but not including `stop`."""
        yield from map(self._view, load_cases(self.info, start, stop))

    def severity(self, concept: str | None) -> int:
        """Return the clinical severity of a concept, 1 (routine) to 4 (critical)."""
        known = self._known.get(concept or "")
        return self.scorer.index.severity(concept) if known is None else known[1]

    def label(self, concept: str) -> str:
        """Return the preferred label of a concept."""
        known = self._known.get(concept)
        return self.scorer.label(concept) if known is None else known[0]

    def _view(self, case: StoredCase) -> dict[str, Any]:
        texts = {"reference": case.reference, "candidate": case.candidate}
        made = case.result.corrections
        if Fineradscore.name not in self.info.metrics:
            with SCORING:
                made = self.scorer.corrections(case.result, **texts) if self._same else ()
        return case_view(case.result, self.label, self.severity, **texts, position=case.position, corrections=made)


def _intervals(scores: Scores, names: Sequence[str]) -> dict[tuple[str, str], tuple[float, float] | None]:
    """Return the interval of the mean of the first metric for every value of these columns."""
    first = next(iter(scores.values))
    one = replace(scores, values={first: scores.values[first]}, status={first: scores.status[first]})
    return {(row.by, row.group): row.interval for row in summarise(one, by=names)}


def contrast_of(
    books: tuple[Casebook, Casebook], held: tuple[Mapping[str, Any], Mapping[str, Any]], names: tuple[str, str]
) -> tuple[Contrast, dict[str, Any], list[MetricFigures]]:
    """Return the overview of the second run compared with the first, the columns of the pairs in both, and the metrics in both.
    `held` are the columns of both. Raises RunError if they share no pair or no metric."""
    infos = {one.name: one for book in books for one in book.metrics}
    higher = {name: info.higher_is_better for name, info in infos.items()}
    compared, (pairs,) = compare([book.scores() for book in books], higher_is_better=higher)
    shared = contrast_columns(held[0], held[1], pairs)
    known = [one for one in compared if one.metric in infos]
    return contrast(names, shared, known, pairs, held), shared, [metric_figures(infos[one.metric], []) for one in known]


def pairs_of_views(books: tuple[Casebook, Casebook], at: Sequence[Sequence[int]]) -> Iterator[list[dict[str, Any]]]:
    """Yield both views of each pair of positions; the second reference is omitted if its reading equals the first."""
    for some in chunks(iter(at), _TOGETHER):
        first, second = (_views_at(book, [places[n] for places in some]) for n, book in enumerate(books))
        for left, right in some:
            one, other = first[left], second[right]
            if _reading_key(one) == _reading_key(other):
                other = other | {"reference": {"kinds": [item["kind"] for item in other["reference"]["findings"]]}}
            yield [one, other]


def _reading_key(view: Mapping[str, Any]) -> list[tuple[int, int, str]]:
    return [(item["start"], item["end"], item["name"]) for item in view["reference"]["findings"]]


def _views_at(book: Casebook, places: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return the views of these positions, reading neighbouring ones together."""
    start, stop = min(places), max(places) + 1
    if stop - start <= 2 * _TOGETHER:
        return {view["position"]: view for view in book.views(start, stop)}
    return {place: next(book.views(place, place + 1)) for place in places}


def _modules(modules: Sequence[RunModule]) -> tuple[list[str], str]:
    """Return the paths of the modules that still exist, and a line about those that do not."""
    there, lost = [], []
    for module in modules:
        try:
            find_module(module.path)
        except OntologyError:
            lost.append(f"{module.name} ({module.path})")
        else:
            there.append(module.path)
    several = "modules that this run was scored with are" if len(lost) > 1 else "module that this run was scored with is"
    return there, f"The {several} gone: {', '.join(lost)}; put it back to see everything" if lost else ""


def _same_signature(signature: Mapping[str, str], run: Mapping[str, str]) -> bool:
    """Return whether a signature matches that of a run; a language-model reader is excluded, as it is not called."""
    modelled = run.get("reader") in READERS
    one, other = ({k: v for k, v in whole.items() if not (modelled and k.startswith("reader"))} for whole in (signature, run))
    return one == other


def _change_note(modules: Sequence[RunModule]) -> str:
    other = [f"{one.name} ({one.path})" for one in modules if find_module(one.path).hash != one.hash]
    if other:
        return f"The module{'s' if len(other) > 1 else ''} {', '.join(other)} changed since this run was scored"
    return "kgscore, its ontologies or the profile have changed since this run was scored"


def view_of(scorer: Scorer, *, reference: str, candidate: str) -> dict[str, Any]:
    """Score a pair and return its view."""
    texts: dict[str, Any] = dict(zip(PAIR_FIELDS, clean_texts(reference=reference, candidate=candidate), strict=True))
    result = scorer.score(**texts)
    result = replace(result, contributions=scorer.contributions(result, **texts))
    made = scorer.corrections(result, **texts)
    return case_view(result, scorer.label, scorer.index.severity, **texts, corrections=made)


def chunks(views: Iterator[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the views in lists of `size`; the last may be shorter."""
    return iter(lambda: list(islice(views, size)), [])
