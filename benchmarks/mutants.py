"""Mutation testing: faults are put into a package, one at a time, and the tests of the package must notice each.

    python benchmarks/mutants.py kgscore/matching kgscore/clinical --count 300 --seed 1 --survivors FILE

Each fault (another comparison, `and` for `or`, a number one higher, `any` for `all`, a condition negated) is tried in a fork of a
process that has collected the tests. The fork runs the tests that reach the faulty statement, quickest first, until one fails. A
test that kills must pass without the fault, after the same tests. Faults in statements that run at import are tried in a process
that imports the package with the fault. The tests of kgscore/NAME are tests/unit/NAME, tests/property/test_NAME.py and the doctests
of the module; `--tests` names others.
"""

import argparse
import ast
import gc
import importlib.machinery
import importlib.util
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import _lru_cache_wrapper, partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_PAIRS = "Lt LtE, Gt GtE, Eq NotEq, In NotIn, Is IsNot, And Or, Add Sub, Mult Div, BitAnd BitOr, Continue Break, any all, min max"
OTHER = {a: b for pair in _PAIRS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}
SKIPPED = ("annotation", "returns", "decorator_list")
QUIET = ("-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:anyio", "-W", "ignore::pytest.PytestAssertRewriteWarning")
MEMORY = 8_000_000_000  # bytes of address space that a test may take with a fault
PATIENCE = 600  # seconds that a test may take, if it only waits
_CURRENT = tempfile.TemporaryFile()  # noqa: SIM115, number of the test that a fork runs


class Fault(NamedTuple):
    """A fault: its place among those of its module, the line of the innermost statement of a function that it is in (0: of none),
    where it is and what it changes."""

    path: str
    number: int
    line: int
    told: str
    make: Callable[[], None]


class Reach(NamedTuple):
    """What tests reach: for each test its seconds, and the statements of functions; and those statements that run at import."""

    seconds: dict[str, float]
    statements: dict[str, set[tuple[str, int]]]
    imported: set[tuple[str, int]]

    def at_import(self, fault: Fault) -> bool:
        """Return whether a fault is in what runs at import."""
        return not fault.line or (fault.path, fault.line) in self.imported

    def tests(self, fault: Fault) -> list[str]:
        """Return the tests that reach a fault, quickest first; of one that runs at import, those that reach its module."""
        whole, place = self.at_import(fault), (fault.path, fault.line)
        found = [test for test, at in self.statements.items() if place in at or (whole and any(one == place[0] for one, _ in at))]
        return sorted(found, key=lambda test: (self.seconds[test], test))


def faults(path: str, tree: ast.Module) -> Iterator[Fault]:
    """Yield the faults of a module; one is made by calling its `make`, which changes the tree."""
    number, left = 0, [(tree, 0)]
    while left:
        parent, around = left.pop()
        for name, value in ast.iter_fields(parent):
            for at, node in enumerate(value if isinstance(value, list) else [value] * (name not in SKIPPED)):
                strict = isinstance(node, ast.keyword) and node.arg == "strict"  # of `zip`: it only guards
                if not isinstance(node, ast.AST) or isinstance(node, (ast.Assert, ast.arg)) or name in SKIPPED or strict:
                    continue
                inside = isinstance(node, ast.stmt) and (around or isinstance(parent, ast.FunctionDef))
                line = node.lineno if inside else around
                left.append((node, line))
                for new in changed(node):
                    what = "  ->  ".join(ast.unparse(one).partition("\n")[0] for one in (node, new))
                    put = partial(value.__setitem__, at) if isinstance(value, list) else partial(setattr, parent, name)
                    make = partial(put, ast.copy_location(new, node))
                    yield Fault(path, number, line, f"{path}:{node.lineno}: {what}", make)
                    number += 1


