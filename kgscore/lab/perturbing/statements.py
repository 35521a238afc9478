"""Restates or inverts the statements of a sentence: in the words that the reader found for a finding, else in the
labels of the ontology. Every text is verified by reading the report again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice, product
from random import Random
from typing import Any

from kgscore.lab.perturbing.edits import Change, Span
from kgscore.lab.perturbing.means import Means, sentence, upper_first
from kgscore.lab.perturbing.source import Draft, Line, Source, Unit, findings_of
from kgscore.linking.lexicon import NORMAL
from kgscore.model import Entity, Finding
from kgscore.reading.tokens import phrase_key

Findings = Sequence[Finding]
# The number of wordings tried for one inversion, and for a whole line.
_CHOICES, _TRIES = 3, 24
_BE = ("is", "are", "was", "were")
# Cues that end the words of a finding.
_ENDS = ("cop", "have", "seen", "tip", "change", "past")
_ARTICLE = re.compile(r"\A(?:an?|the|some|any|there (?:is|are)(?: an?)?)\s+", re.IGNORECASE)
_DANGLING = re.compile(r"(?:\s+(?:measuring|with|of|in|to|and|by|from|the|an?|up to|about)|[\s,(;-])+\Z")
_GRADE = re.compile(r"[A-Za-z]\s?\d\Z|\b(?:grade|stage|score|type)\b")
_CONTENT = re.compile(r"\b(?!(?:no|evidence|of|there|is|are|an?)\b)\w+|\bnot\b")


class Statements:
    """Restates units of a report, or inverts them."""

    def __init__(self, means: Means) -> None:
        self.means, self.words, self.index = means, means.words, means.index

    # ---- lines -------------------------------------------------------------------------------------------------------
    def turn(
        self, draft: Draft, number: int, units: Sequence[Unit], random: Random, kind: str, *, all_are: bool = False
    ) -> Draft | None:
        """Return a draft in which exactly these units of a line are inverted; or None if that fails.

        The line must be unchanged in the draft. If not `all_are` to be inverted in the end, an inserted negation must not
        contradict the remaining findings.
        """
        source, line = draft.source, draft.source.lines[number]
        told = [unit for unit in units if not self._is_grade(unit)] or list(units)
        choices = [self.inversions(source, line, unit, random) for unit in told]
        if not all(choices):
            return None
        before = self.means.read(draft.text).findings if draft.texts else source.reading.findings
        for rest, said in islice(product(self._restatements(line, units), product(*choices)), _TRIES):
            for order in ([*rest, *said], [*said, *rest]) if rest else (said,):
                once = {_core(text): text for text in reversed(order)}
                made = draft.with_line(number, " ".join(reversed(once.values())))
                if self._only_inverted(before, units, told, made, all_are):
                    texts = dict(zip(map(id, told), said, strict=True))
                    made.changes += [self._change(source, line, unit, texts.get(id(unit), ""), kind) for unit in units]
                    return made
        return None

    def _only_inverted(self, before: Findings, units: Sequence[Unit], told: Sequence[Unit], draft: Draft, all_are: bool) -> bool:
        """Return whether a draft's reading has lost these units, has the opposite of the given ones, and is otherwise equal."""
        after = self.means.read(draft.text).findings
        delta = self.means.delta(before, after)
        gone = findings_of(units)
        if self.means.keys(delta.lost) != self.means.keys(gone):
            return False
        if len({f.asserts for f in gone}) == 1 and any(finding.asserts == gone[0].asserts for finding in delta.gained):
            return False
        denials = [finding for finding in delta.gained if not finding.asserts]
        if not all_are and any(self.means.contradict(one, f) for one in denials for f in after):
            return False  # "no nodule" beside another nodule
        return len(delta.gained) <= 2 * len(gone) and self.means.all_turned(findings_of(told), delta.gained)

    def _restatements(self, line: Line, units: Sequence[Unit]) -> Iterator[list[str]]:
        """Yield ways to state the rest of a line: nothing, the clauses without these units, or unit by unit."""
        rest = [unit for unit in line.units if unit not in units]
        if not rest:
            yield []
            return
        gone = line.clauses_of(units)
        if gone.isdisjoint(line.clauses_of(rest)):
            runs = [list(run) for lost, run in groupby(line.clauses, gone.__contains__) if not lost]
            said = ", ".join(line.text[run[0][0] : run[-1][1]] for run in runs)
            if line.cues_of("neg") and line.clauses[0] in gone:
                yield [sentence(f"No {said}")]
            yield [sentence(_ARTICLE.sub("", said))]
        yield from map(list, product(*([*islice(self._restate(line, unit), 4)] for unit in rest)))

    def _change(self, source: Source, line: Line, unit: Unit, said: str, kind: str) -> Change:
        start, end = unit.first.start, min(unit.first.end, line.end)
        became = next((f.concept for f in self._findings_in_place(source, line, said)), None) if said else None
        before = source.text[start:end]
        return Change(kind if said else "omission", (start, end), before, said, unit.first.concept, became, unit.numbers)

    # ---- one unit ----------------------------------------------------------------------------------------------------
    def inversions(self, source: Source, line: Line, unit: Unit, random: Random) -> list[str]:
        """Return sentences that in place of the line negate all of a unit, or assert all that it negates, and nothing else."""
        found: dict[frozenset[str], str] = {}
        for text in self._denials(line, unit, random) if unit.asserts else self._assertions(line, unit, random):
            said = sentence(text)
            if _core(said) in found:
                continue
            read = self._findings_in_place(source, line, said)
            alike = any(finding.asserts == unit.asserts for finding in read)
            if not alike and len(read) <= max(2, len(unit.findings)) and self.means.all_turned(unit.findings, read):
                found[_core(said)] = said
            if len(found) == _CHOICES:
                break
        return list(found.values())

    def _findings_in_place(self, source: Source, line: Line, said: str) -> list[Finding]:
        text = source.text[: line.start] + said + source.text[line.end :]
        return [f for f in self.means.read(text).findings if line.start <= f.start < line.start + len(said)]

    def _denials(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        """Yield "the heart is normal in size" or "is not enlarged" for "the heart is enlarged", and negations of the noun."""
        anchor = unit.anchor.text if unit.anchor is not None and self._adjectival(unit) else ""
        for subject in self._subjects(line, unit):
            yield from (f"{subject} {say}" for say in (*self._normal_predicates(unit), "normal"))
            yield f"{subject} not {self.words.lower_first(anchor)}" if anchor else ""
        own = [phrase for phrase in [self._phrase(line, unit, bare=True)] if not anchor or not phrase.endswith(anchor)]
        yield from self._frames("denied", [*own, *self._unit_names(unit)], random)

    def _assertions(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        """Yield "the lungs are opacified" for "the lungs are clear", the sentence without its negation, and the finding named."""
        says = (*self._opposite_predicates(unit), "abnormal")
        yield from (f"{subject} {say}" for subject in self._subjects(line, unit) for say in says)
        alone = len(line.units) == 1
        yield from (f"{line.text[: cue.start]}{line.text[cue.end :]}" for cue in line.cues_of("neg", "negpost") if alone)
        if unit.first.status == "normal":
            yield re.sub(r"\bno\s+(?=\w)", "an ", line.text, flags=re.IGNORECASE)
        own = self._phrase(line, unit, bare=False)
        names = [own, f"bilateral {own}"][: len(unit.findings)] if unit.first.status == "absent" else []
        yield from self._frames("asserted", [*names, *self._unit_names(unit)], random)

    def _frames(self, kind: str, names: Sequence[str], random: Random) -> Iterator[str]:
        frames = self.means.lists["frames"][kind]
        for name in names:
            phrase = self.words.lower_first(name)
            yield from (f.format(np=phrase, Np=upper_first(phrase)) for f in random.sample(frames, len(frames)))

    def _restate(self, line: Line, unit: Unit) -> Iterator[str]:
        """Yield sentences that may restate a unit by itself."""
        said, finding = line.words_of(unit), unit.first
        yield from (sentence(f"{subject} {said}") for subject in self._subjects(line, unit))
        denies = finding.status == "absent" and not line.cues_of("neg", start=line.at(unit)[0], end=line.at(unit)[1])
        tail = f", {'unchanged' if finding.change == 'stable' else finding.change}" if finding.change else ""
        own = f"No {self.words.lower_first(said)}" if denies else said
        yield from (sentence(f"{own}{end}") for end in dict.fromkeys((tail, "")))
        details = " ".join(dict.fromkeys(d.text for d in finding.details))
        yield from (sentence(f"{'No ' if denies else ''}{details} {name}{tail}".lstrip()) for name in self._unit_names(unit))

    # ---- words -------------------------------------------------------------------------------------------------------
    def _subjects(self, line: Line, unit: Unit) -> list[str]:
        """Return the subject of a predicate, with its verb ("The heart is"), if the words of a unit are one: the last clause
        before them, and everything before them; for a label, the predicate alone."""
        at = max(line.at(unit)[0], unit.anchor.start if unit.anchor else 0)
        verb = next(reversed(line.cues_of("cop", end=at)), None)
        if verb is None:
            return [""] if line.label and at == 0 else []
        held = [e for e in line.entities if e.type != "descriptor" and e is not unit.anchor and e.end <= verb.start]
        if not held and not (line.label and verb.start == 0):
            return []
        copula = _copula(line.text[verb.start : verb.end].lower())
        first = max((a for a, _ in line.clauses if a < verb.start), default=0)
        return list(dict.fromkeys(f"{line.text[a : verb.start].strip(' ,')} {copula}".strip() for a in (first, 0)))

    def _phrase(self, line: Line, unit: Unit, *, bare: bool) -> str:
        """Return the words of a unit without its negation, and if `bare` without its descriptors except those of age: "no
        infarct" does not negate an old one. A phrase that fills a line is taken whole: "Enlarged right hilar lymph nodes."."""
        start, end = _span(line, unit)
        gone = [(cue.start, cue.end) for cue in line.cues_of("neg", start=start, end=end)]
        gone += [(e.start, e.end) for e in self._descriptors(line, unit)] if bare else []
        out = line.text
        for first, last in sorted(gone, reverse=True):
            if start <= first and last <= end:
                out, end = f"{out[:first]} {out[last:]}", end - (last - first) + 1
        out = out[start:end]
        for detail in unit.first.details if bare else ():
            if not self.index.is_a(detail.value, "temporality"):
                out = re.sub(rf"\b{re.escape(detail.text)}(?![\w-])", "", out, flags=re.IGNORECASE)
        return _ARTICLE.sub("", _DANGLING.sub("", " ".join(out.split()).rstrip(".")).lstrip(" ,-")) or line.words_of(unit)

    def _descriptors(self, line: Line, unit: Unit) -> list[Entity]:
        """Return the descriptors of a line that are neither of age nor name the unit."""
        found = (entity for entity in line.entities if entity.type == "descriptor" and entity is not unit.anchor)
        return [entity for entity in found if not self.index.is_a(entity.concept, "temporality")]

    def _unit_names(self, unit: Unit) -> Iterator[str]:
        """Yield names of a unit from the ontology, with side and site."""
        finding, index = unit.first, self.index
        if finding.concept is None or finding.concept in ("procedure", "device", "finding") or self._is_grade(unit):
            return
        name = index.label(finding.concept)
        both = len({f.side for f in unit.findings}) > 1
        side = "bilateral" if both else finding.side
        head, of, whole = name.partition(" of ")
        alone = (f"{head} of the {side} {whole.removeprefix('the ')}" if of else f"{side} {name}") if side else name
        site = finding.sites[0] if finding.sites else ""
        placed = ""
        if site:
            placed = f"bilateral {index.label(site)} {name}" if both else f"{name} in {self.words.place(site, side)}"
        usual = {*index.sites_implied(finding.concept), *index.soft_sites.get(finding.concept, ())}
        yield from (text for text in ((alone, placed) if set(finding.sites) <= usual else (placed, alone)) if text)

    def _is_grade(self, unit: Unit) -> bool:
        """Return whether a unit is a grade of another finding ("LI-RADS 5"), which is removed with it."""
        return unit.first.concept is not None and _GRADE.search(self.index.label(unit.first.concept)) is not None

    def _adjectival(self, unit: Unit) -> bool:
        """Return whether the words that name a unit are an adjective or participle ("enlarged"), not a noun."""
        term = self.words.terms.get(unit.anchor.concept) if unit.anchor else None
        return term is not None and unit.anchor is not None and not self.words.is_name(term, unit.anchor.text)

    def _normal_predicates(self, unit: Unit) -> list[str]:
        """Return the listed predicates for the site of a unit that negate it (the polarity axioms)."""
        index, finding = self.index, unit.first
        if finding.concept not in index.concepts:
            return []
        site = finding.sites[0] if finding.sites else None
        classes = index.derived(finding.concept, finding.sites) - {index.role("any_abnormality")}
        said = ((row["say"], self._ids(row["say"])) for row in self._rows(unit))
        return [say for say, ids in said if ids and index.denied_by(ids, site).genus in classes][:_CHOICES]

    def _opposite_predicates(self, unit: Unit) -> list[str]:
        """Return the listed opposites, for the site of a unit, of the normal words used."""
        own = {*self._ids(unit.anchor.text), unit.anchor.concept} if unit.anchor else set[str]()
        rows = (row for row in self._rows(unit) if own.intersection(self._ids(row["say"])))
        return list(dict.fromkeys(word for row in rows for word in row["opposites"]))

    def _rows(self, unit: Unit) -> list[Mapping[str, Any]]:
        """Return the rows of normal words for the site of a unit."""
        sites = unit.first.sites[:1]
        return [r for r in self.means.lists["normals"] if "of" not in r or any(self.index.inside_any(s, r["of"]) for s in sites)]

    def _ids(self, phrase: str) -> list[str]:
        """Return the normal words of the lexicon equal to a phrase."""
        return [entry.id for entry in self.means.lexicon.lookup(phrase_key(phrase)) if entry.type == NORMAL]


def _span(line: Line, unit: Unit) -> Span:
    """Return the span of the words of a unit: before a verb or change, and the whole clause if the line has no other unit."""
    start, end = line.at(unit)
    if len(line.units) == 1 and not line.cues_of("cop", end=start):
        start, end = 0, next(b for _, b in [*line.clauses, (0, len(line.text))] if b >= end)
    after = unit.anchor.end if unit.anchor else unit.first.start - line.start
    return start, min([end, *(cue.start for cue in line.cues_of(*_ENDS, start=max(after, start)))])


def _copula(said: str) -> str:
    """Return the form of "be" for a verb that links a subject to a predicate."""
    return said if said in _BE else "is" if said.endswith("s") else "are"


def _core(text: str) -> frozenset[str]:
    """Return the words of a sentence without framing words."""
    return frozenset(_CONTENT.findall(text.lower()))
