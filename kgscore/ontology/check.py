"""Checks of the ontologies: structure, from the terms, and consistency, from the OWL files by a reasoner."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from kgscore.errors import OntologyError, did_you_mean
from kgscore.ontology.compile import reachable
from kgscore.ontology.exact import doubled, overdefined
from kgscore.ontology.files import roles, turtle_files
from kgscore.ontology.reason import class_iris, classify, logical_triples
from kgscore.ontology.tables import FINDINGS, Form, Term, fold
from kgscore.ontology.turtle import SIDES, VALUE_LINKS, fixed_sides, is_sided, references_of, same_kind

_MEANT = {
    "is": "parent", "part": "whole (part:)", "overlaps": "structure (overlaps:)", "opp": "opposite", "implies": "implied finding",
    "tip": "place of the tip", "site": "site", "def": "definition:", "with": "definition:", "denies": "denied:",
    "has": "descriptor (has:)", "chief": "chief deviation", "made": "part (made:)",
    **{key: f"finding ({key}:)" for key in VALUE_LINKS},
}
Graph = dict[str, set[str]]


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a term: `severity` is `error`, `warning` or `note`, `message` describes it and the fix."""

    severity: str
    where: str
    term: str
    message: str

    def __str__(self) -> str:
        return f"{self.severity}: {self.where}: {self.term}: {self.message}"


def check_structure(terms: Sequence[Term], own: Sequence[Term] = ()) -> list[Problem]:
    """Return the problems of the terms themselves, check by check, in the order of the terms.

    `own` are the terms of a user's module, as written: their taking forms from shipped ones is a note, not an error.
    """
    known = {term.id: term for term in reversed(terms)}
    checks: tuple[Callable[[Sequence[Term], dict[str, Term]], Iterator[Problem]], ...] = (
        _ids, _references, _homes, partial(_forms, own=own), _roles, _cycles, _definitions, _definition_cycles,
        _same_definitions, partial(_exact, own=own), _sides, _fma, _redundant,
    )
    labels = [error_of(term, "no label; write it in the second column") for term in terms if not term.label]
    return [*labels, *(problem for check in checks for problem in check(terms, known))]


def check_reasoner(folder: Path, only: Collection[str] | None = None) -> list[Problem]:
    """Return HermiT's findings in the compiled ontologies: inconsistency, unsatisfiable classes, equivalent classes.

    With `only`, equivalent classes are reported if a term with one of these ids is among them. A missing Java runtime
    or a failed run is reported as an error too, since then nothing was checked.
    """
    where = folder.name
    try:
        names = {iri: key for key, iri in class_iris(folder).items()}
        taxonomy = classify(logical_triples(turtle_files(folder)))
    except OntologyError as error:
        return [Problem("error", where, "reasoner", str(error))]
    empty = taxonomy.unsatisfiable()
    found = [
        Problem("error", where, names.get(iri, iri), "nothing can satisfy it; look for two sides, or a wrong kind of parent")
        for iri in sorted(empty)
    ]
    for same in sorted({tuple(sorted(equal - empty)) for equal in taxonomy.equals.values()}):
        keys = sorted(names[iri] for iri in same if iri in names)
        if len(keys) > 1 and (only is None or not set(only).isdisjoint(keys)):
            message = f"its axioms make it the same as {', '.join(keys[1:])}; merge them or change a definition"
            found.append(Problem("warning", where, keys[0], message))
    return found


