"""Where a run comes from, in PROV-O: the activity, what it used, the software, and how the cases ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from pyoxigraph import Literal, NamedNode, Quad

from kgscore.graph.triples import GENERATED_BY, LABEL, TYPE
from kgscore.graph.vocabulary import DATA, RUN, SHARED_GRAPH, iri, matches_graph, run_iri
from kgscore.results.database import RunKey

STARTED, ENDED = NamedNode(iri("prov:startedAtTime")), NamedNode(iri("prov:endedAtTime"))
_SHARED = NamedNode(SHARED_GRAPH)
_SIGNED = {"knowledge": "knowledge", "profile": "profile_hash"}
_TIME = NamedNode(iri("xsd:dateTime"))
_COUNTED = ("scored", "empty", "failed")


def begin_quads(run: int, key: RunKey) -> Iterator[Quad]:
    """Yield what is known of a run before the first case; without the time, so that a resumed run says the same."""
    graph, node = NamedNode(matches_graph(run)), NamedNode(run_iri(run))
    version = str(key.signature.get("kgscore", ""))
    agent = NamedNode(f"{DATA}software/kgscore/{version}")

    def quad(predicate: str, value: NamedNode | Literal) -> Quad:
        return Quad(node, NamedNode(iri(predicate)), value, graph)

    yield Quad(node, TYPE, NamedNode(RUN + "Run"), graph)
    yield Quad(node, TYPE, NamedNode(iri("prov:Activity")), graph)
    yield quad("kgr:number", Literal(run))
    yield quad("kgr:profile", Literal(key.profile))
    yield quad("kgr:signature", Literal(key.signature_text))
    yield from (quad("kgr:metric", Literal(metric)) for metric in key.metrics)
    yield quad("prov:wasAssociatedWith", agent)
    yield Quad(agent, TYPE, NamedNode(iri("prov:SoftwareAgent")), _SHARED)
    yield Quad(agent, LABEL, Literal(f"kgscore {version}"), _SHARED)
    # The same bytes may come under two names: the input is the run's own, the rest is shared.
    used = [(NamedNode(f"{node.value}/input"), key.input, key.input_hash, graph)]
    for kind, name in _SIGNED.items():
        if name in key.signature:
            digest = str(key.signature[name])
            used.append((NamedNode(f"{DATA}{kind}/{digest}"), kind, digest, _SHARED))
    for entity, label, digest, place in used:
        yield quad("prov:used", entity)
        yield Quad(entity, TYPE, NamedNode(iri("prov:Entity")), place)
        yield Quad(entity, LABEL, Literal(label), place)
        yield Quad(entity, NamedNode(RUN + "contentHash"), Literal(digest), place)
    yield Quad(graph, TYPE, NamedNode(iri("prov:Entity")), graph)
    yield Quad(graph, GENERATED_BY, node, graph)


def finish_quads(run: int, statuses: Mapping[str, int]) -> Iterator[Quad]:
    """Yield how many cases ended in each status. A failed record without an id of its own is counted here and nowhere else."""
    graph, node = NamedNode(matches_graph(run)), NamedNode(run_iri(run))
    for status in _COUNTED:
        yield Quad(node, NamedNode(f"{RUN}{status}Cases"), Literal(statuses.get(status, 0)), graph)


def now() -> Literal:
    """Return the time as an `xsd:dateTime` in UTC."""
    return Literal(datetime.now(UTC).isoformat(timespec="seconds"), datatype=_TIME)
