"""`kgscore ontology`: check, show and build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import say, show
from kgscore.errors import OntologyError
from kgscore.resources import resource

app = typer.Typer(help="The ontologies: check, show, build.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def check(
    reasoner: Annotated[bool, typer.Option("--reasoner/--no-reasoner", help="Run HermiT too (needs Java).")] = True,
    tables: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The compact tables.")] = None,
    folder: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The compiled Turtle files.")] = None,
) -> None:
    """Check the terms, and with a reasoner the OWL files: one line a problem; the exit code is 1 if one is an error."""
    from kgscore.ontology.check import check_reasoner, check_structure
    from kgscore.ontology.tables import read_tables

    terms = read_tables(tables or resource("ontologies", "tables"))
    problems = check_structure(terms)
    if reasoner:
        problems += check_reasoner(folder or resource("ontologies"))
    for problem in problems:
        print(problem)
    errors = sum(problem.severity == "error" for problem in problems)
    say(f"{len(terms)} terms: {errors} errors, {len(problems) - errors} warnings{'' if reasoner else ' (no reasoner)'}")
    if errors:
        raise typer.Exit(1)


@app.command(name="show")
def show_term(term: Annotated[str, typer.Argument(metavar="TERM", help="An id, a label or a synonym.")]) -> None:
    """Show a term: what it is called, what it is a kind and a part of, where it is, how it is defined, what it excludes."""
    from kgscore.ontology.load import load_turtle
    from kgscore.report.term import find, page

    terms = load_turtle(resource("ontologies"))
    found = find(term, terms)
    if not found:
        raise OntologyError(f"no term is called '{term}'; try a shorter name or a synonym")
    for one in found:
        show(page(one, terms))


@app.command()
def build(
    tables: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The compact tables.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where the Turtle files go.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if a file would change.")] = False,
) -> None:
    """Compile the tables to Turtle, and print the files that changed."""
    from kgscore.ontology.build import build as compile_to
    from kgscore.ontology.turtle import compile_tables

    source = tables or resource("ontologies", "tables")
    target = out or resource("ontologies")
    if not check:
        for path in compile_to(source, target):
            print(path)
        return
    texts = compile_tables(source)
    stale = [name for name, text in sorted(texts.items()) if not _same(target / name, text)]
    if stale:
        raise OntologyError(f"{', '.join(stale)}: not what the tables give; run: kgscore ontology build")
    say(f"{len(texts)} files agree with the tables")


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text
