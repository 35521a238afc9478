"""Comparison of the graph of a system with that of the references (the questions of ReXKG, arXiv:2408.14397).

All shares lie between 0 and 1, higher is better, and the references themselves have 1. A share of nothing is None.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, log2, sqrt
from typing import TypeVar

from kgscore.caches import MemoizedDict
from kgscore.graph.corpus import KINDS, Corpus, Edge, RunCorpora
from kgscore.ontology.index import Index

_T = TypeVar("_T")
_DECAY = 0.5
TOP = 100
_CLEAR = 1.96  # standard errors by which two shares of reports must differ
_MIN_EXCESS = 2


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the references' graph a system's graph covers.

    `said`: share of the references' concepts that the system mentions. `nodes`: the same with credit for broader and
    narrower concepts; `nodes_weighted`: weighted by the number of reference reports that mention them. `edges`: similarity of
    the distributions of edges of the findings that both mention (1 minus the Jensen–Shannon divergence, base 2, weighted).
    `subgraphs`: share of the most frequent finding–site–descriptor subgraphs that the system also has, weighted;
    `subgraphs_credited`: with credit for related concepts.
    """

    concepts: int
    said: float | None
    nodes: float | None
    nodes_weighted: float | None
    edges: float | None
    subgraphs: float | None
    subgraphs_credited: float | None


@dataclass(frozen=True, slots=True)
class Deviation:
    """A concept that a system mentions less or more often than the references: the numbers of reports of each, the `ratio` of the
    shares (None if the references never mention it), and the related concepts that it mentions instead."""

    kind: str
    concept: str
    label: str
    reference: int
    candidate: int
    ratio: float | None
    instead: str = ""

    @property
    def excess(self) -> int:
        """How many more reports of the system mention it."""
        return self.candidate - self.reference


@dataclass(frozen=True, slots=True)
class Comparison:
    """A system compared with the references of its run: coverage as a whole and by group, and deviations."""

    system: str
    cases: int
    whole: Coverage
    by_region: Mapping[str, Coverage]
    by_modality: Mapping[str, Coverage]
    never: tuple[Deviation, ...]
    too_often: tuple[Deviation, ...]
    too_rarely: tuple[Deviation, ...]


class Kin:
    """Credit between concepts by subsumption: 1 for the same, halved for each step to a broader or narrower one, else 0."""

    def __init__(self, index: Index) -> None:
        self.label = index.label
        self._index = index
        self._known = MemoizedDict(self._credit)

    def region(self, id: str) -> str:
        """Return the region whose tables define a concept; "" if there is none."""
        found = self._index.concepts.get(id)
        return found.module if found else ""

    def credit(self, one: str, other: str) -> float:
        """Return the credit between two concepts, 0 to 1, symmetric."""
        return 1.0 if one == other else self._known[(one, other) if one < other else (other, one)]

    def _credit(self, pair: tuple[str, str]) -> float:
        index = self._index
        steps = next((index.distance(a, b) for a, b in (pair, pair[::-1]) if index.is_a(a, b) or index.inside(a, b)), None)
        return 0.0 if steps is None else _DECAY**steps

    def best(self, one: str, others: Iterable[str]) -> tuple[float, str]:
        """Return the greatest credit of a concept among others, and the concept giving it ("" if none)."""
        found = max(((self.credit(one, other), other) for other in others), default=(0.0, ""))
        return found if found[0] > 0 else (0.0, "")


def compare(run: RunCorpora, index: Index, top: int = TOP) -> Comparison:
    """Compare the candidates of a run with its references. `top` is the number of subgraphs compared."""
    kin = Kin(index)
    reference, candidate = run.reference, run.candidate
    by_region = {
        region: _coverage(_region_of(reference, region, kin), _region_of(candidate, region, kin), kin, top)
        for region in sorted({kin.region(id) for id in reference.of_kind("finding")})
    }
    by_modality = {name: _coverage(*pair, kin, top) for name, pair in run.by_modality.items() if name}
    whole = _coverage(reference, candidate, kin, top)
    return Comparison(run.name, candidate.cases, whole, by_region, by_modality, *_deviations(reference, candidate, kin))


def node_credits(reference: Corpus, candidate: Corpus, kin: Kin) -> dict[tuple[str, str], tuple[float, str]]:
    """Return, for every node of the references, the best credit from a system's nodes of the same kind, and the best match."""
    said = {kind: sorted(candidate.of_kind(kind)) for kind in KINDS}
    return {(kind, id): (1.0, id) if (kind, id) in candidate.nodes else kin.best(id, said[kind]) for kind, id in reference.nodes}


def _coverage(reference: Corpus, candidate: Corpus, kin: Kin, top: int) -> Coverage:
    credits = node_credits(reference, candidate, kin)
    one = [(1.0, float(node in candidate.nodes)) for node in credits]
    plain = [(1.0, credit) for credit, _ in credits.values()]
    weighted = [(float(reference.nodes[node]), credit) for node, (credit, _) in credits.items()]
    frequent = _sort_by_rank(reference.subgraphs.items(), lambda item: item[1])[:top]
    exact = [(float(count), float(subgraph in candidate.subgraphs)) for subgraph, count in frequent]
    by_finding: dict[str, list[Edge]] = defaultdict(list)
    for subgraph in candidate.subgraphs:
        by_finding[subgraph[0]].append(subgraph)
    credited = [(float(count), _subgraph_credit(subgraph, by_finding, kin)) for subgraph, count in frequent]
    return Coverage(
        len(credits), _mean(one), _mean(plain), _mean(weighted), _edges(reference, candidate), _mean(exact), _mean(credited)
    )


