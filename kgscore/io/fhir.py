"""FHIR R4 DiagnosticReport resources as reports: one resource, a Bundle, or one per line (NDJSON, as in bulk exports).

Specification: https://hl7.org/fhir/R4/diagnosticreport.html
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from typing import Any

from kgscore.errors import InputError

_BLOCKS = frozenset((
    "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "section", "table", "tr",
    "ul",
))  # fmt: skip
_CELLS, _HIDDEN = frozenset(("td", "th")), frozenset(("script", "style", "head", "title"))
_VOID = frozenset(("cancelled", "entered-in-error"))
_LIMIT = 16_000_000  # maximum bytes of an attachment


def is_fhir(row: object) -> bool:
    """Return whether a JSON value is a FHIR resource.

    >>> is_fhir({"resourceType": "Bundle", "type": "collection"}), is_fhir({"id": "a", "report": "Normal."})
    (True, False)
    """
    return isinstance(row, Mapping) and isinstance(row.get("resourceType"), str)


def reports_of(resource: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any] | str]]:
    """Yield the place and the row of every DiagnosticReport in a resource; instead of a bad row, the reason.

    A row has `id` (the value of the first identifier, which systems share; else the resource's own id), `report`, and if the
    resource has them, `code`, `category`, `patient`, `effective`, `status` and `resource` (its own id). The report is the text of
    `presentedForm` (text/plain, else text/html), else that of `text.div`; a `conclusion` that it does not contain is appended as
    IMPRESSION. Other resources of a Bundle are skipped."""
    if resource.get("resourceType") == "Bundle":
        entries = resource.get("entry")
        found = False
        for number, entry in enumerate(entries if isinstance(entries, list) else (), 1):
            inner = _get(entry, "resource")
            if _get(inner, "resourceType") in ("DiagnosticReport", "Bundle"):
                found = True
                for place, row in reports_of(inner):
                    yield ", ".join(filter(None, (f"entry {number}", place))), row
        if not found:
            yield "", "the Bundle contains no DiagnosticReport; give one that does"
    elif resource.get("resourceType") == "DiagnosticReport":
        id = resource.get("id")
        place = f"DiagnosticReport/{id}" if isinstance(id, str) else ""
        try:
            row = _row(resource)
        except InputError as error:
            name = _identifier(resource)
            yield place, Unusable(str(error), name if isinstance(name, str) else None)
        else:
            yield place, row
    else:
        kind = str(resource["resourceType"])[:40]
        yield "", f"the resource is a {kind}; give DiagnosticReport resources or a Bundle of them"


def _row(resource: Mapping[str, Any]) -> Mapping[str, Any]:
    status = resource.get("status")
    if status in _VOID:
        raise InputError(f"the DiagnosticReport has status '{status}'; leave it out")
    row = {
        "id": _identifier(resource), "report": _text(resource), "resource": resource.get("id"), "status": status,
        "code": _concept(resource.get("code")), "category": _concept(_first(resource.get("category"))),
        "patient": _get(resource.get("subject"), "reference"),
        "effective": resource.get("effectiveDateTime") or _get(resource.get("effectivePeriod"), "start"),
    }  # fmt: skip
    return {name: value for name, value in row.items() if value is not None}


def _text(resource: Mapping[str, Any]) -> str:
    """Return the report text. Raises InputError if there is none, or if it cannot be decoded."""
    given = resource.get("presentedForm")
    attachments = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    parts = _decoded(attachments, "text/plain") or [*map(_plain, _decoded(attachments, "text/html"))]
    div, conclusion = _get(resource.get("text"), "div"), resource.get("conclusion")
    if not parts and isinstance(div, str):
        parts.append(_plain(div))
    said = _collapse_blanks(" ".join(parts))
    if isinstance(conclusion, str) and conclusion.strip() and _collapse_blanks(conclusion).rstrip(". ") not in said:
        parts.append(f"IMPRESSION: {conclusion}")
    if parts:
        return "\n".join(part.strip() for part in parts)
    kinds = ", ".join(sorted(set(map(_kind, attachments))))
    held = f"only presentedForm of {kinds}" if kinds else "no presentedForm, text or conclusion"
    raise InputError(f"the DiagnosticReport holds {held}; give its words as presentedForm of text/plain")


def _decoded(attachments: Iterable[Mapping[str, Any]], kind: str) -> list[str]:
    """Return the texts of the attachments of a kind. Raises InputError for data that is not text."""
    return [_decode(one) for one in attachments if _kind(one) == kind and isinstance(one.get("data"), str)]


def _kind(attachment: Mapping[str, Any]) -> str:
    return str(attachment.get("contentType", "")).partition(";")[0].strip().lower() or "no contentType"


def _decode(attachment: Mapping[str, Any]) -> str:
    charset = re.search(r"charset=\"?([\w-]+)", str(attachment.get("contentType", "")), re.IGNORECASE)
    try:
        if len(attachment["data"]) > _LIMIT * 4 // 3:
            raise ValueError
        return base64.b64decode("".join(attachment["data"].split()), validate=True).decode(charset[1] if charset else "utf-8-sig")
    except (binascii.Error, UnicodeDecodeError, LookupError, ValueError):
        raise InputError("presentedForm.data is not base64 of text; encode the text again") from None


class Unusable(str):
    """A reason why a resource cannot be used, with its `id` if it has one."""

    id: str | None

    def __new__(cls, reason: str, id: str | None) -> Unusable:
        """Create it from a reason and an id."""
        made = super().__new__(cls, reason)
        made.id = id
        return made


class _Words(HTMLParser):
    """Extracts text from XHTML: blocks end a line, scripts and styles are skipped."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._hidden += tag in _HIDDEN
        if tag in _BLOCKS or tag in _CELLS:
            self.parts.append("\n" if tag in _BLOCKS else " ")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in _HIDDEN and self._hidden > 0
        if tag in _BLOCKS:
            self.parts.append("\n")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(re.sub(r"\s+", " ", data))


def _plain(html: str) -> str:
    words = _Words()
    words.feed(html)
    words.close()
    lines = (line.strip() for line in "".join(words.parts).split("\n"))
    return "\n".join(line for line in lines if line)


def _collapse_blanks(text: str) -> str:
    return " ".join(text.lower().split())


def _identifier(resource: Mapping[str, Any]) -> Any:
    value = _get(_first(resource.get("identifier")), "value")
    return value if isinstance(value, str) and value else resource.get("id")


def _concept(value: object) -> Any:
    coding = _first(_get(value, "coding"))
    return _get(value, "text") or _get(coding, "display") or _get(coding, "code")


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else None


def _get(value: object, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None
