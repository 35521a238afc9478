"""`kgscore metrics` and `kgscore profile`: what can be computed, and what it looks at."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import LinesOrTable, complain, put, say
from kgscore.config import PLAIN
from kgscore.errors import MissingExtraError, OntologyError, ProfileError

if TYPE_CHECKING:
    from kgscore.ontology.index import Index

profile = typer.Typer(help="Profiles: what scoring costs and what it looks at.", no_args_is_help=True)
_HELP = "The name of a shipped profile, or a .yaml file."
Name = Annotated[str, typer.Argument(metavar="PROFILE", help=_HELP)]


def metrics(
    format: LinesOrTable = "table",
    peers: Annotated[bool, typer.Option("--peers", help="List the metrics of others that --peers takes.")] = False,
) -> None:
    """List the metrics: range, direction, source, what each needs and what it cannot see."""
    from kgscore import metrics as registry

    json = format == "jsonl"
    if peers:
        _peers(json)
        return
    broken = False
    for name in registry.names():
        try:
            info = registry.metric(name)
        except ProfileError as error:
            broken = True
            complain(f"kgscore: {error}")
            continue
        options = {field.name: getattr(info.options(), field.name) for field in fields(info.options)}
        if json:
            put(
                {
                    "name": name, "low": info.low, "high": info.high, "higher_is_better": info.higher_is_better,
                    "source": info.source, "summary": info.summary, "needs": info.needs, "blind_to": info.blind_to,
                    "good_for": info.good_for, "options": options,
                }
            )
            continue
        high = "no upper bound" if info.high is None else f"{info.high:g}"
        print(f"{name}  {info.low:g} to {high}, {'higher' if info.higher_is_better else 'lower'} is better\n    {info.summary}")
        print(f"    source     {info.source}\n    needs      {info.needs}")
        for title, said in (("good for", info.good_for), ("blind to", info.blind_to)):
            if said:
                print(f"    {title:<10} {said}")
        if options:
            print("    options    " + ", ".join(f"{key}: {value}" for key, value in options.items()))
    if broken:
        raise typer.Exit(1)


def _peers(json: bool) -> None:
    from kgscore.studies import peers

    for name in peers.names():
        info = peers.peer(name)
        missing = peers.lacking(info)
        how = f"kgscore[{info.extra}]" if info.extra else " ".join(info.packages)
        options = {field.name: getattr(info.options(), field.name) for field in fields(info.options)}
        if json:
            put(
                {
                    "name": name, "low": info.low, "high": info.high, "higher_is_better": info.higher_is_better,
                    "source": info.source, "summary": info.summary, "settings": info.settings, "weights": info.weights,
                    "install": how, "installed": not missing, "options": options,
                }
            )
            continue
        low, high = ("no bound" if end is None else f"{end:g}" for end in (info.low, info.high))
        print(f"{name}  {low} to {high}, {'higher' if info.higher_is_better else 'lower'} is better\n    {info.summary}")
        print(f"    source     {info.source}")
        state = "nothing" if not info.modules else "installed"
        if missing:
            state = f"{', '.join(missing)}: pip install '{how}'"
        print(f"    needs      {state}{f'; weights: {info.weights}' if info.weights else ''}\n    made by    {info.settings}")
        if options:
            print("    options    " + ", ".join(f"{key}: {value}" for key, value in options.items()))


@profile.command()
def show(name: Annotated[str | None, typer.Argument(metavar="PROFILE", help="Without it, all are listed.")] = None) -> None:
    """Show a profile with all it inherits, as YAML; without a name, list the shipped profiles."""
    from kgscore.profile import load_profile, profile_names

    if name is None:
        for known in profile_names():
            print(f"{known:<24} {load_profile(known).description}")
        return
    print(_yaml(name), end="")


@profile.command()
def check(names: Annotated[list[str], typer.Argument(metavar="PROFILE…", help=_HELP)]) -> None:
    """Check profiles: keys, values, names of metrics and their options, and that the ontology has every concept named."""
    from kgscore import metrics as registry
    from kgscore.knowledge import load_knowledge
    from kgscore.profile import load_profile

    @cache
    def index(modules: tuple[str, ...]) -> Index:
        return load_knowledge(modules).index

    wrong = False
    for name in names:
        try:
            found = load_profile(name)
            registry.build((PLAIN, *found.metrics), found, index(found.modules))
            say(f"{name}: fine")
        except MissingExtraError as error:
            say(f"{name}: fine, but it needs an extra: {error}")
        except (ProfileError, OntologyError) as error:
            wrong = True
            complain(f"kgscore: {error}")
    if wrong:
        raise typer.Exit(1)


@profile.command()
def diff(one: Name, other: Name) -> None:
    """Show how two profiles differ, all they inherit included."""
    from difflib import unified_diff

    lines = list(unified_diff(_yaml(one).splitlines(), _yaml(other).splitlines(), one, other, lineterm="", n=1))
    for line in lines:
        print(line)
    if not lines:
        say("no difference")


def _yaml(name: str) -> str:
    import yaml

    from kgscore.profile import load_profile, plain

    return yaml.safe_dump(plain(load_profile(name)), sort_keys=False, allow_unicode=True, width=120)
