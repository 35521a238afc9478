"""Lines that answer for a finding: "### Pneumothorax" above "None seen.", "X? No.", "[ ] X" in the plain form "X: no"."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from kgscore.reading.markup.answers import (
    ABSENT,
    NORMAL,
    PRESENT,
    UNKNOWN,
    Answer,
    answer,
    answers,
    beginning,
    question_subject,
    ticked,
)
from kgscore.reading.markup.marks import Sheet
from kgscore.reading.remarks import HEADING, NOT_COMPOSED, QUALITY

_MARKS = re.compile(
    r"(?:\s|#{1,6}|[-*•‣▪◦·–—+>](?=\s)|\(?\d{1,2}[.)](?=\s)|\d\d?\.\d\d?(?=\s+[A-Z])|\(?[a-h]\)(?=\s)"
    r"|[\u25a2-\u25ff\u2794-\u27bf\U0001f300-\U0001faff]\ufe0f?(?=\s*\w)|Q(?:uestion)?\s*\d*\s*[.:)](?=\s))*"
)
_HEADED = re.compile(r"\s*(?:[-*•>]\s+|\(?\d{1,2}[.)]\s+)*(?:#{1,6}\s|(\*{2,3}|__).*\1[\s:]*$|<(h\d|b|strong)>.*</\2>\s*$)")
_ASKING = re.compile(r"Q(?:uestion)?\s*\d*\s*[.:)]\s*\Z")
_UNDERLINE = re.compile(r"\s*(?:-{3,}|={3,}|~{3,})\s*$")
_PAIR = re.compile(
    r"(?P<label>[A-Za-z](?:[^:：.;!?=|\t\n→☐☑☒✅✓✔■❌✗✘✖☓□\[]){0,80}?)\s*"
    r"(?P<sign>[:：]+(?=\s|$)|：|=+>?|(?<=\w)\?(?=\s|$)|\||\t|(?<=\S) {3,}(?=\S)|→|->|(?<=\s)[-–—]+(?=\s)|\.{3,}|…"
    r"|(?=[☐☑☒✅✓✔■❌✗✘✖☓□\[(]))"
)
_BULLETS = "•‣▪◦·–—"
_SURE = (":", "：", "?")
_PART = re.compile(r"(?<!\.)(?<!\s\d)[.;!]\s+|,\s+(?=[A-Z][^:,.;!?\n]{2,60}(?::\s|\?))|\?\s+(?=[A-Z][^:,.;!?\n]{2,60}\?)")
_FIRST = re.compile(r"[^.;!?\n]*(?:\.(?=\d)[^.;!?\n]*)*")
# Before a line that does not continue another.
_ENDED = re.compile(r"(?:\A\s*|\n[ \t\r]*\n|[.:;!?|][ \t\r]*\n)\Z")
_STOP = re.compile(r"[.!;][ \t]+")
# Maximum length of a label with the words of a question around it; the text examined before one; the maximum number of labels
# before one.
LONGEST, _PREFIX, _NESTED = 120, 16, 4
# Number of characters of a sentence that determine whether it continues the text before it.
_SENTENCE = 300


class Names(NamedTuple):
    """What words name: `finding` is True if they are a label of one, `deniable` if "normal" denies it, and `stated` if they
    are a statement ("heart normal"); `kinds` and `concepts` are those of their mentions, in order."""

    finding: bool
    deniable: bool
    stated: bool
    kinds: tuple[str, ...]
    concepts: tuple[str, ...]


class Label(NamedTuple):
    """The name of a finding by its offsets, the start of the words of a question before it, and the sign after it."""

    opening: int
    start: int
    end: int
    sign: str = ""


class Lines:
    """Writes answers over the lines of a text; `marked` is that text with its marks, and `names` returns what words name."""

    def __init__(self, text: str, marked: str, names: Callable[[str], Names]) -> None:
        self._sheet = Sheet(text)
        self._marked = marked
        self._names = names
        self.left: list[tuple[int, int, str]] = []

    def written(self) -> str:
        """Return the text with its answers."""
        text = self._sheet.text
        lines = [match.span() for match in re.finditer(r"[^\n]+", text) if match[0].strip()]
        at, fresh = 0, True
        while at < len(lines):
            opened = self._line(*lines[at], fresh)
            at += 1
            under = (below for below in range(at, len(lines)) if not _UNDERLINE.match(text, *lines[below]))
            below = next(under, None)
            fresh = opened is not None and below is not None and self._next(opened, lines[below])
            at = below + 1 if fresh and below is not None else at
        return self._sheet.done()

    # ---- one line ------------------------------------------------------------------------------------------------
    def _line(self, start: int, end: int, fresh: bool) -> Label | None:
        """Write the answers of one line; return the label, with its sign, that the next line may answer. A `fresh` line does
        not continue another."""
        text = self._sheet.text
        begin = self._begin(start, end)
        if begin >= end:
            return None
        marks = text[start:begin]
        if "#" in marks or not all(letter.isascii() or letter in _BULLETS for letter in marks):
            self._sheet.blank(start, begin)
        if "#" in marks:
            closed = begin + len(text[begin:end].rstrip("# \t"))
            self._sheet.blank(closed, end)
            end = closed
        first = self._ticked(begin, end)
        opened = None
        for part in (*_PART.finditer(text, begin, end), None):
            last = part.start() + (text[part.start()] in ".!?") if part else end
            opened = self._part(self._begin(first, last), last)
            first = part.end() if part else end
        return opened or self._alone(start, begin, end, fresh)

    def _alone(self, start: int, begin: int, end: int, fresh: bool) -> Label | None:
        """Return the label that is a line by itself, with the sign of a heading if it is one."""
        text, label = self._sheet.text, self._label(begin, end)
        if label is None or text[begin:end].rstrip()[-1:] in ".;,：" or not {":", "："}.isdisjoint(text[begin : end - 1]):
            return None
        if _HEADED.match(self._marked, start, end) or "#" in text[start:begin] or self._ruled(end):
            return label._replace(sign="#")
        return label if text[begin].isupper() and (fresh or _ENDED.search(text, max(0, start - LONGEST), start)) else None

    def _begin(self, start: int, end: int) -> int:
        return found.end() if (found := _MARKS.match(self._sheet.text, start, end)) else start

    def _ruled(self, end: int) -> bool:
        after = self._sheet.text.find("\n", end + 1)
        return _UNDERLINE.match(self._sheet.text, end, after if after >= 0 else len(self._sheet.text)) is not None

    def _ticked(self, begin: int, end: int) -> int:
        """Write a finding after a box ("[ ] Pneumothorax", "✗ Effusion"); return the start of the rest to be read."""
        text = self._sheet.text
        box = answers().box.match(text, begin, end)
        if box is None:
            return begin
        after = beginning(text, box.end(), end)
        pair, label = _PAIR.match(text, after, end), self._label(after, end)
        if label is None:
            answered = pair is not None and self._label(*pair.span("label")) is not None
            self._sheet.blank(begin, box.end() if answered else begin)
            return after if answered else begin
        word = "" if ticked(box["box"]) == PRESENT else "no" if label.start - begin > len("no") else "Ø"
        self._sheet.put(begin, label.start, word)
        return end

    def _part(self, start: int, end: int, depth: int = _NESTED) -> Label | None:
        """Write the answer of a label in its line; return the label, with its sign, if nothing follows it."""
        text, pair = self._sheet.text, _PAIR.match(self._sheet.text, start, end) if depth else None
        if pair is None:
            return None
        rest, label = beginning(text, pair.end(), end), self._label(*pair.span("label"))
        found = answer(text, rest, end) if rest < end else None
        if (label is not None and rest < end and self._answered(label, pair, (rest, end), found)) or pair["sign"] not in _SURE:
            return None
        if label is not None and rest >= end:
            return label._replace(sign=pair["sign"])
        if found is not None and found.kind in (ABSENT, PRESENT):
            self._confirmed(*pair.span("label"), found)
        # "name: pneumothorax", above "status: absent"
        naming = pair["label"].strip().lower() in answers().words["naming"] and ":" not in text[rest:end]
        named = self._label(rest, end) if naming else None
        return named._replace(sign=":") if named else self._part(rest, end, depth - 1)

    def _answered(self, label: Label, pair: re.Match[str], span: tuple[int, int], found: Answer | None) -> bool:
        """Write what follows a label, and return whether it is an answer or continues a question."""
        text = self._sheet.text
        if found is not None:
            if text[pair.end()] != "(" or found.kind != PRESENT or found.joined:  # "(present)" is read as it is
                self._told(label, found)
            return True
        asked = pair["sign"] == "?" and (text[span[0]].isupper() or self._goes_on(span[0]))
        if asked:
            self._prose(label._replace(sign="?"), *span)
        return asked

    def _confirmed(self, start: int, end: int, found: Answer) -> None:
        """Write a statement that is confirmed ("Are the lungs clear? Yes."); one that is denied is skipped."""
        first, _ = question_subject(self._sheet.text, start, end)
        if self._names(self._sheet.text[first:end]).stated:
            self._sheet.blank(start if found.kind == ABSENT else end, found.end)
            self._sheet.blank(start, first)
            self.left += [(start, found.end, NOT_COMPOSED)] if found.kind == ABSENT else []

    def _label(self, start: int, end: int) -> Label | None:
        """Return the span of the name of a finding in a label, without the words of a question around it, or None."""
        text = self._sheet.text
        if end - start > LONGEST:
            return None
        first, last = question_subject(text, start, end)
        asking = _ASKING.search(text, max(text.rfind("\n", 0, start) + 1, start - _PREFIX), start)
        if first >= last or not self._names(text[first:last]).finding:
            return None
        return Label(asking.start() if asking else start, first, last)

    # ---- the line below ------------------------------------------------------------------------------------------
    def _next(self, label: Label, line: tuple[int, int]) -> bool:
        """Write the answer in a line for the label above it; return whether it has one."""
        text, sign = self._sheet.text, label.sign
        first = self._begin(*line)
        if _HEADED.match(self._marked, *line) and not self._continues(first, line[1]):
            return False
        begin = beginning(text, first, line[1])
        keyed = _PAIR.match(text, begin, line[1])
        if keyed and keyed["sign"] in _SURE and self._answering(*keyed.span("label")):
            begin, label, sign = beginning(text, keyed.end(), line[1]), label._replace(sign="#"), "#"
            if not self._continues(begin, line[1]):
                return False
        found = answer(text, begin, line[1])
        if found is None and sign:
            return self._prose(label, begin, line[1])
        if found is None or (not sign and (found.kind == NORMAL or found.rest > found.end or text[begin].islower())):
            return False
        self._told(label, found)
        return True

    def _continues(self, start: int, end: int) -> bool:
        """Whether a span answers, or only continues, what is above it."""
        return answer(self._sheet.text, start, end) is not None or self._goes_on(start)

    def _answering(self, start: int, end: int) -> bool:
        """Whether a key introduces the answer for the name above it ("Status: absent")."""
        return self._sheet.text[start:end].strip().lower() in answers().words["answering"] and not self._label(start, end)

    def _told(self, label: Label, found: Answer) -> None:
        """Write the answer for a finding."""
        opening, start, end, _ = label
        sheet = self._sheet
        kind = found.kind
        if kind == NORMAL:
            if not self._names(sheet.text[start:end]).deniable:
                return
            kind = ABSENT
        sheet.blank(opening, start)
        found = self._with_next(found)
        room = found.rest if found.joined else found.end
        if kind == ABSENT:
            forms = (": no. ", "：no. ", "：-. ") if found.joined else (": no", "：no", "：-")
            if found.joined and self._goes_on(found.rest):
                forms = (": no, ", "：no, ", "：-, ")  # "Varices: none, esophageal or splenic"
            sheet.fit(end, room, *forms)
        elif kind == UNKNOWN:
            sheet.blank(start, found.end)
            self.left.append((start, found.end, QUALITY))
        elif found.joined:
            sheet.fit(end, room, ": ", "：")
            if found.until is not None:
                sheet.blank(found.until, found.end)
        else:
            sheet.fit(end, room, ": yes", "：yes", "")

    def _with_next(self, found: Answer) -> Answer:
        """Return an answer with the next sentence, if that continues it ("Yes. Mild.")."""
        text = self._sheet.text
        stop = _STOP.match(text, found.end)
        if found.kind != PRESENT or found.joined or stop is None or not self._goes_on(stop.end()):
            return found
        return found._replace(rest=stop.end(), joined=True)

    def _sentence(self, start: int, end: int) -> str:
        """Return the sentence at an offset, or the part of it that determines what it is."""
        found = _FIRST.match(self._sheet.text, start, min(end, start + _SENTENCE))
        return found[0] if found else ""

    def _goes_on(self, start: int) -> bool:
        """Whether the sentence at an offset only continues the text before it."""
        sentence = self._sentence(start, start + _SENTENCE)
        said = self._names(sentence)
        return bool(said.kinds) and said.kinds[0] in _TELLING and not self._complete(said) and ":" not in sentence

    def _prose(self, label: Label, start: int, end: int) -> bool:
        """Merge a label and the sentence below it, if that is incomplete without it; otherwise the label is redundant, unless
        it is a heading for a finding."""
        text, (opening, first, last, sign) = self._sheet.text, label
        sentence = self._sentence(start, end)
        said = self._names(sentence)
        if self._complete(said):
            same = not set(said.concepts).isdisjoint(self._names(text[first:last]).concepts)
            if sign == "?" or (sign == "#" and (same or not _DENYING.isdisjoint(said.kinds))):
                self._sheet.blank(opening, last + text[last : last + 1].count("?"))
                self.left.append((first, last, HEADING))
            return False
        listed = sign not in ("#", "?") and text[text.rfind("\n", 0, start) + 1 : start].strip()
        placed = listed and "A" in said.kinds  # "Nodules:" above a list of places
        if ":" in sentence or said.kinds[:1] == () or said.kinds[0] not in (_ANSWERING if placed else _TELLING):
            return False
        self._sheet.blank(opening, first)
        self._sheet.fit(last, start, ": ", "：")
        return True

    def _complete(self, said: Names) -> bool:
        """Whether a sentence names a finding, or is a statement about a structure."""
        subject = next((at for at, kind in enumerate(said.kinds) if kind in ("A", "Q")), len(said.kinds))
        verb = next((at for at, kind in enumerate(said.kinds) if kind in _VERBS), -1)
        return "F" in said.kinds or subject < verb or (subject < len(said.kinds) and "N" in said.kinds)


_VERBS = frozenset(("cop", "have", "seen", "neg", "negpost", "N"))
_ANSWERING = frozenset(("neg", "negpost", "seen"))
_DENYING = frozenset(("neg", "negpost", "N"))
# Kinds of first items of a sentence that continues its heading.
_TELLING = frozenset(("neg", "negpost", "seen", "hedge", "M", "sideword", "A", "meas", "num", "change", "prep", "N", "cop"))
