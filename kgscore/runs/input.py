"""Sources of pairs: a file of pairs, two files of reports joined by id, or two line-aligned files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from types import MappingProxyType
from typing import Any, BinaryIO, Literal

from kgscore.caches import TextStore
from kgscore.errors import InputError, KgscoreError, MissingExtraError
from kgscore.io.columns import AS_THEY_ARE, Columns
from kgscore.io.formats import file_rows
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, pairs_of, read_lines, read_records, read_text, records_of
from kgscore.io.streams import State, as_input_error, check_unchanged, file_state, is_file, open_bytes, spool_copy

Held = Mapping[str, BinaryIO]
NONE: Held = MappingProxyType({})
DASK_EXTRA = "--engine dask needs dask, cryptography and fsspec; install them with: pip install 'kgscore[dask]'"
_DASK_KINDS = (".jsonl", ".ndjson", ".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class Source:
    """A file of pairs; or, with a `candidate`, two files: of reports joined by `ids`, of `lines` that are reports, or `texts` of
    one report each. `columns` maps the column names."""

    path: str
    candidate: str | None = None
    how: Literal["ids", "lines", "texts"] = "ids"
    columns: Columns = AS_THEY_ARE

    @property
    def files(self) -> tuple[str, ...]:
        """The files, in the order given."""
        return (self.path,) if self.candidate is None else (self.path, self.candidate)

    @property
    def name(self) -> str:
        """The name of the input in a run."""
        return " + ".join(self.files)

    def records(
        self, held: Held = NONE, *, extra: Sequence[str] | None = (), lists: Sequence[str] = ()
    ) -> Iterator[Record | BadRecord]:
        """Yield every pair, valid or bad, in order; `held` has the content of files read before, by name; `extra` and `lists` are
        as in `read_records`. Raises InputError if a file as a whole cannot be read, or the files have different numbers of lines.
        """
        if self.candidate is None:
            stdin = held.get(self.path)
            return read_records(self.path, PAIR_FIELDS, stdin=stdin, lists=lists, extra=extra, columns=self.columns)
        if self.how == "texts":
            named = {"reference": self.path, "candidate": self.candidate}
            texts = {field: read_text(name, stdin=held.get(name)) for field, name in named.items()}
            return iter([Record(self.candidate, self.candidate, texts)])
        if self.how == "lines":
            return pairs_by_line(self.path, self.candidate, held)
        return join_by_id(self.path, self.candidate, self.columns, held)

    def snapshot(self) -> InputState:
        """Return a snapshot of the files: the hash of their bytes, copies of those that can be read only once (close them), and
        the state of the others. Raises InputError if a file cannot be read."""
        hashes: list[str] = []
        held: dict[str, BinaryIO] = {}
        states: dict[str, State] = {}
        for name in self.files:
            with as_input_error(name):
                if is_file(name):
                    states[name] = file_state(name)
                stream = open_bytes(name) if name in states else spool_copy(name)
                hashes.append(hashlib.file_digest(stream, "sha256").hexdigest())  # type: ignore[arg-type]
                if name in states:
                    stream.close()
                else:
                    stream.seek(0)
                    held[name] = stream
        hashes += [str(sorted(self.columns.given.items()))] if self.columns.given else []
        return InputState(digest_of(hashes), held, states)


@dataclass(frozen=True, slots=True)
class InputState:
    """The content of the input files when they were hashed: `digest`, copies of pipes, and the `states` of files."""

    digest: str
    held: Held
    states: Mapping[str, State]

    def check(self) -> None:
        """Raise an InputError if a file has changed since."""
        for name, state in self.states.items():
            check_unchanged(name, state)


def digest_of(hashes: Sequence[str]) -> str:
    """Return the hash of an input: of the bytes of one file, or of the hashes of several."""
    return hashes[0] if len(hashes) == 1 else hashlib.sha256(" ".join(hashes).encode()).hexdigest()


def pairs_by_line(reference: str, candidate: str, held: Held = NONE) -> Iterator[Record | BadRecord]:
    """Yield a pair for each line of two text files; its id is the line number. Raises InputError if a file cannot be read, or
    they have different numbers of lines."""
    left, right = (read_lines(name, stdin=held.get(name)) for name in (reference, candidate))
    if len(left) != len(right):
        rule = "line N of both is one pair (write a line break inside a report as a blank)"
        raise InputError(f"{candidate}: has {len(right):,} lines and {reference} has {len(left):,}; {rule}")
    yield from pairs_of(left, right, lambda number: f"{candidate}:{number}")


def join_by_id(reference: str, candidate: str, columns: Columns = AS_THEY_ARE, held: Held = NONE) -> Iterator[Record | BadRecord]:
    """Yield the pair of every id, in the order of the references, then ids found only in the candidates; an id missing from one
    file is a bad record. Both files hold `id` and `report` (JSONL, CSV, Parquet, FHIR); further fields are the reference's.
    Raises InputError if a file as a whole cannot be read."""
    nameless: list[BadRecord] = []
    with TextStore() as candidates:
        for record in read_records(candidate, ("report",), stdin=held.get(candidate), columns=columns):
            if record.id is not None:
                candidates.setdefault(record.id, _pack_record(record))
            elif isinstance(record, BadRecord):
                nameless.append(record)
        for record in read_records(reference, ("report",), stdin=held.get(reference), extra=None, columns=columns):
            yield record if isinstance(record, BadRecord) else _pair(record, candidates.pop(record.id), candidate)
        for kept in candidates.values():
            where, id, _, _ = json.loads(kept)
            yield BadRecord(where, id, f"no report of this id in {reference}; use the same ids in both")
    yield from nameless


def _pack_record(record: Record | BadRecord) -> str:
    report, reason = (None, record.reason) if isinstance(record, BadRecord) else (record.fields["report"], None)
    return json.dumps([record.where, record.id, report, reason])


def _pair(record: Record, kept: str | None, candidate: str) -> Record | BadRecord:
    if kept is None:
        return BadRecord(record.where, record.id, f"no report of this id in {candidate}; use the same ids in both", record.extra)
    where, _, report, reason = json.loads(kept)
    if report is None:
        return BadRecord(where, record.id, f"the candidate: {reason}", record.extra)
    return Record(record.where, record.id, {"reference": record.fields["report"], "candidate": report}, extra=record.extra)


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of a path or URL, and the path there. Raises InputError if the URL is not supported."""
    try:
        import fsspec

        return fsspec.core.url_to_fs(url)  # type: ignore[no-any-return]
    except ModuleNotFoundError:
        raise MissingExtraError(DASK_EXTRA) from None
    except (ImportError, ValueError) as error:
        raise InputError(f"{url}: cannot be reached ({str(error).splitlines()[0]})") from None


