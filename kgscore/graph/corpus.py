"""A set of reports as one weighted knowledge graph: its findings, their sites and their descriptors.

A weight is the number of reports that assert it (repetitions in a report count once). Sides are ignored.

A folder without a graph raises RunError; a failing endpoint, or a run that does not exist, raises QueryError.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kgscore.errors import QueryError
from kgscore.graph.queries import Source
from kgscore.graph.resolve import rows, run_node

Edge = tuple[str, str, str]
KINDS = ("finding", "site", "descriptor")
_EDGES = {"site": "located_at", "detail": "described_as", "alternative": "suggestive_of", "tip": "tip_at"}

# Each list is queried separately and joined here: a store that joins statements with their properties, and counts distinct
# reports, traverses them eight times.
_REPORTS = """SELECT ?report ?side ?modality
WHERE {{ ?report kgr:inRun {run} ; kgr:side ?side ; kgr:inCase ?case . OPTIONAL {{ ?case kgr:modality ?modality }} }}"""
_FINDINGS = "SELECT ?s ?report ?concept { ?s kgr:asserts ?concept ; kgr:inReport ?report }"
_SAID = "SELECT ?s ?concept {{ ?s kgr:{name} ?concept }}"
_KEYS = "SELECT ?concept ?key { ?concept kgs:key ?key }"
_DETAILS = """SELECT ?concept ?category ?value
WHERE { ?concept kgr:category ?category . OPTIONAL { ?concept kgr:concept/kgs:key ?value } }"""
_RUNS = """SELECT ?n ?input {
  ?run a kgr:Run ; kgr:number ?n ; prov:used ?file . ?file rdfs:label ?input .
  FILTER(STRENDS(STR(?file), "/input"))
} ORDER BY ?n"""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The weighted graph of a set of reports: `nodes` by kind and id, `edges` (finding, relation, id) and `subgraphs` (finding,
    site, descriptor; "" if none is stated), each with the number of reports that assert it. `cases` is the number of reports."""

    name: str
    cases: int
    nodes: Counter[tuple[str, str]] = field(default_factory=Counter)
    edges: Counter[Edge] = field(default_factory=Counter)
    subgraphs: Counter[Edge] = field(default_factory=Counter)

    def of_kind(self, kind: str) -> dict[str, int]:
        """Return the nodes of one kind: `finding`, `site` or `descriptor`."""
        return {id: count for (one, id), count in self.nodes.items() if one == kind}


@dataclass(frozen=True, slots=True)
class RunCorpora:
    """The two corpora of a run, whole (modality "") and by each modality in its records."""

    name: str
    by_modality: Mapping[str, tuple[Corpus, Corpus]]

    @property
    def reference(self) -> Corpus:
        """The graph of all its reference reports."""
        return self.by_modality[""][0]

    @property
    def candidate(self) -> Corpus:
        """The graph of all its candidate reports."""
        return self.by_modality[""][1]


def runs_of(source: Source) -> list[tuple[int, str]]:
    """Return the number and name of the runs in a graph; a run is named after its input."""
    found = [(int(row["n"].value), row["input"].value) for row in rows(source, _RUNS)]
    if not found:
        raise QueryError(f"{source}: the graph has no run; score again with this version")
    return found


def corpora(source: Source, run: int, name: str) -> RunCorpora:
    """Return the graphs of all references and of all candidates of a run, whole and by modality."""
    reports = {
        row["report"].value: (row["side"].value, "" if row["modality"] is None else row["modality"].value)
        for row in rows(source, _REPORTS.format(run=run_node(source, str(run))))
    }
    cases = Counter((side, group) for side, modality in reports.values() for group in {"", modality})
    found = {
        group: (Corpus("reference", cases["reference", group]), Corpus(name, cases["candidate", group]))
        for group in sorted({"", *(group for _, group in cases)})
    }
    for report, said in _assertions(source, reports).items():
        side, modality = reports[report]
        for group in {"", modality}:
            own = found[group][side == "candidate"]
            own.nodes.update(said[0])
            own.edges.update(said[1])
            own.subgraphs.update(said[2])
    return RunCorpora(name, found)


def _assertions(source: Source, reports: Mapping[str, tuple[str, str]]) -> dict[str, tuple[set[Any], ...]]:
    """Return the distinct assertions of each report: its nodes, edges and subgraphs."""
    keys = {row["concept"].value: row["key"].value for row in rows(source, _KEYS)}
    descriptors = {
        row["concept"].value: (row["category"] if row["value"] is None else row["value"]).value for row in rows(source, _DETAILS)
    }
    about = {
        name: _values_by_statement(source, name, known)
        for name, known in (("site", keys), ("tip", keys), ("alternative", keys), ("detail", descriptors))
    }
    said: dict[str, tuple[set[Any], ...]] = {}
    for row in rows(source, _FINDINGS):
        report, finding = row["report"].value, keys.get(row["concept"].value)
        if report in reports and finding is not None:
            mine = {name: held.get(row["s"].value, ()) for name, held in about.items()}
            _add(said.setdefault(report, (set(), set(), set())), finding, mine)
    return said


def _add(said: tuple[set[Any], ...], finding: str, about: Mapping[str, Sequence[str]]) -> None:
    nodes, edges, subgraphs = said
    sites, details = about["site"], about["detail"]
    nodes |= {("finding", finding), *(("site", one) for one in sites), *(("descriptor", one) for one in details)}
    edges |= {(finding, relation, one) for name, relation in _EDGES.items() for one in about[name]}
    subgraphs |= {(finding, site, detail) for site in sites for detail in details or ("",)}


def _values_by_statement(source: Source, name: str, known: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the values of a property of the statements of all runs, as ids."""
    found: dict[str, list[str]] = {}
    for row in rows(source, _SAID.format(name=name)):
        if (key := known.get(row["concept"].value)) is not None:
            found.setdefault(row["s"].value, []).append(key)
    return found
