"""Makes an anatomy module from the FMA: shipped concepts are extended, everything else becomes a new concept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from kgscore.authoring.new import new_folder
from kgscore.errors import OntologyError
from kgscore.lab.fma.names import UNFIT, Imported, Names, lower_name
from kgscore.lab.fma.structures import Structure, descendants_of, read_fma
from kgscore.linking.cues import read_cues
from kgscore.ontology.compile import reachable
from kgscore.ontology.tables import Form, Term, fold, read_tables
from kgscore.ontology.turtle import SIDES, is_sided
from kgscore.resources import resource

ROOT = "anatomical_structure"
_HEAD = """# Anatomy from {file}, by `kgscore ontology import-fma`{under}.
# The Foundational Model of Anatomy is the University of Washington's; its licence holds for this file.
"""
Graph = dict[str, list[str]]


def import_fma(
    path: Path, shipped: Sequence[Term], *, module: str, under: Collection[str] = (), avoid: Collection[str] = ()
) -> Imported:
    """Return the module for an FMA file, relative to the shipped terms.

    `under` limits it to the kinds and parts of structures, given by FMA number, FMA name or shipped id. `avoid` holds
    wordings that must not name a structure (the reader's cue words); wordings of shipped findings, descriptors and qualities
    are not taken over.
    """
    structures = read_fma(path)
    anatomy = [term for term in shipped if term.kind == "anatomy"]
    chosen = descendants_of(structures, _roots(structures, anatomy, under)) if under else set(structures)
    found = Imported(counts=Counter({"classes in the file": len(structures), "classes chosen": len(chosen)}))
    names = Names(structures, chosen, anatomy, found.counts)
    terms = [_term(number, names, module) for number in sorted(names.own)]
    made = [*_without_conflicts(terms, anatomy, found.counts), *names.additions(module)]
    others = (text for term in shipped if term.kind != "anatomy" for text in (*term.texts, *term.nouns))
    found.terms += names.with_forms(made, set(map(fold, (*avoid, *others))))
    return found


def _roots(structures: dict[int, Structure], anatomy: Sequence[Term], under: Collection[str]) -> set[int]:
    by_name = {fold(one.title): {number} for number, one in structures.items()}
    by_id = {term.id: set(map(int, term.fma.values())) for term in anatomy}
    roots: set[int] = set()
    for one in under:
        number = re.sub(r"^(?:FMA:?|fma:?)", "", one)
        numbers = {int(number)} if number.isdigit() else by_id.get(one) or by_name.get(fold(one), set())
        if numbers.isdisjoint(structures):
            raise OntologyError(f"'{one}': no structure with this FMA number or name in the file")
        roots |= numbers
    return roots


def _term(number: int, names: Names, module: str) -> Term:
    one = names.structures[number]
    key, sides = names.own[number], names.sides.get(number, {})
    parents = names.known_above(number, "parents")
    wholes = [above for each in (number, *sides.values()) for above in names.known_above(each, "wholes")]
    values, flags = _sidedness(number, names)
    label = lower_name(UNFIT.sub(" ", one.title))
    texts = [text for text in dict.fromkeys((one.label, *one.synonyms)) if text and fold(text) != fold(label)]
    return Term(
        key, label, "anatomy", module, "", parents=tuple(parents),
        parts=tuple(above for above in dict.fromkeys(wholes) if above not in parents),
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


def _without_conflicts(terms: Sequence[Term], anatomy: Sequence[Term], counts: Counter[str]) -> Iterator[Term]:
    """Yield the terms without what the checks would reject: cycles, conflicting sides, and redundant links."""
    by_id = {term.id: term for term in (*anatomy, *terms)}
    edges: Graph = {term.id: [*term.parents, *term.parts] for term in by_id.values()}
    order = _acyclic({term.id for term in terms}, edges, counts)
    sides = {term.id: _sides(map(by_id.__getitem__, reachable([term.id], edges))) for term in anatomy}
    for key in order:
        _remove_side_conflicts(by_id[key], edges, sides, counts)
    ups: Graph = {term.id: [key for key in term.parents if key in edges[term.id]] for term in by_id.values()}
    for key in order:
        parents, parts = _without_redundant(key, edges, ups)
        edges[key], ups[key] = [*parents, *parts], parents
        yield replace(by_id[key], parents=tuple(parents) if parents or parts else (ROOT,), parts=tuple(parts))


def _sides(terms: Iterable[Term]) -> set[str]:
    return {term.values["side"] for term in terms if "side" in term.values}


def _acyclic(new: set[str], edges: Graph, counts: Counter[str]) -> list[str]:
    """Cut the last step of each cycle of the new keys, and return these in topological order (ancestors first)."""
    done: dict[str, bool] = {}  # False while the ancestors of a key are being looked at
    order: list[str] = []
    for start in sorted(new):
        stack = [(start, iter([*edges[start]]))] if start not in done else []
        done.setdefault(start, False)
        while stack:
            key, rest = stack[-1]
            above = next((one for one in rest if one in new and not done.get(one)), None)
            if above is None:
                done[key] = True
                order.append(key)
                stack.pop()
            elif above in done:
                edges[key].remove(above)
                counts["steps of circles left out"] += 1
            else:
                done[above] = False
                stack.append((above, iter([*edges[above]])))
    return order


def _remove_side_conflicts(term: Term, edges: Graph, sides: dict[str, set[str]], counts: Counter[str]) -> None:
    """Remove the steps that would put something with both sides, or the other one, into a one-sided structure."""
    mine = _sides([term])
    for above in list(edges[term.id]):
        there = sides.get(above, set())
        if (there and is_sided(term)) or (mine and there - mine):
            edges[term.id].remove(above)
            counts["steps left out for their side"] += 1
        else:
            mine |= there
    sides[term.id] = mine.intersection(SIDES)


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
        fma = [f"{side} {number}".strip() for side, number in term.fma.items()]
        lists = {"is": term.parents, "part": term.parts, "syn": [form.text for form in term.synonyms], "fma": fma}
        named = {key: "; ".join(items) for key, items in lists.items() if items} | term.values
        cells = [f"+{term.id}" if term.extends else term.id, term.label, *(f"{key}: {said}" for key, said in named.items())]
        yield " | ".join([*cells, *sorted(term.flags)])


def write_fma(file: Path, folder: Path, under: Collection[str] = ()) -> dict[str, int]:
    """Write the module from an FMA file into a new folder, and return the numbers of classes by how they were imported."""
    shipped = read_tables(resource("ontologies", "tables"))
    cues = {form for _, _, form in read_cues(resource("mappings", "reading", "cues.txt"))}
    found = import_fma(file, shipped, module=folder.name, under=under, avoid=cues)
    new_folder(folder)
    limited = f", limited to kinds and parts of: {', '.join(under)}" if under else ""
    lines = [_HEAD.format(file=file.name, under=limited).rstrip(), *table(found.terms)]
    (folder / "anatomy.tbl").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return found.counts
