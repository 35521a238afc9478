"""`kgscore ontology`: check, show and build."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import put, say, show
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
    from kgscore.ontology.sssom import check_mappings
    from kgscore.ontology.tables import read_tables

    terms = read_tables(tables or resource("ontologies", "tables"))
    problems = check_structure(terms)
    if tables is None:
        problems += check_mappings(resource("mappings"), terms)
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


@app.command()
def mappings(
    write: Annotated[bool, typer.Option("--write", help="Write the generated ones anew: FMA and the label sets.")] = False,
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where the mapping files are.")] = None,
) -> None:
    """List the mappings to other vocabularies (SSSOM) and check them; the exit code is 1 if one is wrong."""
    from kgscore.labelling.generate import generated, stale
    from kgscore.ontology.sssom import check_mappings, read_sssom, write_sssom
    from kgscore.ontology.tables import read_tables

    folder = out or resource("mappings")
    terms = read_tables(resource("ontologies", "tables"))
    made = generated(terms)
    if write:
        for found in made:
            (folder / f"{found.name}.sssom.tsv").write_text(write_sssom(found), encoding="utf-8", newline="\n")
    for path in sorted(folder.glob("*.sssom.tsv")):
        known = read_sssom(path)
        print(f"{known.name:<14} {len(known.mappings):>5}  {known.metadata.get('mapping_set_title', '')}")
    problems = [*map(str, check_mappings(folder, terms)), *stale(folder, made)]
    for problem in problems:
        print(problem)
    if problems:
        raise typer.Exit(1)


@app.command()
def resolve(
    vocabulary: Annotated[Path, typer.Argument(metavar="TABLE", help="Tabs between id, name, synonyms, tags ('|' in a cell).")],
    prefix: Annotated[str, typer.Option(metavar="NAME=IRI", help="The prefix of its ids.")] = "x=https://example.org/",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the mappings; what was curated by hand stays.")] = None,
    names: Annotated[bool, typer.Option("--names", help="Put the names of the terms into the mappings.")] = False,
    missing: Annotated[bool, typer.Option("--missing", help="List the terms that do not resolve, and how far they do.")] = False,
) -> None:
    """Resolve the findings of another vocabulary: by name, by synonym, or composed; print the share of each tag."""
    from kgscore.engine import Scorer
    from kgscore.labelling.resolve import RESOLVED, Resolver, read_vocabulary, shares
    from kgscore.ontology.sssom import MappingSet, metadata_of, read_sssom, write_sssom

    name, _, iri = prefix.partition("=")
    if not name or not iri:
        raise typer.BadParameter("give it as NAME=IRI", param_hint="--prefix")
    engine = Scorer()
    old = read_sssom(out) if out and out.exists() else None
    resolver = Resolver(engine.index, engine.reader.lexicon, engine.read, name, old.mappings if old else (), names=names)
    found = [resolver.resolve(term) for term in read_vocabulary(vocabulary)]
    if missing:
        for one in found:
            if one.how not in RESOLVED:
                put({"id": one.term.id, "name": one.term.name, "how": one.how, "broader": [row.key for row in one.mappings]})
    else:
        for tag, row in shares(found).items():
            put({"tag": tag, **row})
    if out:
        about = old.metadata if old else metadata_of(out.name.partition(".")[0], f"kgscore to {name}", "", {name: iri})
        rows = tuple(row for one in found for row in one.mappings)
        out.write_text(write_sssom(MappingSet(out.name.partition(".")[0], about, rows)), encoding="utf-8", newline="\n")


def _same(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text
