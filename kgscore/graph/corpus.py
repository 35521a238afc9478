"""What a set of reports says as one weighted knowledge graph: which findings, at which sites, with which descriptors.

A weight is the number of reports that assert it (a finding said twice in a report counts once). Sides are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from kgscore.errors import QueryError
from kgscore.graph.queries import Source
from kgscore.graph.resolve import rows, run_node

Side = Literal["reference", "candidate"]
Edge = tuple[str, str, str]
KINDS = ("finding", "site", "descriptor")

# What is counted: the variables of the key, and the pattern that binds them to ids of the ontology.
_SITE = "?s kgr:site/kgs:key ?site ."
_DETAIL = (
    "?s kgr:detail ?d . ?d kgr:category ?category . OPTIONAL { ?d kgr:concept/kgs:key ?value }"
    " BIND(COALESCE(?value, ?category) AS ?descriptor)"
)
_FINDING = "?s kgr:asserts/kgs:key ?finding ."
_PATTERNS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "finding": (("finding",), ""),
    "site": (("site",), _SITE),
    "descriptor": (("descriptor",), _DETAIL),
    "located_at": (("finding", "site"), _SITE),
    "described_as": (("finding", "descriptor"), _DETAIL),
    "suggestive_of": (("finding", "other"), "?s kgr:alternative/kgs:key ?other ."),
    "tip_at": (("finding", "other"), "?s kgr:tip/kgs:key ?other ."),
    "subgraph": (("finding", "site", "descriptor"), f"{_SITE} OPTIONAL {{ {_DETAIL} }}"),
}
_COUNT = """SELECT ?side ?modality {names} (COUNT(DISTINCT ?report) AS ?reports)
WHERE {{
  ?report kgr:inRun {run} ; kgr:side ?side ; kgr:inCase ?case .
  OPTIONAL {{ ?case kgr:modality ?modality }}
  {pattern}
}} GROUP BY ?side ?modality {names}"""
_RUNS = """SELECT ?n ?input {
  ?run a kgr:Run ; kgr:number ?n ; prov:used ?file . ?file rdfs:label ?input .
  FILTER(STRENDS(STR(?file), "/input"))
} ORDER BY ?n"""
_IN_REPORT = "?s kgr:inReport ?report . "


@dataclass(frozen=True, slots=True)
class Corpus:
    """The weighted graph of a set of reports: `nodes` by kind and id, `edges` (finding, relation, id) and `subgraphs`
    (finding, site, descriptor; "" where none is said), each with the number of reports that assert it. `cases` is the number of
    reports."""

    name: str
    cases: int
    nodes: Mapping[tuple[str, str], int]
    edges: Mapping[Edge, int]
    subgraphs: Mapping[Edge, int]

    def of_kind(self, kind: str) -> dict[str, int]:
        """Return the nodes of one kind: `finding`, `site` or `descriptor`."""
        return {id: count for (one, id), count in self.nodes.items() if one == kind}


@dataclass(slots=True)
class _Counts:
    cases: int = 0
    nodes: Counter[tuple[str, str]] = field(default_factory=Counter)
    edges: Counter[Edge] = field(default_factory=Counter)
    subgraphs: Counter[Edge] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class RunCorpora:
    """The two corpora of a run, whole (modality "") and by each modality that its records name."""

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
    """Return number and name of the runs that a graph holds; a run is named after its input.

    Raises:
        RunError: the folder has no graph. QueryError: the endpoint cannot be asked, or the graph names no run.
    """
    found = [(int(row["n"].value), row["input"].value) for row in rows(source, _RUNS)]
    if not found:
        raise QueryError(f"{source}: the graph names no run; score again with this version")
    return found


def corpora(source: Source, run: int, name: str) -> RunCorpora:
    """Return the graphs of all references and of all candidates of a run, whole and by modality.

    Raises:
        RunError: the folder has no graph. QueryError: the endpoint cannot be asked, or there is no such run.
    """
    node = str(run_node(source, str(run)))
    counts: dict[tuple[str, str], _Counts] = {}
    for side, modality, what, key, number in _counted(source, node):
        for group in {"", modality}:
            own = counts.setdefault((side, group), _Counts())
            if what == "case":
                own.cases += number
            elif what in KINDS:
                own.nodes[what, key[0]] += number
            elif what == "subgraph":
                own.subgraphs[key[0], key[1], key[2]] += number
            else:
                own.edges[key[0], what, key[1]] += number
    groups = sorted({"", *(group for _, group in counts)})
    return RunCorpora(name, {group: _pair(name, counts, group) for group in groups})


def _pair(name: str, counts: Mapping[tuple[str, str], _Counts], group: str) -> tuple[Corpus, Corpus]:
    found = []
    for title, side in (("reference", "reference"), (name, "candidate")):
        own = counts.get((side, group), _Counts())
        found.append(Corpus(title, own.cases, dict(own.nodes), dict(own.edges), dict(own.subgraphs)))
    return found[0], found[1]


def _counted(source: Source, run: str) -> Iterator[tuple[str, str, str, tuple[str, ...], int]]:
    """Yield side, modality, what is counted, its key and the number of reports."""
    tasks: list[tuple[str, tuple[str, ...], str]] = [("case", (), "")]
    tasks += [(what, names, f"{_IN_REPORT}{_FINDING} {pattern}") for what, (names, pattern) in _PATTERNS.items()]
    for what, names, pattern in tasks:
        text = _COUNT.format(names=" ".join(f"?{name}" for name in names), run=run, pattern=pattern)
        for row in rows(source, text):
            modality = "" if row["modality"] is None else row["modality"].value
            if row["side"] is not None:
                yield row["side"].value, modality, what, _key(row, names), int(row["reports"].value)


def _key(row: Any, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple("" if row[name] is None else row[name].value for name in names)
