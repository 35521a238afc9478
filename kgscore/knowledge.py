"""The compiled knowledge, index and lexicon, built once from the ontologies and cached by content hash."""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from kgscore.errors import OntologyError
from kgscore.linking.build import build_lexicon
from kgscore.linking.lexicon import Entry, Form, Lexicon
from kgscore.ontology.compile import build_index
from kgscore.ontology.files import turtle_files
from kgscore.ontology.index import Concept, Index
from kgscore.ontology.tables import Definition
from kgscore.resources import resource

_FORMAT = "5"


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Index and lexicon with the hash of everything they were made of."""

    index: Index
    lexicon: Lexicon
    hash: str


def load_knowledge(modules: Sequence[Path] = ()) -> Knowledge:
    """Return the shipped ontologies compiled together with `modules`; from the cache where the content is known.

    Raises:
        OntologyError: a file is missing or wrong.
    """
    ontologies, mappings = resource("ontologies"), resource("mappings", "reading")
    files = sorted(turtle_files(ontologies))
    digest = _digest([*files, *sorted(mappings.glob("*.txt")), *_files(modules)])
    cached = _cache_folder() / f"{digest}-{_FORMAT}-{sys.version_info[0]}{sys.version_info[1]}.index"
    found = _read_cache(cached)
    if found is not None:
        return Knowledge(*found, digest)
    from kgscore.ontology.load import load_module, load_turtle

    terms = load_turtle(ontologies)
    for module in modules:
        terms += load_module(module, terms)
    index, lexicon = build_index(terms), build_lexicon(terms, mappings / "cues.txt")
    _write_cache(cached, index, lexicon)
    return Knowledge(index, lexicon, digest)


def _files(modules: Iterable[Path]) -> list[Path]:
    found: list[Path] = []
    for module in modules:
        if not module.exists():
            raise OntologyError(f"{module}: no such file or folder")
        found += sorted(p for p in module.rglob("*") if p.suffix in (".tbl", ".ttl")) if module.is_dir() else [module]
    return found


def _digest(files: Sequence[Path]) -> str:
    sha = hashlib.sha256()
    for path in files:
        sha.update(path.name.encode())
        sha.update(path.read_bytes())
    return sha.hexdigest()[:16]


def _cache_folder() -> Path:
    root = os.environ.get("KGSCORE_CACHE") or os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "kgscore"


def _read_cache(path: Path) -> tuple[Index, Lexicon] | None:
    try:
        data = marshal.loads(path.read_bytes())
        return _index(data["index"]), _lexicon(data["lexicon"])
    except (OSError, ValueError, EOFError, TypeError, KeyError):
        return None


def _write_cache(path: Path, index: Index, lexicon: Lexicon) -> None:
    """Write the cache file whole or not at all; a folder that cannot be written only costs time."""
    plain = {f.name: getattr(index, f.name) for f in fields(Index) if not f.name.startswith("_")}
    plain["concepts"] = {k: tuple(getattr(c, f.name) for f in fields(Concept)) for k, c in index.concepts.items()}
    plain["denials"] = {k: tuple((d.genus, d.site) for d in v) for k, v in index.denials.items()}
    data = {"index": plain, "lexicon": _flat(lexicon)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as handle:
            handle.write(marshal.dumps(data))
        os.replace(handle.name, path)
    except OSError:
        return


def _flat(lexicon: Lexicon) -> tuple[Any, ...]:
    """Return the lexicon in plain values: equal entries are kept once, and so are forms of the same entries."""
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
