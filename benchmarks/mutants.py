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
import operator
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import _lru_cache_wrapper
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

from faults import ROOT, Fault, Loader, faults, put

QUIET = ("-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:anyio", "-W", "ignore::pytest.PytestAssertRewriteWarning")
MEMORY = 8_000_000_000  # bytes of address space that a test may take with a fault
PATIENCE = 600  # seconds that a test may take, if it only waits
_CURRENT = tempfile.TemporaryFile()  # noqa: SIM115, number of the test that a fork runs


class Warm:
    """What every fork finds ready: what kgscore imports of others and, where what makes them is not itself tested, the ontology
    and a reader, which notes what it reads."""

    def __init__(self, modules: list[str]) -> None:
        for name in ("kgscore.engine", "pytest", "xdist.plugin", "hypothesis", "hypothesis.extra.pytestplugin"):
            importlib.import_module(name)
        settings, kinds = (getattr(importlib.import_module("hypothesis"), name) for name in ("settings", "Phase"))
        phases = (kinds.explicit, kinds.generate)
        settings.register_profile("mutants", phases=phases, database=None, derandomize=True, deadline=None)
        settings.load_profile("mutants")
        _forget()
        self.texts: set[tuple[str, tuple[tuple[str, int], ...]]] = set()
        self.reader: Any = None
        if not any(module.startswith(("kgscore/ontology", "kgscore/linking", "kgscore/reading")) for module in modules):
            self._made()
            assert not any(_name(module) in sys.modules for module in modules)

    def _made(self) -> None:
        knowledge, readers = (importlib.import_module(f"kgscore.{name}") for name in ("knowledge", "reading.readers"))
        load, make, made = knowledge.load_knowledge, readers.reader_of, knowledge.load_knowledge()
        knowledge.load_knowledge = lambda modules=(): load(modules) if modules else made
        reader = self.reader = make(readers.DEFAULT, made.index, made.lexicon)
        shared = (readers.DEFAULT, made.index, made.lexicon)
        readers.reader_of = lambda *given: reader if all(map(operator.is_, given, shared)) else make(*given)
        read = reader._read

        def noted(report: str, steps: Any, about: Any = None) -> Any:
            self.texts.add((report, tuple((about or {}).items())))
            return read(report, steps, about or {})

        reader._read = noted

    def read(self, texts: Iterable[tuple[str, Iterable[tuple[str, int]]]]) -> None:
        """Have the reader remember the sentences of texts."""
        for text, about in texts:
            self.reader._read(text, None, dict(about))


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "kgscore"]:
        del sys.modules[name]


class Reach(NamedTuple):
    """What tests reach: for each test its seconds, and the statements of functions (0: any); and those that run at import."""

    seconds: dict[str, float]
    statements: dict[str, set[tuple[str, int]]]
    imported: set[tuple[str, int]]

    def at_import(self, fault: Fault) -> bool:
        """Return whether a fault is in what runs at import."""
        return not fault.line or (fault.path, fault.line) in self.imported

    def tests(self, fault: Fault) -> list[str]:
        """Return the tests that reach a fault, quickest first; of one that runs at import, those that reach its module."""
        place = (fault.path, 0 if self.at_import(fault) else fault.line)
        found = [test for test, places in self.statements.items() if place in places]
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


def recorded(file: str, modules: list[str], warm: Warm, wanted: set[tuple[str, int]], output: str) -> None:
    """Write which statements the tests of a file reach. What a setup reaches counts for all tests, which may share what it
    makes; the caches of the modules are empty before each test function."""

    def work(items: list[Any]) -> None:
        paths, imported, watch = _imported(modules), set(Loader.reached), Watch()
        caches = _caches(paths)
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
        found = {
            test: sorted(wanted & {(path, line) for path, at in places | watch.setup for line in (at, 0)})
            for test, places in reached.items()
        }
        Path(output).write_text(json.dumps([seconds, found, sorted(wanted & imported), sorted(warm.texts)]))

    Loader.paths = frozenset(modules)
    sys.meta_path.insert(0, Loader)
    collected([file], work)


def _imported(modules: list[str]) -> set[str]:
    """Import modules, which some functions do only when they are called; return their files."""
    for module in modules:
        importlib.import_module(_name(module))
    return {str(ROOT / module) for module in modules}


def _name(module: str) -> str:
    return module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _caches(paths: set[str]) -> list[Any]:
    return [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper) and _file(one.__wrapped__) in paths]


def _file(function: Any) -> str:
    return getattr(getattr(function, "__code__", None), "co_filename", "")


def reached(files: list[str], modules: list[str], warm: Warm, drawn: list[Fault]) -> Reach:
    """Return what the tests of all files reach of the statements, or of the modules, that faults are in."""
    reach, wanted = Reach({}, {}, set()), {(fault.path, line) for fault in drawn for line in (fault.line, 0)}
    with tempfile.NamedTemporaryFile() as output:
        for file in files:
            if forked(lambda file=file: recorded(file, modules, warm, wanted, output.name)):
                sys.exit(f"{file}: fails without a fault")
            seconds, found, imported, texts = json.loads(Path(output.name).read_text())
            reach.seconds.update(seconds)
            reach.statements.update({test: {(path, line) for path, line in places} for test, places in found.items()})
            reach.imported.update((path, line) for path, line in imported)
            warm.read(texts)
            print(f"{file}: {len(seconds)} tests, {sum(seconds.values()):.1f} s", flush=True)
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


def judged(drawn: list[Fault], files: list[str], modules: list[str], reach: Reach, output: Path) -> None:
    """Write for each fault the test that kills it or null, a line each; those that run at import come last."""
    stdout = os.dup(1)

    def tell(fault: Fault, sound: dict[str, bool], attempt: Callable[[Fault | None, list[str]], int]) -> None:
        tests = reach.tests(fault)
        found = killer(fault, tests, sound, attempt)
        with output.open("a") as lines:
            lines.write(json.dumps([fault.told, found]) + "\n")
        os.write(stdout, f"{f'killed by {found}' if found else 'SURVIVED'} of {len(tests)} tests: {fault.told}\n".encode())

    def work(items: list[Any]) -> None:
        named = {item.nodeid: item for item in items}
        paths = _imported(modules)
        importlib.import_module("kgscore.engine").Scorer()  # imports what only a call imports
        for cache in _caches(paths):
            cache.cache_clear()
        functions = [one for one in gc.get_objects() if isinstance(one, FunctionType) and _file(one) in paths]
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
        collected(files, work)

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
    judged(drawn, files, modules, reached(files, modules, warm, drawn), output)
    survived = [told for told, found in map(json.loads, output.read_text().splitlines()) if found is None]
    killed = len(drawn) - len(survived)
    print(f"{killed} of {len(drawn)} killed ({killed / max(1, len(drawn)):.1%}), drawn from {len(known)} by seed {options.seed}")
    Path(options.survivors).write_text("".join(f"{line}\n" for line in survived))
    sys.exit(killed < options.least * len(drawn))


if __name__ == "__main__":
    main()
