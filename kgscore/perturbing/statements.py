"""Sentences that say a finding, or its contrary: from the words of the report where they can be had, else from the ontology."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random

from kgscore.linking.lexicon import NORMAL
from kgscore.model import Entity, Finding
from kgscore.perturbing.english import be, is_plural, lower_first, plural, sentence, upper_first, with_article
from kgscore.perturbing.means import Means
from kgscore.perturbing.phrases import Keep, Predicate, every, none, noun_phrase, predicate
from kgscore.perturbing.settings import Normal
from kgscore.perturbing.source import Draft, Line, Source, Unit
from kgscore.reading.tokens import phrase_key

_NEGATION = re.compile(
    r"\b(?:no|without|free of|not)\b(?:\s+(?:any|definite|obvious|appreciable|convincing|evidence (?:of|for)|signs? of))*\s+",
    re.IGNORECASE,
)
_GRADE = re.compile(r"[A-Za-z]\s?\d\Z|\bgrade\b|\bstage\b|\bscore\b|\btype\b")
_CONTENT = re.compile(r"\b(?!(?:no|evidence|of|there|is|are|seen|present|an?)\b)\w+|\bnot\b")
_NAMELESS = ("procedure", "device", "finding")
_EITHER = re.compile(r"\beither\s+(\w+)", re.IGNORECASE)
_COPULA = {
    "appears": "is", "remains": "is", "seems": "is", "looks": "is",
    "appear": "are", "remain": "are", "seem": "are", "look": "are",
}  # fmt: skip
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|shows?|demonstrates?|appears?|contains?)\b", re.IGNORECASE)
_TO_VERB = re.compile(r"(.+?)(?=\s(?:is|are|was|were)\b|[.,;]|\Z)")
_NORMALS = 3
# So many wordings of a contrary are kept to choose from.
_CHOICES = 3
_GENERAL = ("normal", "unremarkable")


class Statements:
    """Words a unit of a sentence again, or its contrary."""

    def __init__(self, means: Means) -> None:
        self.means = means

    # ---- the contrary --------------------------------------------------------------------------------------------
    def contraries(self, draft: Draft, number: int, unit: Unit, random: Random) -> list[str]:
        """Return sentences that say the contrary of a unit and nothing else, where the line stands; none where none is found."""
        line = draft.source.lines[number]
        found: list[str] = []
        cores: set[frozenset[str]] = set()
        for text in self._contraries(line, unit, random):
            said = sentence(text)
            if core(said) not in cores and self.is_contrary(draft.source, line, unit, said):
                found.append(said)
                cores.add(core(said))
                if len(found) == _CHOICES:
                    break
        return found

    def is_grade(self, unit: Unit) -> bool:
        """Whether a unit is a grade of another finding ("LI-RADS 5"), which vanishes with it."""
        return unit.first.concept is not None and _GRADE.search(self.means.words.name(unit.first.concept)) is not None

    def is_contrary(self, source: Source, line: Line, unit: Unit, said: str) -> bool:
        """Whether a sentence, read in the place of the line, denies all of the unit, or asserts all of what it denies."""
        found = self.said_there(source, line, said)
        if not found or any(finding.asserts == unit.asserts for finding in found):
            return False
        return all(self.means.turned(finding, found) for finding in unit.findings) and len(found) <= max(2, len(unit.findings))

    def said_there(self, source: Source, line: Line, said: str) -> list[Finding]:
        """Return what a text says in the place of a line."""
        text = source.text[: line.start] + said + source.text[line.end :]
        return [f for f in self.means.read(text).findings if line.start <= f.start < line.start + len(said)]

    def _contraries(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        said = predicate(line, unit)
        if unit.asserts:
            if said is not None:
                yield from self._denied_predicates(line, unit, said)
            yield from self._denials(line, unit, random)
        else:
            if len(line.units) == 1:
                yield from self._affirmed_in_place(line, unit, random)
            if said is not None:
                yield from self._asserted_predicates(line, unit, said)
            yield from self._assertions(line, unit, random)

    def _denied_predicates(self, line: Line, unit: Unit, said: Predicate) -> Iterator[str]:
        """Yield "the heart is normal in size" and "the heart is not enlarged" for "the heart is enlarged"."""
        assert unit.anchor is not None
        verb = _agreeing(said)
        if self._adjectival(unit):
            special = [] if said.of_quality else self._normals(unit.first)
            for normal in special:
                yield f"{said.subject} {verb} {normal}"
            yield f"{said.subject} {_COPULA.get(verb, verb)} not {lower_first(unit.anchor.text, self.means.words.names)}"
            yield f"{said.subject} {verb} {_GENERAL[0]}"

    def _normals(self, finding: Finding) -> list[str]:
        """Return normal predicates that deny a finding and are said of its site (polarity axioms of the ontology)."""
        index = self.means.index
        site = finding.sites[0] if finding.sites else None
        classes = index.derived(finding.concept, finding.sites) if finding.concept in index.concepts else frozenset()
        rows = (row for row in self.means.lists.normals if row.say not in _GENERAL and self._said_of(row, site))
        denied = ((self.means.denied_at(row.say, site), row.say) for row in rows)
        return [say for name, say in denied if name in classes and name != index.role("any_abnormality")][:_NORMALS]

    def _said_of(self, row: Normal, site: str | None) -> bool:
        return not row.of or (site is not None and self.means.index.inside_any(site, row.of))

    def _adjectival(self, unit: Unit) -> bool:
        """Whether the words that name a unit are an adjective or participle ("enlarged"), not a noun."""
        anchor = unit.anchor
        if anchor is None or anchor.concept not in self.means.words.terms:
            return False
        term = self.means.words.terms[anchor.concept]
        key = phrase_key(anchor.text)
        return key != phrase_key(term.label) and key in {phrase_key(form.text) for form in term.adjectives}

    def _denials(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        aged = [p for p in (noun_phrase(line, unit, keep=self._age, attributive=self._adjectival(unit)),) if p is not None]
        for phrase in (*self._names(line, unit, none), *(phrase.text for phrase in aged)):
            frames = self.means.lists.frames["denied_plural" if is_plural(phrase) else "denied"]
            for frame in random.sample(frames, len(frames)):
                yield frame.format(np=lower_first(phrase, self.means.words.names))

    def _affirmed_in_place(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        """Yield a sentence without its negation: "shows no abnormality" becomes "shows an abnormality"."""
        text = line.text
        if unit.anchor is None:
            return
        stop = unit.anchor.end - line.start
        found = list(_NEGATION.finditer(text, 0, stop))
        if len(found) != 1:
            return
        cut, word = found[0], found[0][0].split()[0].lower()
        rest = _EITHER.sub(lambda m: f"both {plural(m[1])}", text[cut.end() :])
        noun = _TO_VERB.match(rest)
        if word != "not" and noun is not None:
            rest = with_article(noun[1])[: -len(noun[1])] + rest
        if word == "without":
            rest = f"with {rest}"
        frames = self.means.lists.frames["asserted_plural" if is_plural(rest) else "asserted"]
        if not text[: cut.start()].strip() and _VERB.search(rest) is None and re.search(r"[,;]|\b(?:any|or|nor)\b", rest) is None:
            bare = with_article(text[cut.end() :].rstrip(" ."))
            yield from (frame.format(a=bare, A=upper_first(bare)) for frame in random.sample(frames, len(frames)))
        verbless = _VERB.search(rest) is None and word != "without"
        if re.search(r"\b(?:any|or|nor)\b", rest) is None and not (verbless and not text[: cut.start()].strip()):
            yield text[: cut.start()] + rest

    def _asserted_predicates(self, line: Line, unit: Unit, said: Predicate) -> Iterator[str]:
        """Yield "the lungs are opacified" for "the lungs are clear", "the heart is enlarged" for "… is normal in size"."""
        anchor = unit.anchor
        assert anchor is not None
        verb = _agreeing(said)
        if unit.first.status == "absent" and self._adjectival(unit):
            yield f"{said.subject} {_COPULA.get(verb, verb)} {lower_first(anchor.text, self.means.words.names)}"
        if said.of_quality:
            yield f"{said.subject} {verb} abnormal"
            return
        own = self._ids(anchor.text) | {anchor.concept}
        site = unit.first.sites[0] if unit.first.sites else None
        near = [row.opposites for row in self.means.lists.normals if own & self._ids(row.say) and self._said_of(row, site)]
        for opposite in dict.fromkeys(word for opposites in near for word in opposites):
            yield f"{said.subject} {verb} {opposite}"
        if unit.first.status == "normal":
            yield f"{said.subject} {verb} abnormal"

    def _ids(self, phrase: str) -> set[str]:
        return {entry.id for entry in self.means.lexicon.lookup(phrase_key(phrase)) if entry.type == NORMAL}

    def _assertions(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        prefixed = [f"{self._prefix(unit.first)}{name}" for name in self._named(unit.findings)] if unit.first.restricted else []
        for phrase in (*self._names(line, unit, every), *prefixed):
            said = _EITHER.sub(lambda m: f"both {plural(m[1])}", phrase)
            frames = self.means.lists.frames["asserted_plural" if is_plural(said) else "asserted"]
            with_a = with_article(lower_first(said, self.means.words.names))
            for frame in random.sample(frames, len(frames)):
                yield frame.format(a=with_a, A=upper_first(with_a))

    # ---- the same ------------------------------------------------------------------------------------------------
    def again(self, line: Line, unit: Unit, findings: Sequence[Finding]) -> Iterator[str]:
        """Yield sentences that may say these findings of a unit as they were said, by themselves."""
        finding = findings[0]
        whole = len(findings) == len(unit.findings)
        names = [*self._names(line, unit, every)] if whole else []
        names += [f"{self._prefix(finding)}{name}" for name in self._named(findings)]
        said = predicate(line, unit)
        if said is not None and whole and unit.anchor is not None:
            stop = unit.anchor.end - line.start
            yield sentence(f"{said.subject} {said.verb} {unit.anchor.text}")
            yield sentence(f"{said.subject} {line.text[line.text.index(said.subject) + len(said.subject) : stop].strip()}")
        for name in names:
            for tail in dict.fromkeys((self._suffix(finding, name), "")):
                lowered = lower_first(name, self.means.words.names)
                yield sentence(f"{upper_first(name)}{tail}" if finding.asserts else f"No {lowered}{tail}")

    def _prefix(self, finding: Finding) -> str:
        """Return the descriptors that stand before the noun."""
        order = self.means.lists.prefixes
        details = [d for d in finding.details if d.category in order]
        words = [d.text for d in sorted(details, key=lambda d: order.index(d.category))]
        hedge = {"probable": "probable ", "possible": "possible "}.get(finding.certainty, "")
        return hedge + "".join(f"{word} " for word in dict.fromkeys(words))

    def _suffix(self, finding: Finding, name: str) -> str:
        """Return measurements, inferences and the change over time, as they follow the noun."""
        out = "".join(f" measuring {d.text}" for d in finding.details if d.category == "length" and d.text not in name)
        out += "".join(f" {d.text}" for d in finding.details if d.category == "distance" and d.text not in name)
        out += "".join(f", {d.text}" for d in finding.details if d.category == "inference")
        change = {"stable": "unchanged"}.get(finding.change or "", finding.change)
        return out + (f", {change}" if change and change not in name else "")

    # ---- names ---------------------------------------------------------------------------------------------------
    def _age(self, entity: Entity) -> bool:
        """Keep the descriptors of age: "no infarct" does not deny an old one."""
        return self.means.index.is_a(entity.concept, "temporality")

    def _names(self, line: Line, unit: Unit, keep: Keep) -> Iterator[str]:
        """Yield noun phrases for a unit: the report's own words where they are a noun, then the ontology's."""
        adjective = self._adjectival(unit)
        phrase = noun_phrase(line, unit, keep=keep, attributive=adjective)
        if phrase is not None and unit.first.status != "normal":
            yield phrase.text
        yield from self._named(unit.findings)

    def _named(self, findings: Sequence[Finding]) -> Iterator[str]:
        """Yield names of findings by the ontology, with side and site."""
        words, finding = self.means.words, findings[0]
        if finding.concept is None or finding.concept not in words.terms or finding.concept in _NAMELESS:
            return
        name = words.name(finding.concept)
        if _GRADE.search(name):
            return  # "LI-RADS 5", "Fazekas 2": nobody denies a grade
        both = {"left", "right"} <= {f.side for f in findings}
        side = None if both else finding.side
        alone = f"bilateral {plural(name)}" if both else _sided(name, side)
        placed = [f"{name} in {words.place(site, side, both=both)}" for site in finding.sites[:1]]
        overlap = bool(_stems(name) & {stem for site in finding.sites[:1] for stem in _stems(self.means.index.label(site))})
        yield from (alone, *placed) if overlap or words.implied(finding.concept, finding.sites) else (*placed, alone)


def _sided(name: str, side: str | None) -> str:
    """Return a name with a side: "left renal cyst", "opacification of the left hemithorax"."""
    if side is None:
        return name
    head, of, rest = name.partition(" of ")
    return f"{head} of the {side} {rest.removeprefix('the ')}" if of else f"{side} {name}"


def _stems(text: str) -> set[str]:
    """Return the beginnings of the longer words: what "ventricular" and "ventricle" share."""
    return {word[:6].lower() for word in text.split() if len(word) > 5}


def core(text: str) -> frozenset[str]:
    """Return the words of a sentence without those that only frame it."""
    return frozenset(_CONTENT.findall(text.lower()))


def _agreeing(said: Predicate) -> str:
    """Return the verb of a predicate in lower case; "remains" is no verb of a contrary."""
    verb = said.verb.lower()
    if not verb:
        return be(said.subject)
    return _COPULA[verb] if verb.startswith("remain") else verb
