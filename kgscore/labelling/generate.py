"""Generated mapping files: the FMA from the tables, the label sets from their YAML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from kgscore.labelling.sets import load_set, mappings_of
from kgscore.ontology.compile import build_index
from kgscore.ontology.sssom import MappingSet, fma_mappings, write_sssom
from kgscore.ontology.tables import Term
from kgscore.resources import resource


def generated_mappings(terms: Sequence[Term]) -> list[MappingSet]:
    """Return every generated mapping set, from these terms."""
    index = build_index(list(terms))
    names = sorted(path.stem for path in resource("mappings", "labels").glob("*.yaml"))
    return [fma_mappings(terms), *(mappings_of(load_set(name), index) for name in names)]


def stale_files(folder: Path, made: Iterable[MappingSet]) -> list[str]:
    """Return one line for every generated file that does not match its source."""
    problems = []
    for found in made:
        path = folder / f"{found.name}.sssom.tsv"
        if not path.exists() or path.read_text(encoding="utf-8") != write_sssom(found):
            problems.append(f"error: {path.name}: does not match its source; run: kgscore ontology mappings --write")
    return problems
