"""Memory of what was found in a context, by what was asked of it: the rest of the context does not matter."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import attrgetter
from typing import Any, Generic, TypeVar

from kgscore.caches import BoundedDict

# Of how many contexts, of those that differ in what was asked, is remembered what was found.
_CONTEXTS = 1_000
_Found = TypeVar("_Found")


class RecordedAccess:
    """A context that keeps what was asked of it, so that what was found holds wherever the answers are the same."""

    def __init__(self, context: object) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        answer = self.__dict__[name] = getattr(self._context, name)
        return answer

    def names(self) -> tuple[str, ...]:
        """Return what was asked."""
        return tuple(self.__dict__)[1:]


class Memo(Generic[_Found]):
    """What was found in contexts, each by the answers to what was asked there."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[tuple[str, ...], tuple[Callable[[Any], Hashable], dict[Hashable, _Found]]] = {}

    def get(self, context: object) -> _Found | None:
        """Return what was found in a context that answers as this one does."""
        for answers, found in self._found.values():
            known = found.get(answers(context))
            if known is not None:
                return known
        return None

    def put(self, asked: RecordedAccess, found: _Found) -> None:
        """Keep what was found, for all contexts that answer as this one did."""
        names = asked.names()
        entry = self._found.get(names)
        if entry is None:
            entry = self._found[names] = (attrgetter(*names) if names else _nothing, BoundedDict(_CONTEXTS))
        answers, known = entry
        known[answers(asked)] = found


def _nothing(context: object) -> None:
    """The answer where nothing was asked."""
