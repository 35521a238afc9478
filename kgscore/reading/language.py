"""Whether a report is in English: its small words tell."""

from __future__ import annotations

import re
from collections.abc import Callable

from kgscore.ontology.files import table
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
        found = _WORD.findall(text.lower())
        foreign = sum(map(other.__contains__, found))
        return foreign < _SHARE * len(found) or foreign <= sum(map(own.__contains__, found))

    return test
