"""Provenance of a run in PROV-O: the activity, its inputs, the software, times, and the status of the cases."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pyoxigraph import Literal, NamedNode, Triple

from kgscore.graph.triples import LABEL, TYPE, term
from kgscore.graph.vocabulary import DATA, iri, run_iri

_SIGNED = {"knowledge": "knowledge", "profile": "profile_hash"}
_TIME = NamedNode(iri("xsd:dateTime"))
_COUNTED = ("scored", "empty", "failed")


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run from its tables: `statuses` maps a status to its number of records, `ended` is None while it is not finished."""

    run: int
    started: datetime
    ended: datetime | None
    input: str
    input_hash: str
    profile: str
    metrics: Sequence[str]
    signature: str
    statuses: Mapping[str, int]

    @property
    def records(self) -> int:
        """The number of records."""
        return sum(self.statuses.values())


def run_triples(run: StoredRun) -> Iterator[Triple]:
    """Yield the triples about a run itself, without its cases."""
    node, made = NamedNode(run_iri(run.run)), json.loads(run.signature)
    version = str(made.get("kgscore", ""))
    agent = NamedNode(f"{DATA}software/kgscore/{version}")
    about: list[tuple[NamedNode, NamedNode | Literal]] = [
        (TYPE, term("Run")), (TYPE, NamedNode(iri("prov:Activity"))), (term("number"), Literal(run.run)),
        (term("profile"), Literal(run.profile)), (term("signature"), Literal(run.signature)),
        *((term("metric"), Literal(metric)) for metric in run.metrics),
        (NamedNode(iri("prov:wasAssociatedWith")), agent), (NamedNode(iri("prov:startedAtTime")), _time(run.started)),
    ]  # fmt: skip
    if run.ended is not None:
        about.append((NamedNode(iri("prov:endedAtTime")), _time(run.ended)))
        # A failed record without an id of its own is only counted here.
        about += ((term(f"{status}Cases"), Literal(run.statuses.get(status, 0))) for status in _COUNTED)
    yield from (Triple(node, predicate, value) for predicate, value in about)
    yield Triple(agent, TYPE, NamedNode(iri("prov:SoftwareAgent")))
    yield Triple(agent, LABEL, Literal(f"kgscore {version}"))
    for entity, label, digest in _used_entities(node, run, made):
        yield Triple(node, NamedNode(iri("prov:used")), entity)
        yield Triple(entity, TYPE, NamedNode(iri("prov:Entity")))
        yield Triple(entity, LABEL, Literal(label))
        yield Triple(entity, term("contentHash"), Literal(digest))


def _used_entities(node: NamedNode, run: StoredRun, made: Mapping[str, Any]) -> Iterator[tuple[NamedNode, str, str]]:
    # The same bytes may occur under two names: the input is specific to the run, the rest is shared.
    yield NamedNode(f"{node.value}/input"), run.input, run.input_hash
    for kind, name in _SIGNED.items():
        if name in made:
            yield NamedNode(f"{DATA}{kind}/{made[name]}"), kind, str(made[name])


def _time(moment: datetime) -> Literal:
    """Return a (local) time from the tables as an `xsd:dateTime` in UTC."""
    return Literal(moment.astimezone(UTC).isoformat(timespec="seconds"), datatype=_TIME)
