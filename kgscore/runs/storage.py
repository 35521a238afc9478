"""Files and folders wherever fsspec finds them: this machine, a shared disk, an object store."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import IO, Any

from kgscore.errors import InputError, KgscoreError, MissingExtraError, RunError
from kgscore.private_files import OWNER_ONLY

_KINDS = (".jsonl", ".ndjson", ".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class Input:
    """A file of pairs: `name` as people know it, which places of records begin with, and `url`, where any worker finds it. With a
    `mark`, what it held when that was made is read, or nothing."""

    name: str
    url: str
    mark: str = ""

    @property
    def is_parquet(self) -> bool:
        """Whether the file is Parquet; otherwise it is JSON lines."""
        return self.name.lower().endswith((".parquet", ".pq"))

    @contextmanager
    def opened(self) -> Iterator[IO[bytes]]:
        """Give the bytes of the file.

        Raises:
            InputError: it cannot be opened or read, or has changed.
        """
        files, path = _found(self.url)
        remedy = "every worker needs to reach it"
        with _reaching(InputError, f"{self.name}: cannot be read", remedy), files.open(path, "rb") as stream:
            before = self.mark or files.ukey(path)
            yield stream
            files.invalidate_cache()
            if files.ukey(path) != before:
                raise InputError(f"{self.name}: has changed while it was read; run the same command again when it is complete")

    def marked(self) -> Input:
        """Return the file as it is now.

        Raises:
            InputError: it cannot be reached.
        """
        files, path = _found(self.url)
        with _reaching(InputError, f"{self.name}: cannot be read", "every worker needs to reach it"):
            return replace(self, mark=files.ukey(path))


def inputs_of(source: str) -> list[Input]:
    """Return the files that a path, a pattern or a folder names (of a folder, its JSON lines and Parquet files), by name.

    Raises:
        InputError: there is none, or one is of another kind.
    """
    files, path = _found(source)
    with _reaching(InputError, f"{source}: cannot be read", "check the path and its permissions"):
        if any(sign in source for sign in "*?["):
            found = sorted(glob(source) if _is_path(source) else map(files.unstrip_protocol, files.glob(path)))
        elif files.isdir(path):
            names = [one.rpartition("/")[2] for one in files.ls(path, detail=False) if one.lower().endswith(_KINDS)]
            found = [f"{source.rstrip('/')}/{name}" for name in sorted(names)]
        else:
            found = [source]
    if not found:
        raise InputError(f"{source}: names no file; give .jsonl or .parquet files, or a folder of them")
    for name in found:
        if not name.lower().endswith(_KINDS):
            raise InputError(f"{name}: --engine dask reads .jsonl, .ndjson and .parquet; write it as one of these")
    return [Input(name, _anywhere(name)) for name in found]


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder by its URL. What is written is there whole or not at all."""

    url: str

    @classmethod
    def of(cls, path: str | Path) -> Folder:
        """Return the folder at a path or URL; a path on this machine is made absolute.

        Raises:
            InputError: nothing is known of such a URL.
        """
        _found(str(path))
        return cls(_anywhere(str(path)).rstrip("/"))

    def write(self, name: str, data: bytes) -> None:
        """Write a file: under another name first, then under its own.

        Raises:
            RunError: it cannot be written.
        """
        files, root = _found(self.url)
        path = f"{root}/{name}"
        scratch = f"{path}.{uuid.uuid4().hex}.tmp"
        with _reaching(RunError, f"{self.url}/{name}: cannot be written", "check the folder and the space"), OWNER_ONLY:
            files.makedirs(path.rpartition("/")[0], exist_ok=True)
            files.pipe_file(scratch, data)
            files.mv(scratch, path)

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a file, None if it is not there.

        Raises:
            RunError: it cannot be read.
        """
        files, root = _found(self.url)
        with _reaching(RunError, f"{self.url}/{name}: cannot be read", "check the folder"), suppress(FileNotFoundError):
            found: bytes = files.cat_file(f"{root}/{name}")
            return found
        return None

    def names(self, below: str) -> list[str]:
        """Return the names of the files in a folder below this one, sorted; none if it is not there."""
        files, root = _found(self.url)
        files.invalidate_cache()
        with suppress(FileNotFoundError):
            return sorted(path.rpartition("/")[2] for path in files.ls(f"{root}/{below}", detail=False))
        return []

    def remove(self, name: str = "") -> None:
        """Remove what is under a name, or the folder itself; it may be gone already."""
        files, root = _found(self.url)
        with suppress(FileNotFoundError):
            files.rm(f"{root}/{name}".rstrip("/"), recursive=True)


def _found(url: str) -> tuple[Any, str]:
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError("--engine dask needs dask and fsspec; install them with: pip install 'kgscore[dask]'") from None
    try:
        files, path = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        raise InputError(f"{url}: cannot be reached ({str(error).splitlines()[0]})") from None
    return files, path


def _is_path(source: str) -> bool:
    return "://" not in source


def _anywhere(source: str) -> str:
    """Return the path or URL that any worker finds: a path on this machine is made absolute."""
    return str(Path(source).absolute()) if _is_path(source) else source


@contextmanager
def _reaching(kind: type[KgscoreError], what: str, remedy: str) -> Iterator[None]:
    """Turn an error of a file system into one line."""
    try:
        yield
    except OSError as error:
        why = (error.strerror or str(error) or type(error).__name__).lower()
        raise kind(f"{what} ({why}); {remedy}") from None
