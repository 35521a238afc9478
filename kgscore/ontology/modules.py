"""Users' modules: merging with the shipped terms, and identification of their versions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from kgscore.errors import OntologyError, did_you_mean
from kgscore.ontology.files import reader_files, table
from kgscore.ontology.tables import Term, read_tables
from kgscore.resources import resource

_ADDED = tuple(field.name for field in fields(Term) if field.default == ())
_SHORT = 12
_FILES = ("*.tbl", "*.ttl", "*/*.tbl", "*/*.ttl")


@dataclass(frozen=True, slots=True)
class Module:
    """A module by its path: the name of its folder or file, its files, and a hash of their names and contents."""

    path: Path
    name: str
    files: tuple[Path, ...]
    hash: str

    @property
    def whole(self) -> bool:
        """Whether it contains the core, so that it replaces the shipped ontologies."""
        return self.path.is_dir() and ((self.path / "core").is_dir() or (self.path / "core.ttl").is_file())


def find_module(path: str | Path) -> Module:
    """Return the module at a path: a folder of tables or Turtle files, or one Turtle file.

    Raises:
        OntologyError: the path does not exist or is not a module, or its name is that of a shipped one.
    """
    path = Path(path)
    if not path.exists():
        raise OntologyError(f"{path}: no such file or folder; give the folder of a module, or a .ttl file")
    if path.is_dir():
        files = sorted(found for pattern in _FILES for found in path.glob(pattern) if found.is_file()) + reader_files(path)
    else:
        files = [path] if path.suffix == ".ttl" else []
    if not files:
        raise OntologyError(f"{path}: not a module; give a folder with .tbl tables or .ttl files, or a .ttl file")
    name = path.resolve().name if path.is_dir() else path.stem
    module = Module(path, name, tuple(files), _hash(path, name, files))
    if name in shipped_names() and not module.whole:
        raise OntologyError(f"{path}: '{name}' is the name of a shipped module; rename yours")
    return module


def shipped_names() -> set[str]:
    """Return the names of the shipped modules."""
    return {path.name for path in resource("ontologies", "tables").iterdir() if path.is_dir()}


def _hash(path: Path, name: str, files: Sequence[Path]) -> str:
    """Return a hash independent of the module's path and of the kind of line ending."""
    digest = hashlib.sha256(name.encode())
    for file in files:
        inside = file.relative_to(path).as_posix() if path.is_dir() else file.name
        content = file.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"\n{inside} {hashlib.sha256(content).hexdigest()}".encode())
    return digest.hexdigest()[:_SHORT]


def merge_terms(known: Iterable[Term], own: Iterable[Term]) -> list[Term]:
    """Return known terms and a module's own: lines that extend a term are merged into it, everything else is appended.

    Raises:
        OntologyError: a line extends a term that is unknown or of another kind, or an id is used twice.
    """
    found = {term.id: term for term in known}
    for term in sorted(own, key=lambda term: term.extends):
        add_to(found, term)
    return list(found.values())


def add_to(found: dict[str, Term], term: Term) -> None:
    """Add a term to others, or merge its extensions into the term with its id.

    Raises:
        OntologyError: its id is already in use; or it extends a term that does not exist or is of another kind.
    """
    base = found.get(term.id)
    if not term.extends:
        if base is not None:
            message = f"{term.where}: the id '{term.id}' is also at {base.where}; rename yours"
            raise OntologyError(f"{message}, or begin the line with '+{term.id}' to add to that one")
        found[term.id] = term
        return
    if base is None:
        hint = did_you_mean(term.id, found) or "drop the '+' to make a new term"
        raise OntologyError(f"{term.where}: '+{term.id}' extends an unknown term; {hint}")
    if base.kind != term.kind:
        raise OntologyError(f"{term.where}: '+{term.id}' adds to one of {base.kind}; move the line to {base.kind}.tbl")
    found[term.id] = extend_term(base, term)


def extend_term(base: Term, more: Term) -> Term:
    """Return a term merged with another: lists are extended, single values and flags are overridden if given."""
    lists: dict[str, Any] = {name: tuple(dict.fromkeys((*getattr(base, name), *getattr(more, name)))) for name in _ADDED}
    graded = base if more.tier is None else more
    return replace(
        base, **lists, tier=graded.tier, source=graded.source, fma={**base.fma, **more.fma},
        values={**base.values, **more.values}, flags=base.flags | more.flags,
    )


def load_terms(modules: Sequence[Module] = ()) -> tuple[list[Term], list[Term]]:
    """Return the shipped terms merged with those of modules, and the user's terms as written in the modules.

    A module that is `whole` replaces the shipped ontologies, and its terms do not count as the user's own.

    Raises:
        OntologyError: a file is invalid, an id is used twice, or two modules contain a core.
    """
    from kgscore.ontology.load import load_module, load_turtle

    whole = [module for module in modules if module.whole]
    if len(whole) > 1:
        raise OntologyError(f"{whole[1].path}: contains a core, and so does {whole[0].path}; give only one")
    if whole and not (whole[0].path / "core.ttl").is_file():
        terms = read_tables(whole[0].path)
    else:
        terms = load_turtle(whole[0].path if whole else resource("ontologies"))
    brought: list[Term] = []
    for module in modules:
        if not module.whole:
            own = load_module(module.path, terms)
            terms = merge_terms(terms, own)
            brought += own
    return terms, brought


def reader_rows(modules: Sequence[Module]) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """Return the modules' additions to the data files of the reader, by the file's stem.

    Raises:
        OntologyError: a line does not have three cells.
    """
    found: dict[str, tuple[tuple[str, str, str], ...]] = {}
    for module in modules:
        for path in reader_files(module.path) if module.path.is_dir() else ():
            found[path.stem] = (*found.get(path.stem, ()), *table(path))
    return found


def distinct_modules(paths: Iterable[str | Path]) -> list[Module]:
    """Return the modules at paths, without duplicates, in order.

    Raises:
        OntologyError: a path is not a module, or two modules have the same name.
    """
    found: dict[Path, Module] = {}
    for path in paths:
        found.setdefault(Path(path).resolve(), find_module(path))
    names: dict[str, Module] = {}
    for module in found.values():
        other = names.setdefault(module.name, module)
        if other is not module:
            raise OntologyError(f"{module.path}: the name of the module is that of {other.path}; rename one")
    return list(found.values())
