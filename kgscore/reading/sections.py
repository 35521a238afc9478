"""Segmentation of a report into sentences with their sections, bullets and labels; offsets are kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

FINDINGS, IMPRESSION, SILENT = "findings", "impression", "silent"

_SECTION = re.compile(
    r"(?P<impression>impressions?|conclusions?|opinion|summary|diagnos[ie]s|assessment)\Z"
    r"|(?P<findings>findings?|report|results?|description|observations?|body|text|study findings|imaging findings"
    r"|(?:(?:amended|corrected|revised|final|preliminary|supplement(?:ary|al)) (?:findings?|impressions?|conclusions?|reports?"
    r"|read)|addend(?:um|a)|amendments?|late entry|wet read)"
    r"(?:\s*[(#,\d]|\s+(?:by|dictated|from|no|of|on|report|to)\b|\Z)[^\n]*)\Z"
    r"|(?P<history>(?:clinical|patient|relevant|brief)?\s*(?:history|indications?|information|details|question|data|background"
    r"|context|notes?)|reason(?: for (?:the )?(?:exam\w*|study|referral|test|request))?|clinical|request|referral)\Z"
    r"|(?P<technique>technique|protocol|procedure|exam(?:ination)?(?: type)?|modality|contrast|dose|radiation dose|date|views?"
    r"|study|indication and technique|sequences|numbering)\Z"
    r"|(?P<comparison>comparisons?|priors?|prior (?:study|studies|exams?))\Z"
    r"|(?P<advice>recommendations?|advice|follow[- ]?up|plan|suggestions?)\Z"
    r"|(?P<communication>(?:electronically )?signed(?: by)?|attending(?: \w+)?|(?:attending |reporting )?radiologists?|cc"
    r"|cop(?:y|ies) to|(?:dictated|reported|transcribed|verified|approved|authori[sz]ed|reviewed) by"
    r"|referr(?:ing|ed by|er)(?: \w+)?|physician|clinician|consultant|author|technologist|radiographer|patient(?: name)?"
    r"|communication|notification|distribution)\Z"
    r"|(?P<quality>limitations?|quality|image quality)\Z",
    re.IGNORECASE,
)
# Sections of a single sentence; a history may have several.
_TOLD_ONCE = re.compile(r"comparisons?|priors?|prior|technique|protocol|exam|study|views?|modality|contrast|date", re.IGNORECASE)
# More characters than this after a history in one line are a report.
_LONG = 120
# A label, or a line by itself, that opens a section with findings.
_READ = re.compile(
    r"\b(?:findings?|impressions?|conclusions?|opinion|summary|report|results?|description|observations?|body|addend(?:um|a)\b[^:\n]*)"
    r"[ \t]*(?::|$)",
    re.IGNORECASE | re.MULTILINE,
)
_BLANK = re.compile(r"\n[ \t\r]*\n")
# A hyphen directly before a word is a sign ("-pneumothorax"); before a capital, or if such a line is a statement, it is a bullet.
_BULLET = re.compile(r"\s*(?:[-*•‣▪◦·–—+>]+(?:\s+|(?=[A-Z][a-z]))|\(?\d{1,2}[.)]\s+|\(?[a-h]\)\s+)")
_HYPHEN = re.compile(r"[ \t]*[-–](?=[a-z])")
_LISTED = re.compile(
    r"^[ \t]*[-–](?:(?:no|without)\b|[a-z][^\n]*\b(?:is|are|was|were|normal|clear|unremarkable|intact|seen|noted|stable)\b)",
    re.MULTILINE,
)
_LABEL = re.compile(r"([A-Za-z](?:[^:.;!?\n]|(?<=\d):(?=\d\d)|(?<=\bDr)\.|(?<=\b[A-Z])\.){0,70}?)\s*(?::(?=\s|$)|：)\s*")
_LEVEL = re.compile(r"(?:[A-Za-z]\d{1,2}(?:\s*[-–/]\s*[A-Za-z]?\d{1,2})?|\b\d{1,2}:\d\d)\Z")
# A clause that opens with "there is" or "; no", or with a sign, is a separate sentence.
_CLAUSE = r";(?=\s+(?:no|there)\s)|,(?=\s*[Ø∅↑↓])|,(?=\s+(?:and|but)\s+there\s+(?:is|are)\s)"
_STOP = re.compile(rf"[.!?](?:[.!?]*(?=\s|$)|(?<=\.)(?=[A-Z][a-z]))|{_CLAUSE}")
# In a line with a lettered list ("a) … , b) …"), the letters also end sentences.
_LETTERED_STOP = re.compile(rf"{_STOP.pattern}|(?<=[;,:])\s+\(?[b-h]\)\s")
# If each finding of a list has a sign ("-effusion +consolidation"), each is a sentence.
_SIGNED = re.compile(r"(?<![\w)])[-+–][A-Za-z][\w /]{0,40}?,?\s+[-+–][A-Za-z]")
_SIGNED_STOP = re.compile(rf"{_STOP.pattern}|(?:,\s*|\s)(?=[-+–][A-Za-z])")
# The start of a line that continues the line before.
_GOES_ON = re.compile(r"[ \t]*[a-z]")
# Maximum number of words and signs of a sentence; a longer one, as produced by a generator in a loop, is split within a list.
_LONGEST = 80
_PIECE = re.compile(r"\w+|[^\w\s]")
_CUT_AFTER = (";", ",", "and", "or")
# The text before a question mark that precedes a finding.
_ASKED = re.compile(r"[:;,(–-]\s*\Z")
_ABBREVIATION = re.compile(
    r"(?:\b(?:vs|approx|Drs?|Prof|Mrs|Ms|No|e\.g|i\.e|ca|cf|Im|Se|Mr|diam|max)"
    r"|\b(?:(?:Dr|Prof|Mrs?|Ms)\.? ?|by )[A-Z]|\b[A-Z]\.[A-Z])\Z"
)


class Sentence(NamedTuple):
    """A span of text to be read: its offsets, section, whether a bullet opened it, and the label before it, if any.

    `opens_line` is True if the sentence starts a line; `alone` if it is the whole line and has no full stop. `remark` is the
    kind of remarks in its section if that is silent.
    """

    start: int
    end: int
    section: str
    bullet: bool
    label: tuple[int, int] | None
    opens_line: bool
    alone: bool
    remark: str = ""


class _Sections:
    """The section of a text from line to line: the name of its heading, the number of lines that it may still have if it is
    silent, whether it is a single sentence, and whether it has one already."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.name, self.lines_left, self.told_once, self.held = FINDINGS, 0, False, False
        self._before = 0
        self._one_line = "\n" not in text.strip()
        self._last = max((match.start() for match in _READ.finditer(text)), default=-1)  # label of findings

    @property
    def silent(self) -> bool:
        """True if the section has no findings."""
        return self.name not in (FINDINGS, IMPRESSION)

    def line(self, start: int, end: int) -> None:
        """Begin a line: a silent section ends at a blank line below its text, and after its lines."""
        blank = self.held and _BLANK.search(self.text, self._before, start)
        self.lines_left -= self._last < start
        if self.silent and (blank or (self._last < start and self.lines_left < 0)):
            self.name = FINDINGS
        self._before = end

    def heading(self, first: int, last: int, opens: bool, stopped: bool) -> tuple[int, tuple[int, int] | None]:
        """Open the section that a sentence is headed by; return the start of its text and the span of its label, if any."""
        text, label = self.text, _label(self.text, first, last)
        words = label[1].strip() if label else text[first:last].strip(" :-#*") if opens and not stopped else ""
        if named := _SECTION.match(words):
            first = label.end() if label else last
            self.told_once = _TOLD_ONCE.match(words) is not None if label else self.told_once
            self.name, self.lines_left, self.held = named.lastgroup or FINDINGS, int(first >= last), False
            label = None if self.silent else _LABEL.match(text, first, last)
            label = None if label and _SECTION.match(label[1].strip()) else label
        elif label and opens and self.silent:
            self.name = FINDINGS
        return (label.end(), label.span(1)) if label else (first, None)

    def told(self, first: int, last: int, end: int) -> None:
        """End a sentence of a line up to `end`: a silent section may be over."""
        self.held = True
        all_told = self.told_once or self._one_line or last < end - _LONG
        if self.silent and self.lines_left <= 0 and all_told and self._last < first:
            self.name = FINDINGS


