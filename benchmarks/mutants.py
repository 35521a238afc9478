"""Mutation testing: faults are put into a package one at a time, and the tests of the package must notice each.

    python benchmarks/mutants.py kgscore/matching kgscore/clinical --count 300 --seed 1 --survivors FILE

Each fault (another comparison, `and` for `or`, a number one higher, `any` for `all`, a condition negated) is compiled in a fork
that imports the package anew and runs the test files that call the faulty function, quickest first, until one fails. The tests of
kgscore/NAME are tests/unit/NAME, tests/property/test_NAME.py and the doctests of the module; `--tests` names others.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_OTHER: dict[type, type] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn,
    ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Continue: ast.Break,
    ast.Break: ast.Continue,
}  # fmt: skip
_NAMES = {"any": "all", "all": "any", "min": "max", "max": "min"}


class Fault(NamedTuple):
    """A fault by the order in which `Mutator` meets it: its function's first line (0 outside functions), its line, its change."""

    path: str
    number: int
    function: int
    line: int
    what: str

    def __str__(self) -> str:
        """Return where the fault is and what it changes."""
        return f"{self.path}:{self.line}: {self.what}"


class Mutator(ast.NodeTransformer):
    """Lists the faults of a module in `found`, and makes the one that is `wanted`."""

    def __init__(self, path: str, wanted: int = -1) -> None:
        self.path, self.wanted, self.function = path, wanted, 0
        self.found: list[Fault] = []

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, (ast.Assert, ast.arg)):
            return node
        for new in _changed(node):
            what = f"{_brief(node)}  ->  {_brief(new)}"
            self.found.append(Fault(self.path, len(self.found), self.function, node.lineno, what))
            if self.wanted == len(self.found) - 1:
                return ast.copy_location(new, node)
        if isinstance(node, ast.FunctionDef):
            return self._inside(node)
        skipped = ("annotation", "decorator_list")
        for name, value in ast.iter_fields(node):
            if name not in skipped and isinstance(value, list):
                value[:] = [self.visit(one) if isinstance(one, ast.AST) else one for one in value]
            elif name not in skipped and isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))
        return node

    def _inside(self, node: ast.FunctionDef) -> ast.AST:
        outer, self.function = self.function, first(node)
        node.body = [self.visit(one) for one in node.body]
        self.function = outer
        return node


