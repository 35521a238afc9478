"""`kgscore ontology import-fma`: an anatomy module from the user's own copy of the FMA."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import say
from kgscore.cli._options import output_to


def import_fma(
    file: Annotated[Path, typer.Argument(metavar="FILE.owl", help="Your copy of the FMA: OWL in RDF/XML, also .gz.")],
    output: Annotated[Path, output_to("FOLDER", "The module to create.")] = Path("fma"),
    under: Annotated[
        list[str] | None,
        typer.Option(metavar="STRUCTURE", help="Only its subclasses and parts: FMA number, FMA name or id; repeatable."),
    ] = None,
) -> None:
    """Create an anatomy module from your own copy of the FMA. Shipped concepts gain synonyms; the rest is new."""
    from kgscore.lab.fma.terms import write_fma

    for what, count in write_fma(file, output, under or ()).items():
        say(f"{count:,} {what}")
    print(output / "anatomy.tbl")
    say(f"Next: kgscore ontology check {output}")
