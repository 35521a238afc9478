"""Users' XML files: one at a time, with a size limit and without entity declarations."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from kgscore.errors import InputError
from kgscore.io.formats import MAX_DOCUMENT_BYTES
from kgscore.io.streams import error_reason

Element = ElementTree.Element


def parse(path: Path) -> Element:
    """Return the root of an XML file.

    Raises:
        InputError: it cannot be read, is too large, is not XML, or declares entities (which can expand a small file enormously).
    """
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_DOCUMENT_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error_reason(error)}); check the path") from None
    if len(data) > MAX_DOCUMENT_BYTES:
        raise InputError(f"{path}: is larger than {MAX_DOCUMENT_BYTES // 1_000_000} MB; split it")
    # In UTF-16 every second byte is zero, so the declaration would not be found.
    if b"<!ENTITY" in data.replace(b"\0", b""):
        raise InputError(f"{path}: declares entities, which are not allowed; write the file without them")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        line = getattr(error, "position", (0,))[0]
        raise InputError(f"{path}: cannot be parsed as XML (line {line}); take the file as it was downloaded") from None


def words(element: Element | None) -> str:
    """Return the text of an element with single blanks, "" if there is none."""
    return "" if element is None else " ".join("".join(element.itertext()).split())
