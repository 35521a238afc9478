"""`kgscore metrics` and `kgscore profile`: the available metrics and scoring profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import complain, say, write_json
from kgscore.cli._options import LinesOrTable
from kgscore.config import PLAIN
from kgscore.errors import MissingExtraError, OntologyError, ProfileError

if TYPE_CHECKING:
    from kgscore.metrics.base import MetricInfo

profile = typer.Typer(help="Profiles: weights, coefficients and options of scoring.", no_args_is_help=True)
_HELP = "The name of a shipped profile, or a .yaml file."
Name = Annotated[str, typer.Argument(metavar="PROFILE", help=_HELP)]


def metrics(
    format: LinesOrTable = "table",
    peers: Annotated[bool, typer.Option("--peers", help="List the third-party metrics for --peers.")] = False,
) -> None:
    """List the metrics: range, direction, source, what each needs and what it cannot see."""
    from kgscore import metrics as registry

    if peers:
        _peers(format)
        return
    broken = False
    for name in registry.names():
        try:
            info = registry.metric(name)
        except ProfileError as error:
            broken = True
            complain(f"kgscore: {error}")
            continue
        high = "no upper bound" if info.high is None else f"{info.high:g}"
        more = {"needs": info.needs, "blind_to": info.blind_to, "good_for": info.good_for}
        rows = {"needs": info.needs, "good for": info.good_for, "blind to": info.blind_to}
        _print_metric(info, f"{info.low:g} to {high}", more, rows, format)
    if broken:
        raise typer.Exit(1)


def _peers(format: str) -> None:
    from kgscore.metrics import peer_library

    peers = peer_library().peers
    for name in peers.names():
        info = peers.peer(name)
        missing = peers.missing_modules(info)
        how = f"kgscore[{info.extra}]" if info.extra else " ".join(info.packages)
        low, high = ("no bound" if end is None else f"{end:g}" for end in (info.low, info.high))
        state = f"{', '.join(missing)}: pip install '{how}'" if missing else "installed" if info.modules else "nothing"
        more = {"settings": info.settings, "weights": info.weights, "install": how, "installed": not missing}
        rows = {"needs": f"{state}; weights: {info.weights}" if info.weights else state, "made by": info.settings}
        _print_metric(info, f"{low} to {high}", more, rows, format)


def _print_metric(info: MetricInfo | Any, span: str, more: Mapping[str, Any], rows: Mapping[str, str], format: str) -> None:
    """Print a metric's description: as a JSON line with `more`, or as text with `rows`."""
    options = {field.name: getattr(info.options(), field.name) for field in fields(info.options)}
    if format == "jsonl":
        known = {key: getattr(info, key) for key in ("name", "low", "high", "higher_is_better", "source", "summary")}
        write_json({**known, **more, "options": options})
        return
    print(f"{info.name}  {span}, {'higher' if info.higher_is_better else 'lower'} is better\n    {info.summary}")
    listed = ", ".join(f"{key}: {value}" for key, value in options.items())
    for title, said in {"source": info.source, **rows, "options": listed}.items():
        if said or title in ("source", "needs"):
            print(f"    {title:<10} {said}")


@profile.command()
def show(name: Annotated[str | None, typer.Argument(metavar="PROFILE", help="Default: list all.")] = None) -> None:
    """Show a profile with all inherited keys, as YAML; without a name, list the shipped profiles."""
    from kgscore.profile import load_profile, profile_names

    if name is None:
        for known in profile_names():
            print(f"{known:<24} {load_profile(known).description}")
        return
    print(_yaml(name), end="")


@profile.command()
def check(names: Annotated[list[str], typer.Argument(metavar="PROFILE…", help=_HELP)]) -> None:
    """Check profiles: keys, values, names of metrics and their options, and that all named concepts exist."""
    from kgscore import metrics as registry
    from kgscore.knowledge import load_knowledge
    from kgscore.profile import load_profile

    index = cache(lambda modules: load_knowledge(modules).index)
    wrong = False
    for name in names:
        try:
            found = load_profile(name)
            registry.build((PLAIN, *found.metrics), found, index(found.modules))
            say(f"{name}: fine")
        except MissingExtraError as error:
            say(f"{name}: valid, but requires an extra: {error}")
        except (ProfileError, OntologyError) as error:
            wrong = True
            complain(f"kgscore: {error}")
    if wrong:
        raise typer.Exit(1)


@profile.command()
def diff(one: Name, other: Name) -> None:
    """Show how two profiles differ, including inherited keys."""
    from difflib import unified_diff

    lines = list(unified_diff(_yaml(one).splitlines(), _yaml(other).splitlines(), one, other, lineterm="", n=1))
    if not lines:
        say("no difference")
    for line in lines:
        print(line)


def _yaml(name: str) -> str:
    import yaml

    from kgscore.profile import as_mapping, load_profile

    return yaml.safe_dump(as_mapping(load_profile(name)), sort_keys=False, allow_unicode=True, width=120)
