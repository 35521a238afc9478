"""The tables of a run at several sizes: writing, size on disk, the views, summaries, comparisons, and rewards per second.

FILE: pairs. A few hundred pairs (each reference with candidates of the file) are scored, and their results are written again
and again under fresh ids by the writer that `kgscore score --out` uses, twice with other candidates for a comparison.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from costs import crossed
from kgscore.io.records import Record
from kgscore.results.comparison import changed_cases, changed_findings, compare, pair_up
from kgscore.results.database import RunDatabase
from kgscore.results.files import FILE
from kgscore.results.layout import RunKey, tables_of
from kgscore.results.outcome import Case
from kgscore.results.scores import load_scores, parse_run_name
from kgscore.results.sql import ask
from kgscore.results.statistics import summarise
from kgscore.runs.batch import BATCH, Settings, score_records, scorer_for

PAIRS = 300
VIEWS = ("case_overview", "by_concept", "by_region", "relation_labels", "concept_confusion", "cost_decomposition")


def run(
    path: str | Path, *, profile: str = "default", sizes: Sequence[int] = (1_000, 10_000, 100_000)
) -> Iterator[dict[str, Any]]:
    """Yield one line of figures a size: seconds to write, megabytes, and the seconds that each view, `summary` (all pairs and by
    modality), `compare` (one metric) and what moved take, with the defaults of the commands."""
    settings = Settings(profile)
    cases = _cases(str(path), settings)
    for size in sizes:
        with TemporaryDirectory() as scratch:
            first, second = Path(scratch, "a"), Path(scratch, "b")
            figures: dict[str, Any] = {"pairs": size, "scored": len(cases)}
            figures["write (s)"] = _seconds(partial(_write, first, cases, settings, size, 0))
            _write(second, cases, settings, size, 1)
            figures["MB"] = round((first / FILE).stat().st_size / 1e6)
            figures["views (s)"] = {view: _seconds(partial(ask, first, f"SELECT * FROM {view}")) for view in VIEWS}
            runs = [load_scores(parse_run_name(str(folder))) for folder in (first, second)]
            figures["summary (s)"] = _seconds(partial(summarise, runs[0], by=["modality"]))
            figures["compare (s)"] = _seconds(partial(compare, runs, higher_is_better={}))
            pairs = pair_up(*runs)
            figures["moved pairs (s)"] = _seconds(partial(changed_cases, pairs, "radsem"))
            figures["moved findings (s)"] = _seconds(partial(changed_findings, pairs, "radsem"))
            yield figures


def _cases(path: str, settings: Settings) -> list[Case]:
    scored = score_records(islice(crossed(path), PAIRS), settings)
    return [case for case in scored if case.result.status == "scored"]


def _write(folder: Path, cases: Sequence[Case], settings: Settings, size: int, shift: int) -> None:
    scorer = scorer_for(settings)
    with RunDatabase(folder) as database:
        run, _ = database.start(RunKey("pairs", "0", settings.profile, scorer.metrics, scorer.signature))
        database.add_concepts(run, scorer.index)
        for start in range(0, size, BATCH):
            numbers = range(start, min(size, start + BATCH))
            copies = [_copy(cases[(n + shift * (n % 3)) % len(cases)], cases[n % len(cases)], n) for n in numbers]
            database.load(tables_of(run, copies))
        database.finish(run)


def _copy(case: Case, like: Case, number: int) -> Case:
    """Return a case under a fresh id, with the reference text of another, so that both runs hold the same pairs."""
    assert isinstance(case.record, Record)
    assert isinstance(like.record, Record)
    fields = {**case.record.fields, "reference": like.record.fields["reference"]}
    record = replace(case.record, id=str(number), fields=fields, extra={"modality": ("CT", "CR")[number % 2]})
    return Case(number, record, replace(case.result, id=str(number)))


def _seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return round(time.perf_counter() - begin, 2)
