"""`kgscore ontology`: create, check, show and build ontology modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from kgscore.cli._common import Failures, names, output_stream, reports_or_pairs, say, show, write_json
from kgscore.cli._options import ColumnNames, Engine, Metrics, Modules, Profile, knowledge_of, output_to, split_names
from kgscore.cli.coverage import coverage
from kgscore.cli.ontology_checks import oracle
from kgscore.config import PLAIN
from kgscore.errors import OntologyError
from kgscore.resources import resource

if TYPE_CHECKING:
    from kgscore.authoring.diff import Change
    from kgscore.ontology.check import Problem

app = typer.Typer(
    help="The ontologies: show, check, test, build, export; modules of your own: new, check, test, coverage, diff, import-fma.",
    no_args_is_help=True,
)


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="NAME", help="The folder to create; its last part names the module.")],
    turtle: Annotated[bool, typer.Option("--turtle", help="An OWL module in Turtle instead of tables.")] = False,
) -> None:
    """Create a new module: starter tables with comments, example sentences and pairs, and a README."""
    from kgscore.authoring.new import new_module

    for path in new_module(folder, turtle=turtle):
        print(path)
    say(f"Next: edit them, and run: kgscore ontology check {folder}")


app.command()(coverage)
app.command(name="test")(oracle)


@app.command()
def check(
    module: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A module: its folder or .ttl file. Without it, the shipped ontologies.")
    ] = None,
    beside: Modules = None,
    reasoner: Annotated[
        bool, typer.Option("--reasoner/--no-reasoner", help="Run HermiT too (needs Java and the extra reasoner).")
    ] = True,
    tables: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The compact tables.")] = None,
    folder: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The compiled Turtle files.")] = None,
) -> None:
    """Check the terms, and with a reasoner the OWL files: one line a problem; exit code 1 if any is an error.

    With PATH, check a module together with the shipped ontologies, and run its sentences.jsonl and pairs.jsonl."""
    from kgscore.ontology.check import check_reasoner, check_structure
    from kgscore.ontology.sssom import check_mappings
    from kgscore.ontology.tables import read_tables

    if module is not None:
        if tables is not None or folder is not None:
            raise typer.BadParameter("--tables and --folder are for the shipped ontologies; do not combine them with a module")
        _check_module(module, beside or [], reasoner)
        return
    terms = read_tables(tables or resource("ontologies", "tables"))
    problems = check_structure(terms)
    if tables is None:
        problems += check_mappings(resource("mappings"), terms)
    if reasoner:
        problems += check_reasoner(folder or resource("ontologies"))
    _print_problems(problems, f"{len(terms)} terms", "" if reasoner else " (no reasoner)")


def _check_module(path: Path, beside: list[str], reasoner: bool) -> None:
    from kgscore.linking.cues import read_cues
    from kgscore.ontology.author import check_module
    from kgscore.ontology.modules import distinct_modules, find_module
    from kgscore.ontology.reason import missing_requirement

    found = find_module(path)
    if found.whole:
        raise OntologyError(f"{path}: contains a core: not a module; check it with --tables (tables) or --folder (Turtle)")
    cues = {form for _, _, form in read_cues(resource("mappings", "reading", "cues.txt"))}
    lack = missing_requirement() if reasoner else ""
    checked = check_module(found, beside=distinct_modules(beside), reserved=cues, reasoner=reasoner and not lack)
    problems, done = list(checked.problems), f"{len(checked.terms)} terms"
    if checked.wrong:
        done += ", sentences and pairs not run"
    else:
        from kgscore.authoring.examples import try_examples

        tried = try_examples(path if path.is_dir() else path.parent, Engine(module=[*beside, str(path)]).scorer())
        problems += tried.problems
        done += f", {tried.sentences} sentences, {tried.pairs} pairs"
    _print_problems(problems, done, "" if reasoner and not lack else f" (no reasoner: {lack})" if lack else " (no reasoner)")


def _print_problems(problems: Sequence[Problem], done: str, remark: str) -> None:
    """Print problems and their number; end with exit code 1 if any is an error."""
    for problem in problems:
        print(problem)
    count = Counter(problem.severity for problem in problems)
    notes = f", {count['note']} notes" if count["note"] else ""
    say(f"{done}: {count['error']} errors, {count['warning']} warnings{notes}{remark}")
    if count["error"]:
        raise typer.Exit(1)


@app.command(name="show")
def show_term(
    term: Annotated[str, typer.Argument(metavar="TERM", help="An id, a label or a synonym.")],
    near: Annotated[int, typer.Option(metavar="N", min=0, help="Number of terms with similar meaning to show.")] = 0,
    module: Modules = None,
) -> None:
    """Show a term: names, parents and wholes, site, definition, what it shows, alters and excludes, its tier."""
    from kgscore.linking.suggest import Suggester, wordings_of
    from kgscore.matching.proofs import related_rows
    from kgscore.ontology.modules import distinct_modules, load_terms
    from kgscore.report.term import find, page

    terms, _ = load_terms(distinct_modules(module or ()))
    knowledge = knowledge_of(module)
    found = find(term, terms)
    if not found:
        raise OntologyError(f"no matching term for '{term}'; try a shorter name or a synonym")
    suggester = Suggester(wordings_of(knowledge.lexicon)) if near else None
    for one in found:
        close = suggester.nearest(one.label, near + 1) if suggester else []
        names = [f"{knowledge.index.label(other.concept)} {other.score:.2f}" for other in close if other.concept != one.id]
        show(page(one, terms, knowledge.index, names[:near], list(related_rows(knowledge.index, one.id))))


@app.command()
def tiers(module: Modules = None) -> None:
    """Print the significance tiers of findings as a Markdown page for review: sources, rules, and every tier, by region."""
    from kgscore.clinical.rules import load_rules
    from kgscore.clinical.tables import page
    from kgscore.ontology.modules import distinct_modules, load_terms
    from kgscore.ontology.tables import sources

    terms, _ = load_terms(distinct_modules(module or ()))
    print(page(knowledge_of(module).index, terms, load_rules(), sources()), end="")


@app.command()
def build(
    tables: Annotated[Path | None, typer.Option(metavar="FOLDER", help="The compact tables.")] = None,
    output: Annotated[Path | None, output_to("FOLDER", "Folder of the Turtle files.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if a file would change.")] = False,
) -> None:
    """Compile the tables to Turtle, and print the files that changed."""
    from kgscore.ontology.turtle import compile_tables
    from kgscore.ontology.write import build as compile_to

    source = tables or resource("ontologies", "tables")
    target = output or resource("ontologies")
    if not check:
        for path in compile_to(source, target):
            print(path)
        return
    texts = compile_tables(source)
    paths = {name: target / name for name in sorted(texts)}
    stale = [name for name, path in paths.items() if not path.is_file() or path.read_text(encoding="utf-8") != texts[name]]
    if stale:
        raise OntologyError(f"{', '.join(stale)}: do not match the tables; run: kgscore ontology build")
    say(f"{len(texts)} files agree with the tables")


@app.command()
def export(
    output: Annotated[Path | None, output_to("FILE", "Output file; default: standard output.")] = None,
    module: Modules = None,
    format: Annotated[
        Literal["rdfxml", "ntriples", "turtle"] | None, typer.Option(help="Default: by the file name, or turtle.")
    ] = None,
) -> None:
    """Write the shipped ontologies, with modules of your own, as one OWL file without imports: for Protégé, owlready2 and others.

    The file name determines the format: .owl, .rdf or .xml (RDF/XML), .nt (N-Triples) or .ttl (Turtle)."""
    from kgscore.ontology.modules import distinct_modules
    from kgscore.ontology.write import write_merged

    ends = {".owl": "rdfxml", ".rdf": "rdfxml", ".xml": "rdfxml", ".nt": "ntriples", ".ttl": "turtle"}
    kind = format or ends.get(output.suffix.lower() if output else ".ttl")
    if kind is None:
        raise typer.BadParameter(f"'{output}': name it {', '.join(ends)}, or give --format", param_hint="--output")
    modules = distinct_modules(module or ())
    with output_stream(output) as stream:
        say(f"{write_merged(modules, stream, kind):,} triples")


@app.command()
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="'shipped', a module, or modules separated by commas.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The same, after the change.")],
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Pairs or reports, as for `kgscore ontology coverage`.")],
    columns: ColumnNames = None, metrics: Metrics = PLAIN, profile: Profile = "default",
    terms: Annotated[bool, typer.Option("--terms", help="Also list the concepts that differ.")] = False,
) -> None:
    """Show which readings and scores change from modules A to modules B: one JSON line per changed record, totals on standard
    error. A folder of all tables, or of ontologies, replaces the shipped ones."""
    from kgscore.authoring.diff import Comparison, summary

    one, other = (Engine(profile, _modules(given)).scorer(names(metrics)) for given in (before, after))
    comparison = Comparison(one, other)
    differing = comparison.terms()
    if terms:
        for how, ids in differing.items():
            for name in ids:
                write_json({"concept": name, "change": how})
    failures = Failures()
    for record in failures.left(reports_or_pairs(files, columns)):
        change = comparison.of(record)
        if change.any:
            write_json(_change_json(change))
    say("concepts: " + ", ".join(f"{len(ids)} {how}" for how, ids in differing.items()))
    for line in summary(comparison.totals):
        say(line)
    failures.finish()


def _modules(given: str) -> list[str]:
    return [one for one in split_names(given) if one != "shipped"]


def _change_json(change: Change) -> dict[str, Any]:
    line: dict[str, Any] = {"id": change.id}
    if change.status:
        line["status"] = dict(zip(("before", "after"), change.status, strict=True))
    if change.scores:
        line["scores"] = {name: dict(zip(("before", "after"), values, strict=True)) for name, values in change.scores.items()}
    return {**line, **{name: {"gone": gone, "come": come} for name, (gone, come) in change.readings.items()}}

@app.command()
def mappings(
    write: Annotated[bool, typer.Option("--write", help="Regenerate the generated ones: FMA and the label sets.")] = False,
    output: Annotated[Path | None, output_to("FOLDER", "Folder of the mapping files.")] = None,
) -> None:
    """List the mappings to other vocabularies (SSSOM) and check them; exit code 1 if any is wrong."""
    from kgscore.labelling.sets import generated_mappings, stale_files
    from kgscore.ontology.sssom import check_mappings, read_sssom, write_sssom
    from kgscore.ontology.tables import read_tables

    folder = output or resource("mappings")
    terms = read_tables(resource("ontologies", "tables"))
    made = generated_mappings(terms)
    if write:
        for found in made:
            (folder / f"{found.name}.sssom.tsv").write_text(write_sssom(found), encoding="utf-8", newline="\n")
    for path in sorted(folder.glob("*.sssom.tsv")):
        known = read_sssom(path)
        print(f"{known.name:<14} {len(known.mappings):>5}  {known.metadata.get('mapping_set_title', '')}")
    problems = [*map(str, check_mappings(folder, terms)), *stale_files(folder, made)]
    for problem in problems:
        print(problem)
    if problems:
        raise typer.Exit(1)


@app.command()
def resolve(
    vocabulary: Annotated[Path, typer.Argument(metavar="TABLE", help="Tabs between id, name, synonyms, tags ('|' in a cell).")],
    prefix: Annotated[str, typer.Option(metavar="NAME=IRI", help="The prefix of its ids.")] = "x=https://example.org/",
    output: Annotated[Path | None, output_to("FILE", "Write the mappings, preserving manual curation.")] = None,
    names: Annotated[bool, typer.Option("--names", help="Include the names of the terms in the mappings.")] = False,
    missing: Annotated[bool, typer.Option("--missing", help="List unresolved terms, and how far each resolves.")] = False,
) -> None:
    """Resolve the findings of another vocabulary: by name, by synonym, or composed; print the share of each tag."""
    from kgscore.engine import Scorer
    from kgscore.labelling.resolve import Resolver, read_vocabulary, shares, unresolved
    from kgscore.ontology.sssom import MappingSet, metadata_of, read_sssom, write_sssom

    name, _, iri = prefix.partition("=")
    if "" in (name, iri):
        raise typer.BadParameter("give it as NAME=IRI", param_hint="--prefix")
    title = output.name.partition(".")[0] if output else ""
    old = MappingSet(title, metadata_of(title, f"kgscore to {name}", "", {name: iri}), ())
    if output and output.exists():
        old = replace(read_sssom(output), name=title)
    engine = Scorer()
    resolver = Resolver(engine.index, engine.lexicon, engine.read, name, old.mappings, names=names)
    found = [resolver.resolve(term) for term in read_vocabulary(vocabulary)]
    for line in unresolved(found) if missing else ({"tag": tag, **row} for tag, row in shares(found).items()):
        write_json(line)
    if output:
        made = replace(old, mappings=tuple(chain.from_iterable(one.mappings for one in found)))
        output.write_text(write_sssom(made), encoding="utf-8", newline="\n")
