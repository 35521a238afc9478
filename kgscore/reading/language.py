"""Detection of English reports: by script, function words, and words of other languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgscore.linking.cues import forms_by_class
from kgscore.resources import resource

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(
    "[A-Za-z\u00aa\u00ba\u00c0-\u02af\u1e00-\u1eff\u2071-\u209c\u2c60-\u2c7f\ua722-\ua7ff\ufb00-\ufb06\uff21-\uff5a]"
)
# Letters of scripts without spaces between words (Thai, Lao, Khmer, kana, Han): each counts as a word.
_DENSE = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
# Letters with accents, except the circumflex also found in wrongly decoded quotes ("patientâ€™s").
_ACCENT = re.compile("[\u00df-\u00e1\u00e3-\u00e5\u00e7-\u00f6\u00f8-\u0151\u0154-\u017f\u0219\u021b\u1e00-\u1eff]")
# The minimum share of words of other languages that is not accidental ("de novo").
_SHARE = 0.1
_ACRONYM = 4  # maximum letters of a word in capitals read as an abbreviation ("PAS"), not as a foreign word ("pas")


class English(NamedTuple):
    """The result of the language test: whether a text may be English, and whether it certainly is.

    Short texts may be undecided ("Cardiomegaly."): such a text may be English and is not certainly so.
    """

    possible: bool
    certain: bool


def english_test() -> Callable[[str], English]:
    """Return a test of a text's language: at most as many of its words may be of another script as of the Latin one, and its
    words of other languages must not outnumber those of English alone, or must be rare."""
    words = forms_by_class(resource("mappings", "reading", "languages.txt"))
    own, shared, other, borrowed = (frozenset(words[name]) for name in ("english", "shared", "other", "borrowed"))

    def strange(word: str, low: str) -> bool:
        if low in other:
            return word == low or word.istitle() or (word.isupper() and len(word) > _ACRONYM)
        accented = not word.isascii() and word == low and len(word) > 1 and low not in borrowed
        return accented and _ACCENT.search(word) is not None

    def test(text: str) -> English:
        written = _WORD.findall(text)
        found = [word.lower() for word in written]
        if not text.isascii() and _of_another_script(found):
            return English(False, False)
        foreign = sum(map(strange, written, found))
        english = sum(map(own.__contains__, found))
        possible = foreign < _SHARE * len(found) or foreign <= english
        return English(possible, possible and english + sum(map(shared.__contains__, found)) > foreign)

    return test


def _of_another_script(words: Sequence[str]) -> bool:
    """Whether more words are of another script than of the Latin one; a single letter is a symbol ("α")."""
    latin = sum(_LATIN.search(word) is not None for word in words)
    strange = sum(len(_DENSE.findall(word)) or (len(word) > 1 and _LATIN.search(word) is None) for word in words)
    return strange > latin
