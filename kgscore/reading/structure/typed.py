"""The typed sentence: its tokens and its items, one item per lexicon match, before nouns are shared or findings composed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgscore.linking.lexicon import Lexicon
from kgscore.ontology.index import Index
from kgscore.reading.masks import person_names
from kgscore.reading.mentions import DIMENSIONS, Mention, mentions_of
from kgscore.reading.sections import sentences
from kgscore.reading.tokens import MEASURE, PUNCTUATION, WORD, Token, tokenize
from kgscore.reading.units import Units


@dataclass(frozen=True, slots=True)
class TypedSentence:
    """A sentence with its tokens and items; offsets are relative to `text`, and positions in a structure are indices of
    `items`."""

    text: str
    tokens: Sequence[Token]
    items: Sequence[Mention]


def typed_sentence(
    text: str,
    lexicon: Lexicon,
    index: Index,
    votes: Mapping[str, int] | None = None,
    start: int = 0,
    end: int | None = None,
    units: Units | None = None,
) -> TypedSentence:
    """Return the typed sentence from `start` to `end` of a text, with its label if it has one; `units` are the units of
    measurement, by default those shipped with kgscore.

    `votes` counts the mentions of each region in the report, to disambiguate words; by default the words of the sentence vote.
    Misspelt words are corrected.
    """
    tokens = words_of(text[start:end], start, lexicon, units)
    mentions = lexicon.scan(tokens)
    if votes is None:
        votes = {}
        for mention in mentions:
            if mention.form is not None and (region := mention.form.module) is not None:
                votes[region] = votes.get(region, 0) + 1
    return TypedSentence(text, tokens, mentions_of(tokens, mentions, index, votes))


def words_of(text: str, start: int, lexicon: Lexicon, units: Units | None = None) -> list[Token]:
    """Return the tokens of a text that begins at `start`: misspelt words are corrected; the direction after a measurement is
    not a word ("a 2 mm thick wall" is no thick wall), nor is the name of a person."""
    tokens = tokenize(text, start, units)
    for first, last in person_names(text):
        named = (at for at, token in enumerate(tokens) if first <= token.start - start < last)
        for at in named:
            tokens[at] = tokens[at]._replace(norm="", kind=PUNCTUATION)
    for position, token in enumerate(tokens):
        if position and tokens[position - 1].kind == MEASURE and token.norm in DIMENSIONS:
            tokens[position] = token._replace(norm="", kind=PUNCTUATION)
        elif token.kind == WORD and token.norm not in lexicon.words:
            tokens[position] = token._replace(norm=_corrected(token, text[token.start - start : token.end - start], lexicon))
    return tokens


def _corrected(token: Token, written: str, lexicon: Lexicon) -> str:
    """Return the correction of an unknown word, by its normal form or as written ("cardiomegally" is no adverb)."""
    return lexicon.corrected(token.norm) or lexicon.corrected(written.lower()) or token.norm


def whole(text: str) -> tuple[int, int]:
    """Return the bounds of a text that is one sentence, as in a report: without a bullet before it, with its label."""
    cut = list(sentences(text))
    if not cut:
        return 0, len(text)
    first = cut[0].label[0] if cut[0].label else cut[0].start
    return min(first, cut[0].start), cut[-1].end
