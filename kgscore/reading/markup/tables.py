"""Rows of tables as labels with answers: "| Effusion | Yes | small, left |" is "Effusion: Yes, small, left"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from kgscore.reading.markup.answers import ABSENT, PRESENT, answer, answers
from kgscore.reading.markup.marks import Sheet

_RULE = re.compile(r"(?=[\s|:+=]*-)[\s|:+=-]+$")
_FRAME = re.compile(r"\s*\+[-=+]{2,}\s*$")
_NUMBER = re.compile(r"\d{1,3}[.)]?$")
# The answer of a row whose only marked column is of a kind.
_REPLIES, _NO_REPLY = {ABSENT: "no", PRESENT: "yes"}, "n/a"
# Minimum number of bars of a line that is a row regardless of its neighbours.
_BARS = 2


class Cell(NamedTuple):
    """A cell by its offsets, without surrounding blanks, and its words in lower case, without marks."""

    start: int
    end: int
    words: str


def tables(text: str, finding: Callable[[str], bool]) -> str:
    """Return a text in which rows of tables are labels with the contents of their columns; headings and rules are removed.
    `finding` returns whether words name a finding."""
    sheet = Sheet(text)
    columns: list[Cell] = []
    lines = [*_lines(text)]
    for at, (start, end) in enumerate(lines):
        bars = text.count("|", start, end)
        near = any("|" in text[a:b] for a, b in (*lines[max(0, at - 1) : at], *lines[at + 1 : at + 2]))
        if _FRAME.match(text, start, end):
            sheet.blank(start, end)
            continue
        if not bars or not (bars >= _BARS or near or text[start:end].lstrip().startswith("|")):
            columns = []
            continue
        cells = list(_cells(text, start, end))
        if _RULE.match(text, start, end) or not cells:
            sheet.blank(start, end)
        elif not columns and _is_heading(text, cells, lines[at + 1 : at + 2]):
            columns = cells
            sheet.blank(start, end)
        else:
            columns = columns or [Cell(0, 0, "")]
            _row(sheet, (start, end), cells, columns, finding)
    return sheet.done()


def values(text: str) -> str:
    """Return a text in which lines of values separated by commas, semicolons or tabs, below a line of column names, are labels
    with the contents of the other columns."""
    sheet = Sheet(text)
    sign = ""
    for start, end in _lines(text):
        line = text[start:end]
        if not sign:
            for one in (one for one in ",;\t" if one in line):
                if all(cell.strip(' "\r').lower() in answers().words["heading"] for cell in line.split(one)):
                    sign = one
                    sheet.blank(start, end)
        elif sign in line:
            sheet.put(start + line.index(sign), start + line.index(sign) + 1, "：")
        else:
            sign = ""
    return sheet.done()


def _lines(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in re.finditer(r"[^\n]+", text))


def _cells(text: str, start: int, end: int) -> Iterator[Cell]:
    """Yield the cells of a row; empty ones at its ends are skipped."""
    edge = start
    while edge < end:
        bar = text.find("|", edge, end)
        bar = end if bar < 0 else bar
        words = text[edge:bar]
        if words.strip() or (edge > start and bar < end):
            first = edge + len(words) - len(words.lstrip())
            yield Cell(first, max(first, edge + len(words.rstrip())), words.strip(" \t*_`:").lower())
        edge = bar + 1


def _is_heading(text: str, cells: Sequence[Cell], after: Sequence[tuple[int, int]]) -> bool:
    """Whether a row names the columns: it is above a rule, or all its words are such names or answers."""
    known = answers()
    named = all(cell.words in known.words["heading"] or cell.words in known.kinds or not cell.words for cell in cells)
    ruled = any(_RULE.match(text, start, end) and "|" in text[start:end] for start, end in after)
    return ruled or (named and cells[0].words in known.words["heading"])


def _row(sheet: Sheet, line: tuple[int, int], cells: list[Cell], columns: Sequence[Cell], finding: Callable[[str], bool]) -> None:
    """Write a row as its label, a colon and its other cells."""
    text = sheet.text
    sheet.put(*line, text[slice(*line)].replace("|", " "))
    while len(cells) > 2 and _NUMBER.match(cells[0].words):
        sheet.blank(cells[0].start, cells[0].end)
        cells, columns = cells[1:], columns[1:]
    if (reply := _reply(cells, columns)) is not None:
        sheet.blank(cells[0].end, line[1])
        sheet.fit(cells[0].end, line[1], f": {reply}", f"：{reply}")
        return
    pairs = [*pairwise(cells)]
    replied = [after for one, after in pairs if finding(one.words) and answer(text, after.start, after.end) is not None]
    label = replied[-1] if replied else pairs[0][1] if pairs else None
    for one, after in pairs:
        if text[one.end : after.start] and (after.words or after is label):
            sheet.put(one.end, after.start, "：" if after is label else ",")


def _reply(cells: Sequence[Cell], columns: Sequence[Cell]) -> str | None:
    """Return the answer of a row by its marked column, None unless the columns are answers ("| Finding | Yes | No |")."""
    told = [answers().kinds.get(column.words) for column in columns[1:]]
    if len(cells) != len(columns) or not {ABSENT, PRESENT} <= set(told):
        return None
    kinds = {kind for kind, cell in zip(told, cells[1:], strict=True) if kind and _is_marked(cell)}
    return _REPLIES.get(kinds.pop(), _NO_REPLY) if len(kinds) == 1 else _NO_REPLY


def _is_marked(cell: Cell) -> bool:
    """Whether a cell contains anything other than a sign for none."""
    return cell.words not in ("", "[ ]", "☐", "□", "( )") and answers().kinds.get(cell.words) != ABSENT