def changed(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node with one fault each."""
    kind = getattr(ast, OTHER.get(type(getattr(node, "op", node)).__name__, ""), None)
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            other = getattr(ast, OTHER[type(op).__name__])()
            yield ast.Compare(node.left, [*node.ops[:at], other, *node.ops[at + 1 :]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(kind(), node.values)
    elif isinstance(node, ast.BinOp) and kind:
        yield ast.BinOp(node.left, kind(), node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, (ast.Continue, ast.Break)):
        yield kind()
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Name) and node.id in OTHER:
        yield ast.Name(OTHER[node.id], ast.Load())
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)) and isinstance(node.test, (ast.Name, ast.Attribute, ast.Call)):
        yield type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


class Recorder(ast.NodeTransformer):
    """Has each statement of the functions of a module say that it runs."""

    def __init__(self, path: str) -> None:
        self.path, self.inside = path, False

    def visit(self, node: ast.AST) -> Any:
        inside, self.inside = self.inside, self.inside or isinstance(node, ast.FunctionDef)
        self.generic_visit(node)
        self.inside = inside
        if not inside or not isinstance(node, ast.stmt) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            return node
        return [ast.parse(f"__loader__.reached.add(({self.path!r}, {node.lineno}))").body[0], node]


class Loader(importlib.machinery.SourceFileLoader):
    """Imports a module with a fault; without one, with functions that say which of their statements run."""

    fault: Fault | None = None
    paths: frozenset[str] = frozenset()
    reached: set[tuple[str, int]] = set()  # noqa: RUF012, of this process

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> object:
        file = name.replace(".", "/") + ".py"
        return importlib.util.spec_from_file_location(name, ROOT / file, loader=cls(name, file)) if file in cls.paths else None

    def get_code(self, name: str) -> object:
        if self.fault is not None:
            return faulty(self.fault)
        tree = Recorder(self.path).visit(ast.parse(Path(self.path).read_bytes()))
        return compile(ast.fix_missing_locations(tree), str(ROOT / self.path), "exec")


def faulty(fault: Fault) -> CodeType:
    """Return the code of a module with a fault."""
    tree = ast.parse(Path(fault.path).read_bytes())
    next(one for one in faults(fault.path, tree) if one.number == fault.number).make()
    return compile(ast.fix_missing_locations(tree), str(ROOT / fault.path), "exec")


def put(fault: Fault, functions: Iterable[FunctionType]) -> None:
    """Give functions their code with a fault."""
    codes: dict[tuple[str, int], list[CodeType]] = {}
    left = [faulty(fault)]
    while left:
        for code in left.pop().co_consts:
            if isinstance(code, CodeType):
                codes.setdefault((code.co_qualname, code.co_firstlineno), []).append(code)
                left.append(code)
    for function in functions:
        old = function.__code__
        new = codes.get((old.co_qualname, old.co_firstlineno), ())
        if old.co_filename == str(ROOT / fault.path) and len(new) == 1:
            function.__code__ = new[0]


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
    """Run tests until one fails, which ends the process, as does one that takes more than ten times its seconds of the processor."""
    items[0].config.pluginmanager.register(Watch())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for at, (item, after) in enumerate(zip(items, [*items[1:], None], strict=True)):
        os.pwrite(_CURRENT.fileno(), b"%9d" % at, 0)
        signal.alarm(PATIENCE)
        most = time.process_time() + 5 + 10 * seconds[item.nodeid]
        resource.setrlimit(resource.RLIMIT_CPU, (int(most) + 1, resource.RLIM_INFINITY))
        item.ihook.pytest_runtest_protocol(item=item, nextitem=after)


def recorded(file: str, modules: list[str], output: str) -> None:
    """Write what the tests of a file reach. What a setup reaches counts for all tests of the file, which may share what it made."""

    def work(items: list[Any]) -> None:
        paths, imported, watch = _imported(modules), set(Loader.reached), Watch()
        caches = [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper) and _file(one.__wrapped__) in paths]
        items[0].config.pluginmanager.register(watch)
        seconds, reached = {}, {}
        for item, after in zip(items, [*items[1:], None], strict=True):
            Loader.reached.clear()
            for cache in caches:
                cache.cache_clear()
            began = time.process_time()
            item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
            seconds[item.nodeid], reached[item.nodeid] = time.process_time() - began, set(Loader.reached)
        found = {test: sorted(places | watch.setup) for test, places in reached.items()}
        Path(output).write_text(json.dumps([seconds, found, sorted(imported)]))

    Loader.paths = frozenset(modules)
    sys.meta_path.insert(0, Loader)
    collected([file], work)


def _imported(modules: list[str]) -> set[str]:
    """Import modules, which some functions do only when they are called; return their files."""
    for module in modules:
        importlib.import_module(module.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    return {str(ROOT / module) for module in modules}


def _file(function: Any) -> str:
    return getattr(getattr(function, "__code__", None), "co_filename", "")


def reached(files: list[str], modules: list[str]) -> Reach:
    """Return what the tests of all files reach."""
    reach = Reach({}, {}, set())
    with tempfile.NamedTemporaryFile() as output:
        for file in files:
            if forked(lambda file=file: recorded(file, modules, output.name)):
                sys.exit(f"{file}: fails without a fault")
            seconds, found, imported = json.loads(Path(output.name).read_text())
            reach.seconds.update(seconds)
            reach.statements.update({test: {(path, line) for path, line in places} for test, places in found.items()})
            reach.imported.update((path, line) for path, line in imported)
    return reach


def killer(fault: Fault, tests: list[str], sound: dict[str, bool], attempt: Callable[[Fault | None, list[str]], int]) -> str | None:
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


def warmed(modules: list[str]) -> None:
    """Have in this process, and so in every fork, what kgscore imports of others, and the ontology and the reader where what
    loads them is not itself tested."""
    for name in ("kgscore.engine", "pytest", "xdist.plugin", "hypothesis", "hypothesis.extra.pytestplugin"):
        importlib.import_module(name)
    settings = importlib.import_module("hypothesis").settings
    phases = [phase for phase in importlib.import_module("hypothesis").Phase if phase.name in ("explicit", "generate")]
    settings.register_profile("mutants", phases=phases, database=None, derandomize=True, deadline=None)
    settings.load_profile("mutants")
    _forget()
    knowledge, readers = (importlib.import_module(f"kgscore.{name}") for name in ("knowledge", "reading.readers"))
    load, made = knowledge.load_knowledge, knowledge.load_knowledge()
    knowledge.load_knowledge = lambda modules=(): load(modules) if modules else made
    readers.reader_of(readers.DEFAULT, made.index, made.lexicon).read("No pneumothorax.")
    if any(module.removesuffix(".py").removesuffix("/__init__").replace("/", ".") in sys.modules for module in modules):
        _forget()


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "kgscore"]:
        del sys.modules[name]


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
    warmed(modules)
    files = [path for path in modules if ">>> " in Path(path).read_text()] + tests
    output = Path(tempfile.mkdtemp()) / "killers.jsonl"
    judged(drawn, files, modules, reached(files, modules), output)
    survived = [told for told, found in map(json.loads, output.read_text().splitlines()) if found is None]
    killed = len(drawn) - len(survived)
    print(f"{killed} of {len(drawn)} killed ({killed / max(1, len(drawn)):.1%}), drawn from {len(known)} by seed {options.seed}")
    Path(options.survivors).write_text("".join(f"{line}\n" for line in survived))
    sys.exit(killed < options.least * len(drawn))


if __name__ == "__main__":
    main()
