"""Modules that users bring: what they add to the shipped terms, and what tells one version of a module from another."""

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
    """A module by its path: the name of its folder or file, the files that make it, and a hash of their names and contents."""

    path: Path
    name: str
    files: tuple[Path, ...]
    hash: str

    @property
    def whole(self) -> bool:
        """Whether it holds the core, so that it stands in the place of the shipped ontologies."""
        return self.path.is_dir() and ((self.path / "core").is_dir() or (self.path / "core.ttl").is_file())


def find_module(path: str | Path) -> Module:
    """Return the module at a path: a folder of tables or Turtle files, or one Turtle file.

    Raises:
        OntologyError: there is nothing, or nothing that makes a module, or its name is that of a shipped one.
    """
    path = Path(path)
    if not path.exists():
        raise OntologyError(f"{path}: no such file or folder; give the folder of a module, or a .ttl file")
    if path.is_dir():
        files = sorted(found for pattern in _FILES for found in path.glob(pattern) if found.is_file()) + reader_files(path)
    else:
        files = [path] if path.suffix == ".ttl" else []
    if not files:
        raise OntologyError(f"{path}: no module; one is a folder with .tbl tables or .ttl files, or a .ttl file")
    name = path.resolve().name if path.is_dir() else path.stem
    module = Module(path, name, tuple(files), _hash(path, name, files))
    if name in shipped_names() and not module.whole:
        raise OntologyError(f"{path}: '{name}' is the name of a shipped module; rename yours")
    return module


def shipped_names() -> set[str]:
    """Return the names of the shipped modules."""
    return {path.name for path in resource("ontologies", "tables").iterdir() if path.is_dir()}


def _hash(path: Path, name: str, files: Sequence[Path]) -> str:
    """Return a hash that does not depend on where the module lies, nor on the kind of line end."""
    digest = hashlib.sha256(name.encode())
    for file in files:
        inside = file.relative_to(path).as_posix() if path.is_dir() else file.name
        content = file.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"\n{inside} {hashlib.sha256(content).hexdigest()}".encode())
    return digest.hexdigest()[:_SHORT]


def merged(known: Iterable[Term], own: Iterable[Term]) -> list[Term]:
    """Return known terms and a module's own: what extends a term is added to it, everything else stands behind.

    Raises:
        OntologyError: a line adds to a term that nobody knows or that is of another kind, or an id is used twice.
    """
    found = {term.id: term for term in known}
    for term in sorted(own, key=lambda term: term.extends):
        add_to(found, term)
    return list(found.values())


def add_to(found: dict[str, Term], term: Term) -> None:
    """Put a term beside others, or what it adds into the term of its id.

    Raises:
        OntologyError: its id is used already; or it adds to one that is not there, or is of another kind.
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
        raise OntologyError(f"{term.where}: '+{term.id}' adds to a term that is not known; {hint}")
    if base.kind != term.kind:
        raise OntologyError(f"{term.where}: '+{term.id}' adds to one of {base.kind}; move the line to {base.kind}.tbl")
    found[term.id] = extended(base, term)


def extended(base: Term, more: Term) -> Term:
    """Return a term with what another says of it: lists grow, single values and marks are set where they are said."""
    lists: dict[str, Any] = {name: tuple(dict.fromkeys((*getattr(base, name), *getattr(more, name)))) for name in _ADDED}
    graded = base if more.tier is None else more
    return replace(
        base, **lists, tier=graded.tier, source=graded.source, fma={**base.fma, **more.fma},
        values={**base.values, **more.values}, flags=base.flags | more.flags,
    )


def load_terms(modules: Sequence[Module] = ()) -> tuple[list[Term], list[Term]]:
    """Return the shipped terms with those of modules, and what the user's modules state, as they state it.

    A module that is `whole` stands in the place of the shipped ontologies, and its terms are not the user's own.

    Raises:
        OntologyError: a file is wrong, an id is used twice, or two modules hold a core.
    """
    from kgscore.ontology.load import load_module, load_turtle

    whole = [module for module in modules if module.whole]
    if len(whole) > 1:
        raise OntologyError(f"{whole[1].path}: holds a core, and so does {whole[0].path}; give one of them")
    if whole and not (whole[0].path / "core.ttl").is_file():
        terms = read_tables(whole[0].path)
    else:
        terms = load_turtle(whole[0].path if whole else resource("ontologies"))
    brought: list[Term] = []
    for module in modules:
        if not module.whole:
            own = load_module(module.path, terms)
            terms = merged(terms, own)
            brought += own
    return terms, brought


def reader_rows(modules: Sequence[Module]) -> dict[str, tuple[tuple[str, str, str], ...]]:
    """Return what modules add to the data files of the reader, by the file's name without its end.

    Raises:
        OntologyError: a line has not three cells.
    """
    found: dict[str, tuple[tuple[str, str, str], ...]] = {}
    for module in modules:
        for path in reader_files(module.path) if module.path.is_dir() else ():
            found[path.stem] = (*found.get(path.stem, ()), *table(path))
    return found


def distinct(paths: Iterable[str | Path]) -> list[Module]:
    """Return the modules at paths, each once, in order.

    Raises:
        OntologyError: a path is no module, or two modules have one name.
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