def sentences(text: str) -> Iterator[Sentence]:
    """Yield the sentences of a report in order. Sections without findings (history, technique …) are marked silent.

    Such a section extends to the next heading, known or not, or to a blank line below its text. If no label of findings
    follows, it is a single sentence ("Comparison: none. The lungs are clear."), or for a history its line, if that is short
    and not the whole text, or the line below its heading.
    """
    sections, hyphens = _Sections(text), _LISTED.search(text) is not None
    for start, end in _lines(text):
        sections.line(start, end)
        bullet = _BULLET.match(text, start, end) or (_HYPHEN.match(text, start, end) if hyphens else None)
        opens = True
        for begin, last, stopped in _bounded(text, _split(text, bullet.end() if bullet else start, end)):
            first, label = sections.heading(begin, last, opens, stopped)
            if label or first < last:
                section, remark = (SILENT, sections.name) if sections.silent else (sections.name, "")
                yield Sentence(first, last, section, bool(bullet), label, opens, opens and not stopped, remark)
                sections.told(first, last, end)
                opens = False


def _label(text: str, start: int, end: int) -> re.Match[str] | None:
    """Return the label that opens a span of text, or None; times and ratios are not labels."""
    stands = text.find(":", start, end) >= 0 or text.find("：", start, end) >= 0
    found = _LABEL.match(text, start, end) if stands else None
    named = found and (not found[1][-1].isdigit() or _LEVEL.search(found[1]) or _SECTION.match(found[1]))
    return found if named else None


