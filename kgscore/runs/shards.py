"""The files of a run on a cluster, on any path that fsspec knows: the pairs, and the folder of shards that the workers write.

    run.json, end.json           what is scored and how; the number of partitions
    input/part-000012.json       the records of a partition, until it is scored
    graph/part-000012.nq.gz      what the graph says about its cases (--graph)
    TABLE/part-000012.parquet    its rows of each table (docs/results.md); `cases` comes last: the partition is complete
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from glob import glob
from typing import Any, BinaryIO

from kgscore.caches import TextStore
from kgscore.errors import InputError, KgscoreError, MissingExtraError
from kgscore.io.formats import file_rows
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, records_of
from kgscore.private_files import OWNER_ONLY

_KINDS = (".jsonl", ".ndjson", ".parquet", ".pq")
Input = tuple[str, str, str]  # the path or URL of a file, the SHA-256 of its bytes, and what changes when it is written to


def located(url: str) -> tuple[Any, str]:
    """Return the file system of a path or URL, and the path there. Raises InputError if the URL is of no known kind."""
    try:
        import fsspec

        return fsspec.core.url_to_fs(url)  # type: ignore[no-any-return]
    except ModuleNotFoundError:
        raise MissingExtraError("--engine dask needs dask and fsspec; install them with: pip install 'kgscore[dask]'") from None
    except (ImportError, ValueError) as error:
        raise InputError(f"{url}: cannot be reached ({str(error).splitlines()[0]})") from None


def inputs_of(source: str) -> list[Input]:
    """Return the files that a path, a pattern or a folder names. Raises InputError if one is of another kind or unreadable."""
    (files, path), found = located(source), [source]
    if any(sign in source for sign in "*?["):
        found = glob(source) if "://" not in source else [files.unstrip_protocol(one) for one in files.glob(path)]
    elif files.isdir(path):
        names = (one.rpartition("/")[2] for one in files.ls(path, detail=False))
        found = [f"{source.rstrip('/')}/{name}" for name in names if name.lower().endswith(_KINDS)]
    if not found:
        raise InputError(f"{source}: names no file; give .jsonl or .parquet files, or a folder of them")
    if other := [name for name in found if not name.lower().endswith(_KINDS)]:
        raise InputError(f"{other[0]}: --engine dask reads .jsonl, .ndjson and .parquet; write it as one of these")
    inputs = []
    for name in sorted(found):
        with _opened(name) as (stream, mark):
            inputs.append((name, hashlib.file_digest(stream, "sha256").hexdigest(), mark))  # type: ignore[arg-type]
    return inputs


def records_in(inputs: Sequence[Input]) -> Iterator[Record | BadRecord]:
    """Yield the records of all files in order. Raises InputError if one cannot be read or has changed since `inputs_of`."""
    with TextStore() as seen:
        for name, _, mark in inputs:
            with _opened(name, mark) as (stream, _):
                yield from records_of(file_rows(name, (PAIR_FIELDS,), stream, None), (PAIR_FIELDS,), seen, extra=None)


@contextmanager
def _opened(name: str, mark: str = "") -> Iterator[tuple[BinaryIO, str]]:
    files, path = located(name)
    with reaching(InputError, name), files.open(path, "rb") as stream:
        before = mark or files.ukey(path)
        yield stream, before
        files.invalidate_cache()
        if files.ukey(path) != before:
            raise InputError(f"{name}: has changed while it was read; run the same command again when it is complete")


@contextmanager
def reaching(kind: type[KgscoreError], url: str) -> Iterator[None]:
    """Turn an error of a file system into one line of this kind."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise kind(f"{url}: cannot be read or written ({why}); check it and run the same command again") from None


def folder_at(url: str) -> Any:
    """Return a folder as a file system of its own. Raises InputError if the URL is of no known kind."""
    files, path = located(url)
    from fsspec.implementations.dirfs import DirFileSystem

    return DirFileSystem(path, files)


def written(folder: Any, name: str, data: bytes) -> None:
    """Write a file, which is complete or absent. Raises OSError."""
    with OWNER_ONLY:
        folder.makedirs(name.rpartition("/")[0] or ".", exist_ok=True)
        folder.pipe_file(scratch := f"{name}.{uuid.uuid4().hex}.tmp", data)
        folder.mv(scratch, name)


def kept(folder: Any, name: str) -> bytes | None:
    """Return the bytes of a file, None if it is absent. Raises OSError if it cannot be read."""
    with suppress(FileNotFoundError):
        return bytes(folder.cat_file(name))
    return None
