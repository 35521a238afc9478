"""The compiled knowledge, index and lexicon, built once from the ontologies and cached by content hash."""

from __future__ import annotations

import hashlib
import marshal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from kgscore.linking.build import build_lexicon
from kgscore.linking.lexicon import Entry, Form, Lexicon
from kgscore.ontology.compile import build_index
from kgscore.ontology.files import turtle_files
from kgscore.ontology.index import Concept, Index
from kgscore.ontology.modules import distinct_modules, load_terms, reader_rows
from kgscore.ontology.tables import Definition
from kgscore.private_files import read_sealed, sweep, write_sealed
from kgscore.resources import cache_folder, resource

_FORMAT = "21"
_KEPT = 24
_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Index and lexicon with the hash of all their sources; `modules` maps the user's modules to their hashes."""

    index: Index
    lexicon: Lexicon
    hash: str
    modules: Mapping[str, str] = field(default_factory=dict)


def load_knowledge(modules: Sequence[str | Path] = ()) -> Knowledge:
    """Return the shipped ontologies compiled together with `modules`, from the cache if the content is unchanged.

    A module that contains the core itself (a folder of ontologies or of all tables) replaces the shipped ones. Raises
    OntologyError if a file is missing or invalid."""
    ontologies, mappings = resource("ontologies"), resource("mappings", "reading")
    brought = distinct_modules(modules)
    whole = any(module.whole for module in brought)
    shipped = [] if whole else sorted(turtle_files(ontologies))
    data = [path for folder in (mappings, mappings.parent) for path in sorted(folder.glob("*.txt"))]
    digest = _digest([*shipped, *data], [f"{one.name} {one.hash}" for one in brought])
    cached = cache_folder() / f"{digest}-{_FORMAT}-{sys.version_info[0]}{sys.version_info[1]}.index"
    named = {module.name: module.hash for module in brought}
    if found := _read_cache(cached):
        return Knowledge(*found, digest, named)
    terms, own = load_terms(brought)
    index, lexicon = build_index(terms, reader_rows(brought)), build_lexicon(terms, mappings / "cues.txt", own)
    _write_cache(cached, index, lexicon)
    _drop_oldest(cached.parent)
    return Knowledge(index, lexicon, digest, named)


def _digest(files: Sequence[Path], modules: Sequence[str]) -> str:
    sha = hashlib.sha256()
    for path in files:
        sha.update(path.name.encode())
        sha.update(path.read_bytes())
    for module in modules:
        sha.update(f"\n{module}".encode())
    return sha.hexdigest()[:16]


def _drop_oldest(folder: Path) -> None:
    """Keep the newest compiled indexes (each version of a module leaves one); remove temporary files of earlier versions."""
    sweep(folder, "tmp", age=_HOUR)
    with suppress(OSError):
        compiled = sorted(folder.glob("*.index"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in compiled[_KEPT:]:
            path.unlink()


def _read_cache(path: Path) -> tuple[Index, Lexicon] | None:
    with suppress(OSError):
        state = path.stat()
        return _read_file(path, state.st_mtime_ns, state.st_size)
    return None


@lru_cache(maxsize=2)
def _read_file(path: Path, changed: int, size: int) -> tuple[Index, Lexicon] | None:
    """Return the content of a cache file, None if it is damaged or may be another user's; memoized while it is unchanged."""
    with suppress(ValueError, EOFError, TypeError, KeyError):  # written by another version
        if (held := read_sealed(path)) is not None:
            data = marshal.loads(held)
            return _index(data["index"]), _lexicon(data["lexicon"])
    return None


def _write_cache(path: Path, index: Index, lexicon: Lexicon) -> None:
    """Write the cache file atomically; if the folder is not writable, the cache is skipped."""
    plain = {f.name: getattr(index, f.name) for f in fields(Index) if not f.name.startswith("_")}
    plain["concepts"] = {k: tuple(getattr(c, f.name) for f in fields(Concept)) for k, c in index.concepts.items()}
    plain["denials"] = {k: tuple((d.genus, d.site) for d in v) for k, v in index.denials.items()}
    with suppress(OSError):
        write_sealed(path, marshal.dumps({"index": plain, "lexicon": _lexicon_as_values(lexicon)}))


def _lexicon_as_values(lexicon: Lexicon) -> tuple[Any, ...]:
    """Return the lexicon as plain values; equal entries, and equal sets of forms, are stored once."""
    entries: dict[Entry, int] = {}
    forms: dict[tuple[int, ...], int] = {(): 0}
    phrases = {}
    for phrase, form in lexicon.phrases.items():
        row = tuple(entries.setdefault(entry, len(entries)) for entry in form.entries) if form else ()
        phrases[phrase] = forms.setdefault(row, len(forms))
    return phrases, list(forms), [tuple(entry) for entry in entries], lexicon.size, lexicon.words


def _index(plain: dict[str, Any]) -> Index:
    plain["concepts"] = {k: Concept(*v) for k, v in plain["concepts"].items()}
    plain["denials"] = {k: tuple(Definition(*d) for d in v) for k, v in plain["denials"].items()}
    return Index(**plain)


def _lexicon(plain: tuple[Any, ...]) -> Lexicon:
    phrases, rows, cells, size, words = plain
    entries = [Entry(*cell) for cell in cells]
    forms = [Form(tuple(entries[i] for i in row)) if row else None for row in rows]
    return Lexicon({phrase: forms[number] for phrase, number in phrases.items()}, size, words)
