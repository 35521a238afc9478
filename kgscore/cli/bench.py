"""`kgscore bench`: the benchmark programs."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Annotated

import typer

from kgscore.cli._common import Profile, names, put


def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The benchmark: readings, ssree, triplets, pairs …")],
    path: Annotated[str, typer.Argument(metavar="FILE", help="A file of its form.")],
    profile: Profile = "default",
    metrics: Annotated[str, typer.Option("--metrics", metavar="M,…", help="Metrics, where the benchmark takes them.")] = "",
    sizes: Annotated[str, typer.Option("--sizes", metavar="N,…", help="Sizes, where the benchmark takes them.")] = "",
) -> None:
    """Run a benchmark on a file and print its figures."""
    import kgscore.bench

    known = sorted(module.name for module in pkgutil.iter_modules(kgscore.bench.__path__) if not module.name.startswith("_"))
    if name not in known:
        raise typer.BadParameter(f"no benchmark '{name}'; there are: {', '.join(known) or 'none'}", param_hint="NAME")
    run = importlib.import_module(f"kgscore.bench.{name}").run
    if metrics and "metrics" not in inspect.signature(run).parameters:
        raise typer.BadParameter(f"benchmark '{name}' compares no metrics", param_hint="--metrics")
    options: dict[str, object] = {"metrics": names(metrics)} if metrics else {}
    if sizes:
        if "sizes" not in inspect.signature(run).parameters or not all(size.isdigit() for size in names(sizes)):
            raise typer.BadParameter(f"benchmark '{name}' takes no such sizes", param_hint="--sizes")
        options["sizes"] = tuple(int(size) for size in names(sizes))
    figures = run(path, profile=profile, **options)
    for line in [figures] if isinstance(figures, dict) else figures or ():
        put(line)
