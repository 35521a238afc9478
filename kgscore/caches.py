"""Bounded caches: texts by key in an unnamed temporary file, and dictionaries with a size limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")
_AT_ONCE = 10_000  # writes per commit; a commit moves pages from memory to the file


class TextStore:
    """Texts by key, in insertion order. SQLite keeps some megabytes in memory and the rest in an unnamed file,
    which is deleted on close. Use it in a `with` statement.

    >>> with TextStore() as texts:
    ...     texts.setdefault("a", "first"), texts.setdefault("a", "second"), texts.pop("a"), texts.pop("a")
    ('first', 'first', 'first', None)
    """

    def __init__(self) -> None:
        import sqlite3  # imported late: commands that read nothing start without it

        self._connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("PRAGMA cache_size = -32000")
        self._connection.execute("CREATE TABLE kept (key BLOB PRIMARY KEY, value BLOB NOT NULL)")
        self._connection.execute("BEGIN")
        self._written = 0

    def __enter__(self) -> TextStore:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._connection.close()

    def setdefault(self, key: str, value: str, /) -> str:
        """Return the text under the key, inserting this text if there is none."""
        row = (key.encode("utf-8", "surrogatepass"), value.encode("utf-8", "surrogatepass"))
        if not self._connection.execute("INSERT OR IGNORE INTO kept VALUES (?, ?)", row).rowcount:
            return self._get(row[0]) or ""
        self._written += 1
        if self._written % _AT_ONCE == 0:
            self._connection.execute("COMMIT")
            self._connection.execute("BEGIN")
        return value

    def pop(self, key: str) -> str | None:
        """Remove and return the text under the key; None if there is none."""
        packed = key.encode("utf-8", "surrogatepass")
        found = self._get(packed)
        self._connection.execute("DELETE FROM kept WHERE key = ?", (packed,))
        return found

    def values(self) -> Iterator[str]:
        """Yield the texts in insertion order."""
        for (value,) in self._connection.execute("SELECT value FROM kept ORDER BY rowid"):
            yield value.decode("utf-8", "surrogatepass")

    def _get(self, key: bytes) -> str | None:
        row = self._connection.execute("SELECT value FROM kept WHERE key = ?", (key,)).fetchone()
        return row and str(row[0], "utf-8", "surrogatepass")


class Numbering(Generic[K]):
    """Assigns a number from 1 up to each distinct item. Items are evicted as in `BoundedDict`, and a number is never reused, so
    values may be cached by number.

    >>> number = Numbering(2)
    >>> [number(thing) for thing in "abacab"]
    [1, 2, 1, 3, 4, 5]
    """

    def __init__(self, limit: int = 100_000) -> None:
        self._given: BoundedDict[K, int] = BoundedDict(limit)
        self._last = 0

    def __call__(self, thing: K) -> int:
        found = self._given.get(thing)
        if found is None:
            self._last += 1
            found = self._given[thing] = self._last
        return found


class BoundedDict(dict[K, V]):
    """A cache dictionary that is emptied when full, so that memory stays bounded in a long run.

    >>> few = BoundedDict(2)
    >>> few.update(a=1); few["b"] = 2; few["c"] = 3
    >>> few
    {'c': 3}
    """

    def __init__(self, limit: int = 100_000) -> None:
        super().__init__()
        self._limit = limit

    def __setitem__(self, key: K, value: V) -> None:
        if len(self) >= self._limit:
            self.clear()
        super().__setitem__(key, value)


class MemoizedDict(BoundedDict[K, V]):
    """A cache of a function's result for each key.

    >>> lengths = MemoizedDict(len, 2)
    >>> lengths["abc"], lengths["abc"], lengths
    (3, 3, {'abc': 3})
    """

    def __init__(self, make: Callable[[K], V], limit: int = 100_000) -> None:
        super().__init__(limit)
        self._make = make

    def __missing__(self, key: K) -> V:
        found = self[key] = self._make(key)
        return found
