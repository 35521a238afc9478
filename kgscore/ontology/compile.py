"""Compiles terms to the index: closures of the hierarchies, inherited sites and tiers, definitions indexed by their parts.

Done once for a set of ontologies; `kgscore.knowledge` caches the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, TypeVar

from kgscore.errors import OntologyError, did_you_mean
from kgscore.ontology.index import ANYWHERE, Concept, Index, lists
from kgscore.ontology.tables import FINDINGS, Term

N = TypeVar("N")
Rows = tuple[tuple[str, str, str], ...]
# The default tier of a finding without an own or inherited one.
NOTABLE = 2


def build_index(terms: Sequence[Term], rows: Mapping[str, Rows] | None = None) -> Index:
    """Compile the terms of all modules in use to an index; `rows` are the modules' additions to the reader's data files.

    Raises:
        OntologyError: a row gives a bare finding a place, and one of the two is unknown.
    """
    by_id = {term.id: term for term in terms}
    rows = rows or {}
    for wrong in unknown_ids(rows.get("defaults", ()), by_id):
        raise OntologyError(f"defaults.txt: {wrong}")
    anatomy = [term for term in terms if term.kind == "anatomy"]
    findings = [term for term in terms if term.kind in FINDINGS]
    ancestors = _closure(_is_a(terms, findings, by_id))
    qualities = {t.id: t.values for t in terms if t.kind == "qualities"}
    return Index(
        concepts={t.id: _concept(t, by_id, ancestors) for t in terms},
        ancestors=ancestors,
        hard_sites=_hard_sites(findings, ancestors),
        soft_sites=_soft_sites(terms, by_id, ancestors),
        **_structures(anatomy, by_id),
        **_definitions(findings),
        borne=_bearers(findings, by_id),
        features=_features(findings, ancestors),
        opposites=_opposites(terms, ancestors),
        overlaps=_both_ways(terms, "overlaps"),
        implied=_given(findings, "implies"),
        tips=_given(findings, "tips"),
        denials={t.id: t.denies for t in terms if t.kind == "normals"},
        qualities=qualities,
        principal=_negated_values(qualities.values()),
        roles=_sets((role, t.id) for t in terms for role in t.roles),
        wordings=_wordings(findings),
        words=_words(findings),
        rows=dict(rows),
    )


def _wordings(findings: Iterable[Term]) -> dict[str, tuple[str, ...]]:
    """Return the label of each finding and its wordings, without those also said of others, and signs."""
    forms = ((t, (*t.synonyms, *t.hidden, *t.adjectives, *t.narrower)) for t in findings)
    return {t.id: (t.label, *(form.text for form in own)) for t, own in forms}


def _given(terms: Iterable[Term], field: str) -> dict[str, Any]:
    """Return a field by term, where it is given."""
    return {term.id: value for term in terms if (value := getattr(term, field))}


def _structures(anatomy: Sequence[Term], by_id: Mapping[str, Term]) -> dict[str, Any]:
    """Return the fields of the index that hold structures; `generic` ones only name a kind, because they have subclasses."""
    return {
        "within": _closure({t.id: {p for p in (*t.parents, *t.parts) if p in by_id} for t in anatomy}),
        "chief": _given(anatomy, "chief"),
        "made": _given(anatomy, "made"),
        "wall_of": {t.id: t.parts[0] for t in anatomy if t.id.endswith("_wall") and t.parts and "no_organ" not in t.roles},
        "local": frozenset(t.id for t in anatomy if "local" in t.flags),
        "generic": frozenset(p for t in anatomy for p in t.parents if p in by_id and by_id[p].kind == "anatomy"),
    }


def _definitions(findings: Sequence[Term]) -> dict[str, Any]:
    """Return the fields of the index that hold definitions by genus and site."""
    rows = [(term.id, row) for term in findings for row in term.definitions]
    placed = [(name, row) for name, row in rows if row.site != ANYWHERE]
    return {
        "definitions": lists((row.genus, (row.site, name)) for name, row in placed),
        "itself": frozenset((row.genus, row.site, name) for name, row in rows if row.whole),
        "defined": frozenset(name for name, _ in placed),
        "differentiae": lists((row.value, (row.genus, term.id)) for term in findings for row in term.differentiae),
    }


def _concept(term: Term, by_id: Mapping[str, Term], ancestors: Mapping[str, frozenset[str]]) -> Concept:
    genus = [d.genus for d in term.definitions if len(term.definitions) == 1 and d.genus in ancestors[term.id]]
    above = tuple(dict.fromkeys((*term.parents, *term.parts, *genus)))
    giver = _tier_source(term, by_id, ancestors)
    tier, source = (giver.tier or NOTABLE, giver.source) if giver else (NOTABLE, "")
    return Concept(
        term.id, term.label, term.kind, term.module, tier, giver.id if giver else "", source, term.flags, above, term.values
    )


def _is_a(terms: Sequence[Term], findings: Sequence[Term], by_id: Mapping[str, Term]) -> dict[str, set[str]]:
    """Return the parents of every term; the genus of a finding's only definition is one."""
    direct: dict[str, set[str]] = {term.id: {p for p in term.parents if p in by_id} for term in terms}
    for term in (term for term in findings if len(term.definitions) == 1):
        genus = term.definitions[0].genus
        if genus in by_id and term.id not in reachable([genus], direct):
            direct[term.id].add(genus)
    return direct


