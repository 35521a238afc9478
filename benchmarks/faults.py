"""The faults that `mutants.py` puts into modules: what they are, and how modules and functions get one."""

import ast
import importlib.machinery
import importlib.util
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
_PAIRS = "Lt LtE, Gt GtE, Eq NotEq, In NotIn, Is IsNot, And Or, Add Sub, Mult Div, BitAnd BitOr, Continue Break, any all, min max"
OTHER = {a: b for pair in _PAIRS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}
SKIPPED = ("annotation", "returns", "decorator_list")


class Fault(NamedTuple):
    """A fault: its place among those of its module, the line of the innermost statement of a function that it is in (0: of none),
    where it is and what it changes."""

    path: str
    number: int
    line: int
    told: str
    make: Callable[[], None]


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
