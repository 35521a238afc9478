"""A term of the ontologies as a page for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kgscore.model import TIERS
from kgscore.ontology.index import Index
from kgscore.ontology.tables import FINDINGS, Definition, Form, Term

_SHOWN = 40


def find(name: str, terms: Iterable[Term]) -> list[Term]:
    """Return the terms with that id; or else with that label; or else with that synonym (case does not matter)."""
    wanted = " ".join(name.lower().split())
    every = list(terms)
    kinds: tuple[Callable[[Term], Iterable[str]], ...] = (
        lambda term: (term.id,), lambda term: (term.label.lower(),), lambda term: [form.text.lower() for form in term.forms],
    )  # fmt: skip
    matches = ([term for term in every if wanted in names(term)] for names in kinds)
    return next(filter(None, matches), [])


def page(
    term: Term, terms: Sequence[Term], index: Index, near: Sequence[str] = (), further: Sequence[tuple[str, str]] = ()
) -> RenderableType:
    """Return a description of a term, with `further` rows of other tables and the names of similar terms."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in (*rows_of(term, terms, index), *further, ("near", ", ".join(near))):
        if text:
            grid.add_row(f"  {name}", text)
    title = Text.assemble((term.label, "bold"), (f"  {term.id} · {term.kind} · {term.module}", "dim"))
    return Group(Text(), title, grid, Text())


def rows_of(term: Term, terms: Sequence[Term], index: Index) -> Iterator[tuple[str, str]]:
    """Yield the rows describing a term, (name, text) each; the text is empty if there is nothing."""
    labels = {one.id: one.label for one in terms}

    def names_of(ids: Iterable[str]) -> str:
        return ", ".join(labels.get(id, id) for id in ids)

    def definition_text(one: Definition) -> str:
        return f"{names_of([one.genus])} in {labels.get(one.site, 'any site')}"

    yield "is a", names_of(term.parents)
    yield "part of", names_of(term.parts)
    yield "overlaps", names_of(term.overlaps)
    yield "site", "; ".join(f"{names_of([one.structure])} ({'always' if one.hard else 'default'})" for one in term.sites)
    yield "means", "; or ".join(definition_text(one) for one in term.definitions)
    yield "means too", "; or ".join(names_of([one.genus, one.value]) for one in term.differentiae)
    yield "shows", names_of(sorted(index.shown(index.ancestors.get(term.id, frozenset())))) if term.kind in FINDINGS else ""
    yield "made of", names_of(term.made)
    yield "denies", "; ".join(definition_text(one) for one in term.denies)
    yield "excludes", names_of(term.opposites)
    yield "implies", names_of(term.implies)
    yield "usual tip", names_of(term.tips)
    yield "also called", _join_forms(term.synonyms)
    yield "adjectives", _join_forms(term.adjectives)
    yield "abbreviated", _join_forms(term.hidden)
    yield "narrower", _join_forms(term.narrower)
    yield "broader", _join_forms(term.broader)
    yield "signs of it", _join_forms(term.signs)
    yield "quality of", ", ".join(term.nouns)
    yield "tier", _tier_text(term, index)
    yield "FMA", ", ".join(f"{side} {number}".strip() for side, number in term.fma.items())
    yield "marks", ", ".join([*sorted(term.flags), *(f"{key} {value}" for key, value in term.values.items())])
    yield "kinds", _abbreviate([one.label for one in terms if term.id in one.parents])
    yield "parts", _abbreviate([one.label for one in terms if term.id in one.parts])


def _tier_text(term: Term, index: Index) -> str:
    """Return the tier of a finding with its origin: its own with the source, or that of the nearest superclass."""
    if term.kind not in FINDINGS or term.id not in index.concepts:
        return ""
    concept = index.concepts[term.id]
    above = "" if concept.graded_by == term.id else f", inherited from {index.label(concept.graded_by)}"
    source = f" ({concept.source})" if concept.source else ""
    return TIERS[concept.severity] + (above + source if concept.graded_by else ", by default")


def _join_forms(forms: Iterable[Form]) -> str:
    return _abbreviate([f"{form.text} ({form.side})" if form.side else form.text for form in forms], "; ")


def _abbreviate(labels: Sequence[str], between: str = ", ") -> str:
    more = f" … and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
    return between.join(labels[:_SHOWN]) + more
