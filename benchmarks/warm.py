"""What the forks of `mutants.py` share: the ontology, a reader that knows the sentences of the tests, and imported modules."""

import gc
import importlib
import operator
import sys
from collections.abc import Iterable
from functools import _lru_cache_wrapper
from typing import Any

from faults import ROOT


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
            assert not any(module_of(module) in sys.modules for module in modules)

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

    def scored(self, paths: set[str]) -> None:
        """Import what only a scorer imports, and forget what the functions of files have made for it."""
        kept = set(self.reader.index._made) if self.reader else set()
        importlib.import_module("kgscore.engine").Scorer()
        for cache in caches_of(paths):
            cache.cache_clear()
        for name in set(self.reader.index._made) - kept if self.reader else ():
            del self.reader.index._made[name]

    def read(self, texts: Iterable[tuple[str, Iterable[tuple[str, int]]]]) -> None:
        """Have the reader remember the sentences of texts."""
        for text, about in texts:
            self.reader._read(text, None, dict(about))


def _forget() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "kgscore"]:
        del sys.modules[name]


def imported(modules: list[str]) -> set[str]:
    """Import modules, which some functions do only when they are called; return their files."""
    for module in modules:
        importlib.import_module(module_of(module))
    return {str(ROOT / module) for module in modules}


def module_of(module: str) -> str:
    """Return the name that a file is imported by."""
    return module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def caches_of(paths: set[str]) -> list[Any]:
    """Return the caches of the functions of files."""
    return [one for one in gc.get_objects() if isinstance(one, _lru_cache_wrapper) and file_of(one.__wrapped__) in paths]


def file_of(function: Any) -> str:
    """Return the file of a function."""
    return getattr(getattr(function, "__code__", None), "co_filename", "")
