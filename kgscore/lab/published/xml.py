"""XML files that users bring: one at a time, with a limit of size and without entities of their own."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from kgscore.errors import InputError
from kgscore.io.formats import MAX_DOCUMENT_BYTES
from kgscore.io.streams import why

Element = ElementTree.Element


def parse(path: Path) -> Element:
    """Return the root of an XML file.

    Raises:
        InputError: it cannot be read, is too large, is no XML, or declares entities (which can make a small file very large).
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_DOCUMENT_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({why(error)}); check the path") from None
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(f"{path}: is larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB; split it")
    # In UTF-16 every second byte is zero: the declaration would not be found.
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise InputError(f"{path}: declares entities, which are not read; write the file without them")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        line = getattr(error, "position", (0,))[0]
        raise InputError(f"{path}: is no XML that can be read (line {line}); take the file as it was downloaded") from None


def words(element: Element | None) -> str:
    """Return the text of an element with single blanks, "" where there is none."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
