"""The readers that use a language model: `llm` for the whole report, `hybrid` for the sentences that the default reader may have
misread. The model's answers are grounded (`kgscore.language.grounding`)."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from kgscore.language.client import Client, client_of
from kgscore.language.endpoint import Endpoint
from kgscore.language.grounding import Graph, Grounded, Grounder, Item, joined_graphs, locate_items, reading_of
from kgscore.language.prompts import EXTRACTION, LINKING, load_prompt, user_message
from kgscore.linking.lexicon import Lexicon
from kgscore.linking.suggest import Suggester, wordings_of
from kgscore.model import Reading
from kgscore.ontology.index import Index
from kgscore.reading.reader import Reader
from kgscore.reading.readers import DEFAULT, reader_of
from kgscore.reading.trace import Step

REMEMBERED = 4_096  # cached readings, made ahead of scoring
_LETTERS, _LONGER = 4, 4  # letters per token, and the length of an answer relative to its text
_TERMS, _CANDIDATES = 20, 8  # limits of a request about unlinked words
_USES: Mapping[str, tuple[str, ...]] = {
    "finding": ("finding",), "place": ("anatomy",), "detail": ("descriptor", "finding"),
}  # fmt: skip


# Sentences with at least this many words are often partly misread (docs/model.md).
_LONG = 18


class ModelReader:
    """Reads reports with a language model, from any thread."""

    def __init__(self, endpoint: Endpoint, index: Index, lexicon: Lexicon) -> None:
        self.endpoint = endpoint
        self.client: Client = client_of(endpoint)
        self._extraction = load_prompt(EXTRACTION)
        self._linking = load_prompt(LINKING)
        self._lexicon = lexicon
        self._label = index.label
        self._lock = threading.RLock()
        self._own = reader_of(DEFAULT, index, lexicon) if endpoint.hybrid else None
        # Statements are read during grounding and must not push the readings of reports out of the cache.
        self._grounder = Grounder(index, lexicon, reader_of(DEFAULT, index, lexicon).read)
        self._suggester: Suggester | None = None
        self.read = lru_cache(REMEMBERED)(self._read)
        self._candidates = lru_cache(REMEMBERED)(self._candidate_names)

    @property
    def identity(self) -> Mapping[str, str]:
        """The name of the reader, its model and the hash of its prompts."""
        prompts = hashlib.sha256(f"{self._extraction.hash} {self._linking.hash}".encode()).hexdigest()[:12]
        return {"reader": self.endpoint.name, "reader_model": self.endpoint.model, "reader_prompts": prompts}

    def question(self, report: str) -> str | None:
        """Return the request about a report, or None if none is needed."""
        if not report.strip():
            return None
        if self._own is None:
            return user_message(report)
        _, hard, _ = self._split_doubtful(self._own, report)
        return user_message(report, tuple(report[start:end] for start, end in hard)) if hard else None

    def estimate_tokens(self, report: str) -> tuple[int, int] | None:
        """Return the estimated tokens of the request about a report and its answer; None if no call is needed."""
        message = self.question(report)
        if message is None or self.client.known(self._extraction, message):
            return None
        asked = len(message) if self._own is None else len(message) - len(report)
        return (len(self._extraction.system) + len(message)) // _LETTERS, _LONGER * asked // _LETTERS

    def _read(self, report: str) -> Reading:
        """Return the findings of a report, each with the place of its quote, and the unlinked words.

        Raises:
            AnswerError: the model gave no usable answer.
        """
        tally = self.client.tally
        kept, hard, all_of_it = Reading(()), [(0, len(report))], 0
        if self._own is not None:
            kept, hard, all_of_it = self._split_doubtful(self._own, report)
        with self._lock:
            tally.sentences += all_of_it
            tally.sent += len(hard) if all_of_it else 0
        if not hard or not report.strip():
            return kept
        message = user_message(report, tuple(report[start:end] for start, end in hard) if all_of_it else ())
        given = self.client.ask(self._extraction, message)["findings"]
        items, refused = locate_items(report, given)
        items = [item for item in items if any(start <= item.start < end for start, end in hard)]
        grounded = self._ground_items(items)
        with self._lock:
            tally.items += len(items)
            tally.refused += refused
            tally.unlinked += sum(not _is_linked(one) for _, one in grounded)
            return _merge(kept, reading_of(report, grounded))

    def _ground_items(self, items: Sequence[Item]) -> list[tuple[Item, Grounded]]:
        """Return grounded items, after one request about words that are not in the ontology."""
        with self._lock:
            found = [(item, self._grounder.ground(item)) for item in items]
            terms = self._terms(found)
        if not terms:
            return found
        asked = json.dumps(list(terms.values()), ensure_ascii=False)
        choices = self.client.ask(self._linking, user_message(asked))["choices"]
        offered = {(term, candidate) for term, one in terms.items() for candidate in one["candidates"]}
        chosen = {one["term"]: one["candidate"] for one in choices if (one["term"], one["candidate"]) in offered}
        with self._lock:
            return [(item, self._retry(item, one, chosen)) for item, one in found]

    def _retry(self, item: Item, before: Grounded, chosen: Mapping[str, str]) -> Grounded:
        """Return an item grounded with the terms chosen for some of its words, if it is then understood better."""
        said = replace(
            item, finding=chosen.get(item.finding, item.finding), place=chosen.get(item.place, item.place),
            details=tuple(chosen.get(one, one) for one in item.details),
        )  # fmt: skip
        if said == item:
            return before
        after = self._grounder.ground(said)
        return after if (_is_linked(after), -len(after.unlinked)) > (_is_linked(before), -len(before.unlinked)) else before

    def _terms(self, found: Sequence[tuple[Item, Grounded]]) -> dict[str, Mapping[str, Any]]:
        """Return the unlinked terms, with their candidate concepts."""
        terms: dict[str, Mapping[str, Any]] = {}
        for item, grounded in found:
            lost = {word for words in grounded.unlinked for word in words.lower().split()}
            uses = [("finding", item.finding)] if not _is_linked(grounded) else []
            fields = [("finding", item.finding), ("place", item.place), *(("detail", one) for one in item.details)]
            uses += [(use, text) for use, text in fields if lost & set(text.lower().split())]
            for use, text in uses:
                candidates = self._candidates(text, use) if text not in terms and len(terms) < _TERMS else ()
                if candidates:
                    terms[text] = {"term": text, "use": use, "of": item.finding, "candidates": list(candidates)}
        return terms

    def _candidate_names(self, text: str, use: str) -> tuple[str, ...]:
        """Return the names of the candidate concepts for words in a use."""
        self._suggester = self._suggester or Suggester(wordings_of(self._lexicon))
        near = self._suggester.candidates(text, 3 * _CANDIDATES)
        return tuple(dict.fromkeys(self._label(one.concept) for one in near if one.kind in _USES[use]))[:_CANDIDATES]

    def _split_doubtful(self, own: Reader, report: str) -> tuple[Reading, list[tuple[int, int]], int]:
        """Return the default reader's result for the sentences it understands, the spans of the others, and their number."""
        with self._lock:
            steps, reading = own.trace(report), own.read(report)
        doubted = [_span(step) for step in steps if _is_unsure(step, reading)]
        if not doubted:
            return reading, [], len(steps)
        sure = [one for one in reading.findings if not _is_within(one.start, doubted)]
        words = [one for one in reading.unlinked if not _is_within(one.start, doubted)]
        return Reading(tuple(sure), tuple(words), lambda: _graph_outside(reading, doubted)), doubted, len(steps)


