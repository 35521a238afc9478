"""BioScope, clinical part: polarity and certainty against the scopes of negation and speculation that people marked.

The published form is XML: documents of parts (`DocumentPart`) with `sentence` elements, in which `xcope` elements (with an `id`)
hold text and `cue` elements (`type` negation or speculation, `ref` the id of their scope); scopes may lie in each other.
Of mentions (the head words of a finding): is it inside a scope exactly where kgscore takes it for denied, or for uncertain
(`kgscore bench bioscope` tells where not)? Of sentences, as task 1 of CoNLL-2010: is there a scope at all?"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.model import Finding, Reading
from kgscore.runs.batch import scorer_for
from kgscore.studies.published.base import Found, Request, f1_figures
from kgscore.studies.published.xml import Element, parse, words

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
        found = list(_of_lines(path))
    if not found:
        raise InputError(f"{path}: no <sentence> in the file; take the XML of the clinical part as it was downloaded")
    if path.suffix.lower() == ".xml" and not any(record["annotations"] for record in found):
        raise InputError(f"{path}: no cue of negation or speculation in it; take the XML of the clinical part")
    return found


def _of_lines(path: Path) -> Iterator[dict[str, Any]]:
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


_READER = "reading"
_PLACES = {"tp": 0, "fp": 1, "fn": 2}
# "or" is marked as a cue of speculation; kgscore reads it as two findings.
_NO_CUE = "or"


def run(name: str, request: Request) -> Found:
    """Return precision, recall and F1 of mentions and of sentences; intervals draw whole documents."""
    scorer = scorer_for(request.settings)
    counts: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
    documents: dict[str, None] = {}
    sentences = read_sentences(request.source)
    for number, record in enumerate(sentences, 1):
        document = str(record.get("doc_id") or number)
        documents[document] = None
        reading = scorer.read(record["text"])
        for one in judged(reading, record["annotations"], scorer):
            if one.outcome in _PLACES:
                counts["mentions", one.name][document][_PLACES[one.outcome]] += 1
        for of, (said, marked) in _sentence(reading, record["annotations"]).items():
            if said or marked:
                counts["sentences", of][document][0 if said and marked else 1 if said else 2] += 1
        request.tell(number)
    figures = []
    for (task, of), by_document in counts.items():
        rows = np.asarray([[by_document.get(document, [0, 0, 0])] for document in documents])
        figures += f1_figures(task, of, _READER, rows, request)
    return Found(figures, [], [f"{len(sentences)} sentences of {len(documents)} documents"])


def _sentence(reading: Reading, annotations: Sequence[Mapping[str, Any]]) -> dict[str, tuple[bool, bool]]:
    """Return what kgscore and people say of a sentence: is something in it denied, and is something uncertain?"""
    kinds = {one["type"] for one in annotations if str(one["cue"]).lower().strip() != _NO_CUE}
    findings = reading.findings
    return {
        "negation": (any(one.status == "absent" for one in findings), "negation" in kinds),
        "speculation": (any(one.certainty != "definite" or one.alternatives for one in findings), "speculation" in kinds),
    }


JUDGED = {"polarity": "negation", "polarity without statements of change": "negation", "uncertainty": "speculation"}


class Mention(NamedTuple):
    """One mention: its offsets, what kgscore takes it for, and whether its finding is a normal statement or one of change."""

    start: int
    end: int
    concept: str
    negated: bool
    uncertain: bool
    normal: bool
    changed: bool


class Judged(NamedTuple):
    """A mention judged: polarity or uncertainty, `tp`, `fp`, `fn` or `tn`, and the human cue over it, if any."""

    name: str
    outcome: str
    mention: Mention
    cue: str


def judged(reading: Reading, annotations: Sequence[dict[str, Any]], scorer: Scorer) -> Iterator[Judged]:
    """Yield what is right and wrong of the polarity and the certainty of every mention of a sentence."""
    for mention in _mentions(scorer, reading):
        for name, marked in JUDGED.items():
            predicted = mention.uncertain if marked == "speculation" else mention.negated
            if marked == "negation" and (mention.normal or (mention.changed and name != "polarity")):
                continue
            cue = _cue_over(mention, annotations, marked)
            yield Judged(name, "tp" if predicted and cue else "fp" if predicted else "fn" if cue else "tn", mention, cue)


def _mentions(scorer: Scorer, reading: Reading) -> Iterator[Mention]:
    seen: set[tuple[int, int]] = set()
    for finding in reading.findings:
        if finding.concept is None:
            continue
        span = _head(scorer, finding, reading)
        if span not in seen:
            seen.add(span)
            yield Mention(
                *span,
                finding.concept,
                finding.status == "absent",
                finding.certainty != "definite",
                finding.status == "normal",
                finding.change in ("stable", "resolved"),
            )


def _head(scorer: Scorer, finding: Finding, reading: Reading) -> tuple[int, int]:
    """Return the offsets of the words that name the finding: the observation inside it that its concept comes from."""
    assert finding.concept is not None
    inside = [
        entity
        for entity in reading.entities
        if entity.type.startswith(("observation", "device", "procedure")) and finding.start <= entity.start < finding.end
    ]
    named = [entity for entity in inside if scorer.index.is_a(finding.concept, entity.concept)]
    for entity in (*named, *inside[-1:]):
        return entity.start, entity.end
    return finding.start, finding.end


def _cue_over(mention: Mention, annotations: Iterable[dict[str, Any]], kind: str) -> str:
    """Return the human cue of this kind whose scope holds the mention, or nothing. "Or" is no speculation here."""
    for annotation in annotations:
        first, last = annotation["scope_span"]
        cue = str(annotation["cue"]).lower().strip()
        if annotation["type"] == kind and cue != "or" and first <= mention.start and mention.end <= last:
            return cue
    return ""