def _ids(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    for term in terms:
        if known[term.id] is not term:
            yield error_of(term, f"the id is also defined at {known[term.id].where}; rename one or merge them")
    twins = [(term, known.get(f"{term.id}_{side}")) for term in known.values() if is_sided(term) for side in SIDES]
    for term, twin in twins:
        if twin is not None:
            yield error_of(twin, f"the id is made from '{term.id}', which has sides; drop the line")


def _references(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    for term in terms:
        for key, kinds, what in references_of(term):
            if key not in known:
                hint = _suggestion(key, [one for one in reversed(known.values()) if one.kind in kinds])
                yield error_of(term, f"{_MEANT[what]} '{key}' is not known; {hint or 'add the term or correct the id'}")
            elif known[key].kind not in kinds:
                message = f"{_MEANT[what]} '{key}' is of kind {known[key].kind}, not {' or '.join(kinds)}; use another id"
                yield error_of(term, message)


def _suggestion(name: str, terms: Sequence[Term]) -> str:
    """Return "did you mean 'X'?" with the first of the terms that has this wording, or the nearest id; or ""."""
    wording = fold(name.replace("_", " "))
    term = next((term for term in terms if wording in map(fold, term.texts)), None)
    return did_you_mean(name, [term.id for term in terms]) if term is None else f"did you mean '{term.id}' ({term.label})?"


def _homes(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    for term in (term for term in terms if "roots" not in term.roles and not term.parents):
        if term.kind == "anatomy" and not term.parts:
            yield error_of(term, "no place in the body; give it 'part:' or 'is:'")
        elif term.kind in FINDINGS:
            yield error_of(term, "no parent; give it 'is:' (abnormality at least)")


def _roles(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    first: dict[str, Term] = {}
    for term in terms:
        for role in term.roles:
            other = first.setdefault(role, term) if roles().get(role) else term
            if other is not term:
                yield error_of(term, f"role '{role}' is for one concept only, and {other.id} has it; remove one")


def _forms(terms: Sequence[Term], known: dict[str, Term], own: Sequence[Term] = ()) -> Iterator[Problem]:
    """Check that a form names one concept of its type. Normal words are exempt (the bearer decides which row counts). If two
    regions, or a region and the core, share a form ("CP angle"), the region of the report decides: a warning. The user's
    `own` terms take precedence."""
    mine = {(term.id, fold(text)) for term in own for text in term.texts}
    taken: dict[tuple[str, str], list[str]] = defaultdict(list)
    owners: dict[tuple[tuple[str, ...], str], Term] = {}
    sides: dict[tuple[int, str], str | None] = {}
    named = ((term, form) for term in terms if term.kind != "normals" for form in (Form(term.label), *term.forms))
    for term, (text, side) in ((term, (form.text, form.side)) for term, form in named):
        owner = owners.setdefault((same_kind(term), fold(text)), term)
        ours, theirs = (term.id, fold(text)) in mine, (owner.id, fold(text)) in mine
        if ours != theirs:
            taken[(term.id, owner.id) if ours else (owner.id, term.id)].append(text)
        elif owner.id != term.id:
            yield _ambiguous(term, owner, text)
        if sides.setdefault((id(term), fold(text)), side) != side:
            yield error_of(term, f"the form '{text}' is listed with two sides; keep one")
    for (winner, loser), texts in taken.items():
        forms = ", ".join(f"'{text}'" for text in dict.fromkeys(texts))
        message = f"takes {forms} from {loser} ({known[loser].where}): this module now owns them"
        yield Problem("note", known[winner].where, winner, message)


def _ambiguous(term: Term, owner: Term, text: str) -> Problem:
    """Return the problem of a form that another term has too: the stated site or the region of the report may decide."""
    what = f"the form '{text}' also names {owner.id} ({owner.where})"
    places = [{site.structure for site in one.sites} | {d.site for d in one.definitions} for one in (term, owner)]
    if all(places) and places[0] != places[1]:
        return warning_of(term, f"{what}; the stated site decides")
    if term.module == owner.module:
        return error_of(term, f"{what}; keep it at one of them")
    return warning_of(term, f"{what}; the region of the report decides")


def _cycles(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    up_is = {term.id: set(term.parents) for term in terms}
    up_in = {term.id: {*term.parents, *term.parts} for term in terms if term.parts or term.kind == "anatomy"}
    by_is = {frozenset(cycle): ("is", cycle) for cycle in _cut_cycles(up_is)}
    by_both = {frozenset(cycle): ("is and part", cycle) for cycle in _cut_cycles(up_in)}
    for what, cycle in (by_is | {key: cycle for key, cycle in by_both.items() if key not in by_is}).values():
        yield error_of(known[cycle[0]], f"a cycle of '{what}': {' → '.join(cycle)}; drop one of the steps")


def _cut_cycles(graph: Graph) -> Iterator[list[str]]:
    """Yield cycles, cutting each where it was found, until none is left."""
    graph = {key: set(above) for key, above in graph.items()}
    while True:
        try:
            TopologicalSorter(graph).prepare()
            return
        except CycleError as error:
            found: list[str] = error.args[1][::-1]
            graph[found[0]].discard(found[1])
            start = found.index(min(found[:-1]))
            yield [*found[start:-1], *found[: start + 1]]


def _definitions(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    up_is = {term.id: set(term.parents) for term in terms}
    up_both = {term.id: {*term.parents, *(row.genus for row in term.definitions)} for term in terms}
    for term in terms:
        for row in term.definitions:
            if term.id in reachable([row.genus], up_is):
                yield error_of(term, f"the definition '{row.genus} @ {row.site}' is circular: {row.genus} is a {term.id}; "
                                   "define it by a broader finding")
        yield from _shared_site(term)
        for one in term.differentiae:
            if one.genus not in reachable([term.id], up_both) and one.value not in term.features:
                yield error_of(term, f"'{one.genus} + {one.value}' defines a kind of {one.genus}, and {term.id} is not one; "
                                   f"add 'is: {one.genus}', or 'has: {one.value}' if every {term.id} shows it")


def _shared_site(term: Term) -> Iterator[Problem]:
    sites = {row.site for row in term.definitions}
    for site in sites - {"*", *(place.structure for place in term.sites if place.hard)}:
        if len(sites) == 1 and len(term.definitions) > 1:
            message = f"all its definitions are at {site}, but several definitions are sufficient only; add 'site: {site} !'"
            yield warning_of(term, message)


def _definition_cycles(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    for cycle in _cut_cycles({term.id: {row.genus for row in term.definitions} for term in terms}):
        if len(cycle) > 2:
            yield error_of(known[cycle[0]], f"definitions form a cycle: {' → '.join(cycle)}; drop one")


def _same_definitions(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    owners: dict[tuple[str, str], Term] = {}
    for term, row in ((one, row) for one in terms for row in one.definitions):
        owner = owners.setdefault((row.genus, row.site), term)
        if owner.id != term.id:
            what = f"'{row.genus} @ {row.site}' also defines {owner.id} ({owner.where})"
            yield warning_of(term, f"{what}; merge them or keep the definition at one")


def _sides(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    anatomy = [term for term in terms if term.kind == "anatomy"]
    up_in = {term.id: {*term.parents, *term.parts} for term in anatomy}
    fixed, one_sided = fixed_sides(known), {term.id for term in known.values() if "side" in term.values}
    for term in anatomy:
        side = term.values.get("side")
        if side is not None and side not in SIDES:
            yield error_of(term, f"side is left or right, not '{side}'")
            continue
        if side and is_sided(term):
            yield error_of(term, f"it is {side} only and yet paired or sided; drop one")
        for other in (known[key] for key in sorted(reachable([term.id], up_in) & one_sided - {term.id})):
            if is_sided(term):
                yield error_of(term, f"it exists left and right, but {other.id} above it is {other.values['side']} only; "
                                   "give it a side, or another parent")
            elif fixed.get(term.id) != other.values["side"]:
                yield error_of(term, f"it is {fixed[term.id]}, but {other.id} above it is {other.values['side']}; correct one")


def _fma(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    owners: dict[str, tuple[Term, str]] = {}
    for term in terms:
        for side, number in term.fma.items():
            owner, other = owners.setdefault(number, (term, side))
            if owner.id != term.id:
                level = error_of if side == other else warning_of
                yield level(term, f"FMA:{number} is also {other} {owner.id} ({owner.where}); keep it at one".replace("  ", " "))
        if term.kind == "anatomy" and set(term.fma) & set(SIDES) and not is_sided(term):
            yield warning_of(term, "it has FMA ids with sides but is neither 'paired' nor 'sided'; add the flag")


def _redundant(terms: Sequence[Term], known: dict[str, Term]) -> Iterator[Problem]:
    up_is = {term.id: set(term.parents) for term in terms}
    up_in = {term.id: {*term.parents, *term.parts} for term in terms}
    for term in terms:
        for key, by in _followed(term.parents, term.parents, up_is):
            yield warning_of(term, f"is: {key} follows from {by}; drop it")
        for key, by in _followed(term.parts, (*term.parents, *term.parts), up_in):
            if not (is_sided(term) and key in known and is_sided(known[key])):
                yield warning_of(term, f"part: {key} follows from {by}; drop it")


def _followed(keys: Sequence[str], others: Sequence[str], up: Graph) -> Iterator[tuple[str, str]]:
    """Yield the keys that follow from others, each with the first of these."""
    for key in keys:
        by = next((other for other in others if other != key and key in reachable([other], up)), None)
        if by is not None:
            yield key, by


def _exact(terms: Sequence[Term], known: dict[str, Term], own: Sequence[Term] = ()) -> Iterator[Problem]:
    for term, row in overdefined(terms, known):
        yield error_of(term, f"definition '{row}': '{known[row.genus].label}' is too general; name a more specific genus")
    for term, other, text in doubled(terms, {one.id for one in own}):
        message = f"'{text}' is exact here and at {other.id} ({other.where}), which is unrelated"
        yield error_of(term, f"{message}; where only the region or place tells, write it as 'abbr:'")


def error_of(term: Term, message: str) -> Problem:
    """Return an error about a term."""
    return Problem("error", term.where, term.id, message)


def warning_of(term: Term, message: str) -> Problem:
    """Return a warning about a term."""
    return Problem("warning", term.where, term.id, message)
