"""Meaning-preserving changes: synonyms, equivalent descriptors, sentence frames, and order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

from kgscore.lab.perturbing.edits import Change, Span
from kgscore.lab.perturbing.means import Means, match_case, sentence, tidy, upper_first
from kgscore.lab.perturbing.source import Draft, Line, movable
from kgscore.model import Finding
from kgscore.reading.tokens import phrase_key

# The maximum share of the changeable words of a sentence that are changed; and the number of attempts to find an order.
_WORDS, _ORDERS = 3, 4
_SIDED = re.compile(r"\b(?:left|right|both|bilateral|bi(?:bas|ap|front|pariet|temp|occip|hil))", re.IGNORECASE)
_THERE = re.compile(r"there (?:is|are)(?: an?)? ", re.IGNORECASE)


class Rewording:
    """Rewords lines and reorders pieces; the reading of the report stays the same."""

    def __init__(self, means: Means) -> None:
        self.means = means
        rows = means.lists["described"]
        self._alike = {word: [w for w in row if w != word] for row in rows for word in row}
        words = sorted(self._alike, key=lambda word: (-len(word), word))
        quality = r"\s+in\s+(?:size|caliber|position|signal|density|shape|contour|appearance|height)"
        self._words = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b(?!-|{quality})", re.IGNORECASE)

    def reworded(self, draft: Draft, random: Random, *, frozen: frozenset[int] = frozenset()) -> Draft:
        """Return a draft with reworded lines, except those in `frozen`; each change only if the reading stays the same."""
        said = self.means.read(draft.text).findings
        for number, line in enumerate(draft.source.lines):
            if number not in frozen and number not in draft.texts and line.units:
                draft = self._reword_line(draft, number, said, random)
        return draft

    def _reword_line(self, draft: Draft, number: int, said: Sequence[Finding], random: Random) -> Draft:
        line = draft.source.lines[number]
        framed = self._reframe(line, random)
        if framed is not None and random.random() < 0.5:
            made = draft.with_line(number, framed, [line.change("frame", framed, findings=line.numbers)])
            if self.means.same(said, made.text):
                return made
        swaps: list[Change] = []
        for swap in self._swaps(line, random):
            if all(swap.span[1] <= other.span[0] or swap.span[0] >= other.span[1] for other in swaps):
                swaps.append(swap)
        chosen = random.sample(swaps, min(_WORDS, len(swaps)))
        for swap in sorted(chosen, key=lambda one: one.span, reverse=True):  # from the end backwards
            text, (start, end) = draft.line(number), (at - line.start for at in swap.span)
            made = draft.with_line(number, tidy(text[:start] + swap.after + text[end:]), [swap])
            if self.means.same(said, made.text):
                draft = made
        return draft

    def _swaps(self, line: Line, random: Random) -> Iterator[Change]:
        named = [entity for entity in line.entities if entity.type != "descriptor"]
        for entity in named:
            others = [] if _SIDED.search(entity.text) else self.means.words.synonyms(entity.concept, entity.text)
            others = [text for text in others if not _repeats_neighbour(line.text[: entity.start], text, line.text[entity.end :])]
            if others:
                yield line.change(
                    "synonym", match_case(random.choice(others), entity.text), entity.start, entity.end,
                    concept_before=entity.concept, concept_after=entity.concept, findings=line.numbers,
                )  # fmt: skip
        for match in self._words.finditer(line.text):
            if not any(e.start < match.end() and match.start() < e.end for e in named):
                other = random.choice(self._alike[match[0].lower()])
                yield line.change("wording", match_case(other, match[0]), *match.span(), findings=line.numbers)

    def _reframe(self, line: Line, random: Random) -> str | None:
        """Return a sentence of one finding in another frame: "No evidence of effusion." for "There is no effusion."."""
        start, kind = _lead(line)
        plain = not line.label and line.section != "silent" and ":" not in line.text
        if not start or not plain or len(line.units) != 1 or len(line.clauses) != 1 or line.cues_of("cop", start=start):
            return None
        phrase = self.means.words.lower_first(line.text[start:].strip(" ."))
        frames = self.means.lists["frames"][kind]
        made = (sentence(frame.format(np=phrase, Np=upper_first(phrase))) for frame in frames)
        others = [text for text in made if text.rstrip(".").lower() != line.text.rstrip(".").lower()]
        return random.choice(others) if others else None

    # ---- order ---------------------------------------------------------------------------------------------------
    def reorder(self, draft: Draft, random: Random) -> Draft:
        """Return a draft with its pieces reordered, if an order with the same reading is found."""
        runs = movable(draft.source)
        said = self.means.read(draft.text).findings
        for _ in range(_ORDERS):
            order = _shuffle(draft.source.pieces, runs, random)
            made = replace(draft, order=order)
            if order != draft.source.pieces and self.means.same(said, made.text):
                return made
        for one, other in (pair for run in runs for pair in pairwise(run)):
            pieces = list(draft.order or draft.source.pieces)
            pieces[one], pieces[other] = pieces[other], pieces[one]
            made = replace(draft, order=tuple(pieces))
            if self.means.same(said, made.text):
                draft = made
        return draft


def _lead(line: Line) -> tuple[int, str]:
    """Return the end of the words that introduce a finding ("there is no"), and the kind of their frame."""
    there = _THERE.match(line.text)
    start = there.end() if there else 0
    denial = next((cue for cue in line.cues_of("neg") if cue.start in (0, start)), None)
    return (denial.end, "denied") if denial else (start, "asserted")


def _shuffle(pieces: Sequence[Span], runs: Sequence[Sequence[int]], random: Random) -> tuple[Span, ...]:
    out = list(pieces)
    for run in runs:
        for slot, at in zip(run, random.sample(run, len(run)), strict=True):
            out[slot] = pieces[at]
    return tuple(out)


def _repeats_neighbour(before: str, new: str, after: str) -> bool:
    """Return whether new words would repeat their neighbours ("post void post-void residual")."""
    words = phrase_key(new)
    last, following = phrase_key(before)[-1:], phrase_key(after)[:1]
    return bool(words) and (last == words[:1] or following == words[-1:] or words[:1] == phrase_key(before)[-2:-1])
