"""The input of check generation: the terms, their index, and sentence frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kgscore.linking.lexicon import ANATOMY, FINDING, NORMAL, QUALITY, Lexicon
from kgscore.matching.denials import organ_of
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

    def named_site(self, phrase: str) -> str | None:
        """Return the structure named by the longest part of a phrase ("diameter of artery": artery), or None."""
        words = phrase_key(phrase)
        spans = sorted(((b - a, words[a:b]) for a in range(len(words)) for b in range(a + 1, len(words) + 1)), reverse=True)
        found = (entry.id for _, span in spans for entry in self.lexicon.lookup(span) if entry.type == ANATOMY)
        return next(found, None)

    def is_elsewhere(self, text: str, bearer: str | None) -> bool:
        """Return whether a normal wording names a structure that neither lies in a bearer nor holds it."""
        own = self.normal_word(text).site or self.named_site(text)
        return own is not None and bearer is not None and not self.index.either_inside(own, bearer)

    def is_quality(self, text: str) -> bool:
        """Return whether a phrase ends in a quality, as no structure does."""
        key = phrase_key(text)
        return len(key) > 1 and any(entry.type == QUALITY for entry in self.lexicon.lookup(key[-1:]))

    def is_another_quality(self, concept: str, noun: str) -> bool:
        """Return whether a noun is first that of another quality ("pulmonary perfusion": of vascularity, and of perfusion)."""
        entries = [entry for entry in self.lexicon.lookup(phrase_key(noun)) if entry.type == QUALITY]
        return bool(entries) and entries[0].id != concept

    def is_another_normal(self, concept: str, text: str, bearer: str | None) -> bool:
        """Return whether a normal word has several meanings, of which for this bearer another one counts."""
        ids = self.normal_word(text).ids
        return concept in ids and self.index.denied_by(ids, bearer) != self.index.denied_by((concept,), bearer)

    def is_noun(self, word: str) -> bool:
        """Return whether a descriptor is said by a noun, which a finding cannot be ("jugular approach", "rim enhancement")."""
        last = phrase_key(word)[-1:]
        return any(entry.type in (ANATOMY, FINDING, QUALITY) and not entry.adjective for entry in self.lexicon.lookup(last))

    @cached_property
    def unopposed(self) -> tuple[str, ...]:
        """The findings that a normal statement does not deny: residues, those at the limit of normal, and denials."""
        return (*self.index.flagged("residues"), *self.index.flagged("lacks"), *self.index.marked("borderline"))

    def is_composed(self, concept: str, text: str) -> bool:
        """Return whether a wording of several words, one of which names a structure, is read from its parts: the lexicon leaves
        it out ("sigmoid diverticulitis", a wording of diverticulitis), or marks it ("gastric outlet obstruction")."""
        key = phrase_key(text)
        listed = [entry for entry in self.lexicon.lookup(key) if entry.id == concept]
        return len(key) > 1 and all(entry.composed for entry in listed) and self.named_site(text) is not None

    def is_of_another(self, concept: str, text: str) -> bool:
        """Return whether a wording is first that of another structure or finding, or one that means this only in its region and
        is another one's or a cue elsewhere, so that only the rest of a report can tell which is meant ("cortex" of the kidney or
        of a bone, "OM" of osteomyelitis or an obtuse marginal branch)."""
        key = phrase_key(text)
        listed = self.lexicon.lookup(key)
        entries = [entry for entry in listed if entry.type in (ANATOMY, FINDING)]
        own = any(entry.id == concept for entry in entries)
        hidden = any(phrase_key(form.text) == key for form in self.terms[concept].hidden)
        if hidden and (not own or any(entry.id != concept for entry in entries)):
            return bool(listed)
        return own and entries[0].id != concept

    def is_inexact(self, concept: str, text: str) -> bool:
        """Return whether the table gives a wording as a narrower or broader one, or as a sign."""
        return any(entry.id == concept and entry.scope for entry in self.lexicon.lookup(phrase_key(text)))

    def is_named(self, phrase: str) -> bool:
        """Return whether a phrase is a wording of a finding."""
        return any(entry.type == FINDING for entry in self.lexicon.lookup(phrase_key(phrase)))

    def one_place(self, part: str, whole: str) -> bool:
        """Return whether the matcher counts a part as the structure itself: what an organ consists of or encloses, for a
        finding of the organ is one of it ("renal parenchyma")."""
        return organ_of(self.index, part) == organ_of(self.index, whole)

    def elsewhere(self, concept: str, site: str) -> bool:
        """Return whether a finding named alone is at another place by default ("emphysema": of the lung)."""
        own = self.index.default_sites(concept)
        return bool(own) and not any(self.index.either_inside(site, place) for place in own)

    @cached_property
    def deviations(self) -> frozenset[str]:
        """The deviations of all qualities."""
        return frozenset(name for term in self.terms.values() if term.kind == "qualities" for name in term.values.values())

    def is_clause(self, text: str) -> bool:
        """Return whether a wording is no noun phrase, so that "no" cannot stand before it: a clause, a structure with a
        participle after it, or an adverb with one ("gland is suppressed", "poles fused", "previously operated spine")."""
        words = text.lower().split()
        last = words[-1]
        noun = any(entry.type in (ANATOMY, FINDING) and not entry.adjective for entry in self.lexicon.lookup(phrase_key(last)))
        participle = len(words) > 1 and last.endswith("ed") and not noun
        return participle or words[0] == "previously" or not set(words[1:]).isdisjoint(self.settings["verbs"])

    def names_thing(self, text: str) -> bool:
        """Return whether a normal wording is a noun phrase that a structure has, and is not ("good vascularity")."""
        words = phrase_key(text)
        ends = (entry for start in range(len(words)) for entry in self.lexicon.lookup(words[start:]))
        return any(entry.type in (ANATOMY, FINDING, QUALITY) and not entry.adjective for entry in ends)

    def kind_of(self, concept: str, classes: Sequence[str]) -> bool:
        """Return whether a concept falls under one of some classes."""
        return not self.index.ancestors.get(concept, frozenset()).isdisjoint(classes)

    def has_sides(self, structure: str) -> bool:
        """Return whether a structure exists left and right."""
        term = self.terms.get(structure)
        return term is not None and not term.flags.isdisjoint(("paired", "sided"))


def article(word: str) -> str:
    """Return the indefinite article of a word."""
    return "an" if word[0].lower() in "aeiou" else "a"


def world_of(terms: Sequence[Term], index: Index, lexicon: Lexicon) -> World:
    """Return the input of check generation for these terms."""
    return World({term.id: term for term in terms}, index, lexicon, yaml_of("ontologies", "checks.yaml"))