def _is_linked(grounded: Grounded) -> bool:
    return any(one.concept is not None for one in grounded.findings)


def _span(step: Step) -> tuple[int, int]:
    return step.offset + step.begin, step.offset + len(step.text)


def _is_unsure(step: Step, reading: Reading) -> bool:
    """Return whether a sentence is long, was not composed, or has unlinked words or findings."""
    unlinked = any(_is_within(one.start, [_span(step)]) for one in reading.unlinked)
    return unlinked or len(step.text.split()) >= _LONG or any(one.concept is None for one in step.findings)


def _is_within(start: int, spans: Sequence[tuple[int, int]]) -> bool:
    return any(first <= start < last for first, last in spans)


def _graph_outside(reading: Reading, spans: Sequence[tuple[int, int]]) -> Graph:
    """Return the entities and relations of a reading outside some spans."""
    kept = [at for at, one in enumerate(reading.entities) if not _is_within(one.start, spans)]
    places = {at: place for place, at in enumerate(kept)}
    relations = (r for r in reading.relations if r.source in places and r.target in places)
    moved = (replace(r, source=places[r.source], target=places[r.target]) for r in relations)
    return tuple(reading.entities[at] for at in kept), tuple(moved)


def _merge(kept: Reading, read: Reading) -> Reading:
    """Return the retained and the new reading merged, in text order."""
    findings = sorted((*kept.findings, *read.findings), key=attrgetter("start"))
    unlinked = sorted((*kept.unlinked, *read.unlinked), key=attrgetter("start"))
    return Reading(tuple(findings), tuple(unlinked), lambda: joined_graphs((one.entities, one.relations) for one in (kept, read)))
