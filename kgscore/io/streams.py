"""The bytes of users' files: plain, compressed or piped, within size limits, and unchanged between two reads."""

from __future__ import annotations

import gzip
import io
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from kgscore.errors import InputError

_MOST_TIMES, _FREE = 200, 64_000_000  # maximum expansion of a .gz file, checked beyond so many bytes; text expands 3 to 20 times
_SPOOL_BYTES = 64_000_000
_BUFFER = 1 << 18
State = tuple[int, int, int, int]


def error_reason(error: OSError) -> str:
    """Return why a file cannot be opened or read."""
    return (error.strerror or type(error).__name__).lower()


def open_bytes(source: str, stdin: BinaryIO | None = None) -> BinaryIO:
    """Return the bytes of a file (decompressed if .gz), or of standard input for `-`; `stdin` if its content was already read.
    Raises InputError if it cannot be opened."""
    if stdin is not None:
        return stdin
    if source == "-":
        return sys.stdin.buffer
    with as_input_error(source):
        return decompress(source) if source.lower().endswith(".gz") else Path(source).open("rb")


@contextmanager
def as_input_error(source: str) -> Iterator[None]:
    """Convert an error from reading a file into a one-line message."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise InputError(f"{source}: is not a complete .gz file; compress or copy it again") from None
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error_reason(error)}); check the path and its permissions") from None


def decompress(source: str | Path) -> BinaryIO:
    """Return a decompressing stream of a .gz file. Reading raises an InputError if it expands more than text does. Raises OSError
    if it cannot be opened."""
    return cast(BinaryIO, io.BufferedReader(_Unpacked(str(source)), _BUFFER))


class _Unpacked(io.RawIOBase):
    def __init__(self, source: str) -> None:
        self._source = source
        self._packed = open(source, "rb")  # noqa: SIM115
        self._zip = gzip.GzipFile(fileobj=self._packed)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return self._packed.seekable()

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        count = self._zip.readinto(buffer)
        size = self._zip.tell()
        if size > _FREE and size > _MOST_TIMES * os.fstat(self._packed.fileno()).st_size and self.seekable():
            raise InputError(f"{self._source}: expands to over {_MOST_TIMES} times its size, unlike a report; check the file")
        return count

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._zip.seek(offset, whence)

    def tell(self) -> int:
        return self._zip.tell()

    def close(self) -> None:
        self._zip.close()
        self._packed.close()
        super().close()


def is_file(source: str) -> bool:
    """Return whether a source is a regular file that can be read twice, not standard input, a pipe or a device."""
    return source != "-" and Path(source).is_file()


def spool_copy(source: str) -> BinaryIO:
    """Return a re-readable copy of a pipe or standard input: in memory, or in an unnamed temporary file if it is long. Raises
    InputError if it cannot be opened."""
    stream = open_bytes(source)
    spool = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES))  # noqa: SIM115
    try:
        shutil.copyfileobj(stream, spool)
    except BaseException:
        spool.close()
        raise
    finally:
        if source != "-":
            stream.close()
    spool.seek(0)
    return spool


def file_state(source: str) -> State:
    """Return a fingerprint that changes when a file is replaced or written to. Raises OSError if the file does not exist."""
    found = os.stat(source)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def check_unchanged(source: str, before: State) -> None:
    """Raise an InputError if a file has changed since it was read."""
    try:
        same = file_state(source) == before
    except OSError:
        same = False
    if not same:
        raise InputError(f"{source}: changed while it was being read; run the command again when it is complete")
