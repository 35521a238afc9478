"""Hints for a query without results: unknown prefixes and terms, labels without a language tag."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kgscore.errors import QueryError, did_you_mean
from kgscore.graph.vocabulary import PREFIXES

_LABELLED = re.compile(
    r"((?:skos:(?:prefLabel|altLabel|hiddenLabel)|rdfs:label)\s+(?:\"[^\"\\\n]*\"|'[^'\\\n]*'))(?!\s*(?:@|\^\^)|[\"'])"
)
_TERM = re.compile(r"(?<![\w?$:<])([A-Za-z][\w-]*):([\w.-]*\w)?")
_SUBJECT = re.compile(r"^(kgr|kgs):([\w-]+)", re.MULTILINE)
_DECLARED = re.compile(r"\bPREFIX\s+([\w-]*):", re.IGNORECASE)


def tag_english_labels(sparql: str) -> str:
    """Return a query in which labels without a language tag are tagged as English, as in the ontology.

    >>> tag_english_labels('SELECT ?c { ?c skos:prefLabel "pleural effusion" }')
    'SELECT ?c { ?c skos:prefLabel "pleural effusion"@en }'
    """
    return _LABELLED.sub(r"\1@en", sparql)


def check_prefixes(plain: str) -> None:
    """Raise QueryError if a query (with texts and comments blanked) uses a prefix neither predefined nor declared."""
    declared = {*PREFIXES, *_DECLARED.findall(plain)}
    for prefix, _ in _TERM.findall(plain):
        if prefix not in declared:
            hint = did_you_mean(prefix, declared) or f"known are {', '.join(PREFIXES)}"
            raise QueryError(f"the prefix '{prefix}:' is not known; {hint}; or declare it (PREFIX {prefix}: <…>)")


def unknown_terms(plain: str) -> Iterator[str]:
    """Yield a line for each kgscore term in a query (with texts and comments blanked) that is missing from the vocabulary."""
    used = dict.fromkeys((prefix, name) for prefix, name in _TERM.findall(plain) if prefix in ("kgr", "kgs") and name)
    if not used:
        return
    from kgscore.graph.schema import schema_files

    known = {pair for path in schema_files() for pair in _SUBJECT.findall(path.read_text(encoding="utf-8"))}
    for prefix, name in used:
        if (prefix, name) not in known:
            hint = did_you_mean(name, (other for its, other in known if its == prefix))
            yield f"{prefix}:{name} is not in the vocabulary{hint and f'; {hint}'}"
