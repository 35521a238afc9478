"""The registry of metrics: those shipped here, and those that other packages register under the entry point `kgscore.metrics`."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from kgscore.errors import KgscoreError, ProfileError, did_you_mean
from kgscore.io.formats import kind_of
from kgscore.metrics.base import Corrector, Matched, Metric, MetricInfo
from kgscore.metrics.own import is_file, load_metric_files, own_metric
from kgscore.ontology.index import Index
from kgscore.profile import Profile, check_fields

__all__ = [
    "Matched", "Metric", "MetricInfo", "build", "corrector", "load_metric_files", "metric", "names", "options",
    "peer_library", "peer_metric_infos", "resolved",
]  # fmt: skip

# One module and one entry per metric; a module is imported when its metric is requested.
_OWN_MODULE = ("clinical", "radsem", "radsem_alt", "headct_one", "ratescore", "radot", "fineradscore", "label_f1")
_SHIPPED = {name: f"kgscore.metrics.{name}:INFO" for name in _OWN_MODULE} | {
    f"{name.lower()}-arithmetic": f"kgscore.metrics.arithmetic:{name}" for name in ("CRIMSON", "RADMATCH")
}
_GROUP = "kgscore.metrics"
_PEERS = "kgscore.peers"  # the entry point group for metrics of other libraries


def names() -> tuple[str, ...]:
    """Return the names of all metrics, the shipped ones first."""
    return (*_SHIPPED, *sorted(_plugins()))


def resolved(wanted: str | Iterable[object], *, files: bool = False) -> tuple[MetricInfo, ...]:
    """Return the requested metrics, `all` expanded and duplicates removed: by name (one, or several), as a `MetricInfo` or as a
    class. The text `FILE.py:NAME` executes a file, so it is refused unless `files` confirms that a person, not data, named it.

    Raises:
        ProfileError: a name is unknown, or a value is not a metric.
    """
    if isinstance(wanted, str) and "," not in wanted:
        wanted = (wanted,)
    if isinstance(wanted, str) or not isinstance(wanted, Iterable):
        raise ProfileError(f"metrics: give a list of names, as in metrics=['radsem'], not {kind_of(wanted)}")
    found: dict[str, MetricInfo] = {}
    for one in wanted:
        if is_file(one) and not files:
            raise ProfileError(f"metric '{one}': a file is loaded for --metric and from Python only; here, give registered names")
        for info in map(metric, names()) if one == "all" else (own_metric(one) or metric(one),):
            if found.setdefault(info.name, info) != info:
                raise ProfileError(f"metric '{info.name}': stands twice, as two things; give each a name of its own")
    return tuple(found.values())


def peer_metric_infos(names: str | Iterable[str]) -> tuple[MetricInfo, ...]:
    """Return metrics of other libraries (one or several names of `kgscore metrics --peers`, or all) as metrics of kgscore.

    Raises:
        ProfileError: a name is unknown, the metric needs all pairs at once, or its library is not installed.
    """
    if not names:
        return ()
    made = peer_library().peer_metrics((names,) if isinstance(names, str) else tuple(names))
    assert isinstance(made, tuple)
    return made


def peer_library() -> Any:
    """Return the module that provides metrics of other libraries (`kgscore.lab.peers.beside`), by entry point `kgscore.peers`."""
    for point in entry_points(group=_PEERS):
        return point.load()
    raise ProfileError("peers: no installed package brings metrics of others; install kgscore again")


def metric(name: object) -> MetricInfo:
    """Return the description of a metric.

    Raises:
        ProfileError: the name is unknown, or the package that provides the metric cannot be loaded.
    """
    if not isinstance(name, str):
        raise ProfileError(f"metrics: {kind_of(name)} is no metric; give a name, a MetricInfo or a class with a name and score")
    if name not in names():
        hint = f"{did_you_mean(name, names())} ".lstrip()
        raise ProfileError(f"metric '{name}': unknown; {hint}known metrics: {', '.join(names())}, all")
    if name in _SHIPPED:
        module, _, value = _SHIPPED[name].partition(":")
        info = getattr(import_module(module), value)
    else:
        try:
            info = _plugins()[name].load()
        except Exception as error:  # any exception of a user's package is reported in one line
            raise ProfileError(f"metric '{name}': cannot be loaded from {_plugins()[name].value} ({_line(error)})") from error
        if not isinstance(info, MetricInfo):
            raise ProfileError(f"metric '{name}': {_plugins()[name].value} is no kgscore.metrics.MetricInfo")
        if info.name != name:
            raise ProfileError(f"metric '{name}': {_plugins()[name].value} calls itself '{info.name}'; give both one name")
    assert isinstance(info, MetricInfo)
    return info


def build(wanted: Iterable[object], profile: Profile, index: Index) -> dict[str, Metric]:
    """Return the requested metrics, built for a profile and an ontology.

    Raises:
        ProfileError: a metric is unknown, the profile holds an option that a metric does not have, or a plugged-in metric
            cannot be built.
    """
    by_name = {info.name: info for info in resolved(wanted)}
    for name in profile.metrics:
        options(by_name.get(name, name), profile)
    return {name: _build_metric(info, profile, index) for name, info in by_name.items()}


def corrector(profile: Profile, index: Index) -> Corrector:
    """Return the metric that corrects candidates line by line, built for a profile and an ontology."""
    found = build(("fineradscore",), profile, index)["fineradscore"]
    return found  # type: ignore[return-value]


def _build_metric(info: MetricInfo, profile: Profile, index: Index) -> Metric:
    try:
        return info.build(profile, index)
    except KgscoreError:
        raise
    except Exception as error:
        if info.name in _SHIPPED:
            raise
        raise ProfileError(f"metric '{info.name}': cannot be built ({type(error).__name__}: {_line(error)})") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def options(given: str | MetricInfo, profile: Profile) -> Any:
    """Return the options of a metric (by name or as a `MetricInfo`) under a profile, with the defaults of its options class.

    Raises:
        ProfileError: the profile holds an option that the metric does not have, or one of another type.
    """
    info = given if isinstance(given, MetricInfo) else metric(given)
    where = f"profile '{profile.name}': metrics: {info.name}"
    return info.options(**check_fields(info.options, profile.metrics.get(info.name, {}), where, free=True))


@cache
def _plugins() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=_GROUP) if point.name not in _SHIPPED}


def __getattr__(name: str) -> Any:
    """Return what had another name before version 0.3."""
    renamed = {"brought": load_metric_files, "of_peers": peer_metric_infos}
    if name not in renamed:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"kgscore.metrics.{name} is now {renamed[name].__name__}", DeprecationWarning, stacklevel=2)
    return renamed[name]