def _hard_sites(findings: Sequence[Term], ancestors: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the sites that each finding implies, including inherited ones."""
    own = {
        term.id: {p.structure for p in term.sites if p.hard}
        | ({term.definitions[0].site} - {ANYWHERE} if len(term.definitions) == 1 else set())
        for term in findings
    }
    return {t.id: frozenset(s for name in ancestors[t.id] for s in own.get(name, ())) for t in findings}


def _features(findings: Sequence[Term], ancestors: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return, by finding, the descriptors that all its cases show: its own, inherited ones, and their superclasses."""
    own = _given(findings, "features")
    shown = ((t.id, feature) for t in findings for name in ancestors[t.id] for feature in own.get(name, ()))
    return _sets((name, value) for name, feature in shown for value in ancestors.get(feature, ()))


def _both_ways(terms: Iterable[Term], field: str) -> dict[str, frozenset[str]]:
    """Return the symmetric closure of the relation that a field gives."""
    pairs = ((term.id, other) for term in terms for other in getattr(term, field))
    return _sets(pair for one, other in pairs for pair in ((one, other), (other, one)))


def _opposites(terms: Sequence[Term], ancestors: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Return the given opposites in both directions, and of each class of which a thing is one kind only, the other kinds."""
    found = {name: set(others) for name, others in _both_ways(terms, "opposites").items()}
    kinds = lists((parent, term.id) for term in terms for parent in term.parents)
    for one, other in (pair for t in terms if "one_kind" in t.roles for pair in permutations(kinds.get(t.id, ()), 2)):
        if one not in ancestors[other] and other not in ancestors[one]:
            found.setdefault(one, set()).add(other)
    return {name: frozenset(others) for name, others in found.items()}


def _words(findings: Iterable[Term]) -> dict[str, frozenset[str]]:
    """Return the words of the exact wordings of each finding that has narrower ones."""
    told = ((t.id, (t.label, *(form.text for form in (*t.synonyms, *t.adjectives)))) for t in findings if t.narrower)
    return {name: frozenset(word for form in forms for word in form.lower().split()) for name, forms in told}


def _negated_values(qualities: Iterable[Mapping[str, str]]) -> dict[str, frozenset[str]]:
    """Return, by deviation of a quality, the values that its negation excludes in practice ("normal in size": not enlarged)."""
    return _sets(
        (values["dev"], values[key]) for values in qualities for key in ("up", "off", "lost") if key in values and "dev" in values
    )


def _sets(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    return {name: frozenset(others) for name, others in lists(pairs).items()}


def _bearers(findings: Sequence[Term], by_id: Mapping[str, Term]) -> dict[str, str]:
    """Return, by finding, the structure that bears it as a whole, by its only definition."""
    alone = [(t.id, t.definitions[0]) for t in findings if len(t.definitions) == 1 and t.definitions[0].site in by_id]
    return {name: row.site for name, row in alone if row.whole or "whole" in by_id[row.genus].flags}


def unknown_ids(rows: Iterable[tuple[str, str, str]], known: Mapping[str, Term]) -> Iterator[str]:
    """Yield the problems of rows that give the place of a bare finding: unknown ids, with the nearest one."""
    for concept, region, site in rows:
        for name in (concept, site, region.removeprefix("@").removeprefix("<") if region.startswith("@") else site):
            if name not in known:
                hint = did_you_mean(name, known) or "a line is 'finding | module or @place | structure'"
                yield f"'{concept} | {region} | {site}': unknown id '{name}'; {hint}"


def _closure(direct: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    """Return the ancestors of each name, including itself, in topological order (ancestors first)."""
    done: dict[str, frozenset[str]] = {}

    def visit(name: str, path: tuple[str, ...]) -> frozenset[str]:
        if name in done:
            return done[name]
        above = {name}
        for parent in direct.get(name, ()):
            if parent not in path and parent in direct:
                above |= visit(parent, (*path, name))
        done[name] = frozenset(above)
        return done[name]

    for name in direct:
        visit(name, ())
    return done


def _tier_source(term: Term, by_id: Mapping[str, Term], ancestors: Mapping[str, frozenset[str]]) -> Term | None:
    """Return the term whose tier another inherits: itself, or the nearest ancestor with one; if several, the most severe."""
    graded = {name for name in ancestors[term.id] if by_id[name].tier is not None}
    nearest = {name for name in graded if not any(name in ancestors[other] for other in graded - {name})}
    return max((by_id[name] for name in nearest), key=lambda found: (found.tier or 0, found.id), default=None)


def _soft_sites(
    terms: Sequence[Term], by_id: Mapping[str, Term], ancestors: Mapping[str, frozenset[str]]
) -> dict[str, tuple[str, ...]]:
    """Return the default sites of findings, and those given for normal statements and qualities."""
    given = {t.id: tuple(p.structure for p in t.sites) for t in terms if t.kind in ("normals", "qualities") and t.sites}
    return given | {t.id: _default_sites(t, by_id, ancestors) for t in terms if t.kind in FINDINGS}


def _default_sites(term: Term, by_id: Mapping[str, Term], ancestors: Mapping[str, frozenset[str]]) -> tuple[str, ...]:
    """Return the default sites of a finding: its own, or those of the nearest ancestor that has some."""
    for name in sorted(ancestors[term.id], key=lambda a: (a != term.id, -len(ancestors[a]), a)):
        own = by_id[name]
        if own.sites:
            return tuple(p.structure for p in own.sites)
        if own.definitions and own.definitions[0].site != ANYWHERE:
            return (own.definitions[0].site,)
    return ()


def reachable(starts: Iterable[N], steps: Mapping[N, Iterable[N]]) -> set[N]:
    """Return the starts and everything reachable from them; cycles are allowed.

    >>> sorted(reachable(["lobe"], {"lobe": ["lung"], "lung": ["chest"], "heart": ["chest"]}))
    ['chest', 'lobe', 'lung']
    """
    seen = set(starts)
    waiting = list(seen)
    while waiting:
        fresh = set(steps.get(waiting.pop(), ())) - seen
        seen |= fresh
        waiting += fresh
    return seen
