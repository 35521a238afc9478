"""Escaping of untrusted text for terminals and spreadsheets."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import IO, Any

# Control characters (except tab and line feed), characters that change direction or break lines, and lone surrogates.
_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)


def escape_controls(text: str) -> str:
    r"""Return text with control characters, direction controls and lone surrogates as escapes.

    >>> escape_controls("a\x1b[31mb\x9b1m\tc\u202e")
    'a\\x1b[31mb\\x9b1m\tc\\u202e'
    """
    return _ACTS.sub(lambda found: ("\\x%02x" if found[0] < "\xa0" else "\\u%04x") % ord(found[0]), text)


def visible_json(text: str) -> str:
    r"""Return a JSON text of the same value without characters that act on a terminal.

    >>> visible_json('"a\x9b1m"')
    '"a\\u009b1m"'
    """
    return _ACTS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def spreadsheet_cell(value: Any) -> Any:
    """Return a value for a spreadsheet: text that would be taken for a formula is prefixed with an apostrophe; numbers, also as
    text, are unchanged.

    >>> [spreadsheet_cell(value) for value in ("=1+1", "-effusion", "-1.5", -1.5, "a=b")]
    ["'=1+1", "'-effusion", '-1.5', -1.5, 'a=b']
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.match(value) else value


class SafeCsv:
    """Writes rows as CSV with line feeds: no cell is a formula, and cells with any kind of line break are quoted."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._writer = csv.writer(self, lineterminator="\r\n")  # quotes cells with either character

    def row(self, cells: Iterable[Any]) -> None:
        """Write a row."""
        self._writer.writerow([spreadsheet_cell(one) for one in cells])

    def write(self, line: str) -> int:
        """Receive a line from the `csv` module."""
        return self._stream.write(line.removesuffix("\r\n") + "\n")


class EscapingStream:
    """A text stream that escapes characters that act on a terminal; `raw` is the underlying stream, for colours."""

    def __init__(self, raw: IO[str]) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write text."""
        return self.raw.write(escape_controls(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def unwrap(stream: IO[str]) -> IO[str]:
    """Return the underlying stream of an `EscapingStream`, or any other stream itself."""
    return stream.raw if isinstance(stream, EscapingStream) else stream


class EscapingByteStream:
    """A byte stream to a terminal, escaping like `EscapingStream`; bytes that are not UTF-8 are shown too."""

    def __init__(self, raw: IO[bytes]) -> None:
        self.raw = raw

    def write(self, data: bytes) -> int:
        """Write UTF-8 text."""
        self.raw.write(escape_controls(bytes(data).decode("utf-8", "backslashreplace")).encode())
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)
