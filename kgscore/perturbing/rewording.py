"""The same said in other words and another order: synonyms of the ontology, words that describe alike, sentence frames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import NamedTuple

from kgscore.model import Finding
from kgscore.perturbing.edits import Change, Span
from kgscore.perturbing.english import is_plural, lower_first, sentence, tidy, upper_first, with_article
from kgscore.perturbing.means import Means
from kgscore.perturbing.phrases import every, noun_phrase
from kgscore.perturbing.source import Draft, Line, movable
from kgscore.reading.tokens import phrase_key

# Of the words of a sentence that could be changed so many are, at most; and the tries to find an order.
_WORDS, _ORDERS = 3, 4
# A phrase of more words is not put in another frame.
_SHORT = 8
_SIDED = re.compile(r"\b(?:left|right|both|bilateral|bi(?:bas|ap|front|pariet|temp|occip|hil))", re.IGNORECASE)
_CLAUSES = re.compile(r"\b(?:is|are|was|were|which|that|or|nor|and)\b")
_FRAME = re.compile(
    r"(?P<denied>no(?: evidence of| sign of)? (?P<n1>[^,;:]+?)"
    r"(?: (?:is|are) (?:seen|identified|noted|present|demonstrated|visualized|detected))?"
    r"|there (?:is|are) no(?: evidence of)? (?P<n2>[^,;:]+?))\.?\Z"
    r"|(?P<asserted>there (?:is|are) (?:an? )?(?P<n3>[^,;:]+?))\.?\Z",
    re.IGNORECASE,
)


class _Swap(NamedTuple):
    """Words at a place of a line, and what may stand there."""

    start: int
    end: int
    after: str
    concept: str | None
    kind: str


class Rewording:
    """Rewords lines and changes the order of pieces; what the report says, read again, stays the same."""

    def __init__(self, means: Means) -> None:
        self.means = means
        rows = means.lists.described
        self._alike = {word: tuple(w for w in row if w != word) for row in rows for word in row}
        words = sorted(self._alike, key=lambda word: (-len(word), word))
        quality = r"\s+in\s+(?:size|caliber|position|signal|density|shape|contour|appearance|height)"
        self._words = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b(?!-|{quality})", re.IGNORECASE)

    def reworded(self, draft: Draft, random: Random, *, frozen: frozenset[int] = frozenset()) -> Draft:
        """Return a draft in which lines have other words, but those in `frozen`."""
        said = self.means.read(draft.version().text).findings
        for number, line in enumerate(draft.source.lines):
            if number in frozen or number in draft.texts or not line.units:
                continue
            draft = self._line(draft, number, said, random)
        return draft

    def _line(self, draft: Draft, number: int, said: Sequence[Finding], random: Random) -> Draft:
        """Return a draft with some words of a line changed, last ones first, each only if the report still says the same."""
        line = draft.source.lines[number]
        framed = self._framed(line, random)
        if framed is not None and random.random() < 0.5:
            change = Change("frame", (line.start, line.end), line.text, framed, findings=_numbers(line))
            made = draft.with_line(number, framed, [change])
            if self.means.same(said, made.version().text):
                return made
        swaps = _apart(self._swaps(line, random))
        chosen = sorted(random.sample(swaps, min(_WORDS, len(swaps))), reverse=True)
        for swap in chosen:
            text = draft.line(number)
            new = tidy(text[: swap.start] + swap.after + text[swap.end :])
            span = (line.start + swap.start, line.start + swap.end)
            before = line.text[swap.start : swap.end]
            change = Change(swap.kind, span, before, swap.after, swap.concept, swap.concept, _numbers(line))
            made = draft.with_line(number, new, [change])
            if self.means.same(said, made.version().text):
                draft = made
        return draft

    def _swaps(self, line: Line, random: Random) -> Iterator[_Swap]:
        for entity in line.entities:
            start, end = entity.start - line.start, entity.end - line.start
            if entity.type == "descriptor" or _SIDED.search(entity.text):
                continue
            others = self.means.words.synonyms(entity.concept, entity.text)
            others = [text for text in others if not _doubled(line.text[:start], text, line.text[end:])]
            if others:
                yield _Swap(start, end, _cased(random.choice(others), entity.text, start == 0), entity.concept, "synonym")
        named = [(e.start - line.start, e.end - line.start) for e in line.entities if e.type not in ("descriptor",)]
        for match in self._words.finditer(line.text):
            if not any(a < match.end() and match.start() < b for a, b in named):
                other = random.choice(self._alike[match[0].lower()])
                yield _Swap(match.start(), match.end(), _cased(other, match[0], match.start() == 0), None, "wording")

    def _framed(self, line: Line, random: Random) -> str | None:
        """Return a short sentence in another frame: "No effusion is seen." for "There is no effusion."."""
        match = _FRAME.fullmatch(line.text)
        if match is None or line.label or line.section == "silent":
            return None
        phrase = match["n1"] or match["n2"] or match["n3"]
        if len(phrase.split()) > _SHORT or _CLAUSES.search(phrase) or _one_phrase(line) is None:
            return None
        kind = "denied" if match["denied"] else "asserted"
        frames = self.means.lists.frames[f"{kind}_plural" if is_plural(phrase) else kind]
        with_a = with_article(lower_first(phrase))
        made = [sentence(f.format(np=lower_first(phrase), a=with_a, A=upper_first(with_a))) for f in frames]
        others = [text for text in made if text.rstrip(".").lower() != line.text.rstrip(".").lower()]
        return random.choice(others) if others else None

    # ---- order ---------------------------------------------------------------------------------------------------
    def reordered(self, draft: Draft, random: Random) -> Draft:
        """Return a draft whose pieces stand in another order, where one is found in which the report says the same."""
        runs = movable(draft.source)
        said = self.means.read(draft.version().text).findings
        for _ in range(_ORDERS):
            order = _shuffled(draft.source.pieces, runs, random)
            made = replace_order(draft, order)
            if order != draft.source.pieces and self.means.same(said, made.version().text):
                return made
        for run in runs:
            for one, other in pairwise(run):
                pieces = list(draft.order or draft.source.pieces)
                pieces[one], pieces[other] = pieces[other], pieces[one]
                made = replace_order(draft, tuple(pieces))
                if self.means.same(said, made.version().text):
                    draft = made
        return draft


def replace_order(draft: Draft, order: tuple[Span, ...]) -> Draft:
    """Return a draft with another order of its pieces."""
    made = draft.copy()
    made.order = order
    return made


def _shuffled(pieces: Sequence[Span], runs: Sequence[Sequence[int]], random: Random) -> tuple[Span, ...]:
    out = list(pieces)
    for run in runs:
        for slot, at in zip(run, random.sample(run, len(run)), strict=True):
            out[slot] = pieces[at]
    return tuple(out)


def _apart(swaps: Iterator[_Swap]) -> list[_Swap]:
    """Return swaps that do not overlap, the first of those that do."""
    kept: list[_Swap] = []
    for swap in swaps:
        if all(swap.end <= other.start or swap.start >= other.end for other in kept):
            kept.append(swap)
    return kept


def _doubled(before: str, new: str, after: str) -> bool:
    """Whether new words would say again what stands beside them ("post void post-void residual")."""
    words = phrase_key(new)
    last, following = phrase_key(before)[-1:], phrase_key(after)[:1]
    return bool(words) and (last == words[:1] or following == words[-1:] or (words[:1] == phrase_key(before)[-2:-1]))


def _cased(new: str, old: str, first: bool) -> str:
    """Return new words with the capital of the old ones."""
    if old.isupper() and len(old) > 4:
        return new.upper()
    return upper_first(new) if first or (old[:1].isupper() and old[1:].islower() and " " not in old) else lower_first(new)


def _numbers(line: Line) -> tuple[int, ...]:
    return tuple(number for unit in line.units for number in unit.numbers)


def _one_phrase(line: Line) -> object | None:
    """Return the noun phrase of a line that says one thing, or None."""
    return noun_phrase(line, line.units[0], keep=every) if len(line.units) == 1 else None


