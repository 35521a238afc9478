"""Conversion of a report with markup to plain lines of the same length, so that offsets are those of the report."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, partial
from typing import NamedTuple

from kgscore.linking.lexicon import ANATOMY, FINDING, NORMAL, QUALITY, Lexicon
from kgscore.ontology.index import Index
from kgscore.reading.markup.answers import question_subject
from kgscore.reading.markup.lines import LONGEST, Lines, Names
from kgscore.reading.markup.marks import Sheet, thoughts, without_emphasis, without_tags
from kgscore.reading.markup.objects import objects
from kgscore.reading.markup.tables import tables, values
from kgscore.reading.remarks import THOUGHT
from kgscore.reading.sections import names_section
from kgscore.reading.tokens import tokenize

# Without one of these characters, a text of one line is prose.
_ANY = re.compile(r"[(\n\\:：#*_|`{}<>\[\]=\t→☐☑☒✅✓✔■❌✗✘✖☓□…]|\.{3}|\?\s|\s[-–—]+\s")
_TAGS, _BRACKETS, _BAR, _EMPHASIS = map(re.compile, (r"[<\\]|```|~~~", r"[{\[]", r"\|", r"[*_`\"\[]"))
_COLUMNS = re.compile(r"^\w[\w /]*[,;\t][\w /,;\t]+$", re.MULTILINE)
_NEXT = re.compile(r"\n[ \t]*[a-z]")
# Kinds of items excluded from labels of findings.
_SAYING = frozenset(("neg", "negpost", NORMAL, "cop", "have", "drop", "history"))
_WORDS = 10
# Kinds of items required in a statement: a predicate and a subject.
_STATED, _NAMED = frozenset(("neg", NORMAL)), frozenset((ANATOMY, FINDING, QUALITY))


class Plain(NamedTuple):
    """A report without marks, of the same length, and the spans that are skipped, each with its kind."""

    text: str
    passed: tuple[tuple[int, int, str], ...] = ()


class Markup:
    """Converts reports to plain text: the reasoning of a model is removed, marks are blanked, and the answer for a finding is
    placed after it."""

    def __init__(self, index: Index, lexicon: Lexicon) -> None:
        self._index = index
        self._lexicon = lexicon
        self._neutral = index.flagged("heads_nothing") | index.flagged("attributes")
        self._names = lru_cache(10_000)(self._named)
        self._conversions: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
            (_TAGS, without_tags),
            (_BRACKETS, partial(objects, finding=self._finding)),
            (_BAR, partial(tables, finding=self._finding)),
            (_COLUMNS, values),
            (_EMPHASIS, without_emphasis),
        )

    def plain(self, report: str) -> Plain:
        """Return a report as plain lines."""
        if not _ANY.search(report):
            return Plain(report)
        sheet = Sheet(report)
        passed = [(start, end, THOUGHT) for start, end in thoughts(report)]
        for start, end, _ in passed:
            sheet.blank(start, end)
        text = sheet.done()
        for marks, converted in self._conversions:
            text = converted(text) if marks.search(text) else text
        lines = Lines(text, report, self._names)
        return Plain(_separated_lines(lines.written(), report), (*passed, *lines.left))

    def _finding(self, words: str) -> bool:
        if len(words) > LONGEST:
            return False
        first, last = question_subject(words, 0, len(words))
        return self._names(words[first:last]).finding

    def _named(self, words: str) -> Names:
        """Return what words name."""
        words = words.replace("_", " ").strip(" *`\t\r")
        tokens = tokenize(words)
        entries = [m.form.types[m.form.kind] for m in self._lexicon.scan(tokens) if m.form is not None]
        kinds = tuple(entry.type for entry in entries)
        own = tuple(entry.id for entry in entries if entry.type == FINDING)
        concepts = self._index.concepts
        short = len(tokens) <= _WORDS
        finding = bool(own) and short and _SAYING.isdisjoint(kinds) and not names_section(words)
        last = concepts.get(own[-1]) if own else None
        deniable = last is not None and last.kind == "findings" and "variant" not in last.flags and last.id not in self._neutral
        stated = short and not _STATED.isdisjoint(kinds) and not _NAMED.isdisjoint(kinds)
        return Names(finding, deniable, stated, kinds, own)


def _separated_lines(text: str, report: str) -> str:
    """Return a text in which no line seems to continue one before it that became longer without marks: it is capitalized."""
    if text == report:
        return text
    letters = list(text)
    for line in _NEXT.finditer(text):
        before = text.rfind("\n", 0, line.start()) + 1
        if text[before : line.start()] != report[before : line.start()]:
            letters[line.end() - 1] = letters[line.end() - 1].upper()
    return "".join(letters)
