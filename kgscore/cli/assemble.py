"""`kgscore assemble`: shards to a run folder."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import finish, progress, say


def assemble(
    shards: Annotated[str, typer.Argument(metavar="SHARDS", help="What kgscore score --shards kept: a folder, or a URL.")],
    out: Annotated[Path, typer.Option("--out", metavar="RUN", help="The run folder to make.")],
) -> None:
    """Make a run folder of the shards that a cluster wrote (`kgscore score --engine dask --shards`).

    The folder is the one that --out would have made. An interrupted command goes on where it stopped.
    """
    from kgscore.scale.run import assemble as assembled

    counts: Counter[str] = Counter()
    with progress("pairs") as tell:
        for outcome in assembled(shards, out, progress=tell):
            counts[outcome.status] += 1
    say(f"{counts.total()} pairs: {counts['scored']} scored, {counts['empty']} empty, {counts['failed']} failed")
    finish(counts["failed"])
