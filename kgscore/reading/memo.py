"""Caching of results by the attributes of a context that were accessed: the rest of the context does not matter."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import attrgetter
from typing import Any, Generic, TypeVar

from kgscore.caches import BoundedDict

# Maximum number of cached results per set of accessed attributes.
_CONTEXTS = 1_000
_Found = TypeVar("_Found")


class RecordedAccess:
    """A context that records which attributes were accessed, so that a result is valid for all contexts with the same values."""

    def __init__(self, context: object) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        answer = self.__dict__[name] = getattr(self._context, name)
        return answer

    def names(self) -> tuple[str, ...]:
        """Return the accessed attributes."""
        return tuple(self.__dict__)[1:]


class Memo(Generic[_Found]):
    """A cache of results in contexts, by the values of the accessed attributes."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], tuple[Callable[[Any], Hashable], dict[Hashable, _Found]]] = {}

    def get(self, context: object) -> _Found | None:
        """Return the result for a context with the same values, or None."""
        for answers, found in self._found.values():
            known = found.get(answers(context))
            if known is not None:
                return known
        return None

    def put(self, asked: RecordedAccess, found: _Found) -> None:
        """Cache a result for all contexts with the same values."""
        names = asked.names()
        if names not in self._found:
            self._found[names] = (attrgetter(*names) if names else lambda context: None, BoundedDict(_CONTEXTS))
        answers, known = self._found[names]
        known[answers(asked)] = found
