"""Peers: third-party metrics, by name, run on the same pairs as kgscore's own (`kgscore bench --peers`).

Their libraries are optional and are imported when a peer is built. A blank text has no score; output and errors of a peer
during scoring are never logged, since they may quote a report.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, make_dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from inspect import Parameter
from inspect import signature as signature_of
from shutil import which
from typing import Any, Protocol

from kgscore.errors import KgscoreError, MissingExtraError, ProfileError, did_you_mean
from kgscore.profile import check_fields
from kgscore.resources import yaml_of

Pairs = Sequence[tuple[str, str]]
# Alternative names of peers.
_USUAL: Mapping[str, str] = {"bleu": "bleu-4", "rouge": "rouge-l", "radgraph": "radgraph-f1", "chexpert": "chexpert-f1"}


class Peer(Protocol):
    """A peer that is ready to score. Its library and models are loaded when it is built."""

    def score(self, pairs: Pairs) -> Sequence[float | None]:
        """Return the score of each (reference, candidate), None if there is none. Neither text is blank. Some scores depend
        on the whole set (CIDEr weighs words by their frequency in references): pass it in one call."""
        ...


@dataclass(frozen=True, slots=True)
class PeerInfo:
    """A peer with its range, direction, source, and what it needs; `mappings/peers.yaml` explains the fields. `low` or
    `high` is None if the score has no bound."""

    name: str
    make: Callable[..., Peer]
    source: str
    summary: str
    settings: str
    low: float | None = 0.0
    high: float | None = 1.0
    higher_is_better: bool = True
    arguments: Sequence[Any] = ()
    modules: Sequence[str] = ()
    packages: Sequence[str] = ()
    extra: str = ""
    beside: Sequence[str] = ()
    weights: str = ""
    own: bool = False

    @property
    def options(self) -> type[Any]:
        """The user's options, with defaults, as a dataclass: the arguments of `make` that have a default."""
        given = ((one.name, type(one.default), one.default) for one in signature_of(self.make).parameters.values())
        return make_dataclass("Options", [one for one in given if one[2] is not Parameter.empty], frozen=True)


@cache
def _infos() -> Mapping[str, PeerInfo]:
    from kgscore.lab.peers import adapters

    rows = yaml_of("mappings", "peers.yaml")
    return {name: PeerInfo(name, **{**row, "make": getattr(adapters, row["make"])}) for name, row in rows.items()}


def names() -> tuple[str, ...]:
    """Return the names of all peers."""
    return tuple(_infos())


def resolve_names(wanted: Sequence[str]) -> tuple[str, ...]:
    """Return the requested names in canonical form without duplicates (`BLEU`: bleu-4). `all`: those in kgscore's extras
    that are installed.

    Raises:
        ProfileError: a peer is unknown.
    """
    found: list[str] = []
    for one in wanted:
        name = _USUAL.get(one.lower(), one.lower())
        if name != "all" and name not in _infos():
            hint = f"{did_you_mean(one, names())} ".lstrip()
            raise ProfileError(f"peer '{one}': unknown; {hint}known peers: {', '.join(names())}, or all")
        found += [own for own in available() if not peer(own).own] if name == "all" else [name]
    return tuple(dict.fromkeys(found))


def peer(name: str) -> PeerInfo:
    """Return the description of a peer.

    Raises:
        ProfileError: the peer is unknown.
    """
    return _infos()[name] if name in _infos() else _infos()[resolve_names((name,))[0]]


def missing_modules(info: PeerInfo) -> tuple[str, ...]:
    """Return the modules and programs that a peer needs and that are not installed."""
    return (*_not_installed(info.modules), *(name for name in _not_installed(info.beside) if which(name) is None))


def _not_installed(modules: Sequence[str]) -> tuple[str, ...]:
    return tuple(module for module in modules if find_spec(module) is None)


def available() -> tuple[str, ...]:
    """Return the names of the peers whose default requirements are installed."""
    return tuple(name for name in names() if not missing_modules(peer(name)))


def build(wanted: Sequence[str], settings: Mapping[str, Mapping[str, Any]] | None = None) -> dict[str, Peer]:
    """Return the requested peers, ready to score; `settings` holds options by name.

    Raises:
        ProfileError: a peer or one of its options is unknown, or its model cannot be loaded.
        MissingExtraError: its library is not installed.
    """
    for name, options in (settings or {}).items():
        if not isinstance(options, Mapping):
            raise ProfileError(f"peer '{name}': its settings must be a mapping of options")
        check_fields(peer(name).options, options, f"peer '{name}'", free=True)
    given = {peer(name).name: options for name, options in (settings or {}).items()}
    return {name: _build_peer(peer(name), given.get(name, {})) for name in resolve_names(wanted)}


def _build_peer(info: PeerInfo, settings: Mapping[str, Any]) -> Peer:
    if missing := _not_installed(info.modules):
        how = f"kgscore[{info.extra}]" if info.extra else " ".join(info.packages)
        raise MissingExtraError(f"peer '{info.name}': needs {', '.join(missing)}; pip install '{how}'")
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
            return info.make(*info.arguments, **settings)
    except (KgscoreError, MemoryError):
        raise
    except Exception as error:  # libraries raise many kinds of errors; report it in one line
        said = " ".join(str(error).split())[:200]
        hint = f"; it loads {info.weights}: name its folder in the settings, or fetch it first" if info.weights else ""
        raise ProfileError(f"peer '{info.name}': cannot be loaded ({type(error).__name__}: {said}){hint}") from error


def scores(name: str, made: Peer, pairs: Pairs) -> list[float | None]:
    """Return the score of each (reference, candidate); None if a text is blank or the peer returns no finite number. Equal
    pairs are scored once.

    Raises:
        KgscoreError: the peer failed. The message contains nothing of the original error, which may quote a report.
    """
    wanted = list(dict.fromkeys(pair for pair in pairs if all(text.strip() for text in pair)))
    try:
        with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
            values = list(made.score(wanted)) if wanted else []
    except (KgscoreError, MemoryError):
        raise
    except Exception as error:  # a library's own failure; its message may quote a report
        kind = type(error).__name__
        raise KgscoreError(f"peer '{name}': its library failed ({kind}); omit it, or try other settings") from error
    if len(values) != len(wanted):
        raise KgscoreError(f"peer '{name}': its library gave {len(values)} scores for {len(wanted)} pairs; omit it")
    known = {pair: float(value) for pair, value in zip(wanted, values, strict=True) if value is not None and math.isfinite(value)}
    return [known.get(pair) for pair in pairs]


def signature(name: str) -> str:
    """Return the origin of a peer's scores: packages with their versions, and how they are called."""
    info = peer(name)
    found = []
    for package in info.packages:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(package)
    return "; ".join([*found, info.settings])
