"""Whether a report is in English: its script and its small words tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgscore.ontology.files import table
from kgscore.resources import resource

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(
    "[A-Za-z\u00aa\u00ba\u00c0-\u02af\u1e00-\u1eff\u2071-\u209c\u2c60-\u2c7f\ua722-\ua7ff\ufb00-\ufb06\uff21-\uff5a]"
)
# Letters of scripts that leave no blanks between words (Thai, Lao, Khmer, kana, Han): each counts as a word.
_DENSE = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
# The least share of small words of other languages that is no accident ("de novo").
_SHARE = 0.1


class English(NamedTuple):
    """What the words of a text tell of its language: whether it may be English at all, and whether it certainly is.

    Few words tell neither ("Cardiomegaly."): such a text may be English and is not certainly so.
    """

    possible: bool
    certain: bool


def english_test() -> Callable[[str], English]:
    """Return a test of a text's language: no more words of it may be of another script than of the Latin one, and among its
    small words no more of other languages than of English."""
    rows = table(resource("mappings", "reading", "languages.txt"))
    words = {name: frozenset(form.strip() for form in forms.split(";")) for name, _, forms in rows}
    own, other = words["english"], words["other"]

    def test(text: str) -> English:
        found = _WORD.findall(text.lower())
        if not text.isascii() and _of_another_script(found):
            return English(False, False)
        foreign = sum(map(other.__contains__, found))
        english = sum(map(own.__contains__, found))
        possible = foreign < _SHARE * len(found) or foreign <= english
        return English(possible, possible and english > foreign)

    return test


def _of_another_script(words: Sequence[str]) -> bool:
    """Whether more words are of another script than of the Latin one; a lone letter is a symbol ("α")."""
    latin = sum(_LATIN.search(word) is not None for word in words)
    strange = sum(len(_DENSE.findall(word)) or (len(word) > 1 and _LATIN.search(word) is None) for word in words)
    return strange > latin
