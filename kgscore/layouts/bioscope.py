"""BioScope: sentences with the cues of negation and speculation that people marked, and their scopes.

The published form is XML: documents of parts (`DocumentPart`) with `sentence` elements, in which `xcope` elements (with an `id`)
hold text and `cue` elements (`type` negation or speculation, `ref` the id of their scope); scopes may lie in each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kgscore.errors import InputError
from kgscore.layouts.xml import Element, parse, words

KINDS = ("negation", "speculation")


def read_sentences(source: str | Path) -> list[dict[str, Any]]:
    """Return the sentences of an XML file, or of a file of JSON lines: `text` and `annotations` (`type`, `cue`, `cue_span`,
    `scope`, `scope_span` in characters of the text), with `doc_id`, `section` and `sentence_id`.

    Raises:
        InputError: the file cannot be read, or holds no sentence.
    """
    path = Path(source)
    if path.suffix.lower() == ".xml":
        found = [record for document in _documents(parse(path)) for record in _of_document(document, path)]
    else:
        found = list(_lines(path))
    if not found:
        raise InputError(f"{path}: no <sentence> in the file; take the XML of the clinical part as it was downloaded")
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InputError(f"{path}: cannot be read as UTF-8 text; give BioScope's XML, or JSON lines") from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not isinstance(row.get("text"), str) or not isinstance(row.get("annotations"), list):
            raise InputError(f"{path}:{number}: is no JSON object with 'text' and a list 'annotations'")
        yield row


def _documents(root: Element) -> list[Element]:
    return list(root.iter("Document")) or [root]


def _of_document(document: Element, path: Path) -> Iterator[dict[str, Any]]:
    name = words(document.find(".//DocID"))
    parts = list(document.iter("DocumentPart")) or [document]
    for part in parts:
        for number, sentence in enumerate(part.iter("sentence"), 1):
            marked = _Marked()
            marked.walk(sentence)
            id = sentence.get("id", str(number))
            missing = sorted(set(marked.cues) - set(marked.scopes))
            if missing:
                raise InputError(f"{path}: sentence {id} of document {name}: a cue refers to '{missing[0]}', which is no xcope")
            yield {
                "doc_id": name, "section": part.get("type", ""), "sentence_id": id, "text": marked.text,
                "annotations": marked.annotations(),
            }  # fmt: skip


@dataclass(slots=True)
class _Marked:
    """A sentence as it is walked: its text so far, the scopes by id, and the cues by the id that they refer to."""

    text: str = ""
    scopes: dict[str, tuple[int, int]] = field(default_factory=dict)
    cues: dict[str, list[tuple[str, int, int]]] = field(default_factory=dict)

    def walk(self, element: Element) -> None:
        """Take in an element with all it holds; what follows it belongs to its parent."""
        start = len(self.text)
        self.text += element.text or ""
        for child in element:
            self.walk(child)
            self.text += child.tail or ""
        end = len(self.text)
        if element.tag == "xcope":
            self.scopes[element.get("id", "")] = (start, end)
        elif element.tag == "cue" and element.get("type") in KINDS:
            self.cues.setdefault(element.get("ref", ""), []).append((element.get("type", ""), start, end))

    def annotations(self) -> list[dict[str, Any]]:
        """Return a row for each scope, with its first cue (a cue of several pieces refers to one scope)."""
        rows = []
        for ref, pieces in self.cues.items():
            kind, start, end = pieces[0]
            scope = self.scopes[ref]
            rows.append({
                "type": kind, "cue": " ".join(self.text[first:last] for _, first, last in pieces), "cue_span": [start, end],
                "scope": self.text[scope[0] : scope[1]], "scope_span": list(scope),
            })  # fmt: skip
        return rows