def _brief(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            if type(op) in _OTHER:
                yield ast.Compare(node.left, [*node.ops[:at], _OTHER[type(op)](), *node.ops[at + 1 :]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(_OTHER[type(node.op)](), node.values)
    elif isinstance(node, ast.BinOp) and type(node.op) in _OTHER:
        yield ast.BinOp(node.left, _OTHER[type(node.op)](), node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
    elif isinstance(node, (ast.Continue, ast.Break)):
        yield _OTHER[type(node)]()
    elif isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        yield ast.Constant(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.Name) and node.id in _NAMES:
        yield ast.Name(_NAMES[node.id], ast.Load())
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)) and isinstance(node.test, (ast.Name, ast.Attribute, ast.Call)):
        yield type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


class Loader(importlib.abc.MetaPathFinder, importlib.abc.SourceLoader):
    """Imports the module of a fault with it; without one, modules under `paths` with functions that tell when they are called."""

    def __init__(self, fault: Fault | None, paths: Sequence[str]) -> None:
        self.fault, self.paths = fault, paths

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        file = name.replace(".", "/") + ".py"
        return importlib.util.spec_from_file_location(name, ROOT / file, loader=self) if file in self.paths else None

    def get_filename(self, name: str) -> str:
        return str(ROOT / name.replace(".", "/")) + ".py"

    def get_data(self, path: str) -> bytes:
        return Path(path).read_bytes()

    def get_code(self, name: str) -> object:
        file = self.get_filename(name)
        tree = ast.parse(self.get_data(file))
        if self.fault is not None:
            tree = Mutator(self.fault.path, self.fault.number).visit(tree)
        for node in ast.walk(tree) if self.fault is None else ():
            if isinstance(node, ast.FunctionDef):
                call = f"_called.add({(os.path.relpath(file, ROOT), first(node))})"
                node.body.insert(bool(ast.get_docstring(node)), ast.parse(call).body[0])
        return compile(ast.fix_missing_locations(tree), file, "exec")


def first(node: ast.FunctionDef) -> int:
    """Return the first line of a function, with its decorators."""
    return min(one.lineno for one in (node, *node.decorator_list))


def forked(tests: Sequence[str], fault: Fault | None, limit: float, paths: Sequence[str], called: Path | None = None) -> bool:
    """Run tests in a fork, with a fault in the module at `paths`, for some seconds at most; return whether all passed. `called`:
    the file to write the functions to that were called."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    signal.alarm(int(limit) + 1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    sys.meta_path.insert(0, Loader(fault, paths))
    builtins._called = set()
    import pytest

    quiet = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    status = pytest.main([*quiet, *tests])
    if called is not None:
        called.write_text(json.dumps(sorted(builtins._called)))
    os._exit(int(status))


def baseline(files: Sequence[str], modules: Sequence[str]) -> dict[tuple[str, int], list[tuple[float, str]]]:
    """Return for each function the test files that call it, with the seconds that they take."""
    found: dict[tuple[str, int], list[tuple[float, str]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            began, reached = time.monotonic(), Path(folder, "reached")
            if not forked([file], None, 600, modules, reached):
                sys.exit(f"{file}: fails without a fault")
            took = time.monotonic() - began
            for path, line in json.loads(reached.read_text()):
                found.setdefault((path, line), []).append((took, file))
    return found


def tested_by(fault: Fault, calls: dict[tuple[str, int], list[tuple[float, str]]]) -> list[tuple[float, str]]:
    """Return the test files for a fault, quickest first; for one outside functions those that call any function of the module."""
    of_module = {row for (path, _), rows in calls.items() if path == fault.path for row in rows}
    return sorted(calls.get((fault.path, fault.function), ()) if fault.function else of_module)


def warmed(modules: Sequence[str]) -> None:
    """Have in this process, and so in every fork, what kgscore imports of others, and the compiled ontology and the reader where
    what loads them is not itself tested."""
    for name in ("kgscore.engine", "pytest", "xdist.plugin", "hypothesis", "hypothesis.extra.pytestplugin"):
        importlib.import_module(name)
    _forget()
    knowledge, readers = importlib.import_module("kgscore.knowledge"), importlib.import_module("kgscore.reading.readers")
    if any(name.replace(".", "/") + ".py" in modules for name in sys.modules):
        return _forget()
    load, made = knowledge.load_knowledge, knowledge.load_knowledge()
    knowledge.load_knowledge = lambda modules=(): load(modules) if modules else made
    readers.reader_of(readers.DEFAULT, made.index, made.lexicon).read("No pneumothorax.")


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "kgscore"]:
        del sys.modules[name]


def main() -> None:
    """Draw faults, run the tests about each and tell which survive; fails where fewer than `--least` are killed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", help="folders or modules under kgscore")
    parser.add_argument("--tests", nargs="+", help="test files and folders in the place of those of the packages")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0.85, help="share that must be killed")
    parser.add_argument("--survivors", type=Path, help="file to write the survivors to")
    parser.add_argument("--again", type=Path, help="file of survivors: only these faults")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.mkdtemp()
    sys.path.insert(0, str(ROOT))
    sys.dont_write_bytecode = True
    modules = sorted(str(one) for path in map(Path, options.paths) for one in ([path] if path.is_file() else path.rglob("*.py")))
    faults = []
    for module in modules:
        mutator = Mutator(module)
        mutator.visit(ast.parse(Path(module).read_bytes()))
        faults += mutator.found
    drawn = random.Random(options.seed).sample(faults, min(options.count, len(faults)))
    if options.again:
        wanted = options.again.read_text(encoding="utf-8").splitlines()
        drawn = [fault for fault in faults if str(fault) in wanted]
    packages = sorted({module.split("/")[1] for module in modules})
    named = options.tests or [f"tests/{place}" for name in packages for place in (f"unit/{name}", f"property/test_{name}.py")]
    tests = [str(one) for path in named for one in sorted(Path(path).rglob("test_*.py")) or [Path(path)] if one.exists()]
    warmed(modules)
    doctested = [path for path in sorted({fault.path for fault in drawn}) if ">>> " in Path(path).read_text(encoding="utf-8")]
    calls = baseline([*doctested, *tests], modules)
    survived = []
    for number, fault in enumerate(drawn, 1):
        files = tested_by(fault, calls)
        alive = not files or forked([file for _, file in files], fault, 60 + 5 * sum(took for took, _ in files), [fault.path])
        survived += [str(fault)] * alive
        print(f"{number}/{len(drawn)} {'SURVIVED' if alive else 'killed  '} {fault}{'' if files else '  (never called)'}", flush=True)
    killed = len(drawn) - len(survived)
    print(f"{killed} of {len(drawn)} killed ({killed / len(drawn):.1%}), drawn from {len(faults)} by seed {options.seed}")
    if options.survivors:
        options.survivors.parent.mkdir(parents=True, exist_ok=True)
        options.survivors.write_text("".join(f"{line}\n" for line in survived), encoding="utf-8")
    sys.exit(killed < options.least * len(drawn))


if __name__ == "__main__":
    main()
