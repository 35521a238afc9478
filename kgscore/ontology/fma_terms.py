"""An anatomy module made from the FMA: shipped concepts are kept and added to, everything else becomes a concept of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kgscore.errors import OntologyError
from kgscore.ontology.check import fold, texts_of
from kgscore.ontology.fma import Structure, read_fma, within
from kgscore.ontology.tables import Form, Term
from kgscore.ontology.turtle import SIDES, is_sided

ROOT = "anatomical_structure"
_SIDE = re.compile(r"\b(left|right)\b ?", re.IGNORECASE)
_UNFIT = re.compile(r"[|;=#\t]")
_LONGEST = 90
Graph = dict[str, list[str]]


@dataclass(slots=True)
class Imported:
    """The module: new terms and additions (`extends`), and how many classes were taken how."""

    terms: list[Term] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def count(self, what: str, number: int = 1) -> None:
        """Add to a count."""
        self.counts[what] = self.counts.get(what, 0) + number


def import_fma(
    path: Path, shipped: Sequence[Term], *, module: str, under: Collection[str] = (), avoid: Collection[str] = ()
) -> Imported:
    """Return the module that an FMA file gives beside the shipped terms.

    `under` limits it to what is a kind or a part of structures, given by FMA number, FMA name or shipped id. `avoid` holds
    wordings that must not name a structure (the reader's cue words); wordings of shipped findings, descriptors and qualities
    are left to these.

    Raises:
        OntologyError: the file cannot be read, or a structure of `under` is not in it.
    """
    structures = read_fma(path)
    anatomy = [term for term in shipped if term.kind == "anatomy"]
    chosen = set(within(structures, _roots(structures, anatomy, under))) if under else set(structures)
    found = Imported()
    found.count("classes in the file", len(structures))
    found.count("classes chosen", len(chosen))
    names = _Names(structures, chosen, anatomy, found)
    terms = [_term(number, names, module) for number in sorted(names.own)]
    found.terms = [*_sound(terms, anatomy, found), *names.additions(module)]
    others = (text for term in shipped if term.kind != "anatomy" for text in (*texts_of(term), *term.nouns))
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
            raise OntologyError(f"'{one}': no structure of the file has this FMA number or name; give one that it has")
        roots |= set(numbers)
    return roots


class _Names:
    """What each class of the FMA is here: a shipped concept, a side of another class, or a new concept (`own`)."""

    def __init__(self, structures: dict[int, Structure], chosen: set[int], anatomy: Sequence[Term], found: Imported) -> None:
        self.structures = structures
        self.shipped = {term.id: term for term in anatomy}
        self.owners: dict[str, str] = {}
        for term in anatomy:
            for text in texts_of(term):
                self.owners.setdefault(fold(text), term.id)
        self.by_name = {fold(self.name(number)): number for number in sorted(structures, reverse=True)}
        self.ids = {int(number): term.id for term in anatomy for number in term.fma.values()}
        self.named: dict[int, str] = {}  # shipped concepts found by name: they get the number
        self.above = {parent for one in structures.values() for parent in one.parents}
        self.sides: dict[int, dict[str, int]] = {}
        self.own: dict[int, str] = {}
        self._fold_sides(chosen, found)
        self._identify(chosen, found)
        self._side_of = {number: side for pair in self.sides.values() for side, number in pair.items()}
        self._side_of |= {int(number): side for term in anatomy for side, number in term.fma.items() if side and is_sided(term)}

    def name(self, number: int) -> str:
        one = self.structures[number]
        return one.name or one.label

    def _fold_sides(self, chosen: set[int], found: Imported) -> None:
        """Make "Left X" and "Right X" sides of "X", where all three are there."""
        by_name = self.by_name
        for number in sorted(chosen):
            name = fold(self.name(number))
            if number in self.ids or "left" not in name.split():
                continue
            twin, base = by_name.get(_SIDE.sub("right ", name).strip()), by_name.get(_SIDE.sub("", name).strip())
            if twin is None or base is None or twin in self.ids or len(_SIDE.findall(name)) != 1:
                continue
            self.sides[base] = {"left": number, "right": twin}
            found.count("classes that are a side of another", 2)

    def _identify(self, chosen: set[int], found: Imported) -> None:
        folded = {number: base for base, pair in self.sides.items() for number in pair.values()}
        used = set(self.shipped)
        first: dict[str, int] = {}
        for number in sorted(chosen, key=lambda one: (one in folded, one)):
            name = fold(self.name(number))
            if number in self.ids:
                found.count("shipped concepts found by FMA number")
            elif number in folded and (folded[number] in self.ids or folded[number] in self.own):
                self.ids[number] = self.ids[folded[number]]
            elif name in self.owners:
                self.ids[number] = self.owners[name]
                found.count("shipped concepts found by name")
                if not self.shipped[self.owners[name]].fma and self.owners[name] not in self.named.values():
                    self.named[number] = self.owners[name]
            elif name in first:
                self.ids[number] = self.ids[first[name]]
                found.count("classes with the name of another")
            else:
                first[name] = number
                self.own[number] = self.ids[number] = _slug(name, number, used)
        found.count("new concepts", len(self.own))

    def side(self, number: int) -> str | None:
        """Return the side of a structure that is part of one side of a paired one ("middle lobe of right lung": right).

        The name alone does not say: the left ventricle and the left lobe of the liver are no left side of anything.
        """
        said = {self._side_of[whole] for whole in self.structures[number].wholes if whole in self._side_of}
        return said.pop() if len(said) == 1 else None

    def known_above(self, number: int, relation: str) -> list[str]:
        """Return the ids of the nearest things above that are in the module or shipped, by `parents` or by `wholes`."""
        seen, waiting = {number}, sorted(getattr(self.structures[number], relation))
        ids: list[str] = []
        while waiting:
            above = waiting.pop(0)
            if above in seen:
                continue
            seen.add(above)
            if above in self.ids:
                ids.append(self.ids[above])
            elif above in self.structures:
                waiting += sorted(getattr(self.structures[above], relation))
        return list(dict.fromkeys(ids))

    def additions(self, module: str) -> Iterator[Term]:
        """Yield what the FMA adds to shipped concepts: numbers here, synonyms in `forms`."""
        by_id: dict[str, list[int]] = {}
        for number, key in self.ids.items():
            if key in self.shipped and number in self.structures:
                by_id.setdefault(key, []).append(number)
        for key in sorted(by_id):
            fresh = next((one for one in by_id[key] if one in self.named), None)
            term = self.shipped[key]
            first = [one for one in by_id[key] if str(one) == term.fma.get("") or fold(self.name(one)) == fold(term.label)]
            texts = [text for one in first for text in (self.name(one), *self.structures[one].synonyms)]
            yield Term(
                key, "", "anatomy", module, "", synonyms=tuple(Form(_lower(text)) for text in texts),
                fma={"": str(fresh)} if fresh is not None else {}, extends=True,
            )

    def forms(self, terms: list[Term], avoid: set[str]) -> None:
        """Keep a wording at the one term that has it first: shipped, then by label, then as the file goes."""
        taken = {**self.owners, **{fold(term.label): term.id for term in terms if not term.extends}}
        for position, term in enumerate(terms):
            kept = []
            for form in term.synonyms:
                key = fold(form.text)
                if key not in taken and key not in avoid and len(key) <= _LONGEST and not _UNFIT.search(key):
                    taken[key] = term.id
                    kept.append(form)
            terms[position] = replace(term, synonyms=tuple(kept))


def _term(number: int, names: _Names, module: str) -> Term:
    one = names.structures[number]
    key, sides = names.own[number], names.sides.get(number, {})
    both = [number, *sides.values()]
    parents = [above for each in both[:1] for above in names.known_above(each, "parents")]
    wholes = [above for each in both for above in names.known_above(each, "wholes")]
    values: dict[str, str] = {}
    flags: set[str] = {"group"} if number in names.above and not one.wholes and not sides else set()
    if sides:
        flags.add("sided" if sides["left"] in names.above else "paired")
    else:
        said = names.side(number)
        if said:
            values["side"] = said
    label = _lower(_UNFIT.sub(" ", names.name(number)))
    texts = [text for text in dict.fromkeys((one.label, *one.synonyms)) if text and fold(text) != fold(label)]
    return Term(
        key, label, "anatomy", module, "", parents=tuple(above for above in dict.fromkeys(parents) if above != key),
        parts=tuple(above for above in dict.fromkeys(wholes) if above not in (key, *parents)),
        synonyms=tuple(Form(_lower(text)) for text in texts), values=values, flags=frozenset(flags),
        fma={"": str(number), **{side: str(each) for side, each in sides.items()}},
    )


def _sound(terms: Sequence[Term], anatomy: Sequence[Term], found: Imported) -> list[Term]:
    """Return the terms without what the checks would refuse: circles, sides that clash, and what follows from the rest."""
    by_id = {term.id: term for term in (*anatomy, *terms)}
    edges: Graph = {term.id: [*term.parents, *term.parts] for term in by_id.values()}
    order = _acyclic([term.id for term in terms], edges, found)
    sides: dict[str, set[str]] = {}
    for term in anatomy:
        sides[term.id] = {by_id[key].values["side"] for key in _above(term.id, edges) if "side" in by_id[key].values}
    for key in order:
        _agree(by_id[key], edges, sides, found)
    ups: Graph = {term.id: [key for key in term.parents if key in edges[term.id]] for term in by_id.values()}
    for key in order:
        edges[key], ups[key] = _reduced(key, by_id, edges, ups)
    made = []
    for key in order:
        parents = tuple(ups[key])
        parts = tuple(above for above in edges[key] if above not in parents)
        made.append(replace(by_id[key], parents=parents or (() if parts else (ROOT,)), parts=parts))
    return made


def _acyclic(keys: Iterable[str], edges: Graph, found: Imported) -> list[str]:
    """Cut the last step of each circle, and return the keys so that what is above comes first."""
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
                found.count("steps of circles left out")
            elif above in new and above not in state:
                state[above] = 1
                stack.append((above, iter(list(edges[above]))))
    return order


def _agree(term: Term, edges: Graph, sides: dict[str, set[str]], found: Imported) -> None:
    """Leave out the steps that would put something that has both sides, or another one, into a one-sided structure."""
    own = term.values.get("side")
    mine = {own} if own else set()
    for above in list(edges[term.id]):
        there = sides.get(above, set())
        if (there and is_sided(term)) or (mine and there - mine):
            edges[term.id].remove(above)
            found.count("steps left out for their side")
        else:
            mine |= there
    sides[term.id] = {side for side in mine if side in SIDES}


def _reduced(key: str, by_id: dict[str, Term], edges: Graph, ups: Graph) -> tuple[list[str], list[str]]:
    """Return the steps of a term, and those of is-a, without what follows from another."""
    parents = ups[key]
    above_is = {one: _above(one, ups) for one in parents}
    parents = [one for one in parents if not any(one != other and one in above_is[other] for other in parents)]
    kept = list(parents)
    parts = [one for one in edges[key] if one not in ups[key]]
    above_in = {one: _above(one, edges) for one in (*parents, *parts)}
    for one in parts:
        if not any(one != other and one in above_in[other] for other in (*parents, *parts)):
            kept.append(one)
    return kept, parents


def _above(key: str, graph: Graph) -> set[str]:
    seen = {key}
    waiting = [key]
    while waiting:
        fresh = [one for one in graph.get(waiting.pop(), ()) if one not in seen]
        seen.update(fresh)
        waiting += fresh
    return seen


def _slug(name: str, number: int, used: set[str]) -> str:
    """Return an id that nobody has, made of the name."""
    key = re.sub(r"[^a-z0-9]+", "_", name).strip("_")[:60].rstrip("_")
    if not key[:1].isalpha() or key in used or key.endswith(tuple(f"_{side}" for side in SIDES)):
        key = f"fma_{number}"
    used.add(key)
    return key


def _lower(text: str) -> str:
    """Write a name as forms are written: lower case, but abbreviations as they are."""
    return " ".join(word if word[1:].lower() != word[1:] else word.lower() for word in text.split())


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
