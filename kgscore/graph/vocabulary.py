"""The names in the graph: IRIs under https://w3id.org/kgscore/ for concepts, runs, cases, reports and their parts."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

BASE = "https://w3id.org/kgscore/"
RUN = BASE + "run#"
DATA = BASE + "data/"
SCHEMA = BASE + "schema"

PREFIXES: Mapping[str, str] = {
    "kgs": BASE,
    "kgr": RUN,
    "fma": "http://purl.org/sig/ont/fma/fma",
    "nif": "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#",
    "prov": "http://www.w3.org/ns/prov#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def iri(name: str) -> str:
    """Return the IRI of a name with one of the known prefixes.

    >>> iri("prov:Activity")
    'http://www.w3.org/ns/prov#Activity'
    """
    prefix, _, local = name.partition(":")
    return PREFIXES[prefix] + local


def shorten(text: str) -> str:
    """Return an IRI abbreviated by the longest known prefix; any other text unchanged.

    >>> shorten("https://w3id.org/kgscore/run#Match"), shorten("urn:x")
    ('kgr:Match', 'urn:x')
    """
    known = [(len(start), f"{prefix}:{text[len(start) :]}") for prefix, start in PREFIXES.items() if text.startswith(start)]
    return max(known)[1] if known else text


def concept_iri(id: str) -> str:
    """Return the IRI of a concept without an IRI in another vocabulary (the schema's `kgs:key` gives the IRI of the others).

    >>> concept_iri("pneumothorax")
    'https://w3id.org/kgscore/pneumothorax'
    """
    return BASE + quote(id, safe="")


def run_iri(run: int) -> str:
    """Return the IRI of a run."""
    return f"{DATA}run/{run}"


def case_iri(run: int, case: str) -> str:
    """Return the IRI of a case: one pair of reports in one run.

    >>> case_iri(1, "cxr 7")
    'https://w3id.org/kgscore/data/run/1/case/cxr%207'
    """
    return f"{run_iri(run)}/case/{quote(case, safe='')}"


def report_iri(run: int, case: str, report: str) -> str:
    """Return the IRI of one side of a pair.

    >>> report_iri(1, "cxr 7", "reference")
    'https://w3id.org/kgscore/data/run/1/case/cxr%207/reference'
    """
    return f"{case_iri(run, case)}/{report}"
