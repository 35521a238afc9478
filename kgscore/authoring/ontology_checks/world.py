"""The input of check generation: the terms, their index, and sentence frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kgscore.linking.lexicon import NORMAL, QUALITY, Lexicon
from kgscore.ontology.index import Index
from kgscore.ontology.tables import Term
from kgscore.reading.tokens import phrase_key
from kgscore.resources import yaml_of

# Relations that a check may expect besides the four: for two equivalent findings, whether their details agree.
SAME_DETAILS, OTHER_DETAILS = "equivalent, same details", "equivalent, other details"


@dataclass(frozen=True, slots=True)
class Check:
    """Two texts and the allowed relations of the second to the first.

    `concept` is the term being tested, `about` what is tested with it: a wording, another concept, or a structure."""

    kind: str
    concept: str
    about: str
    first: str
    second: str
    wanted: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NormalWord:
    """A normal word with the ids of all its meanings, and the structure that it names itself."""

    text: str
    ids: tuple[str, ...]
    site: str | None


@dataclass(frozen=True)
class World:
    """The terms by id, with their index and lexicon and the settings of `ontologies/checks.yaml`."""

    terms: Mapping[str, Term]
    index: Index
    lexicon: Lexicon
    settings: Mapping[str, Any]

    def say(self, frame: str, **words: str) -> str:
        """Return a sentence from a frame."""
        text = str(self.settings["frames"][frame]).format(**words)
        return text[:1].upper() + text[1:]

    def finding(self, name: str) -> str:
        """Return the sentence that states a finding by a name of it."""
        return self.say("finding", finding=name)

    def placed(self, name: str, site: str, frame: str = "placed") -> str:
        """Return the sentence that states a finding at a structure, given by its id; or, with `placed_denied`, that denies it."""
        return self.say(frame, finding=name, site=self.index.label(site))

    @property
    def probe(self) -> str:
        """The name of a finding that can occur at any structure."""
        return self.index.label(self.settings["finding"])

    def general(self, concept: str) -> bool:
        """Return whether a class is so general that it carries no information."""
        term = self.terms.get(concept)
        return concept in self.settings["general"] or term is None or "group" in term.flags or "empty" in term.flags

    def bearers(self, concept: str) -> tuple[str, ...]:
        """Return the default sites of a finding, or else a common structure."""
        return self.index.soft_sites.get(concept, ()) or (str(self.settings["structure"]),)

    @cached_property
    def below(self) -> Mapping[str, tuple[str, ...]]:
        """The direct subclasses and parts of each structure, by id."""
        found: dict[str, list[str]] = {}
        for term in self.terms.values():
            if term.kind == "anatomy":
                for above in dict.fromkeys((*term.parents, *term.parts)):
                    found.setdefault(above, []).append(term.id)
        return {name: tuple(sorted(names)) for name, names in found.items()}

    @cached_property
    def normal_words(self) -> tuple[NormalWord, ...]:
        """The distinct names of normal statements in the lexicon."""
        found: dict[str, NormalWord] = {}
        for term in self.terms.values():
            if term.kind == "normals" and term.label not in found:
                found[term.label] = self.normal_word(term.label)
        return tuple(word for word in found.values() if word.ids)

    def normal_word(self, text: str) -> NormalWord:
        """Return the lexicon's entry for a normal word; without ids if it is read from its parts."""
        entries = [entry for entry in self.lexicon.lookup(phrase_key(text)) if entry.type == NORMAL]
        own = {entry.id: next((place.structure for place in self.terms[entry.id].sites), None) for entry in entries}
        sites = {entry.site or own[entry.id] for entry in entries}
        return NormalWord(text, tuple(entry.id for entry in entries), sites.pop() if len(sites) == 1 else None)

    def quality_site(self, noun: str) -> str | None:
        """Return the structure that a quality noun names itself ("hepatic contour")."""
        return next((entry.site for entry in self.lexicon.lookup(phrase_key(noun)) if entry.type == QUALITY and entry.site), None)

    def kind_of(self, concept: str, classes: Sequence[str]) -> bool:
        """Return whether a concept falls under one of some classes."""
        return not self.index.ancestors.get(concept, frozenset()).isdisjoint(classes)

    def has_sides(self, structure: str) -> bool:
        """Return whether a structure exists left and right."""
        term = self.terms.get(structure)
        return term is not None and not term.flags.isdisjoint(("paired", "sided"))


def world_of(terms: Sequence[Term], index: Index, lexicon: Lexicon) -> World:
    """Return the input of check generation for these terms."""
    return World({term.id: term for term in terms}, index, lexicon, yaml_of("ontologies", "checks.yaml"))
