"""Words, numbers, measurements and levels, each with its normal form in the lexicon.

Text and lexicon use the same function, so that variants of spelling (oedema/edema), number (nodules/nodule), hyphens
(ground-glass/ground glass) and the possessive need not be listed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from itertools import chain
from typing import NamedTuple

from kgscore.reading.units import Units, units
from kgscore.resources import resource

WORD, NUMBER, MEASURE, PUNCTUATION = range(4)


class Token(NamedTuple):
    """A token: normal form, kind, and character offsets in the report."""

    norm: str
    kind: int
    start: int
    end: int


_NUM = r"\d+(?:\.\d+)?"
_LEVEL = (
    r"(?:(?:[CLST]|Th|D)\d{1,2}\s?(?:[-/–—]|(?:down |up )?(?:to|through|thru))|between (?:[CLST]|Th|D)\d{1,2} and)"
    r"\s?(?:[CLSTD]|Th)?\d{1,2}(?!\d|\.\d|\s?(?:mm|cm))"
)
# Signs that are words: their meanings are in `mappings/reading/spelling.txt`.
_SIGN = r"w/(?:o|out)?(?![\w/])|(?<!\w)[-+−]ve\b|[↑↓∅⌀]"
_AFTER_MEASURE = (
    rf"|(?P<size>{_NUM}\s?[x×*]\s?{_NUM}(?:\s?[x×*]\s?{_NUM})?)"
    rf"|(?P<level>\b{_LEVEL}\b)"
    rf"|(?P<word>{_SIGN}|[A-Za-zÀ-ÿ]+\d*(?:'s\b|’s\b)?|\d+(?:st|nd|rd|th|[a-c])\b)"
    rf"|(?P<number>{_NUM})"
    r"|(?P<punct>\(\+\)|\(-\)|[^\sA-Za-z0-9])"
)
# The groups of a token, in the order of the pattern above, after `measure` and `size`.
_LEVEL_GROUP, _WORD_GROUP, _NUMBER_GROUP, _PUNCT_GROUP = 3, 4, 5, 6


# Words that join prefixes with a shared stem, and its minimum length.
_JOINING = frozenset(("and", "or", "&", "to"))
_STEM = 4


@cache
def _token(measure: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<measure>{measure}){_AFTER_MEASURE}", re.IGNORECASE)


class Spelling(NamedTuple):
    """The rules for the normal form of a word: `mappings/reading/spelling.txt`; `british` matches any of the `american`
    patterns."""

    prefixes: frozenset[str]
    kept: frozenset[str]
    acronyms: frozenset[str]
    singulars: dict[str, str]
    american: tuple[tuple[re.Pattern[str], str], ...]
    british: re.Pattern[str]


@cache
def spelling() -> Spelling:
    """Return the spelling rules, read once.

    Raises:
        KgscoreError: the file is missing.
    """
    rows = defaultdict[str, list[list[str]]](list)
    for line in resource("mappings", "reading", "spelling.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, *words = line.split()
            rows[kind].append(words)
    prefixes, kept, acronyms = (frozenset(chain.from_iterable(rows[kind])) for kind in ("prefix", "keep", "acronym"))
    return Spelling(
        prefixes, kept, acronyms, {row[0]: row[1] for row in (*rows["plural"], *rows["short"])},
        tuple((re.compile(pattern), put) for pattern, put in rows["spell"]),
        re.compile("|".join(pattern for pattern, _ in rows["spell"])),
    )  # fmt: skip


@lru_cache(maxsize=200_000)
def normal_form(word: str) -> str:
    """Return the normal form of one word: lower case, American spelling, singular, no possessive.

    >>> normal_form("Oedematous"), normal_form("opacities"), normal_form("Metastases"), normal_form("Baker's")
    ('edematous', 'opacity', 'metastasis', 'baker')
    """
    rules = spelling()
    if word in rules.acronyms:
        return word.lower()
    word = word.lower().replace("’", "'")
    if word.endswith("'s"):
        word = word[:-2]
    if rules.british.search(word):
        for pattern, put in rules.american:
            word = pattern.sub(put, word)
    if word in rules.singulars:
        return rules.singulars[word]
    if word.endswith("ly") and len(word) > 6:
        return word[:-2]
    if word in rules.kept or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("sses", "xes", "ches", "shes", "zes")) else word[:-1]


def _level(text: str) -> str:
    """Return the normal form of a range of spinal levels ("T12/L1", "D12-L1": T12-L1)."""
    (first, upper), (second, lower) = re.findall(r"([A-Z]*)\s?(\d+)", re.sub("TH|D", "T", text.upper()))[:2]
    return f"{first}{upper}-{second or first}{lower}"


def _for_fracture(text: str, at: int) -> bool:
    """Whether "#" stands for a fracture ("stress #", "radius #: united"), rather than a heading or number."""
    before, after = text[text.rfind("\n", 0, at) + 1 : at].rstrip(), text[at + 1 : at + 2]
    return bool(before) and before[-1] not in "#|" and after != "#" and not after.isdigit()


_new = tuple.__new__


def tokenize(text: str, offset: int = 0, known: Units | None = None) -> list[Token]:
    """Split `text` into tokens; `offset` is added to every position. `known` are the units of measurement, by default those
    shipped."""
    tokens: list[Token] = []
    prefixes = spelling().prefixes
    hyphen, shared = -2, False
    for match in _token((known or units()).measure).finditer(text):
        kind, raw = match.lastindex, match[0]
        start, end = match.span()
        if kind == _PUNCT_GROUP and raw in "-–" and tokens and tokens[-1].end == start + offset:
            if text[end : end + 1].isalnum():
                hyphen = start
                continue
            raw, shared = "-", True
        acronym = raw.isupper() and len(raw) > 1
        stem = kind == _WORD_GROUP and hyphen == start - 1 and tokens[-1].norm in prefixes
        if stem and not (acronym and text[hyphen - 1].islower()):  # "mid-SVC"
            raw, start = tokens[-1].norm + raw.lower(), tokens.pop().start - offset
        norm, kind = _normal(text, start, raw, kind)
        tokens.append(_new(Token, (norm, kind, start + offset, end + offset)))
    return _with_stems(tokens, prefixes) if shared else tokens


def _normal(text: str, start: int, raw: str, group: int | None) -> tuple[str, int]:
    """Return the normal form and the kind of a token by the group of the pattern that it matches."""
    if group == _WORD_GROUP or (raw == "#" and _for_fracture(text, start)):
        return normal_form(raw), WORD
    if group == _LEVEL_GROUP:
        return _level(raw).lower(), WORD
    return raw, PUNCTUATION if group == _PUNCT_GROUP else NUMBER if group == _NUMBER_GROUP else MEASURE


def _with_stems(tokens: list[Token], prefixes: frozenset[str]) -> list[Token]:
    """Return tokens in which a prefix has the stem that it shares with the next one ("intra- and extrahepatic")."""
    out = list(tokens)
    for at in range(len(tokens) - 4, -1, -1):
        first, hyphen, joint, other = out[at : at + 4]
        if first.norm not in prefixes or hyphen.norm != "-" or hyphen.start != first.end or joint.norm not in _JOINING:
            continue
        own = max((prefix for prefix in prefixes if other.norm.startswith(prefix)), key=len, default="")
        if own and len(other.norm) >= len(own) + _STEM:
            out[at : at + 2] = [first._replace(norm=normal_form(first.norm + other.norm[len(own) :]), end=hyphen.end)]
    return out


_ARTICLES = frozenset(("the", "a", "an"))


@cache
def phrase_key(form: str) -> tuple[str, ...]:
    """Return the normal forms of the words of a surface form, without articles: its key in the lexicon."""
    return tuple(token.norm.lower() for token in tokenize(form) if token.norm not in _ARTICLES)
