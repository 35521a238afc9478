"""BioScope, clinical part: polarity and certainty against the scopes of negation and speculation that people marked.

Of mentions (the head words of a finding): is it inside a scope exactly where kgscore takes it for denied, or for uncertain
(`kgscore bench bioscope` tells where not)? Of sentences, as task 1 of CoNLL-2010: is there a scope at all?
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kgscore.batch import scorer_for
from kgscore.bench.bioscope import judged
from kgscore.layouts.bioscope import read_sentences
from kgscore.model import Reading
from kgscore.published.base import Found, Request, f1_figures

_READER = "reading"
_PLACES = {"tp": 0, "fp": 1, "fn": 2}
# "or" is marked as a cue of speculation; kgscore reads it as two findings.
_NO_CUE = "or"


def run(name: str, request: Request) -> Found:
    """Return precision, recall and F1 of mentions and of sentences; intervals draw whole documents."""
    scorer = scorer_for(request.settings)
    counts: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(lambda: [0, 0, 0]))
    documents: dict[str, None] = {}
    sentences = read_sentences(request.source)
    for number, record in enumerate(sentences, 1):
        document = str(record.get("doc_id") or number)
        documents[document] = None
        reading = scorer.read(record["text"])
        for one in judged(reading, record["annotations"], scorer):
            if one.outcome in _PLACES:
                counts["mentions", one.name][document][_PLACES[one.outcome]] += 1
        for of, (said, marked) in _sentence(reading, record["annotations"]).items():
            if said or marked:
                counts["sentences", of][document][0 if said and marked else 1 if said else 2] += 1
        request.tell(number)
    figures = []
    for (task, of), by_document in counts.items():
        rows = np.asarray([[by_document.get(document, [0, 0, 0])] for document in documents])
        figures += f1_figures(task, of, _READER, rows, request)
    return Found(figures, [], [f"{len(sentences)} sentences of {len(documents)} documents"])


def _sentence(reading: Reading, annotations: Sequence[Mapping[str, Any]]) -> dict[str, tuple[bool, bool]]:
    """Return what kgscore and people say of a sentence: is something in it denied, and is something uncertain?"""
    kinds = {one["type"] for one in annotations if str(one["cue"]).lower().strip() != _NO_CUE}
    findings = reading.findings
    return {
        "negation": (any(one.status == "absent" for one in findings), "negation" in kinds),
        "speculation": (any(one.certainty != "definite" or one.alternatives for one in findings), "speculation" in kinds),
    }
