"""Mutation testing: faults are put into a package, one at a time, and the tests of the package must notice each.

    python benchmarks/mutants.py kgscore/matching kgscore/clinical --count 300 --seed 1 --survivors FILE

Each fault (another comparison, `and` for `or`, a number one higher, `any` for `all`, a condition negated) is tried in a fork of a
process that has collected the tests. The fork runs the tests that reach the faulty statement, quickest first, until one fails. A
test that kills must pass without the fault, after the same tests. Faults in statements that run at import are tried in a process
that imports the package with the fault. The tests of kgscore/NAME are tests/unit/NAME, tests/property/test_NAME.py and the
doctests of the module; `--tests` names others.
"""

import argparse
import ast
import gc
import importlib
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from faults import ROOT, Fault, Loader, faults, put
from warm import Warm, caches_of, file_of, imported

QUIET = ("-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:anyio", "-W", "ignore::pytest.PytestAssertRewriteWarning")
MEMORY = 8_000_000_000  # bytes of address space that a test may take with a fault
PATIENCE = 600  # seconds that a test may take, if it only waits
_CURRENT = tempfile.TemporaryFile()  # noqa: SIM115, number of the test that a fork runs


class Reach(NamedTuple):
    """What tests reach: for each test its seconds, and the statements of functions; and those that run at import."""

    seconds: dict[str, float]
    statements: dict[str, set[tuple[str, int]]]
    imported: set[tuple[str, int]]

    def at_import(self, fault: Fault) -> bool:
        """Return whether a fault is in what runs at import."""
        return not fault.line or (fault.path, fault.line) in self.imported

    def tests(self, fault: Fault) -> list[str]:
        """Return the tests that reach a fault, quickest first; all for one that runs at import, as what it made may be used."""
        whole, place = self.at_import(fault), (fault.path, fault.line)
        found = [test for test, places in self.statements.items() if whole or place in places]
        return sorted(found, key=lambda test: (self.seconds[test], test))


