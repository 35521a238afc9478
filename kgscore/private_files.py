"""Files with reports, and caches: owner-only permissions, atomic writes, checked before use."""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

fcntl: Any = None
with suppress(ImportError):  # not on Windows
    import fcntl

_RANDOM = "[a-z0-9_]" * 8  # what `tempfile` puts into a name
_NEWBORN = 2.0  # seconds within which a process locks its temporary file
_DAY = 86_400.0
_DIGEST = 65  # characters of a checksum and a line break


class _Mask:
    """The process-wide umask, shared by threads: the last one to finish restores it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth = self._before = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._depth:
                self._before = os.umask(0o077)
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if not self._depth:
                os.umask(self._before)


# Files and folders that are created in `with OWNER_ONLY:` have the modes 0600 and 0700, whichever library creates them.
OWNER_ONLY = _Mask()


@contextmanager
def atomic_file(path: Path) -> Iterator[IO[bytes]]:
    """Yield a stream that becomes the file, with mode 0600, once all bytes are written; a device or pipe is written directly.
    Raises OSError if the file cannot be written."""
    if (path.exists() and not path.is_file()) or str(path).startswith("/dev/"):
        with path.open("wb") as stream:
            yield stream
        return
    target = path.resolve()  # keep a symbolic link to a file
    prefix = f".{target.name[:100]}."
    sweep(target.parent, prefix, ".part")
    handle, name = tempfile.mkstemp(".part", prefix, target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            _lock(handle)
            yield stream
        os.replace(name, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


@contextmanager
def temporary_folder(parent: Path | None = None) -> Iterator[Path]:
    """Yield a temporary folder with mode 0700. Those left there by killed processes are removed first. Raises OSError if it
    cannot be created."""
    place, prefix = Path(parent or tempfile.gettempdir()), ".kgscore-"
    sweep(place, prefix)
    with tempfile.TemporaryDirectory(dir=place, prefix=prefix, ignore_cleanup_errors=True) as name, lock_folder(Path(name)):
        yield Path(name)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for this process and thread; others wait. On file systems without locks, nobody waits."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def sweep(folder: Path, prefix: str, suffix: str = "", *, age: float | None = None) -> None:
    """Remove temporary files and folders left by this user's processes: those that are not locked, or, if `age` is given,
    those at least `age` seconds old."""
    with suppress(OSError):
        for path in folder.glob(f"{glob.escape(prefix)}{_RANDOM}{suffix}"):
            with suppress(OSError):
                state = path.lstat()
                old = time.time() - state.st_mtime
                if _is_mine(state) and (old > age if age is not None else old > _NEWBORN and not _is_held(path, old)):
                    shutil.rmtree(path) if stat.S_ISDIR(state.st_mode) else path.unlink()


def _lock(handle: int) -> None:
    if fcntl is not None:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_held(path: Path, old: float) -> bool:
    if fcntl is None:
        return old < _DAY
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(handle)
    return False


def _is_mine(state: os.stat_result) -> bool:
    return not hasattr(os, "geteuid") or state.st_uid == os.geteuid()


def add_checksum(data: bytes) -> bytes:
    """Return data prefixed with its checksum."""
    return _seal(data) + data


def remove_checksum(data: bytes) -> bytes | None:
    """Return the data passed to `add_checksum`, None if it is corrupted.

    >>> remove_checksum(add_checksum(b"kept")), remove_checksum(add_checksum(b"kept")[:-1])
    (b'kept', None)
    """
    held = data[_DIGEST:]
    return held if data[:_DIGEST] == _seal(held) else None


def _seal(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode() + b"\n"


def write_sealed(path: Path, data: bytes) -> None:
    """Write a cache file atomically, with its checksum; the cache folder is created with mode 0700. Raises OSError if it cannot
    be written."""
    with OWNER_ONLY:
        path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as stream:
        stream.write(add_checksum(data))


def read_sealed(path: Path) -> bytes | None:
    """Return the data written by `write_sealed`; None if the file is missing, damaged, or may have been written by another
    user."""
    try:
        with path.open("rb") as stream:
            state = os.fstat(stream.fileno())
            trusted = state.st_uid == 0 or _is_mine(state)
            writable = hasattr(os, "geteuid") and state.st_mode & 0o022
            return remove_checksum(stream.read()) if trusted and not writable else None
    except OSError:
        return None
