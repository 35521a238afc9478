"""Text of others, written so that a terminal or a spreadsheet shows it and does nothing else."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import IO, Any

# What a terminal obeys (but tab and line feed), what turns or breaks lines, and what UTF-8 has no form for.
_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_FORMULA = re.compile("[=+\\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)


def visible(text: str) -> str:
    r"""Return text with control characters, those that turn its direction and lone surrogates as escapes.

    >>> visible("a\x1b[31mb\x9b1m\tc\u202e")
    'a\\x1b[31mb\\x9b1m\tc\\u202e'
    """
    return _ACTS.sub(lambda found: ("\\x%02x" if found[0] < "\xa0" else "\\u%04x") % ord(found[0]), text)


def visible_json(text: str) -> str:
    r"""Return a JSON text of the same value in which no character does anything to a terminal.

    >>> visible_json('"a\x9b1m"')
    '"a\\u009b1m"'
    """
    return _ACTS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def cell(value: Any) -> Any:
    """Return a value for a spreadsheet: a text that it would take for a formula begins with an apostrophe; numbers, also as text,
    stay.

    >>> [cell(value) for value in ("=1+1", "-effusion", "-1.5", -1.5, "a=b")]
    ["'=1+1", "'-effusion", '-1.5', -1.5, 'a=b']
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) and not _NUMBER.match(value) else value


class SafeCsv:
    """Writes rows as CSV, with line feeds: no cell is a formula, and one that holds any line break is in quotes."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._writer = csv.writer(self, lineterminator="\r\n")  # quotes what holds either

    def row(self, cells: Iterable[Any]) -> None:
        """Write a row."""
        self._writer.writerow([cell(one) for one in cells])

    def write(self, line: str) -> int:
        """Write a line as the `csv` module makes it."""
        return self._stream.write(line.removesuffix("\r\n") + "\n")


class EscapingStream:
    """A text stream that writes what would act on a terminal as escapes; `raw` is the stream behind it, for colours."""

    def __init__(self, raw: IO[str]) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        """Write text."""
        return self.raw.write(visible(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


def raw(stream: IO[str]) -> IO[str]:
    """Return the stream behind a `EscapingStream`, or any other stream itself."""
    return stream.raw if isinstance(stream, EscapingStream) else stream


class EscapingByteStream:
    """A byte stream to a terminal, as `EscapingStream`; what is no UTF-8 is shown too."""

    def __init__(self, raw: IO[bytes]) -> None:
        self.raw = raw

    def write(self, data: bytes) -> int:
        """Write UTF-8 text."""
        self.raw.write(visible(bytes(data).decode("utf-8", "backslashreplace")).encode())
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)
