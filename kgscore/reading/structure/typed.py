"""The typed sentence: its tokens and its items, one item per lexicon match, before nouns are shared or findings composed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgscore.linking.lexicon import Lexicon
from kgscore.ontology.index import Index
from kgscore.reading.mentions import DIMENSIONS, Mention, mentions_of
from kgscore.reading.tokens import MEASURE, PUNCTUATION, WORD, Token, tokenize
from kgscore.reading.units import Units

_NAME = r"(?:[A-Z]\.\s*){0,2}[A-Z][\w'’-]+"
_LAST = r"(?:\s[A-Z][\w'’-]+(?=\s*(?:[,.;:)]|\Z|(?:on|at|by|in|and|was|were|is|of|from|via|to)\b)))?"
# The name of a person: "Dr. Cyst", "John Stone, MD".
_PERSON = re.compile(
    rf"\b(?:(?:Drs?|Prof|Professor|Doctor|Mr|Mrs|Ms|Miss|Nurse)\b\.?\s+{_NAME}{_LAST}|dr\b\.?\s+[a-z]+"
    rf"|{_NAME}\s[A-Z][\w'’-]+,?\s(?:MD|M\.D\.|MBBS|FRCR|RN|DO|NP|PA-C|PhD)\b)"
)


@dataclass(frozen=True, slots=True)
class TypedSentence:
    """A sentence with its tokens and items; offsets are relative to `text`, and positions in a structure are indices of
    `items`."""

    text: str
    tokens: Sequence[Token]
    items: Sequence[Mention]


def typed_sentence(
    text: str, lexicon: Lexicon, index: Index, votes: Mapping[str, int] | None = None, start: int = 0, end: int | None = None,
    units: Units | None = None,
) -> TypedSentence:  # fmt: skip
    """Return the typed sentence from `start` to `end` of a text, with its label if it has one; `units` are the units of
    measurement, by default those shipped with kgscore.

    `votes` counts the mentions of each region in the report, to disambiguate words; by default the words of the sentence vote.
    Misspelt words are corrected.
    """
    tokens = words_of(text[start:end], start, lexicon, units)
    mentions = lexicon.scan(tokens)
    if votes is None:
        votes = Counter(one.form.module for one in mentions if one.form is not None and one.form.module is not None)
    return TypedSentence(text, tokens, mentions_of(tokens, mentions, index, votes))


def words_of(text: str, start: int, lexicon: Lexicon, units: Units | None = None) -> list[Token]:
    """Return the tokens of a text that begins at `start`: misspelt words are corrected; the direction after a measurement is
    not a word ("a 2 mm thick wall" is no thick wall), nor is the name of a person."""
    tokens = tokenize(text, start, units)
    people = [match.span() for match in _PERSON.finditer(text)]
    for position, token in enumerate(tokens):
        first, last = token.start - start, token.end - start
        along = token.norm in DIMENSIONS and position and tokens[position - 1].kind == MEASURE
        if along or (people and any(begin <= first < end for begin, end in people)):
            tokens[position] = token._replace(norm="", kind=PUNCTUATION)
        elif token.kind == WORD and token.norm not in lexicon.words:
            # By its normal form or as written: "cardiomegally" is no adverb.
            norm = lexicon.corrected(token.norm) or lexicon.corrected(text[first:last].lower()) or token.norm
            tokens[position] = token._replace(norm=norm)
    return tokens
