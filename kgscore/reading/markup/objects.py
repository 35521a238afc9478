"""JSON and similar notations as lines: `{"pneumothorax": false}` is "pneumothorax: false"."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from kgscore.reading.markup.answers import ABSENT, NORMAL, PRESENT, PROSE, UNKNOWN, answer, answers, question_subject
from kgscore.reading.markup.marks import Sheet

_OPENS = re.compile(r"""[{\[]\s*["'{\[]|\{\s*[A-Za-z_][\w /-]*:""")
_TOKEN = re.compile(
    r"""\s*(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\\n]|\\.|(?<=\w)'(?=\w))*)'"""
    r"""|(?P<sign>[{}\[\]:,])|(?P<bare>[^\s{}\[\]:,"](?:[^{}\[\]:,"\n]*[^\s{}\[\]:,"])?))"""
)
# Maximum nesting depth of objects.
_DEEPEST = 30


@dataclass(slots=True)
class Node:
    """A value of an object: its offsets without quotes, its members with their keys, or its items; a text has neither."""

    start: int
    end: int
    members: list[tuple[Node, Node]] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)


def objects(text: str, finding: Callable[[str], bool]) -> str:
    """Return a text in which each member of an object is a line, a label with its answer; `finding` returns whether words name
    a finding."""
    sheet = Sheet(text)
    at = 0
    while (opened := _OPENS.search(text, at)) is not None:
        parser = _Parser(text)
        node, at = parser.value(opened.start(), 0)
        if node is not None and parser.keyed:
            sheet.blank(opened.start(), at)
            _Writer(sheet, finding).value(node)
        at = max(at, opened.start() + 1)
    return sheet.done()


class _Parser:
    """Parses values, and tolerates a truncated text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.keyed = False

    def value(self, at: int, depth: int) -> tuple[Node | None, int]:
        """Return the value at an offset, or None, and its end."""
        token = _TOKEN.match(self._text, at)
        if token is None or depth > _DEEPEST:
            return None, at
        if token["sign"] in ("{", "["):
            return self._inner(token, depth)
        if token["sign"]:
            return None, at
        return Node(*token.span(token.lastgroup or 0)), token.end()

    def _inner(self, opened: re.Match[str], depth: int) -> tuple[Node, int]:
        """Return the object or list that a bracket opens."""
        node, at = Node(opened.start("sign"), opened.end()), opened.end()
        close = "}" if opened["sign"] == "{" else "]"
        while True:
            token = _TOKEN.match(self._text, at)
            if token is None or token["sign"] in ("}", "]"):
                node.end = at = token.end() if token is not None and token["sign"] == close else at
                return node, at
            if token["sign"] in (",", ":"):
                at = token.end()
                continue
            one, after = self.value(at, depth + 1)
            if one is None or after <= at:
                node.end = at
                return node, at
            at = after
            colon = _TOKEN.match(self._text, at)
            if close == "}" and colon is not None and colon["sign"] == ":":
                self.keyed = True
                told, at = self.value(colon.end(), depth + 1)
                node.members.append((one, told or Node(colon.end(), colon.end())))
                at = max(at, colon.end())
            else:
                node.items.append(one)


class _Writer:
    """Writes values as lines."""

    def __init__(self, sheet: Sheet, finding: Callable[[str], bool]) -> None:
        self._sheet = sheet
        self._finding = finding

    def value(self, node: Node) -> None:
        """Write the contents of an object or a list, one per line."""
        named = self._named(node)
        placing = [told for key, told in node.members if self._words(key) in answers().words["placing"] and self._is_text(told)]
        if named is not None:
            self._open(named)
            self._told(named, node)
            if placing and placing[0].start < named.start:
                self._open(placing[0])
                self._sheet.put(placing[0].end, placing[0].end + 1, ",")
                self._sheet.put(named.start - 1, named.start, "")
            return
        if placing and any(told.start > placing[0].end and self._is_text(told) for _, told in node.members):
            self._placed(placing[0], node)
            return
        for key, told in node.members:
            self._member(key, told)
        for one in node.items:
            (self.value if one.members or one.items else self._open)(one)

    def _member(self, key: Node, told: Node) -> None:
        words, known = self._words(key), answers().words
        if words in known["aside"] and not self._finding(words):
            return
        nested = self._finding(words) and any(self._words(one) in known["answering"] | known["detail"] for one, _ in told.members)
        if words in known["lacking"] and told.items:
            for one in told.items:
                self._open(one)
                self._sheet.put(one.end, one.end + 2, "：-")
            return
        self._open(key)
        self._sheet.put(key.end, key.end + 1, "" if nested else ":" if told.items or told.members else "：")
        if nested:
            self._told(key, told)
        elif told.members or told.items:
            self.value(told)
        else:
            self._text(told)

    def _placed(self, place: Node, node: Node) -> None:
        """Write the statements about a site ({"region": "lungs", "finding": "clear"})."""
        self._open(place)
        at, mark = place.end, "："
        for key, told in node.members:
            if told.start > place.end and self._is_text(told) and self._words(key) not in answers().words["aside"]:
                self._text(told)
                self._sheet.put(at, at + 1, mark)
                at, mark = told.end, "."

    def _is_text(self, one: Node) -> bool:
        """Whether a value is a text that neither affirms nor denies."""
        found = answer(self._sheet.text, one.start, one.end)
        return not (one.members or one.items) and one.start < one.end and (found is None or found.kind == NORMAL)

    def _named(self, node: Node) -> Node | None:
        """Return the name of the finding that an object describes ({"finding": "effusion", "present": false})."""
        known = answers().words
        names = (told for key, told in node.members if self._words(key) in known["naming"])
        name = next((told for told in names if self._finding(self._words(told))), None)
        telling = known["answering"] | known["detail"]
        if name is None or not any(self._words(key) in telling for key, told in node.members if told is not name):
            return None
        return Node(*question_subject(self._sheet.text, name.start, name.end))

    def _answering(self, node: Node) -> tuple[Node | None, str]:
        """Return the value of an object that is its answer, if any, and its kind."""
        for key, told in node.members:
            found = answer(self._sheet.text, told.start, told.end)
            if found is not None and self._words(key) in answers().words["answering"] and not told.members:
                return told, found.kind
        return None, PROSE

    def _told(self, name: Node, node: Node) -> None:
        """Write after a name what its object states: presence, site and description; and the rest, one per line."""
        known, (told, kind) = answers().words, self._answering(node)
        mark = "："
        for key, one in node.members:
            words = self._words(key)
            stated = self._stated(one, one is told)
            if stated is None or words in known["aside"] or one.start <= name.start < one.end:
                continue
            if words not in known["detail"] | known["answering"]:
                self._member(key, one)
            elif kind in (PRESENT, PROSE) and one.start > name.end and not (one.members or one.items):
                complete = self._finding(self._words(stated))
                self._text(stated)
                self._sheet.put(stated.start - 1, stated.start, "\n" if complete else mark)
                mark = mark if complete else ","
        if kind in (ABSENT, NORMAL, UNKNOWN):
            self._sheet.put(name.end, name.end + 2, "：?" if kind == UNKNOWN else "：-")

    def _stated(self, one: Node, answering: bool) -> Node | None:
        """Return what a value states: itself, or what follows its answer if it is `answering`; None if it is only an answer."""
        found = answer(self._sheet.text, one.start, one.end)
        if found is None:
            return one
        joined = found.kind == PROSE or found.joined or (found.kind == PRESENT and found.rest > found.end)
        return Node(found.rest, one.end) if answering and joined else None

    def _open(self, one: Node) -> None:
        """Start a line with a text."""
        self._text(one)
        self._sheet.put(one.start - 1, one.start, "\n")

    def _text(self, one: Node) -> None:
        """Write a text in place."""
        words = self._sheet.text[one.start : one.end]
        self._sheet.put(one.start, one.end, words.replace("\\n", " \n").replace('\\"', ' "').replace("_", " "))

    def _words(self, one: Node) -> str:
        return self._sheet.text[one.start : one.end].replace("_", " ").strip().lower()
