"""The queries that the SPARQL page offers, with their parameters: those of `kgscore.graph.catalogue` where it is there, else a
few of the explorer's own, files whose first remark is the title."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).with_name("queries")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a query: its type, or the words it may be; `default` None: it must be given."""

    name: str
    type: str
    default: str | None
    about: str


@dataclass(frozen=True, slots=True)
class Shipped:
    """A query with its name, its title, what it is about, its text and its parameters."""

    name: str
    title: str
    about: str
    text: str
    parameters: tuple[Parameter, ...] = ()


@cache
def shipped() -> tuple[Shipped, ...]:
    """Return the shipped queries by title."""
    catalogue = _catalogue()
    if catalogue is None:
        texts = {path.stem: path.read_text(encoding="utf-8") for path in _FOLDER.glob("*.rq")}
        found = [Shipped(name, text.partition("\n")[0].lstrip("# "), "", text) for name, text in texts.items()]
    else:
        found = [_shipped(one) for one in catalogue.shipped()]
    return tuple(sorted(found, key=lambda one: one.title))


def bound(text: str, given: Mapping[str, str], folder: Path, run: int) -> str:
    """Return a query with its parameters bound as data, never pasted; one that asks for the latest run gets `run` instead.

    Raises:
        QueryError: a parameter is unknown, missing or of another type.
    """
    catalogue = _catalogue()
    if catalogue is None:
        return text
    query = catalogue.parse(text)
    runs = {one.name: str(run) for one in query.parameters if one.type == "run" and one.default == "latest"}
    return str(catalogue.bind(query, {**runs, **given}, folder))


def _shipped(one: Any) -> Shipped:
    parameters = tuple(Parameter(p.name, p.type, p.default, p.about) for p in one.parameters)
    return Shipped(one.name, one.title, one.about, one.text, parameters)


def _catalogue() -> Any:
    name = "kgscore.graph.catalogue"
    return import_module(name) if find_spec(name) else None
