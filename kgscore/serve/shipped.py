"""The shipped queries, for the query pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kgscore.graph import catalogue

# A query belongs to the first group with a word in its name.
_GROUPS = {
    "Scores and runs": ("score", "provenance", "across-runs"),
    "Errors": (
        "missed", "invented", "contradict", "though", "hallucinated", "laterality", "errors", "corrections", "tips",
        "descriptors", "partial",
    ),
    "What was read": ("case-", "unlinked", "coverage", "entit"),
    "Findings": ("",),
}  # fmt: skip


@cache
def shipped_by_title() -> tuple[catalogue.Query, ...]:
    """Return the shipped queries by title."""
    return tuple(sorted(catalogue.shipped_queries(), key=lambda query: query.title))


def queries_by_topic() -> dict[str, list[catalogue.Query]]:
    """Return the shipped queries by topic."""
    found: dict[str, list[catalogue.Query]] = {name: [] for name in _GROUPS}
    for one in shipped_by_title():
        found[next(name for name, words in _GROUPS.items() if any(word in one.name for word in words))].append(one)
    return found


def bind_values(text: str, given: Mapping[str, str], folder: Path, run: int) -> str:
    """Return a query with its parameters bound as data (`catalogue.bind`); one for the latest run gets `run` instead."""
    query = catalogue.parse(text)
    runs = {one.name: str(run) for one in query.parameters if one.type == "run" and one.default == "latest"}
    return str(catalogue.bind(query, {**runs, **given}, folder))
