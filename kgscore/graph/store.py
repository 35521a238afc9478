"""The embedded store of a run folder (`RUN/graph`): the schema with its inferences, and the results of runs.

A folder that has neither graph nor results, or cannot be opened or written, raises RunError.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import IO

import pyoxigraph
from pyoxigraph import RdfFormat, Store, Triple

from kgscore.graph.building import FOLDER, as_run_error, build
from kgscore.graph.vocabulary import PREFIXES

_WAITS = (0.05, 0.1, 0.2, 0.4, 0.8)  # seconds, while a writer replaces files of the store
_FORMATS = {"nquads": RdfFormat.N_QUADS, "trig": RdfFormat.TRIG}


def open_for_reading(folder: Path) -> Store:
    """Return the store of a run folder, read-only, built or updated first; a writer may be active at the same time."""
    build(folder)
    return open_existing(folder)


def open_existing(folder: Path) -> Store:
    """Return the existing store of a run folder, read-only."""
    place = folder / FOLDER
    with as_run_error(folder):
        for wait in _WAITS if (place / "CURRENT").is_file() else ():
            try:
                return Store.read_only(str(place))
            except (OSError, ValueError, RuntimeError) as error:  # a writer has just replaced files listed before
                if "No such file" not in str(error):
                    raise
                time.sleep(wait)
        return Store.read_only(str(place))


def shared_store(folder: Path) -> Store:
    """Return the existing store of a run folder, read-only, shared until it changes."""
    with as_run_error(folder):
        found = (folder / FOLDER).stat()
    return _shared_store(folder, found.st_ino, found.st_mtime_ns)


@lru_cache(maxsize=2)
def _shared_store(folder: Path, inode: int, changed: int) -> Store:
    return open_existing(folder)


def open_for_writing(folder: Path) -> Store:
    """Return the store of a run folder for writing."""
    build(folder)
    with as_run_error(folder):
        return Store(str(folder / FOLDER))


def compact(folder: Path) -> None:
    """Compact the store of a run folder, which makes reading faster after many small changes."""
    store = open_for_writing(folder)
    with as_run_error(folder):
        store.optimize()


def export(folder: Path, output: IO[bytes], format: str) -> None:
    """Write the graph of a run folder as `nquads`, `trig` or `turtle`."""
    store = open_for_reading(folder)
    if format == "turtle":
        _write_turtle((quad.triple for quad in store), output)
    else:
        prefixes = None if format == "nquads" else dict(PREFIXES)
        pyoxigraph.serialize(store, output, format=_FORMATS[format], prefixes=prefixes)


def turtle(triples: Iterable[str], output: IO[bytes]) -> None:
    """Write triples, each a line of N-Triples, as Turtle with the known prefixes."""
    quads = pyoxigraph.parse("\n".join(triples), format=RdfFormat.N_TRIPLES)
    _write_turtle((quad.triple for quad in quads), output)


def _write_turtle(triples: Iterable[Triple], output: IO[bytes]) -> None:
    ordered = sorted({str(triple): triple for triple in triples}.items())
    pyoxigraph.serialize((triple for _, triple in ordered), output, format=RdfFormat.TURTLE, prefixes=dict(PREFIXES))
