"""Maps each class of the FMA to a shipped concept, a side of another class, or a new concept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter

from kgscore.lab.fma.structures import Structure
from kgscore.ontology.tables import Form, Term, fold
from kgscore.ontology.turtle import SIDES, is_sided

UNFIT = re.compile(r"[|;=#\t]")
_SIDE = re.compile(r"\b(left|right)\b ?", re.IGNORECASE)
_LONGEST = 90


@dataclass(slots=True)
class Imported:
    """The module: new terms and additions (`extends`), and the numbers of classes by how they were imported."""

    terms: list[Term] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class Names:
    """The mapping of each class of the FMA: a shipped concept, a side of another class, or a new concept (`own`)."""

    def __init__(self, structures: dict[int, Structure], chosen: set[int], anatomy: Sequence[Term], counts: Counter[str]) -> None:
        self.structures, self.counts = structures, counts
        self.shipped = {term.id: term for term in anatomy}
        self.owners = {fold(text): term.id for term in reversed(anatomy) for text in term.texts}
        self.ids = {int(number): term.id for term in anatomy for number in term.fma.values()}
        self.named: dict[int, str] = {}  # shipped concepts found by name, which get the number
        self.above = set[int]().union(*map(attrgetter("parents"), structures.values()))
        self.sides: dict[int, dict[str, int]] = {}
        self.own: dict[int, str] = {}
        self._fold_sides(chosen)
        self._identify(chosen)
        pairs: list[Mapping[str, int | str]] = [*self.sides.values(), *(term.fma for term in anatomy if is_sided(term))]
        self._side_of = {int(number): side for pair in pairs for side, number in pair.items() if side}

    def _fold_sides(self, chosen: set[int]) -> None:
        """Make "Left X" and "Right X" sides of "X", if all three exist."""
        by_name = {fold(self.structures[number].title): number for number in sorted(self.structures, reverse=True)}
        for number in sorted(chosen - self.ids.keys()):
            name = fold(self.structures[number].title)
            if "left" not in name.split() or len(_SIDE.findall(name)) != 1:
                continue
            twin, base = (by_name.get(_SIDE.sub(side, name).strip()) for side in ("right ", ""))
            if twin is not None and base is not None and twin not in self.ids:
                self.sides[base] = {"left": number, "right": twin}
                self.counts["classes that are a side of another"] += 2

    def _identify(self, chosen: set[int]) -> None:
        folded = {number: base for base, pair in self.sides.items() for number in pair.values()}
        used = set(self.shipped)
        first: dict[str, int] = {}
        for number in sorted(chosen, key=lambda one: (one in folded, one)):
            name = fold(self.structures[number].title)
            if number in self.ids:
                self.counts["shipped concepts found by FMA number"] += 1
            elif folded.get(number) in self.ids:
                self.ids[number] = self.ids[folded[number]]
            elif name in self.owners:
                key = self.ids[number] = self.owners[name]
                self.counts["shipped concepts found by name"] += 1
                if not self.shipped[key].fma and key not in self.named.values():
                    self.named[number] = key
            elif name in first:
                self.ids[number] = self.ids[first[name]]
                self.counts["classes with the name of another"] += 1
            else:
                first[name] = number
                self.own[number] = self.ids[number] = _new_id(name, number, used)
        self.counts["new concepts"] += len(self.own)

    def side(self, number: int) -> str | None:
        """Return the side of a structure that is part of one side of a paired one ("middle lobe of right lung": right).

        The name alone is not enough: the left ventricle and the left lobe of the liver are not left sides of anything.
        """
        said = {self._side_of[whole] for whole in self.structures[number].wholes if whole in self._side_of}
        return said.pop() if len(said) == 1 else None

    def known_above(self, number: int, relation: str) -> list[str]:
        """Return the ids of the nearest other ancestors that are in the module or shipped, by `parents` or by `wholes`."""
        seen, waiting = {number}, sorted(getattr(self.structures[number], relation))
        ids: dict[str, None] = {}
        for above in waiting:
            if above in self.ids:
                ids[self.ids[above]] = None
            elif above in self.structures and above not in seen:
                waiting += sorted(getattr(self.structures[above], relation))
            seen.add(above)
        ids.pop(self.ids[number], None)
        return list(ids)

    def additions(self, module: str) -> Iterator[Term]:
        """Yield the additions of the FMA to shipped concepts: numbers here, synonyms in `forms`."""
        for key, found in sorted(self._by_concept().items()):
            term, name = self.shipped[key], fold(self.shipped[key].label)
            same = [one for one in found if str(one.number) == term.fma.get("") or fold(one.title) == name]
            synonyms = tuple(Form(lower_name(text)) for one in same for text in (one.title, *one.synonyms))
            fma = [{"": str(one.number)} for one in found if one.number in self.named]
            yield Term(key, "", "anatomy", module, "", synonyms=synonyms, fma=next(iter(fma), {}), extends=True)

    def _by_concept(self) -> dict[str, list[Structure]]:
        """Return the classes of each shipped concept."""
        found: dict[str, list[Structure]] = {}
        for number, key in self.ids.items():
            if key in self.shipped and number in self.structures:
                found.setdefault(key, []).append(self.structures[number])
        return found

    def with_forms(self, terms: Sequence[Term], avoid: set[str]) -> Iterator[Term]:
        """Yield terms, each wording with the first that has it: shipped, then by label, then in order; no empty additions."""
        taken = {*self.owners, *avoid, *(fold(term.label) for term in terms if not term.extends)}
        for term in terms:
            kept = []
            for form in term.synonyms:
                key = fold(form.text)
                if key not in taken and _is_fit(key):
                    taken.add(key)
                    kept.append(form)
            if kept or term.fma or not term.extends:
                yield replace(term, synonyms=tuple(kept))


def _is_fit(key: str) -> bool:
    return len(key) <= _LONGEST and not UNFIT.search(key)


def _new_id(name: str, number: int, used: set[str]) -> str:
    key = re.sub(r"[^a-z0-9]+", "_", name).strip("_")[:60].rstrip("_")
    if not key[:1].isalpha() or key in used or key.endswith(tuple(f"_{side}" for side in SIDES)):
        key = f"fma_{number}"
    used.add(key)
    return key


def lower_name(text: str) -> str:
    """Return a name in the case of forms: lower case, except for abbreviations."""
    return " ".join(word if word[1:].lower() != word[1:] else word.lower() for word in text.split())