def _subgraph_credit(wanted: Edge, said: Mapping[str, Sequence[Edge]], kin: Kin) -> float:
    """Return the greatest product of credits for finding and site; a different descriptor halves it."""
    best = 0.0
    for finding, subgraphs in said.items():
        share = kin.credit(wanted[0], finding)
        for _, site, descriptor in subgraphs if share > best else ():
            best = max(best, share * kin.credit(wanted[1], site) * (1.0 if descriptor == wanted[2] else 0.5))
    return best


def _edges(reference: Corpus, candidate: Corpus) -> float | None:
    """Return the mean similarity of the edge distributions of the findings in both corpora, by their frequency."""
    ours, theirs = _distributions(reference), _distributions(candidate)
    pairs = []
    for id, count in reference.of_kind("finding").items():
        if ("finding", id) in candidate.nodes and (id in ours or id in theirs):
            same = 1.0 - _divergence(ours[id], theirs[id]) if id in ours and id in theirs else 0.0
            pairs.append((float(count), same))
    return _mean(pairs)


def _distributions(corpus: Corpus) -> dict[str, dict[tuple[str, str], float]]:
    found: dict[str, dict[tuple[str, str], float]] = defaultdict(dict)
    for (finding, relation, target), count in corpus.edges.items():
        found[finding][relation, target] = float(count)
    return {id: {edge: n / fsum(edges.values()) for edge, n in edges.items()} for id, edges in found.items()}


def _divergence(one: Mapping[tuple[str, str], float], other: Mapping[tuple[str, str], float]) -> float:
    """Return the Jensen–Shannon divergence of two distributions, 0 (the same) to 1 (nothing shared)."""
    total = 0.0
    for key in {*one, *other}:
        p, q = one.get(key, 0.0), other.get(key, 0.0)
        middle = (p + q) / 2
        total += fsum(share * log2(share / middle) / 2 for share in (p, q) if share)
    return min(1.0, max(0.0, total))


def _region_of(corpus: Corpus, region: str, kin: Kin) -> Corpus:
    """Return the part of a corpus about the findings of a region: they and their edges, and the region's sites."""
    own = {node: n for node, n in corpus.nodes.items() if node[0] != "descriptor" and kin.region(node[1]) == region}
    said = (corpus.edges, corpus.subgraphs)
    edges, subgraphs = (Counter({one: n for one, n in found.items() if kin.region(one[0]) == region}) for found in said)
    return Corpus(corpus.name, corpus.cases, Counter(own), edges, subgraphs)


def _deviations(reference: Corpus, candidate: Corpus, kin: Kin) -> Iterator[tuple[Deviation, ...]]:
    """Yield the concepts that a system never mentions, those it mentions too often, and too rarely."""
    every = [_deviation(key, reference, candidate, kin) for key in sorted({*reference.nodes, *candidate.nodes})]
    clear = [one for one in every if one.candidate and _is_significant(one, reference, candidate)]
    yield tuple(_sort_by_rank((one for one in every if not one.candidate), lambda one: one.reference))
    yield tuple(_sort_by_rank((one for one in clear if one.excess >= _MIN_EXCESS), lambda one: one.excess))
    yield tuple(_sort_by_rank((one for one in clear if one.excess < 0), lambda one: -one.excess))


def _deviation(node: tuple[str, str], reference: Corpus, candidate: Corpus, kin: Kin) -> Deviation:
    kind, id = node
    ours, theirs = reference.nodes.get(node, 0), candidate.nodes.get(node, 0)
    ratio = (theirs / candidate.cases) / (ours / reference.cases) if ours and candidate.cases else None
    instead = kin.label(kin.best(id, candidate.of_kind(kind))[1]) if not theirs else ""
    return Deviation(kind, id, kin.label(id), ours, theirs, ratio, instead)


def _is_significant(found: Deviation, reference: Corpus, candidate: Corpus) -> bool:
    """Return whether two shares of reports differ significantly (two-proportion z, 95 %)."""
    n, m = reference.cases, candidate.cases
    if not n or not m:
        return False
    pooled = (found.reference + found.candidate) / (n + m)
    error = sqrt(pooled * (1 - pooled) * (1 / n + 1 / m))
    return error > 0 and abs(found.candidate / m - found.reference / n) / error >= _CLEAR


def _sort_by_rank(items: Iterable[_T], rank: Callable[[_T], float]) -> list[_T]:
    return sorted(items, key=lambda item: (-rank(item), str(item)))


def _mean(pairs: Sequence[tuple[float, float]]) -> float | None:
    total = fsum(weight for weight, _ in pairs)
    return fsum(weight * value for weight, value in pairs) / total if total else None
