"""The shipped queries as the SPARQL page offers them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kgscore.graph import catalogue


@cache
def shipped() -> tuple[catalogue.Query, ...]:
    """Return the shipped queries by title."""
    return tuple(sorted(catalogue.shipped(), key=lambda query: query.title))


def bound(text: str, given: Mapping[str, str], folder: Path, run: int) -> str:
    """Return a query with its parameters bound as data, never pasted; one that asks for the latest run gets `run` instead.

    Raises:
        QueryError: a parameter is unknown, missing or of another type.
    """
    query = catalogue.parse(text)
    runs = {one.name: str(run) for one in query.parameters if one.type == "run" and one.default == "latest"}
    return str(catalogue.bind(query, {**runs, **given}, folder))
