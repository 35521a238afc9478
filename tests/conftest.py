"""One scorer a profile for the whole session: the ontologies are compiled once."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from kgscore.engine import Scorer
from kgscore.io.records import Record
from kgscore.model import Finding, PairResult
from kgscore.results.database import RunDatabase
from kgscore.results.layout import RunKey, tables_of
from kgscore.results.outcome import Case


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Where Python is told to write no bytecode, keep that of the processes that tests start in a folder of the session: each
    would compile kgscore for a second."""
    if sys.dont_write_bytecode and os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        base = tmp_path_factory.getbasetemp()
        shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
        os.environ["PYTHONPYCACHEPREFIX"] = str(shared / "bytecode")


@pytest.fixture(scope="session")
def scorer() -> Scorer:
    return Scorer()


@pytest.fixture(scope="session")
def published() -> Scorer:
    return Scorer("radsem-published")


_SIGN = {"present": "+", "absent": "-", "normal": "="}


def brief(finding: Finding) -> str:
    """Write a finding as sign, concept and side: "-pleural_effusion left", "=lung_opacity right", "+cardiomegaly"."""
    return f"{_SIGN[finding.status]}{finding.concept}{f' {finding.side}' if finding.side else ''}"


@pytest.fixture(scope="session")
def said(scorer: Scorer):
    """Give a function from a report to the sorted briefs of its findings."""
    return lambda report: sorted(brief(finding) for finding in scorer.read(report).findings)


@pytest.fixture(scope="session")
def only(scorer: Scorer):
    """Give a function from a report that holds one finding to that finding."""

    def read(report: str) -> Finding:
        findings = scorer.read(report).findings
        assert len(findings) == 1, [brief(finding) for finding in findings]
        return findings[0]

    return read


def keep(folder: Path, results: Mapping[str, PairResult], *, finished: bool = True, **extra: str) -> None:
    """Write results into a run folder, by id, as a run that goes on where it stopped; `extra`: further fields of each record."""
    key = RunKey("pairs.jsonl", "0", "default", ("radsem", "fineradscore"), {"kgscore": "0", "knowledge": "1"})
    with RunDatabase(folder) as database:
        run, done = database.start(key)
        fields = {"reference": "", "candidate": ""}
        cases = [Case(done + n, Record(id, id, fields, extra=extra), result) for n, (id, result) in enumerate(results.items())]
        database.load(tables_of(run, cases))
        if finished:
            database.finish(run)


@pytest.fixture(scope="session")
def kept():
    """Give `keep`."""
    return keep
