"""What is said to be exact and is not: a definition too general for its term, and a wording of two unrelated terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from kgscore.ontology.compile import reachable
from kgscore.ontology.tables import Definition, Term, fold
from kgscore.ontology.turtle import same_kind

_HEADS = frozenset(("bare", "empty"))
# Label words that do not name a disease, in addition to those of the heads.
_NEUTRAL = frozenset(("abnormality", "mass", "opacity"))


def overdefined(terms: Sequence[Term], known: Mapping[str, Term]) -> Iterator[tuple[Term, Definition]]:
    """Yield terms with each definition whose genus is too general (a lesion, an area) for a term that is more specific."""
    direct = {term.id: {parent for parent in term.parents if parent in known} for term in terms}
    heads = _marked(known, "any_lesion", _HEADS) - _marked(known, "appearances")  # what is opaque is told by its place
    tops = _marked(known, "any_abnormality")
    tops |= {name for name, above in direct.items() if not above}
    words = _NEUTRAL.union(*(known[name].label.split() for name in heads))
    special = (term for term in terms if words.isdisjoint(term.label.split()))
    for term, row in ((one, row) for one in special for row in one.definitions if row.genus in heads):
        above: set[str] = reachable([term.id], direct)
        of_genus: set[str] = reachable([row.genus], direct)
        if above & of_genus <= heads | tops:
            yield term, row


def doubled(terms: Sequence[Term], own: Set[str] = frozenset()) -> Iterator[tuple[Term, Term, str]]:
    """Yield a term, another that is unrelated, and a label or synonym of both, folded; terms with the ids `own` are left out."""
    direct = {term.id: set(term.parents) for term in terms}
    first: dict[tuple[tuple[str, ...], str], Term] = {}
    for term in terms:
        if term.kind in ("normals", "qualities") or term.id in own:  # the bearer decides
            continue
        for text in dict.fromkeys(fold(text) for text in (term.label, *(form.text for form in term.synonyms))):
            other = first.setdefault((same_kind(term), text), term)
            if other.id not in reachable([term.id], direct) and term.id not in reachable([other.id], direct):
                yield term, other, text


def _marked(known: Mapping[str, Term], role: str, flags: frozenset[str] = frozenset()) -> set[str]:
    return {term.id for term in known.values() if flags & term.flags or role in term.roles}
