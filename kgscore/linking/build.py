"""The lexicon built from the terms of the ontology and the cue file.

Not every wording of a term is listed: one that is only another wording preceded by a structure is composed from its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import accumulate, combinations
from pathlib import Path

from kgscore.linking.cues import read_cues
from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, FINDING, NORMAL, QUALITY, Entry, Lexicon
from kgscore.ontology.tables import Term
from kgscore.reading.tokens import phrase_key

_KIND = {
    "anatomy": ANATOMY, "findings": FINDING, "devices": FINDING, "descriptors": DESCRIPTOR, "qualities": QUALITY,
    "normals": NORMAL,
}  # fmt: skip
# The name of a structure before one of these is a quality of it: "mediastinal contour" is no structure.
_QUALITIES = ("contour", "outline", "size", "caliber", "shape", "signal", "height", "alignment", "thickness")
_PORTIONS = ("third", "portion", "part", "segment")
_GLUE = (("is",), ("are",), ("in",), ("of",), ("and",))

# Qualities and normal words are not claimed: their bearer decides which of several is meant.
_CLAIMED = (ANATOMY, FINDING, DESCRIPTOR)

Key = tuple[str, ...]


def build_lexicon(terms: Sequence[Term], cues: Path, own: Sequence[Term] = ()) -> Lexicon:
    """Build the lexicon from the ontology's terms and a cue file.

    `own` are the terms of the user's modules as stated there, including those that extend another term. A wording that they give
    to a structure, finding or descriptor is exclusive: no other term of that type has it.

    Raises:
        OntologyError: a line of the cue file does not follow its format.
    """
    rows = read_cues(cues)
    wordings = _Wordings(terms, {phrase_key(form) for _, _, form in rows})
    forms: dict[Key, dict[Entry, None]] = {}
    claimed: set[tuple[Key, str]] = set()

    def add(form: str, entry: Entry) -> None:
        key = phrase_key(form)
        if key and (key, entry.type) not in claimed:
            forms.setdefault(key, {})[entry] = None

    listed = list(wordings.module_wordings(own))
    for text, entry in listed:
        add(text, entry)
    claimed.update((phrase_key(text), entry.type) for text, entry in listed if entry.type in _CLAIMED)
    for term in terms:
        for text, entry in wordings.of(term):
            add(text, entry)
    for kind, value, text in rows:
        add(text, Entry(kind, value, None, False, "core"))
    return Lexicon.of({key: sorted(entries, key=lambda entry: wordings.rank(key, entry)) for key, entries in forms.items()})


class _Wordings:
    """The wordings of terms that the lexicon lists, without those that are composed from their words."""

    def __init__(self, terms: Sequence[Term], reserved: set[Key]) -> None:
        anatomy = [term for term in terms if term.kind == "anatomy"]
        self.reserved = reserved
        self.by_id = {term.id: term for term in terms}
        self.places = _keys(anatomy)
        self.nouns = {phrase_key(noun) for term in terms for noun in term.nouns}
        core = [term for term in terms if term.kind == "normals" and term.module == "core"]
        self.plain = _keys(core) | {*_GLUE}
        self.qualities = {phrase_key(word) for word in _QUALITIES}
        self.keys = {term.id: _keys([term]) for term in anatomy}
        self.labels = {term.id: phrase_key(term.label) for term in terms}
        self.hidden = _hidden(terms)
        self.wholes = {term.id: _wholes(term, self.by_id) for term in terms}
        self.structures: dict[Key, dict[str, str]] = {}
        self.inside: dict[str, set[Key]] = {}
        for term in sorted(anatomy, key=lambda term: (term.module != "core", len(self.wholes[term.id]), term.id)):
            self._add_structure(term)

    def _add_structure(self, term: Term) -> None:
        for key in self.keys[term.id]:
            self.structures.setdefault(key, {}).setdefault(term.module, term.id)
        for whole in self.wholes[term.id]:
            self.inside.setdefault(whole, set()).update(self.keys[term.id])

    def of(self, term: Term) -> Iterator[tuple[str, Entry]]:
        """Yield the listed wordings of a term with the meaning of each."""
        kind = _KIND[term.kind]
        names = _names(term)
        own = self._forms_with_genera(term, {phrase_key(text) for text, *_ in names})
        narrower = self._forms_inside_site(term) if kind == FINDING else frozenset()
        for text, side, adjective, scope in names:
            key = phrase_key(text)
            if self._is_composed_or_cue(term, key, own, narrower):
                continue
            bearer = self._bearer(term, key) if kind in (QUALITY, NORMAL) else None
            composed = kind == FINDING and _is_composed(key, self.places, own)
            entry = Entry(kind, term.id, side or term.values.get("side"), adjective, term.module, bearer, scope, composed)
            yield text, entry
            if kind == ANATOMY and not adjective:
                for variant in (*_swap_of_phrase(text, self.places), *_third_wordings(text)):
                    if phrase_key(variant) not in self.places:
                        yield variant, entry

    def module_wordings(self, own: Sequence[Term]) -> Iterator[tuple[str, Entry]]:
        """Yield the wordings stated by a module's terms; of one that extends a term, only the added ones."""
        for term in own:
            added = _keys([term])
            for text, entry in self.of(self.by_id[term.id]):
                if not term.extends or phrase_key(text) in added:
                    yield text, entry

    def rank(self, key: Key, entry: Entry) -> tuple[object, ...]:
        """Return the sort key of the meanings of one form: core first, then the concept whose label it is, those that it means
        anywhere, the broader, by id; of one concept the noun without a side ("upper lobes" says both, and "upper lobe" does
        not)."""
        type, id, side, adjective, module, site, scope, _ = entry
        broad = len(self.wholes.get(id, ()))
        named, local = self.labels.get(id) != key, (id, key) in self.hidden
        return module != "core", named, local, broad, id, adjective, side is not None, side or "", type, site or "", scope

    def _bearer(self, term: Term, key: Key) -> str | None:
        """Return the structure that a wording itself names, or the term's own site ("the conus lies at L2")."""
        named = _bearer(key, self.structures, term.module)
        own = [place.structure for place in term.sites]
        if named is None or not own:
            return named
        near = (named == site or site in self.wholes.get(named, ()) or named in self.wholes.get(site, ()) for site in own)
        return named if any(near) else own[0]

    def _forms_inside_site(self, term: Term) -> frozenset[Key]:
        """Return the forms of the structures inside the finding's own site."""
        sites = [placement.structure for placement in term.sites] or [d.site for d in term.definitions[:1]]
        return frozenset().union(*(self.inside.get(site, ()) for site in sites))

    def _forms_with_genera(self, term: Term, keys: set[Key]) -> set[Key]:
        """Return the forms of a term, and of the findings that define it: the rest of a wording without its structure."""
        genera = [d.genus for d in term.definitions if d.genus in self.by_id] if _KIND[term.kind] == FINDING else []
        return keys | _keys(self.by_id[genus] for genus in genera)

    def _is_composed_or_cue(self, term: Term, key: Key, own: set[Key], narrower: Set[Key]) -> bool:
        """Whether a wording is not listed because it is composed from its words or belongs to a cue."""
        kind = _KIND[term.kind]
        regional = term.module != "core"
        if kind != QUALITY and regional and key in self.reserved:
            return True  # "TIPS" must not take the tip of a tube, nor "VS" a comparison
        if kind == NORMAL:
            shorter = filter(own.__contains__, accumulate((word,) for word in key[:-1]))  # would match "normal bowel gas"
            return regional and self._is_plain_sequence(key) and all(map(self._is_plain_sequence, shorter))
        if kind == QUALITY:  # "hepatic contour" is the contour of the liver
            return _is_composed(key, self.places, own) and not _is_not_a_quality(key, self.places, self.nouns)
        if kind == FINDING:  # "bilateral pars defects" has a side, "sigmoid diverticulitis" a structure
            return (key[0] == "bilateral" and key[1:] in own) or _is_composed(key, narrower, own)
        return kind == ANATOMY and len(key) > 1 and key[-1:] in self.qualities  # "mediastinal contour" is no structure

    def _is_plain_sequence(self, key: Key) -> bool:
        """Whether a normal wording is core normal words with structures and qualities, one at least ("normal pituitary size")."""
        reach: dict[int, bool] = {0: False}
        for end in range(1, len(key) + 1):
            for start in range(end):
                piece = key[start:end]
                named = piece in self.places or piece in self.nouns
                if start in reach and (named or piece in self.plain):
                    reach[end] = reach.get(end, False) or reach[start] or named
        return len(key) > 1 and reach.get(len(key), False)