def forked(work: Callable[[], object]) -> int:
    """Do some work in a fork; return 0 where it returns."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        work()
        os._exit(0)
    finally:
        os._exit(1)


class Collected:
    """A plugin of pytest that does some work with the tests that were collected, instead of running them all."""

    def __init__(self, work: Callable[[list[Any]], object]) -> None:
        self.work = work

    def pytest_runtestloop(self, session: Any) -> bool:
        self.work(session.items)
        return True


def collected(files: Iterable[str], work: Callable[[list[Any]], object]) -> None:
    """Collect tests, silently, and do some work with them."""
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    if importlib.import_module("pytest").main([*QUIET, *files], plugins=[Collected(work)]):
        os._exit(1)


class Watch:
    """A plugin of pytest that ends the process where a test fails, and else tells what the setup of each test reached."""

    def __init__(self) -> None:
        self.setup: set[tuple[str, int]] = set()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            os._exit(1)
        if report.when == "setup":
            self.setup |= Loader.reached


def run(items: list[Any], seconds: dict[str, float]) -> None:
    """Run tests until one fails, which ends the process, as does one that takes over ten times its seconds of the processor."""
    items[0].config.pluginmanager.register(Watch())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for at, (item, after) in enumerate(zip(items, [*items[1:], None], strict=True)):
        os.pwrite(_CURRENT.fileno(), b"%9d" % at, 0)
        signal.alarm(PATIENCE)
        most = time.process_time() + 5 + 10 * seconds[item.nodeid]
        resource.setrlimit(resource.RLIMIT_CPU, (int(most) + 1, resource.RLIM_INFINITY))
        item.ihook.pytest_runtest_protocol(item=item, nextitem=after)


def recorded(files: list[str], modules: list[str], warm: Warm, wanted: set[tuple[str, int]], output: Path) -> None:
    """Write which statements tests reach, a line for each file, after those that run at import."""

    def work(items: list[Any]) -> None:
        paths = imported(modules)
        output.write_text(json.dumps(sorted(wanted & Loader.reached)) + "\n")
        caches = caches_of(paths)
        gc.freeze()
        for file, tests in groupby(items, lambda item: item.nodeid.partition("::")[0]):
            group = list(tests)
            if forked(lambda group=group: watched(group, caches, warm, wanted, output)):
                output.write_text(file)
                return

    Loader.paths = frozenset(modules)
    sys.meta_path.insert(0, Loader)
    imported(modules)  # pytest would load those with doctests by itself
    collected(files, work)


def watched(items: list[Any], caches: list[Any], warm: Warm, wanted: set[tuple[str, int]], output: Path) -> None:
    """Write which statements the tests of a file reach. What a setup reaches counts for all tests, which may share what it
    makes; the caches of the modules are empty before each test function."""
    watch = Watch()
    items[0].config.pluginmanager.register(watch)
    seconds, reached, function = {}, {}, None
    for item, after in zip(items, [*items[1:], None], strict=True):
        Loader.reached.clear()
        for cache in caches if getattr(item, "function", item) is not function else ():
            cache.cache_clear()
        function = getattr(item, "function", item)
        began = time.process_time()
        item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
        seconds[item.nodeid], reached[item.nodeid] = time.process_time() - began, set(Loader.reached)
    found = {test: sorted(wanted & (places | watch.setup)) for test, places in reached.items()}
    with output.open("a") as lines:
        lines.write(json.dumps([seconds, found, sorted(warm.texts)]) + "\n")


def reached(files: list[str], modules: list[str], warm: Warm, drawn: list[Fault]) -> Reach:
    """Return what the tests of all files reach of the statements, or of the modules, that faults are in."""
    reach, wanted = Reach({}, {}, set()), {(fault.path, fault.line) for fault in drawn}
    output = Path(tempfile.mkdtemp()) / "reached.jsonl"
    failed = forked(lambda: recorded(files, modules, warm, wanted, output))
    lines = output.read_text().splitlines() if output.exists() else [""]
    if failed or not lines[0].startswith("["):
        sys.exit(f"mutants: a test fails without a fault: {lines[0]}")
    reach.imported.update(map(tuple, json.loads(lines[0])))
    for seconds, found, texts in map(json.loads, lines[1:]):
        reach.seconds.update(seconds)
        reach.statements.update({test: set(map(tuple, places)) for test, places in found.items()})
        warm.read(texts)
    print(f"{len(reach.seconds)} tests pass in {sum(reach.seconds.values()):.0f} s of the processor", flush=True)
    return reach


def killer(
    fault: Fault, tests: list[str], sound: dict[str, bool], attempt: Callable[[Fault | None, list[str]], int]
) -> str | None:
    """Return the first of some tests that notices a fault, or None. `sound` keeps which tests pass without it."""
    while tests := [test for test in tests if sound.get(test, True)]:
        if attempt(fault, tests) == 0:
            return None
        at = int(os.pread(_CURRENT.fileno(), 9, 0))
        if tests[at] not in sound:
            sound[tests[at]] = attempt(None, tests[: at + 1]) == 0
        if sound[tests[at]]:
            return tests[at]
    return None


def by_file(tests: list[str], seconds: dict[str, float], package: str) -> list[list[str]]:
    """Return tests by their files, those of a package first, the quickest of them before the others."""
    files: dict[str, list[str]] = {}
    for test in tests:
        files.setdefault(test.partition("::")[0], []).append(test)
    return sorted(files.values(), key=lambda group: (f"/{package}" not in group[0], sum(seconds[test] for test in group)))


def judged(drawn: list[Fault], files: list[str], modules: list[str], warm: Warm, reach: Reach, output: Path) -> None:
    """Write for each fault the test that kills it or null, a line each; those that run at import come last."""
    stdout = os.dup(1)

    def tell(fault: Fault, sound: dict[str, bool], attempt: Callable[[Fault | None, list[str]], int]) -> None:
        tests = reach.tests(fault)
        groups = by_file(tests, reach.seconds, fault.path.split("/")[1]) if reach.at_import(fault) else [tests]
        found = next((found for group in groups if (found := killer(fault, group, sound, attempt))), None)
        with output.open("a") as lines:
            lines.write(json.dumps([fault.told, found]) + "\n")
        os.write(stdout, f"{f'killed by {found}' if found else 'SURVIVED'} of {len(tests)} tests: {fault.told}\n".encode())

    def work(items: list[Any]) -> None:
        named = {item.nodeid: item for item in items}
        paths = imported(modules)
        warm.scored(paths)
        functions = [one for one in gc.get_objects() if isinstance(one, FunctionType) and file_of(one) in paths]
        gc.freeze()

        def attempt(fault: Fault | None, tests: list[str]) -> int:
            return forked(lambda: (fault and put(fault, functions), run([named[test] for test in tests], reach.seconds)))

        sound: dict[str, bool] = {}
        for fault in drawn:
            if not reach.at_import(fault):
                tell(fault, sound, attempt)

    def again(fault: Fault | None, tests: list[str]) -> int:
        def work(items: list[Any]) -> None:
            named = {item.nodeid: item for item in items}
            run([named[test] for test in tests], reach.seconds)

        if fault:
            Loader.fault, Loader.paths = fault, frozenset([fault.path])
            sys.meta_path.insert(0, Loader)
        imported([fault.path] if fault else [])
        collected({test.partition("::")[0] for test in tests}, work)

    if forked(lambda: collected(files, work)):
        sys.exit("mutants: the tests cannot be collected")
    sound: dict[str, bool] = {}
    for fault in drawn:
        if reach.at_import(fault):
            tell(fault, sound, lambda fault, tests: forked(lambda: again(fault, tests)))


def main() -> None:
    """Draw faults, run the tests about each and tell which survive; fails where fewer than `--least` are killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, help="folders or modules under kgscore")
    parser.add_argument("--tests", nargs="+", help="test files and folders in the place of those of the packages")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.85, help="share that must be killed")
    parser.add_argument("--survivors", type=Path, default=os.devnull, help="file to write the survivors to")
    parser.add_argument("--again", type=Path, help="file of survivors: only these faults")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = sys.pycache_prefix = tempfile.mkdtemp()
    sys.dont_write_bytecode = False  # of what has no fault
    sys.path.insert(0, str(ROOT))
    modules = sorted(str(one) for path in options.paths for one in ([path] if path.is_file() else path.rglob("*.py")))
    known = [fault for path in modules for fault in faults(path, ast.parse(Path(path).read_bytes()))]
    drawn = random.Random(options.seed).sample(known, min(options.count, len(known)))
    if options.again:
        drawn = [fault for fault in known if fault.told in options.again.read_text().splitlines()]
    packages = sorted({module.split("/")[1] for module in modules})
    named = options.tests or [f"tests/{place}" for name in packages for place in (f"unit/{name}", f"property/test_{name}.py")]
    tests = [str(one) for path in named for one in sorted(Path(path).rglob("test_*.py")) or [Path(path)] if one.exists()]
    warm = Warm(modules)
    files = [path for path in modules if ">>> " in Path(path).read_text()] + tests
    output = Path(tempfile.mkdtemp()) / "killers.jsonl"
    judged(drawn, files, modules, warm, reached(files, modules, warm, drawn), output)
    survived = [told for told, found in map(json.loads, output.read_text().splitlines()) if found is None]
    killed = len(drawn) - len(survived)
    print(f"{killed} of {len(drawn)} killed ({killed / max(1, len(drawn)):.1%}), drawn from {len(known)} by seed {options.seed}")
    Path(options.survivors).write_text("".join(f"{line}\n" for line in survived))
    sys.exit(killed < options.least * len(drawn))


if __name__ == "__main__":
    main()
