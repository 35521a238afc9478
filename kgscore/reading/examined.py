"""Words that only say on what examination something is or is not seen: "on this limited portable view"."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.ontology.index import Index
from kgscore.reading.items import Item
from kgscore.reading.tokens import Token

STUDIES = frozenset(("study", "examination", "exam", "view", "projection", "film", "radiograph", "scan", "image", "series"))
# What stands between a preposition and the study, and how much of it.
_BETWEEN = frozenset(("stop", "W", "M", "drop", "num", "prep"))
_FURTHEST = 7


def pass_over_study(items: list[Item], tokens: Sequence[Token], index: Index) -> None:
    """Take a phrase that a preposition begins and a study ends for words that say nothing: "no pneumothorax on this portable
    view", "within the constraints of an unenhanced examination"."""
    for position, item in enumerate(items):
        if item.kind != "prep":
            continue
        for end in range(position + 1, min(position + _FURTHEST, len(items))):
            between = items[end]
            if between.kind not in _BETWEEN and between.id != index.role("not_enhancing"):
                break
            if between.kind in ("stop", "drop") and tokens[between.last].norm.lower() in STUDIES:
                for passed in items[position : end + 1]:
                    passed.kind = "stop"
                break