def folder_at(url: str) -> Any:
    """Return a folder as a file system of its own. Raises InputError if the URL is not supported."""
    files, path = file_system(url)
    from fsspec.implementations.dirfs import DirFileSystem

    return DirFileSystem(path, files)


def input_files(source: str) -> list[tuple[str, str, str]]:
    """Return the files that a path, pattern or folder names: path or URL, SHA-256, and a fingerprint that changes when the file
    is written to. Raises InputError if one is of another kind or unreadable."""
    (files, path), found = file_system(source), [source]
    if any(sign in source for sign in "*?["):
        found = glob(source) if "://" not in source else [files.unstrip_protocol(one) for one in files.glob(path)]
    elif files.isdir(path):
        names = (one.rpartition("/")[2] for one in files.ls(path, detail=False))
        found = [f"{source.rstrip('/')}/{name}" for name in names if name.lower().endswith(_DASK_KINDS)]
    if not found:
        raise InputError(f"{source}: names no file; give .jsonl or .parquet files, or a folder of them")
    if other := [name for name in found if not name.lower().endswith(_DASK_KINDS)]:
        raise InputError(f"{other[0]}: --engine dask reads .jsonl, .ndjson and .parquet; write it as one of these")
    inputs = []
    for name in sorted(found):
        files, path = file_system(name)
        with file_errors(InputError, name), files.open(path, "rb") as stream:
            mark = files.ukey(path)
            inputs.append((name, hashlib.file_digest(stream, "sha256").hexdigest(), mark))
    return inputs


def input_records(inputs: Sequence[tuple[str, str, str]]) -> Iterator[Record | BadRecord]:
    """Yield the records of all files in order. Raises InputError if one cannot be read or has changed since `input_files`."""
    with TextStore() as seen:
        for name, _, mark in inputs:
            files, path = file_system(name)
            with file_errors(InputError, name), files.open(path, "rb") as stream:
                yield from records_of(file_rows(name, (PAIR_FIELDS,), stream, None), (PAIR_FIELDS,), seen, extra=None)
                files.invalidate_cache()
                if files.ukey(path) != mark:
                    raise InputError(f"{name}: has changed while it was read; run the same command again when it is complete")


@contextmanager
def file_errors(kind: type[KgscoreError], url: str) -> Iterator[None]:
    """Convert an error of a file system into one line of this kind."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or type(error).__name__).lower()
        raise kind(f"{url}: cannot be read or written ({why}); check it and run the same command again") from None