def _names(term: Term) -> list[tuple[str, str | None, bool, str]]:
    """Return the wordings of a term, each with the side that it implies, whether it is an adjective, and its scope."""
    names: list[tuple[str, str | None, bool, str]] = [(name, None, False, "") for name in (term.label, *term.nouns)]
    names += [(form.text, form.side, False, "") for form in (*term.synonyms, *term.hidden)]
    names += [(form.text, form.side, True, "") for form in term.adjectives]
    scoped = (("narrow", term.narrower), ("broad", term.broader), ("sign", term.signs))
    return names + [(form.text, form.side, False, scope) for scope, forms in scoped for form in forms]


def _keys(terms: Iterable[Term]) -> set[Key]:
    return {phrase_key(text) for term in terms for text in term.texts}


def _hidden(terms: Iterable[Term]) -> set[tuple[str, Key]]:
    """Return the wordings that mean a term only in its region or at its place, by its id."""
    return {(term.id, phrase_key(form.text)) for term in terms for form in term.hidden}


def _bearer(key: Key, structures: Mapping[Key, Mapping[str, str]], module: str) -> str | None:
    """Return the longest structure named in a wording; of several with that name, the one of the wording's own region."""
    parts = (key[a:b] for a, b in combinations(range(len(key) + 1), 2) if b - a < len(key))
    named = structures.get(max((part for part in parts if part in structures), key=len, default=()))
    return None if named is None else named.get(module) or next(iter(named.values()))


