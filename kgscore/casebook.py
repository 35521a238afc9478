"""The cases of a run folder as pages show them: what the run holds, with the corrections that the engine adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from kgscore.batch import Settings, scorer_for
from kgscore.engine import Scorer
from kgscore.errors import OntologyError, ProfileError
from kgscore.metrics import MetricInfo, metric, names
from kgscore.metrics.fineradscore import Fineradscore
from kgscore.ontology.modules import find_module
from kgscore.reading.readers import reader_named
from kgscore.report.html import Plot
from kgscore.report.overview import Overview, overview
from kgscore.report.pictures import pictures
from kgscore.report.view import case_view
from kgscore.results.cases import CaseLine, RunInfo, load_cases, load_lines, load_run, load_texts
from kgscore.results.coverage import coverage
from kgscore.results.database import RunModule, StoredCase, load_concepts
from kgscore.results.scores import RunName, load_scores
from kgscore.results.statistics import summarise

# A scorer keeps what it has seen; two threads must not write that at once.
ENGINE = Lock()


class Casebook:
    """One run of a folder, opened for reading. `note` says what cannot be shown of it as it was scored; empty if nothing."""

    def __init__(self, folder: Path, run: int | None = None) -> None:
        """Open a run, the last one if `run` is None.

        Raises:
            RunError: the folder or the run is not there, or cannot be opened.
        """
        self.info: RunInfo = load_run(folder, run)
        self.note = ""
        self._same = True
        there, lost = _modules(self.info.modules)
        try:
            silence = self.info.signature.get("empty_candidate", "score")
            reader = reader_named(self.info.signature)
            settings = Settings(self.info.profile, self.info.metrics, tuple(there), empty_candidate=silence, reader=reader)
            self.scorer = scorer_for(settings)
        except (ProfileError, OntologyError) as error:
            # A profile file or a metric's package may be gone: what the run holds can still be shown.
            lost = lost or str(error)
            self.scorer = scorer_for(Settings())
        if lost:
            self._same = False
            self.note = f"{lost}. {self._as_scored()}"
        elif dict(self.scorer.signature) != dict(self.info.signature):
            self.note = f"{_changed(self.info.modules)}. {self._as_scored()}"
        # What is not in the ontology any more is called as the run called it.
        self._known = load_concepts(folder, self.info.run) if self.note else {}

    def _as_scored(self) -> str:
        """Return what is shown of a run that cannot be scored again as it was."""
        if Fineradscore.name in self.info.metrics:
            return "Verdicts, costs, scores and corrections are those of the run."
        rest = "Corrections are computed now." if self._same else "Corrections are not shown."
        return f"Verdicts, costs and scores are those of the run. {rest}"

    @property
    def metrics(self) -> list[MetricInfo]:
        """The metrics of the run; those that are not installed are left out."""
        return [metric(name) for name in self.info.metrics if name in names()]

    def lines(self) -> list[CaseLine]:
        """Return every case in short, in the order of the input."""
        return load_lines(self.info.folder, self.info.run)

    def texts(self) -> list[str]:
        """Return the words of both reports of every case, in the order of the input."""
        return load_texts(self.info.folder, self.info.run)

    def summary(self, lines: Sequence[CaseLine]) -> tuple[Overview, list[Plot]]:
        """Return what is to be said of all cases, with bootstrap intervals of the means, and the plots that can be drawn."""
        scores = load_scores(RunName(self.info.folder, self.info.run, self.info.folder.name))
        rows = {row.metric: row for row in summarise(scores)}
        ends = {name: (row.low, row.high) for name, row in rows.items() if row.low is not None and row.high is not None}
        found = overview(lines, self.metrics, ends, str(coverage(scores)))
        return found, pictures(self.info, scores, next(iter(found.metrics), None))

    def views(self, start: int = 0, stop: int | None = None) -> Iterator[dict[str, Any]]:
        """Yield the views of the cases from position `start` up to but not including `stop`."""
        for position, case in load_cases(self.info, start, stop):
            yield self._view(position, case)

    def severity(self, concept: str | None) -> int:
        """Return the clinical severity of a concept, 1 (not actionable) to 4 (emergent)."""
        known = self._known.get(concept or "")
        return self.scorer.index.severity(concept) if known is None else known[1]

    def label(self, concept: str) -> str:
        """Return the preferred label of a concept."""
        known = self._known.get(concept)
        return self.scorer.label(concept) if known is None else known[0]

    def _view(self, position: int, case: StoredCase) -> dict[str, Any]:
        texts = {"reference": case.reference, "candidate": case.candidate}
        if Fineradscore.name in self.info.metrics:
            made = case.result.corrections
        else:
            with ENGINE:
                made = self.scorer.corrections(case.result, **texts) if self._same else ()
        return case_view(
            case.result, self.label, self.severity, reference=case.reference, candidate=case.candidate, position=position,
            corrections=made,
        )  # fmt: skip


def _modules(modules: Sequence[RunModule]) -> tuple[list[str], str]:
    """Return the paths of the modules that are still there, and one line on those that are not."""
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


def _changed(modules: Sequence[RunModule]) -> str:
    """Return one line on what is no longer what it was when a run was scored."""
    other = [f"{one.name} ({one.path})" for one in modules if find_module(one.path).hash != one.hash]
    if other:
        return f"The module{'s' if len(other) > 1 else ''} {', '.join(other)} changed since this run was scored"
    return "kgscore, its ontologies or the profile have changed since this run was scored"


def view_of(scorer: Scorer, *, reference: str, candidate: str, id: str = "") -> dict[str, Any]:
    """Score a pair and return its view."""
    texts = {"reference": reference, "candidate": candidate}
    result = scorer.score(**texts, id=id)
    result = replace(result, contributions=scorer.contributions(result, **texts))
    made = scorer.corrections(result, **texts)
    return case_view(
        result, scorer.label, scorer.index.severity, reference=reference, candidate=candidate, corrections=made
    )


def chunks(views: Iterator[dict[str, Any]], size: int) -> Iterator[Sequence[dict[str, Any]]]:
    """Yield the views in lists of `size`, the last one perhaps shorter."""
    return iter(lambda: list(islice(views, size)), [])
