"""Marks without content: the reasoning of a model, tags, fences, emphasis."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from kgscore.reading.markup.answers import answers

_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w-]*)(?:\s[^<>\n]*)?/?>")
_CELLS = ("td", "th")
_HEADING = re.compile(r"h\d|dt")
_BREAKING = re.compile(r"br|p|li|tr|div|dt|dd|h\d|ul|ol|table")
# Marks to be blanked are groups.
_LATEX = re.compile(r"(\\(?:text(?:bf|it)|emph|underline|(?:sub)*section\*?|paragraph\*?)\{)[^{}\n]*(\})|(\\item\b)")
_FENCE = re.compile(r"^([ \t]*(?:```|~~~)[^\n]*)$", re.MULTILINE)
_EMPHASIS = (
    re.compile(r"(?<![\[*])(\*{2,3})(?![*\]])"),
    re.compile(r"(?<![\w*])(\*)(?=[^\s*])[^*\n]*[^\s*](\*)(?![\w*])"),
    re.compile(r"(?<!\w)(_{1,3})(?=[A-Za-z])[^_\n]*[^\s_](\1)(?!\w)"),
    re.compile(r"(?<=[A-Za-z])(_)(?=[A-Za-z])"),
    # A name in brackets or quotes before a colon.
    re.compile(r"^[ \t]*(?:[-*•]\s+)?(?:(\[)[A-Za-z][^\[\]\n]{2,60}(\])|(\")[A-Za-z][^\"\n]{2,60}(\"))(?=\s*:)", re.MULTILINE),
    re.compile("(`)"),
)


class Sheet:
    """The letters of a text, some of which are overwritten; offsets are kept."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._letters = list(text)

    def blank(self, start: int, end: int) -> None:
        """Replace a span by blanks."""
        self._letters[start:end] = " " * max(0, end - start)

    def put(self, start: int, end: int, words: str) -> None:
        """Overwrite a span with words, cut or padded to its length."""
        end = min(end, len(self._letters))
        self._letters[start:end] = words[: end - start].ljust(end - start)

    def fit(self, start: int, end: int, *forms: str) -> None:
        """Overwrite a span with the first of some forms that fits, or with blanks."""
        self.put(start, end, next((form for form in forms if len(form) <= end - start), ""))

    def done(self) -> str:
        """Return the current text."""
        return "".join(self._letters)


@cache
def _thinking() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, answers().words["thinking"])))
    return re.compile(rf"[<\[◁]\|?(?P<close>/?)\|?\s*(?P<name>{names})\b\s*\|?[>\]▷]", re.IGNORECASE)


def thoughts(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of a model's reasoning before its report: between its tags, up to a closing tag without an opening one,
    and from an opening tag without a closing one to the start of the report, or to the end."""
    start, name = 0, ""
    tags = list(_thinking().finditer(text))
    closed = {tag["name"].lower() for tag in tags if tag["close"]}
    for tag in tags:
        if not tag["close"]:
            if not name and (tag[0][0] != "[" or tag["name"].lower() in closed):
                start, name = tag.start(), tag["name"].lower()
        elif not name or name == tag["name"].lower():
            yield start if name else 0, tag.end()
            start, name = tag.end(), ""
    if name:
        report = re.compile(r"<(?:answer|report|final_answer|final_report|output)>", re.IGNORECASE).search(text, start)
        yield start, report.start() if report else len(text)


def without_tags(text: str) -> str:
    """Return a text without tags and fences: a tag that is not layout is a label ("<pneumothorax>no</pneumothorax>")."""
    sheet = Sheet(text)
    closed = {tag["name"].lower() for tag in _TAG.finditer(text) if tag["close"]}
    layout = answers().words["tags"]
    last, fresh = 0, True
    for tag in _TAG.finditer(text):
        name = tag["name"].lower()
        before = text[last : tag.start()]
        fresh = not before.rpartition("\n")[2].strip() and (fresh or "\n" in before)
        last = tag.end()
        if name in layout:
            mark = "|" if name in _CELLS else "#" if _HEADING.fullmatch(name) else ""
            ends = _BREAKING.fullmatch(name) is not None and not fresh
            sheet.put(*tag.span(), ("\n" if ends else "") + ("" if tag["close"] else mark))
            fresh = fresh or ends
        elif tag["close"]:
            sheet.blank(*tag.span())
        elif name in closed:
            sheet.put(*tag.span(), f"\n{tag['name'].replace('_', ' ')}：")
    _blank(sheet, (_LATEX, _FENCE))
    return sheet.done()


def without_emphasis(text: str) -> str:
    """Return a text without the marks of emphasis, and with blanks within names ("pleural_effusion")."""
    sheet = Sheet(text)
    _blank(sheet, _EMPHASIS)
    return sheet.done()


def _blank(sheet: Sheet, patterns: Iterable[re.Pattern[str]]) -> None:
    """Blank the groups of patterns."""
    for pattern in patterns:
        for one in pattern.finditer(sheet.text):
            for group in range(1, pattern.groups + 1):
                sheet.blank(*one.span(group))
