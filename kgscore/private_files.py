"""Files that hold reports, and caches: readable by their owner only, complete or absent, and checked before they are used."""

from __future__ import annotations

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
_NEWBORN = 2.0  # seconds that a temporary file may take to be locked by its process
_DAY = 86_400.0
_DIGEST = 65  # characters of a checksum and a line break


class _Mask:
    """The file mode mask of this process, which its threads share: the last one to finish restores it."""

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
def whole(path: Path) -> Iterator[IO[bytes]]:
    """Give a stream whose bytes become the file, of mode 0600, when all of them are written; a device or pipe is written to.

    Raises:
        OSError: it cannot be written.
    """
    if (path.exists() and not path.is_file()) or str(path).startswith("/dev/"):
        with path.open("wb") as stream:
            yield stream
        return
    target = path.resolve()  # a link to a file stays a link
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
def scratch(parent: Path | None = None) -> Iterator[Path]:
    """Give a temporary folder of mode 0700. Those that killed processes have left in the same place are removed first.

    Raises:
        OSError: it cannot be made.
    """
    place, prefix = Path(parent or tempfile.gettempdir()), ".kgscore-"
    sweep(place, prefix)
    with tempfile.TemporaryDirectory(dir=place, prefix=prefix, ignore_cleanup_errors=True) as name, locked(Path(name)):
        yield Path(name)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder for this process and thread; whoever else wants it waits. Where folders cannot be locked, nobody waits."""
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
    """Remove temporary files and folders that processes of this user have left: those that nobody has locked, or that are `age`
    seconds old if it is given."""
    with suppress(OSError):
        for path in folder.glob(f"{_quoted(prefix)}{_RANDOM}{suffix}"):
            with suppress(OSError):
                state = path.lstat()
                old = time.time() - state.st_mtime
                if _is_mine(state) and (old > age if age is not None else old > _NEWBORN and not _is_held(path, old)):
                    shutil.rmtree(path) if stat.S_ISDIR(state.st_mode) else path.unlink()


def _quoted(text: str) -> str:
    return "".join(f"[{one}]" if one in "*?[" else one for one in text)


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


# --- caches ---


def sealed(data: bytes) -> bytes:
    """Return data with its checksum in front."""
    return _seal(data) + data


def unsealed(data: bytes) -> bytes | None:
    """Return the data that `sealed` was given, None if a bit of it has changed.

    >>> unsealed(sealed(b"kept")), unsealed(sealed(b"kept")[:-1])
    (b'kept', None)
    """
    held = data[_DIGEST:]
    return held if data[:_DIGEST] == _seal(held) else None


def _seal(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode() + b"\n"


def write_sealed(path: Path, data: bytes) -> None:
    """Write a file of a cache, complete or not at all, with its checksum; the folder of the cache is made of mode 0700.

    Raises:
        OSError: it cannot be written.
    """
    with OWNER_ONLY:
        path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as stream:
        stream.write(sealed(data))


def read_sealed(path: Path) -> bytes | None:
    """Return what `write_sealed` wrote; None if there is no such file, if it is damaged, or if another user may have written
    it."""
    try:
        with path.open("rb") as stream:
            state = os.fstat(stream.fileno())
            trusted = state.st_uid == 0 or _is_mine(state)
            if not trusted or (hasattr(os, "geteuid") and state.st_mode & 0o022):
                return None
            return unsealed(stream.read())
    except OSError:
        return None
