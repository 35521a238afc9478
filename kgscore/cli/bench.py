"""`kgscore bench`: the benchmark programs."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Annotated

import typer

from kgscore.cli._common import Profile, put


def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark: readings, ssree, triplets, pairs …")],
    path: Annotated[str, typer.Argument(metavar="FILE", help="A file of its form.")],
    profile: Profile = "default",
) -> None:
    """Run a benchmark on a file and print its figures."""
    import kgscore.bench

    known = sorted(module.name for module in pkgutil.iter_modules(kgscore.bench.__path__) if not module.name.startswith("_"))
    if name not in known:
        raise typer.BadParameter(f"no benchmark '{name}'; there are: {', '.join(known) or 'none'}", param_hint="NAME")
    figures = importlib.import_module(f"kgscore.bench.{name}").run(path, profile=profile)
    if isinstance(figures, dict):
        put(figures)