def _wholes(term: Term, by_id: Mapping[str, Term]) -> set[str]:
    """Return every structure above one, by is-a and part-of."""
    found: set[str] = set()
    stack = [*term.parents, *term.parts]
    while stack:
        name = stack.pop()
        if name not in found and name in by_id:
            found.add(name)
            stack += [*by_id[name].parents, *by_id[name].parts]
    return found


def _is_composed(key: Key, places: Set[Key], own: set[Key]) -> bool:
    """Whether a form of a finding is only another form of it preceded by a structure, or followed by one after "of" or "in"."""
    preceded = any(key[:cut] in places and key[cut:] in own for cut in range(1, len(key)))
    joints = (cut for cut in range(1, len(key)) if key[cut] in ("of", "in"))
    return preceded or any(key[:cut] in own and key[cut + 1 :] in places for cut in joints)


def _is_not_a_quality(key: Key, places: Set[Key], nouns: set[Key]) -> bool:
    """Whether the rest of a form after the longest structure it begins with is not a name of a quality ("pulmonary vascular")."""
    longest = max((cut for cut in range(1, len(key)) if key[:cut] in places), default=0)
    return longest > 0 and key[longest:] not in nouns


def _third_wordings(text: str) -> list[str]:
    """Return the wordings of a third of a structure: "middle third of the trachea" for "mid trachea"."""
    first, _, whole = text.partition(" ")
    words = ("mid", "middle") if first in ("mid", "middle") else (first,)
    if first not in ("mid", "middle", "proximal", "distal") or not whole or " of " in whole:
        return []
    return [f"{word} {part} of {whole}" for word in words for part in _PORTIONS] + [f"{word} {whole}" for word in words]


def _swap_of_phrase(text: str, places: set[Key]) -> list[str]:
    """Return "wall of gallbladder" for "gallbladder wall" and vice versa."""
    match = re.fullmatch(r"(.+?) of (.+)", text)
    if match:
        return [f"{match[2]} {match[1]}"]
    head, _, last = text.rpartition(" ")
    whole = last.islower() and len(last) > 1  # "superior mesenteric a" is short for its artery
    return [f"{last} of {head}"] if head and phrase_key(head) in places and whole else []
