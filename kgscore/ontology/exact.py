"""Definitions that say more than they name: a lesion at a place is a lesion of that place, and no disease of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kgscore.ontology.reach import reached
from kgscore.ontology.tables import Definition, Term

_HEADS = {"bare", "empty"}
# Words of labels that name no disease, besides those of the heads.
_NEUTRAL = frozenset(("abnormality", "mass", "opacity"))


def overdefined(terms: Sequence[Term], known: Mapping[str, Term]) -> Iterator[tuple[Term, Definition]]:
    """Yield terms with each definition whose genus says only that something is there (a lesion, an area), though the term names
    what it is: its label holds no such word, and it is of no class that says of the genus what it is (a shadow: an opacity)."""
    direct = {term.id: {parent for parent in term.parents if parent in known} for term in terms}
    heads = {term.id for term in known.values() if _HEADS & term.flags or "any_lesion" in term.roles}
    words = _NEUTRAL.union(word for name in heads for word in known[name].label.split())
    tops = {name for name, above in direct.items() if not above}
    tops |= {term.id for term in known.values() if "any_abnormality" in term.roles}
    for term in terms:
        if words.isdisjoint(term.label.split()):
            above = reached([term.id], direct)
            for row in term.definitions:
                if row.genus in heads and above.isdisjoint(reached([row.genus], direct) - heads - tops):
                    yield term, row
