"""`kgscore assemble`: shards to a run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import finish, progress, say


def assemble(
    shards: Annotated[str, typer.Argument(metavar="SHARDS", help="What kgscore score --shards kept: a folder, or a URL.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="RUN", help="The run folder to make.")],
) -> None:
    """Make a run folder of the shards that a cluster wrote (`kgscore score --engine dask --shards`).

    The folder is the one that `kgscore score --output` would have made. An interrupted command goes on where it stopped.
    """
    from kgscore.results.outcome import Tally
    from kgscore.runs.spread import assemble as assembled

    tally = Tally()
    with progress("pairs") as tell:
        for outcome in assembled(shards, output, progress=tell):
            tally.see(outcome)
    say(str(tally))
    finish(tally.failed)
