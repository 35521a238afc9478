"""The names of the graph: IRIs under https://w3id.org/kgscore/ for concepts, runs, reports and statements."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

BASE = "https://w3id.org/kgscore/"
RUN = BASE + "run#"
DATA = BASE + "data/"
SCHEMA_GRAPH = BASE + "schema"

PREFIXES: Mapping[str, str] = {
    "kgs": BASE,
    "kgr": RUN,
    "fma": "http://purl.org/sig/ont/fma/fma",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def concept_iri(id: str) -> str:
    """Return the IRI of a concept that no other vocabulary names (the schema's `kgs:key` gives the IRI of those it does).

    >>> concept_iri("pneumothorax")
    'https://w3id.org/kgscore/pneumothorax'
    """
    return BASE + quote(id, safe="")


def report_iri(run: int, case: str, report: str) -> str:
    """Return the IRI of one side of a pair, which is also the name of its graph.

    >>> report_iri(1, "cxr 7", "reference")
    'https://w3id.org/kgscore/data/run/1/case/cxr%207/reference'
    """
    return f"{DATA}run/{run}/case/{quote(case, safe='')}/{report}"


def statement_iri(report: str, number: int) -> str:
    """Return the IRI of the statement with that number in the report with that IRI."""
    return f"{report}/{number}"


def matches_graph(run: int) -> str:
    """Return the name of the graph that holds the matches and scores of a run."""
    return f"{DATA}run/{run}/matches"
