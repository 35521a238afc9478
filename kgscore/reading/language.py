"""Whether a report is in English: its small words tell."""

from __future__ import annotations

import re
from collections.abc import Callable

from kgscore.linking.cues import table
from kgscore.resources import resource

_WORD = re.compile(r"[^\W\d_]+")
# The least share of small words of other languages that is no accident ("de novo").
_SHARE = 0.1


def english_test() -> Callable[[str], bool]:
    """Return a test whether a text may be English: not more small words of other languages than of English."""
    rows = table(resource("mappings", "reading", "languages.txt"))
    words = {name: frozenset(form.strip() for form in forms.split(";")) for name, _, forms in rows}
    own, other = words["english"], words["other"]

    def test(text: str) -> bool:
        found = [word.lower() for word in _WORD.findall(text)]
        foreign = sum(word in other for word in found)
        return foreign < _SHARE * len(found) or foreign <= sum(word in own for word in found)

    return test
