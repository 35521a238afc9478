"""What all tests share: one scorer a profile for the whole session, and the count of what is read right against gold."""

from __future__ import annotations

import functools
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from kgscore.engine import Scorer
from kgscore.io.records import Record
from kgscore.model import Finding, PairResult
from kgscore.ontology import load
from kgscore.resources import resource
from kgscore.results.database import RunDatabase
from kgscore.results.layout import RunKey, tables_of
from kgscore.results.outcome import Case

# Sets of texts with gold. The first line of a list is the margin by which fewer may be right; the other lines name what is wrong.
_LISTS = {name: Path(__file__).parent / name / "wrong.txt" for name in ("readings", "unit/reading")}


class GoldCount:
    """Count what is read right and wrong, from the property `gold` of test reports: set, right names, wrong names.

    The session fails if more is wrong than listed, by more than the margin of the set. `KGSCORE_WRONG=write` writes the lists.
    """

    def __init__(self) -> None:
        self.right: dict[str, set[str]] = {name: set() for name in _LISTS}
        self.wrong: dict[str, set[str]] = {name: set() for name in _LISTS}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for key, value in report.user_properties:
            if key == "gold":
                name, right, wrong = value
                self.right[name].update(right)
                self.wrong[name].update(wrong)

    def compared(self) -> list[tuple[str, bool]]:
        """Give for each set that ran what changed, in words, and whether it fell below its floor."""
        return [self._compared(name) for name in _LISTS if self.right[name] | self.wrong[name]]

    def _compared(self, name: str) -> tuple[str, bool]:
        margin, *lines = _LISTS[name].read_text(encoding="utf-8").splitlines()
        right, wrong, allowed = self.right[name], self.wrong[name], int(margin.removeprefix("margin "))
        better, worse = sorted(right.intersection(lines)), sorted(wrong.difference(lines))
        floor = len(right) - len(better) + len(worse) - allowed
        lines = [
            f"tests/{name}: {len(right)} of {len(right | wrong)} right (floor {floor}); "
            f"{len(better) + len(worse)} changed, {len(better)} better, {len(worse)} worse against gold",
            *(f"  better: {one}" for one in better),
            *(f"  worse: {one}" for one in worse),
        ]
        return "\n".join(lines), len(right) < floor

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if os.environ.get("KGSCORE_WRONG") == "write":
            for name in filter(self.wrong.get, _LISTS):
                margin = _LISTS[name].read_text(encoding="utf-8").partition("\n")[0]
                _LISTS[name].write_text("\n".join([margin, *sorted(self.wrong[name]), ""]), encoding="utf-8")
        if any(fell for _, fell in self.compared()):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for words, fell in self.compared():
            terminalreporter.write_line(words)
            if fell:
                terminalreporter.write_line("FEWER ARE RIGHT THAN THE FLOOR", red=True, bold=True)
                terminalreporter.write_line("`pytest --runxfail` and `kgscore bench readings FILE --show` show why")


def pytest_configure(config: pytest.Config) -> None:
    """Count in the process that has the reports of all workers."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(GoldCount())


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Where Python is told to write no bytecode, keep that of the processes that tests start in a folder of the session: each
    would compile kgscore for a second."""
    if sys.dont_write_bytecode and os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        base = tmp_path_factory.getbasetemp()
        shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
        os.environ["PYTHONPYCACHEPREFIX"] = str(shared / "bytecode")


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory):
    """Give a function that makes a folder once for all workers: it takes a name, and what fills the folder."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, fill: Callable[[Path], None]) -> Path:
        folder, part, begun, failed = (shared / f"{name}{end}" for end in ("", ".part", ".begun", ".failed"))
        try:
            begun.touch(exist_ok=False)
        except FileExistsError:
            while not folder.exists():
                assert not failed.exists(), f"another worker could not make {name}"
                time.sleep(0.1)
            return folder
        try:
            part.mkdir()
            fill(part)
        except BaseException:
            failed.touch()
            raise
        return part.rename(folder)

    return made


@pytest.fixture(scope="session")
def site(made_once: Callable[[str, Callable[[Path], None]], Path]) -> Path:
    """The documentation site, built with warnings as errors."""
    pytest.importorskip("mkdocs", reason="the extra docs is not installed")

    def build(folder: Path) -> None:
        root = Path(__file__).parents[1]
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(root), "NO_COLOR": "1"},
            cwd=root, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    return made_once("site", build)


@pytest.fixture(scope="session")
def some():
    """Give a function that draws so many of a list, always the same, in their order; all where `KGSCORE_TESTS` is `all`."""

    def drawn(every: Sequence[Any], count: int) -> Sequence[Any]:
        if os.environ.get("KGSCORE_TESTS") == "all" or count >= len(every):
            return every
        return [every[place] for place in sorted(random.Random(count).sample(range(len(every)), count))]

    return drawn


@pytest.fixture(scope="session", autouse=True)
def parsed_once() -> None:
    """Parse the shipped ontologies once: each test with a module of its own would spend four seconds on that."""
    original, shipped = load.load_turtle, resource("ontologies")
    terms = functools.cache(lambda: tuple(original(shipped)))
    load.load_turtle = lambda folder: list(terms()) if folder == shipped else original(folder)


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
