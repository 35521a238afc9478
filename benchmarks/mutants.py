"""Mutation testing: faults are put into a package, one at a time, and the tests of the package must notice each.

    python benchmarks/mutants.py kgscore/matching kgscore/clinical --count 300 --seed 1 --survivors FILE

Each fault (another comparison, `and` for `or`, a number one higher, `any` for `all`, a condition negated) is compiled in a fork
that imports the package anew and runs the test files that call the faulty function, quickest first, until one fails. The tests of
kgscore/NAME are tests/unit/NAME, tests/property/test_NAME.py and the doctests of the module; `--tests` names others.
"""

import argparse
import ast
import importlib.machinery
import importlib.util
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_PAIRS = "Lt LtE, Gt GtE, Eq NotEq, In NotIn, Is IsNot, And Or, Add Sub, Mult Div, BitAnd BitOr, Continue Break, any all, min max"
OTHER = {a: b for pair in _PAIRS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}
SKIPPED = ("annotation", "returns", "decorator_list")
QUIET = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:anyio", "-W", "ignore::pytest.PytestAssertRewriteWarning")
Calls = dict[tuple[str, int], list[tuple[float, str]]]


class Fault(NamedTuple):
    """A fault: its place among those of its module, the first line of its function (0: none), where it is and what it changes."""

    path: str
    number: int
    function: int
    told: str
    make: Callable[[], None]


def faults(path: str, tree: ast.Module) -> Iterator[Fault]:
    """Yield the faults of a module; one is made by calling its `make`, which changes the tree."""
    number, left = 0, [(tree, 0)]
    while left:
        parent, function = left.pop()
        function = first(parent) if isinstance(parent, ast.FunctionDef) else function
        for name, value in ast.iter_fields(parent):
            for at, node in enumerate(value if isinstance(value, list) else [value] * (name not in SKIPPED)):
                strict = isinstance(node, ast.keyword) and node.arg == "strict"  # of `zip`: it only guards
                if not isinstance(node, ast.AST) or isinstance(node, (ast.Assert, ast.arg)) or name in SKIPPED or strict:
                    continue
                left.append((node, function))
                for new in changed(node):
                    what = "  ->  ".join(ast.unparse(one).partition("\n")[0] for one in (node, new))
                    put = partial(value.__setitem__, at) if isinstance(value, list) else partial(setattr, parent, name)
                    make = partial(put, ast.copy_location(new, node))
                    yield Fault(path, number, function, f"{path}:{node.lineno}: {what}", make)
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


def first(node: ast.FunctionDef) -> int:
    """Return the first line of a function, with its decorators."""
    return min(one.lineno for one in (node, *node.decorator_list))


class Faulty(importlib.machinery.SourceFileLoader):
    """Imports a module with a fault; without one, with functions that say when they are called."""

    fault: Fault | None = None
    paths: frozenset[str] = frozenset()
    called: set[tuple[str, int]] = set()  # noqa: RUF012, of this process

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> object:
        file = name.replace(".", "/") + ".py"
        return importlib.util.spec_from_file_location(name, ROOT / file, loader=cls(name, file)) if file in cls.paths else None

    def get_code(self, name: str) -> object:
        tree = ast.parse(Path(self.path).read_bytes())
        if self.fault is not None:
            next(one for one in faults(self.path, tree) if one.number == self.fault.number).make()
        for node in ast.walk(tree) if self.fault is None else ():
            if isinstance(node, ast.FunctionDef):
                call = f"__loader__.called.add(({self.path!r}, {first(node)}))"
                node.body.insert(bool(ast.get_docstring(node)), ast.parse(call).body[0])
        return compile(ast.fix_missing_locations(tree), str(ROOT / self.path), "exec")


def passes(tests: list[str], fault: Fault | None, limit: float, paths: list[str], called: str = os.devnull) -> bool:
    """Run tests in a fork for some seconds at most; return whether all passed. The functions called are written to a file."""
    if child := os.fork():
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    signal.alarm(int(limit) + 1)
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    Faulty.fault, Faulty.paths = fault, frozenset(paths)
    sys.meta_path.insert(0, Faulty)
    main = importlib.import_module("pytest").main
    failed = any(main([*QUIET, test]) for test in tests)  # one at a time: none is collected after the one that fails
    Path(called).write_text(json.dumps(sorted(Faulty.called)))
    os._exit(failed)


def baseline(files: list[str], modules: list[str]) -> Calls:
    """Return for each function the test files that call it, with the seconds that they take."""
    found: Calls = {}
    with tempfile.NamedTemporaryFile() as called:
        for file in files:
            began = time.monotonic()
            if not passes([file], None, 900, modules, called.name):
                sys.exit(f"{file}: fails without a fault")
            took = time.monotonic() - began
            for path, line in json.loads(Path(called.name).read_text()):
                found.setdefault((path, line), []).append((took, file))
    return found


def warmed(modules: list[str]) -> None:
    """Have in this process, and so in every fork, what kgscore imports of others, and the ontology and the reader where what
    loads them is not itself tested."""
    for name in ("kgscore.engine", "pytest", "xdist.plugin", "hypothesis", "hypothesis.extra.pytestplugin"):
        importlib.import_module(name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "kgscore"]:
        del sys.modules[name]
    if not any(module.startswith(("kgscore/ontology", "kgscore/linking", "kgscore/reading")) for module in modules):
        knowledge, readers = (importlib.import_module(f"kgscore.{name}") for name in ("knowledge", "reading.readers"))
        load, made = knowledge.load_knowledge, knowledge.load_knowledge()
        knowledge.load_knowledge = lambda modules=(): load(modules) if modules else made
        readers.reader_of(readers.DEFAULT, made.index, made.lexicon).read("No pneumothorax.")


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
    calls = baseline([path for path in modules if ">>> " in Path(path).read_text()] + tests, modules)
    survived = []
    for number, fault in enumerate(drawn, 1):
        files = {row for at, rows in calls.items() if at == (fault.path, fault.function or at[1]) for row in rows}
        names, limit = [file for _, file in sorted(files)], 60 + 5 * sum(took for took, _ in files)
        alive = not names or passes(names, fault, limit, [fault.path])
        survived += [fault.told] * alive
        print(f"{number}/{len(drawn)}", "SURVIVED" if alive else "killed", fault.told, "" if names else "(no test)", flush=True)
    killed = len(drawn) - len(survived)
    print(f"{killed} of {len(drawn)} killed ({killed / max(1, len(drawn)):.1%}), drawn from {len(known)} by seed {options.seed}")
    Path(options.survivors).write_text("".join(f"{line}\n" for line in survived))
    sys.exit(killed < options.least * len(drawn))


if __name__ == "__main__":
    main()