def names_section(words: str) -> bool:
    """Return whether words are the heading of a section ("Impression")."""
    return _SECTION.match(words.strip(" :-#*")) is not None


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield lines, joining those that were only wrapped (the next one starts in lower case, indented or not)."""
    start = following = 0
    while following <= len(text):
        end = text.find("\n", following)
        end = len(text) if end < 0 else end
        following = end + 1
        wrapped = end - start > 60 and _GOES_ON.match(text, following) and text[start:end].rstrip()[-1:] not in ".:;"
        if wrapped and not _BULLET.match(text, following):
            continue
        if text[start:end].strip():
            yield start, end
        start = following


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    first = start
    stop = _LETTERED_STOP if text.find(")", start, end) >= 0 else _STOP
    stop = _SIGNED_STOP if _SIGNED.search(text, start, end) else stop
    for match in stop.finditer(text, start, end):
        at = match.start()
        if text[at] == "?" and _asks(text, first, at, end):
            continue  # "? Pneumonia", "Liver: ? cyst", "opacity ? pneumonia": a question mark before the finding
        if text[at] == "." and (
            _ABBREVIATION.search(text, max(start, at - 7), at)
            or (match.end() < end and text[at + 1].isupper() and not text[at - 1].islower() and text[at - 1] not in ")%")
        ):
            continue
        if text[first : match.start()].strip(" .-\r"):
            yield (*_strip(text, first, match.start() + 1), True)
        first = match.end()
    if text[first:end].strip(" .-\r"):
        yield (*_strip(text, first, end), False)


def _bounded(text: str, found: Iterable[tuple[int, int, bool]]) -> Iterator[tuple[int, int, bool]]:
    """Yield sentences, splitting those that are too long."""
    for first, last, stopped in found:
        while last - first > _LONGEST:
            pieces = list(islice(_PIECE.finditer(text, first, last), _LONGEST + 1))
            if len(pieces) <= _LONGEST:
                break
            ends = {one[0].lower(): one.end() for one in pieces[_LONGEST // 2 : _LONGEST]}
            at = next((ends[sign] for sign in _CUT_AFTER if sign in ends), pieces[_LONGEST].start())
            yield (*_strip(text, first, at), True)
            first = at
        if text[first:last].strip(" .-\r"):
            yield (*_strip(text, first, last), stopped)


def _asks(text: str, first: int, at: int, end: int) -> bool:
    """Whether a question mark precedes the finding in question."""
    apart = text[at - 1] == " " and _GOES_ON.match(text, at + 1, end) is not None
    return apart or not text[first:at].strip() or _ASKED.search(text, first, at) is not None


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    end = start + len(text[start:end].rstrip())
    return end - len(text[start:end].lstrip()), end
