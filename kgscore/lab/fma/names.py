"""Maps each class of the FMA to a shipped concept, a side of another class, or a new concept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

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

    def __init__(self, structures: dict[int, Structure], chosen: set[int], anatomy: Sequence[Term], found: Imported) -> None:
        self.structures = structures
        self.shipped = {term.id: term for term in anatomy}
        self.owners = {fold(text): term.id for term in reversed(anatomy) for text in term.texts}
        self.by_name = {fold(self.name(number)): number for number in sorted(structures, reverse=True)}
        self.ids = {int(number): term.id for term in anatomy for number in term.fma.values()}
        self.named: dict[int, str] = {}  # shipped concepts found by name, which get the number
        self.above = {parent for one in structures.values() for parent in one.parents}
        self.sides: dict[int, dict[str, int]] = {}
        self.own: dict[int, str] = {}
        self._fold_sides(chosen, found)
        self._identify(chosen, found)
        self._side_of = {number: side for pair in self.sides.values() for side, number in pair.items()}
        self._side_of |= {int(number): side for term in anatomy for side, number in term.fma.items() if side and is_sided(term)}

    def name(self, number: int) -> str:
        """Return the preferred name of a class, or its label."""
        one = self.structures[number]
        return one.name or one.label

    def _fold_sides(self, chosen: set[int], found: Imported) -> None:
        """Make "Left X" and "Right X" sides of "X", if all three exist."""
        by_name = self.by_name
        for number in sorted(chosen):
            name = fold(self.name(number))
            if number in self.ids or "left" not in name.split():
                continue
            twin, base = by_name.get(_SIDE.sub("right ", name).strip()), by_name.get(_SIDE.sub("", name).strip())
            if twin is None or base is None or twin in self.ids or len(_SIDE.findall(name)) != 1:
                continue
            self.sides[base] = {"left": number, "right": twin}
            found.counts["classes that are a side of another"] += 2

    def _identify(self, chosen: set[int], found: Imported) -> None:
        folded = {number: base for base, pair in self.sides.items() for number in pair.values()}
        used = set(self.shipped)
        first: dict[str, int] = {}
        for number in sorted(chosen, key=lambda one: (one in folded, one)):
            name = fold(self.name(number))
            if number in self.ids:
                found.counts["shipped concepts found by FMA number"] += 1
            elif number in folded and (folded[number] in self.ids or folded[number] in self.own):
                self.ids[number] = self.ids[folded[number]]
            elif name in self.owners:
                self.ids[number] = self.owners[name]
                found.counts["shipped concepts found by name"] += 1
                if not self.shipped[self.owners[name]].fma and self.owners[name] not in self.named.values():
                    self.named[number] = self.owners[name]
            elif name in first:
                self.ids[number] = self.ids[first[name]]
                found.counts["classes with the name of another"] += 1
            else:
                first[name] = number
                self.own[number] = self.ids[number] = _new_id(name, number, used)
        found.counts["new concepts"] += len(self.own)

    def side(self, number: int) -> str | None:
        """Return the side of a structure that is part of one side of a paired one ("middle lobe of right lung": right).

        The name alone is not enough: the left ventricle and the left lobe of the liver are not left sides of anything.
        """
        said = {self._side_of[whole] for whole in self.structures[number].wholes if whole in self._side_of}
        return said.pop() if len(said) == 1 else None

    def known_above(self, number: int, relation: str) -> list[str]:
        """Return the ids of the nearest ancestors that are in the module or shipped, by `parents` or by `wholes`."""
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
        """Yield the additions of the FMA to shipped concepts: numbers here, synonyms in `forms`."""
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
                key, "", "anatomy", module, "", synonyms=tuple(Form(lower_name(text)) for text in texts),
                fma={"": str(fresh)} if fresh is not None else {}, extends=True,
            )

    def forms(self, terms: list[Term], avoid: set[str]) -> None:
        """Assign a wording to the first term that has it: shipped, then by label, then in file order."""
        taken = {**self.owners, **{fold(term.label): term.id for term in terms if not term.extends}}
        for position, term in enumerate(terms):
            kept = []
            for form in term.synonyms:
                key = fold(form.text)
                if key not in taken and key not in avoid and len(key) <= _LONGEST and not UNFIT.search(key):
                    taken[key] = term.id
                    kept.append(form)
            terms[position] = replace(term, synonyms=tuple(kept))


def _new_id(name: str, number: int, used: set[str]) -> str:
    """Return a new unique id derived from the name."""
    key = re.sub(r"[^a-z0-9]+", "_", name).strip("_")[:60].rstrip("_")
    if not key[:1].isalpha() or key in used or key.endswith(tuple(f"_{side}" for side in SIDES)):
        key = f"fma_{number}"
    used.add(key)
    return key


def lower_name(text: str) -> str:
    """Return a name in the case of forms: lower case, except for abbreviations."""
    return " ".join(word if word[1:].lower() != word[1:] else word.lower() for word in text.split())
