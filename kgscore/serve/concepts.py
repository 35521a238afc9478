"""The ontology browser: the description of a term, its children, and the relation of two terms, with proof.

An unknown term raises OntologyError.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from threading import Lock
from typing import Any

from kgscore.engine import Scorer
from kgscore.errors import OntologyError
from kgscore.linking.suggest import Suggester, wordings_of
from kgscore.ontology.load import load_turtle
from kgscore.ontology.tables import KINDS, Definition, Term
from kgscore.ontology.turtle import class_name, full_iri
from kgscore.report.term import rows_of
from kgscore.resources import resource
from kgscore.runs.case_index import SCORING

_FOUND = 40
_SIDES = ("left", "right", "bilateral")
_STATEMENTS = (("{a}.", "{b}."), ("{a}.", "No {b}."), ("No {a}.", "{b}."))


class Concepts:
    """The terms of the shipped ontologies. They are loaded on first use, which takes some seconds."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._lock = Lock()

    @cached_property
    def terms(self) -> dict[str, Term]:
        """The terms by id."""
        with self._lock:
            return self.__dict__.get("terms") or {term.id: term for term in load_turtle(resource("ontologies"))}

    @cached_property
    def _below(self) -> dict[str, list[str]]:
        """The ids of the direct subclasses and parts of each term, by label."""
        below: dict[str, set[str]] = defaultdict(set)
        for term in self.terms.values():
            for above in (*term.parents, *term.parts):
                below[above].add(term.id)
        return {above: self._sort(ids) for above, ids in below.items()}

    @cached_property
    def _forms(self) -> list[tuple[str, str]]:
        return [(text.lower(), term.id) for term in self.terms.values() for text in {term.id, *term.texts}]

    @cached_property
    def _ids(self) -> dict[str, str]:
        """The id of the term of each class, by its IRI; a structure has a class for each side."""
        terms = self.terms.values()
        sided = {full_iri(class_name(term, side)): term.id for term in terms for side in ("left", "right")}
        return sided | {full_iri(class_name(term)): term.id for term in terms}

    def ids_of_iris(self, words: Iterable[Any]) -> dict[str, str]:
        """Return those words that are IRIs of terms, each with the term's id."""
        return {word: self._ids[word] for word in words if isinstance(word, str) and word in self._ids}

    def prepare(self) -> None:
        """Load the terms and derived data."""
        self.search("a")
        self.roots()

    def _sort(self, ids: Iterable[str]) -> list[str]:
        return sorted(ids, key=lambda id: (self.terms[id].label.lower(), id))

    def _term(self, id: str) -> Term:
        if id not in self.terms:
            raise OntologyError(f"unknown concept '{id}'; search for it by name")
        return self.terms[id]

    def search(self, words: str) -> list[dict[str, Any]]:
        """Return the terms with this name, or a name that begins with or contains it: best match first, at most 40. Structures
        are stored once for both sides, so a side is removed if no name includes it."""
        said = words.lower().split()
        return self._name_matches(" ".join(said)) or self._name_matches(" ".join(word for word in said if word not in _SIDES))

    def _name_matches(self, wanted: str) -> list[dict[str, Any]]:
        if not wanted:
            return []
        best: dict[str, tuple[int, int, str]] = {}
        for text, id in self._forms:
            if wanted in text:
                rank = (0 if text == wanted else 1 if text.startswith(wanted) else 2, len(text), text)
                best[id] = min(best.get(id, rank), rank)
        ranked = sorted(best.items(), key=lambda item: (item[1], item[0]))[:_FOUND]
        return [self._summary(id) | {"called": rank[2]} for id, rank in ranked]

    @cached_property
    def _suggester(self) -> Suggester:
        return Suggester(wordings_of(self._scorer.lexicon))

    def similar_in_meaning(self, words: str, most: int) -> list[dict[str, Any]]:
        """Return the terms most similar in meaning to words, the nearest first: each with the matching wording (`called`) and its
        similarity, 0 to 1 (`score`)."""
        with self._lock:
            suggester = self._suggester
        found = suggester.nearest(words, most)
        known = (one for one in found if one.concept in self.terms)
        return [self._summary(one.concept) | {"called": one.form, "score": one.score} for one in known]

    def nearest(self, id: str, most: int) -> list[dict[str, Any]]:
        """Return the other terms with the wordings most similar to a term's name, like `similar_in_meaning`, each with its
        relation to the term (`how`, as in `relation`)."""
        term = self._term(id)
        near = [one for one in self.similar_in_meaning(term.label, most + 1) if one["id"] != id][:most]
        return [one | {"how": self._relation_verdict(self.terms[one["id"]], term)[0]} for one in near]

    def roots(self) -> list[dict[str, Any]]:
        """Return the kinds of terms, each with its root terms."""
        tops = [term for term in self.terms.values() if not term.parents and not term.parts]
        ids = {kind: self._sort(term.id for term in tops if term.kind == kind) for kind in KINDS}
        return [{"kind": kind, "concepts": list(map(self._summary, found))} for kind, found in ids.items() if found]

    def below(self, id: str) -> list[dict[str, Any]]:
        """Return the direct subclasses and parts of a term."""
        below = self._below.get(self._term(id).id, ())
        return [self._summary(one) | {"how": "kind" if id in self.terms[one].parents else "part"} for one in below]

    def page(self, id: str) -> dict[str, Any]:
        """Return the description of a term: rows of texts and of other terms, and a path to a root."""
        term = self._term(id)
        told = rows_of(term, list(self.terms.values()), self._scorer.index)
        links = {
            "kind of": term.parents, "part of": term.parts, "overlaps": term.overlaps, "excludes": term.opposites,
            "implies": term.implies,
        }  # fmt: skip
        return self._summary(id) | {
            "module": term.module, "iri": full_iri(class_name(term)),
            "severity": self._scorer.index.severity(id) if term.kind in ("findings", "devices") else None,
            "definitions": [self._definition_text(one) for one in term.definitions],
            "rows": [{"name": name, "text": text} for name, text in told if text],
            "links": {name: [self._summary(one) for one in ids if one in self.terms] for name, ids in links.items() if ids},
            "above": [self._summary(one) for one in self._path_to_root(id)],
        }  # fmt: skip

    def subsumed_ids(self, id: str) -> tuple[list[str], bool]:
        """Return the ids of everything that a term subsumes, itself first (subclasses; parts of a structure); and whether
        it is a structure."""
        term, index = self._term(id), self._scorer.index
        over = index.within if term.kind == "anatomy" else index.ancestors
        return [id, *(one for one, above in over.items() if id in above and one != id)], term.kind == "anatomy"

    def relation(self, a: str, b: str) -> dict[str, Any]:
        """Return the relation of term a to term b: the verdict in words, the steps that prove it, the nearest ancestors, and
        the relations of statements made from them."""
        one, other = self._term(a), self._term(b)
        verdict, proof = self._relation_verdict(one, other)
        shared = [] if proof else self._common_ancestors(a, b)
        return {
            "a": self._summary(a), "b": self._summary(b), "verdict": verdict, "proof": proof,
            "shared": [self._summary(id) for id in shared], "statements": self._statements(one, other),
        }  # fmt: skip

    def _relation_verdict(self, one: Term, other: Term) -> tuple[str, list[str]]:
        index = self._scorer.index
        if one.id == other.id:
            return "same", ["both are one concept"]
        for narrow, broad, kind, part in ((one, other, "kind", "part"), (other, one, "broader", "whole")):
            if index.is_a(narrow.id, broad.id):
                return kind, self._chain(narrow.id, broad.id)
            if index.inside(narrow.id, broad.id):
                return part, self._chain(narrow.id, broad.id)
        opposed = index.opposed(one.id, other.id)
        if opposed:
            high, low = (self.terms[id].label for id in opposed)
            above = [*self._chain(one.id, opposed[0]), *self._chain(other.id, opposed[1])]
            return "opposed", [*above, f"{high} excludes {low}"]
        if other.id in index.overlaps.get(one.id, ()):
            return "overlaps", [f"{one.label} overlaps {other.label}"]
        for narrow, broad in ((one, other), (other, one)):
            sites = tuple(sorted(index.sites_implied(narrow.id))) or index.soft_sites.get(narrow.id, ())
            if narrow.id in index.ancestors and broad.id in index.derived(narrow.id, tuple(sites)):
                place = ", ".join(index.label(site) for site in sites)
                return "kind" if narrow is one else "broader", [f"{narrow.label} in {place} is, by definition, {broad.label}"]
        return "unrelated", []

    def _chain(self, narrow: str, broad: str) -> list[str]:
        """Return the shortest path up from one term to another, one step per line; empty if they are the same."""
        ways: dict[str, list[str]] = {narrow: []}
        waiting = [narrow]
        for id in waiting:  # it grows: nearer terms come first
            term = self.terms[id]
            for how, ids in (("is a", term.parents), ("is part of", term.parts)):
                for above in ids:
                    if above not in ways and above in self.terms:
                        ways[above] = [*ways[id], f"{term.label} {how} {self.terms[above].label}"]
                        waiting.append(above)
            if broad in ways:
                break
        return ways.get(broad, [])

    def _common_ancestors(self, a: str, b: str) -> list[str]:
        """Return the nearest common ancestors."""
        index = self._scorer.index
        both = index.within.get(a, frozenset()) & index.within.get(b, frozenset())
        return self._sort(one for one in both if one in self.terms and not any(one != o and index.inside(o, one) for o in both))

    def _path_to_root(self, id: str) -> list[str]:
        """Return one path up from a term to a root, the root first."""
        way: list[str] = []
        while (term := self.terms.get(id)) and (above := [one for one in (*term.parents, *term.parts) if one not in way]):
            id = above[0]
            way.insert(0, id)
        return way

    def _statements(self, one: Term, other: Term) -> list[dict[str, Any]]:
        """Return the relations of "a" to "b", "a" to "no b" and "no a" to "b", if both are findings."""
        rows = []
        for texts in _STATEMENTS if {one.kind, other.kind} <= {"findings", "devices"} else ():
            reference, candidate = (text.format(a=one.label, b=other.label) for text in texts)
            with SCORING:
                found = self._scorer.relate(reference, candidate)
            about = {"relation": found.relation, "weight": found.weight, "proof": list(filter(None, found.proof))}
            rows.append({"reference": reference, "candidate": candidate, **about})
        return rows

    def _summary(self, id: str) -> dict[str, Any]:
        term = self.terms[id]
        return {"id": id, "label": term.label, "kind": term.kind, "below": len(self._below.get(id, ()))}

    def _definition_text(self, one: Definition) -> str:
        return " in ".join(self.terms[id].label if id in self.terms else "any site" for id in (one.genus, one.site))
