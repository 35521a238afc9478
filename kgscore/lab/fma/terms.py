"""Makes an anatomy module from the FMA: shipped concepts are extended, everything else becomes a new concept."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from kgscore.errors import OntologyError
from kgscore.lab.fma.names import UNFIT, Imported, Names, lower_name
from kgscore.lab.fma.structures import Structure, descendants_of, read_fma
from kgscore.ontology.compile import reachable
from kgscore.ontology.tables import Form, Term, fold
from kgscore.ontology.turtle import SIDES, is_sided

ROOT = "anatomical_structure"
Graph = dict[str, list[str]]


def import_fma(
    path: Path, shipped: Sequence[Term], *, module: str, under: Collection[str] = (), avoid: Collection[str] = ()
) -> Imported:
    """Return the module for an FMA file, relative to the shipped terms.

    `under` limits it to the kinds and parts of structures, given by FMA number, FMA name or shipped id. `avoid` holds
    wordings that must not name a structure (the reader's cue words); wordings of shipped findings, descriptors and qualities
    are not taken over.

    Raises:
        OntologyError: the file cannot be read, or a structure of `under` is not in it.
    """
    structures = read_fma(path)
    anatomy = [term for term in shipped if term.kind == "anatomy"]
    chosen = descendants_of(structures, _roots(structures, anatomy, under)) if under else set(structures)
    found = Imported()
    found.counts["classes in the file"] += len(structures)
    found.counts["classes chosen"] += len(chosen)
    names = Names(structures, chosen, anatomy, found)
    terms = [_term(number, names, module) for number in sorted(names.own)]
    found.terms = [*_without_conflicts(terms, anatomy, found), *names.additions(module)]
    others = (text for term in shipped if term.kind != "anatomy" for text in (*term.texts, *term.nouns))
    names.forms(found.terms, {fold(one) for one in (*avoid, *others)})
    found.terms = [term for term in found.terms if not term.extends or term.synonyms or term.fma]
    return found


def _roots(structures: dict[int, Structure], anatomy: Sequence[Term], under: Collection[str]) -> set[int]:
    by_name = {fold(one.name or one.label): number for number, one in structures.items()}
    by_id = {term.id: [int(number) for number in term.fma.values()] for term in anatomy}
    roots: set[int] = set()
    for one in under:
        number = re.sub(r"^(?:FMA:?|fma:?)", "", one)
        numbers = [int(number)] if number.isdigit() else by_id.get(one) or [by_name[key] for key in [fold(one)] if key in by_name]
        if not any(each in structures for each in numbers):
            raise OntologyError(f"'{one}': no structure with this FMA number or name in the file")
        roots |= set(numbers)
    return roots


def _term(number: int, names: Names, module: str) -> Term:
    one = names.structures[number]
    key, sides = names.own[number], names.sides.get(number, {})
    parents = names.known_above(number, "parents")
    wholes = [above for each in (number, *sides.values()) for above in names.known_above(each, "wholes")]
    values, flags = _sidedness(number, names)
    label = lower_name(UNFIT.sub(" ", names.name(number)))
    texts = [text for text in dict.fromkeys((one.label, *one.synonyms)) if text and fold(text) != fold(label)]
    return Term(
        key, label, "anatomy", module, "", parents=tuple(above for above in parents if above != key),
        parts=tuple(above for above in dict.fromkeys(wholes) if above not in (key, *parents)),
        synonyms=tuple(Form(lower_name(text)) for text in texts), values=values, flags=flags,
        fma={"": str(number), **{side: str(each) for side, each in sides.items()}},
    )


def _sidedness(number: int, names: Names) -> tuple[dict[str, str], frozenset[str]]:
    """Return the values and flags of a structure: its side, or that it has two, or that it is a group of others."""
    sides = names.sides.get(number)
    if sides:
        return {}, frozenset({"sided" if sides["left"] in names.above else "paired"})
    said = names.side(number)
    is_group = number in names.above and not names.structures[number].wholes
    return {"side": said} if said else {}, frozenset({"group"} if is_group else ())


def _without_conflicts(terms: Sequence[Term], anatomy: Sequence[Term], found: Imported) -> list[Term]:
    """Return the terms without what the checks would reject: cycles, conflicting sides, and redundant links."""
    by_id = {term.id: term for term in (*anatomy, *terms)}
    edges: Graph = {term.id: [*term.parents, *term.parts] for term in by_id.values()}
    order = _acyclic([term.id for term in terms], edges, found)
    sides = {
        term.id: {by_id[key].values["side"] for key in reachable([term.id], edges) if "side" in by_id[key].values}
        for term in anatomy
    }
    for key in order:
        _remove_side_conflicts(by_id[key], edges, sides, found)
    ups: Graph = {term.id: [key for key in term.parents if key in edges[term.id]] for term in by_id.values()}
    made = []
    for key in order:
        parents, parts = _without_redundant(key, edges, ups)
        edges[key], ups[key] = [*parents, *parts], parents
        above = tuple(parents) if parents or parts else (ROOT,)
        made.append(replace(by_id[key], parents=above, parts=tuple(parts)))
    return made


def _acyclic(keys: Iterable[str], edges: Graph, found: Imported) -> list[str]:
    """Cut the last step of each cycle, and return the keys in topological order (ancestors first)."""
    state: dict[str, int] = {}
    order: list[str] = []
    new = set(keys)
    for start in sorted(new):
        stack = [(start, iter(list(edges[start])))] if start not in state else []
        state.setdefault(start, 1)
        while stack:
            key, rest = stack[-1]
            above = next(rest, None)
            if above is None:
                state[key] = 2
                order.append(key)
                stack.pop()
            elif above in new and state.get(above) == 1:
                edges[key].remove(above)
                found.counts["steps of circles left out"] += 1
            elif above in new and above not in state:
                state[above] = 1
                stack.append((above, iter(list(edges[above]))))
    return order


def _remove_side_conflicts(term: Term, edges: Graph, sides: dict[str, set[str]], found: Imported) -> None:
    """Remove the steps that would put something with both sides, or the other one, into a one-sided structure."""
    own = term.values.get("side")
    mine = {own} if own else set()
    for above in list(edges[term.id]):
        there = sides.get(above, set())
        if (there and is_sided(term)) or (mine and there - mine):
            edges[term.id].remove(above)
            found.counts["steps left out for their side"] += 1
        else:
            mine |= there
    sides[term.id] = {side for side in mine if side in SIDES}


def _without_redundant(key: str, edges: Graph, ups: Graph) -> tuple[list[str], list[str]]:
    """Return the is-a steps of a term, and its other steps, without redundant ones."""
    parents = _nearest(ups[key], ups[key], ups)
    parts = [one for one in edges[key] if one not in ups[key]]
    return parents, _nearest(parts, [*parents, *parts], edges)


def _nearest(steps: Sequence[str], among: Sequence[str], graph: Graph) -> list[str]:
    """Return the steps that none of the others leads to."""
    beyond = {one: reachable([one], graph) for one in among}
    return [one for one in steps if not any(one != other and one in beyond[other] for other in among)]


def table(terms: Iterable[Term]) -> Iterator[str]:
    """Yield the lines of `anatomy.tbl` for terms."""
    for term in terms:
        cells = [f"+{term.id}" if term.extends else term.id, term.label]
        for key, items in (("is", term.parents), ("part", term.parts), ("syn", [form.text for form in term.synonyms])):
            if items:
                cells.append(f"{key}: {'; '.join(items)}")
        if term.fma:
            cells.append("fma: " + "; ".join(f"{side} {number}".strip() for side, number in term.fma.items()))
        cells += [f"{key}: {value}" for key, value in term.values.items()]
        cells += sorted(term.flags)
        yield " | ".join(cells)
