"""The metrics, by name: those shipped here, and those that other packages register under the entry point `kgscore.metrics`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from kgscore.errors import KgscoreError, ProfileError, did_you_mean
from kgscore.metrics.base import Matched, Metric, MetricInfo
from kgscore.ontology.index import Index
from kgscore.profile import Profile, checked

__all__ = ["Matched", "Metric", "MetricInfo", "build", "chosen", "metric", "names", "options"]

# One file and one entry each; a module is imported when its metric is asked for.
_SHIPPED = {
    "radsem": "kgscore.metrics.radsem",
    "radsem_alt": "kgscore.metrics.radsem_alt",
    "headct_one": "kgscore.metrics.headct_one",
    "ratescore": "kgscore.metrics.ratescore",
    "radot": "kgscore.metrics.radot",
    "fineradscore": "kgscore.metrics.fineradscore",
    "label_f1": "kgscore.metrics.label_f1",
}
_GROUP = "kgscore.metrics"


def names() -> tuple[str, ...]:
    """Return the names of all metrics, the shipped ones first."""
    return (*_SHIPPED, *sorted(_plugged()))


def chosen(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names asked for, `all` spelt out, each once.

    Raises:
        ProfileError: there is no metric of a name.
    """
    spelt = [name for one in wanted for name in (names() if one == "all" else (one,))]
    for name in spelt:
        if name not in names():
            hint = f"{did_you_mean(name, names())} ".lstrip()
            raise ProfileError(f"metric '{name}': unknown; {hint}known metrics: {', '.join(names())}, or all")
    return tuple(dict.fromkeys(spelt))


def metric(name: str) -> MetricInfo:
    """Return what is known of a metric.

    Raises:
        ProfileError: there is none of this name, or the package that brings it cannot be loaded.
    """
    chosen((name,))
    if name in _SHIPPED:
        info = import_module(_SHIPPED[name]).INFO
    else:
        try:
            info = _plugged()[name].load()
        except Exception as error:  # whatever a user's package raises is told in one line
            raise ProfileError(f"metric '{name}': cannot be loaded from {_plugged()[name].value} ({_line(error)})") from error
        if not isinstance(info, MetricInfo):
            raise ProfileError(f"metric '{name}': {_plugged()[name].value} is no kgscore.metrics.MetricInfo")
        if info.name != name:
            raise ProfileError(f"metric '{name}': {_plugged()[name].value} calls itself '{info.name}'; give both one name")
    assert isinstance(info, MetricInfo)
    return info


def build(wanted: tuple[str, ...], profile: Profile, index: Index) -> dict[str, Metric]:
    """Return the metrics asked for, made ready for a profile and an ontology.

    Raises:
        ProfileError: a metric is unknown, the profile holds an option that a metric does not have, or a plugged-in metric
            cannot be built.
    """
    for name in profile.metrics:
        options(name, profile)
    return {name: _built(name, profile, index) for name in chosen(wanted)}


def _built(name: str, profile: Profile, index: Index) -> Metric:
    try:
        return metric(name).build(profile, index)
    except KgscoreError:
        raise
    except Exception as error:
        if name in _SHIPPED:
            raise
        raise ProfileError(f"metric '{name}': cannot be built ({type(error).__name__}: {_line(error)})") from error


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def options(name: str, profile: Profile) -> Any:
    """Return the options of a metric under a profile, the defaults of its options class where it says nothing.

    Raises:
        ProfileError: the profile holds an option that the metric does not have, or of another type.
    """
    form = metric(name).options
    return form(**checked(form, profile.metrics.get(name, {}), f"profile '{profile.name}': metrics: {name}", free=True))


@cache
def _plugged() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=_GROUP) if point.name not in _SHIPPED}
