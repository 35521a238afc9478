"""Restates or inverts the statements of a sentence: in the words that the reader found for a finding, else in the
labels of the ontology. Every text is verified by reading the report again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from random import Random

from kgscore.lab.perturbing.edits import Change
from kgscore.lab.perturbing.means import Means
from kgscore.lab.perturbing.source import Draft, Line, Source, Unit
from kgscore.lab.perturbing.words import sentence, upper_first
from kgscore.linking.lexicon import NORMAL
from kgscore.model import Finding
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
        gone = [finding for unit in units for finding in unit.findings]
        if {self.means.key(finding) for finding in delta.lost} != {self.means.key(finding) for finding in gone}:
            return False
        if len({f.asserts for f in gone}) == 1 and any(finding.asserts == gone[0].asserts for finding in delta.gained):
            return False
        denials = [finding for finding in delta.gained if not finding.asserts]
        if not all_are and any(self.means.contradict(one, f) for one in denials for f in after):
            return False  # "no nodule" beside another nodule
        turned = all(self.means.turned(finding, delta.gained) for unit in told for finding in unit.findings)
        return turned and len(delta.gained) <= 2 * len(gone)

    def _restatements(self, line: Line, units: Sequence[Unit]) -> Iterator[list[str]]:
        """Yield ways to state the rest of a line: nothing, the clauses without these units, or unit by unit."""
        rest = [unit for unit in line.units if unit not in units]
        if not rest:
            yield []
            return
        starts = [[line.at(unit)[0] for unit in some] for some in (units, rest)]
        gone, stays = ([any(a <= at < b for at in some) for a, b in line.clauses] for some in starts)
        if not any(lost and held for lost, held in zip(gone, stays, strict=True)):
            runs: list[list[int]] = []
            for (start, end), lost, before in zip(line.clauses, gone, [True, *gone], strict=False):
                if not lost and before:
                    runs.append([start, end])
                elif not lost:
                    runs[-1][1] = end
            said = ", ".join(line.text[start:end] for start, end in runs)
            yield from ([sentence(f"No {said}")] for _ in line.cues_of("neg")[:1] if gone[0])
            yield [sentence(_ARTICLE.sub("", said))]
        yield from map(list, product(*([*islice(self._restate(line, unit), 4)] for unit in rest)))

    def _change(self, source: Source, line: Line, unit: Unit, said: str, kind: str) -> Change:
        start, end = unit.first.start, min(unit.first.end, line.end)
        became = next((f.concept for f in self._findings_in_place(source, line, said)), None) if said else None
        before = source.text[start:end]
        return Change(kind if said else "omission", (start, end), before, said, unit.first.concept, became, unit.numbers)

    # ---- one unit ----------------------------------------------------------------------------------------------------
    def inversions(self, source: Source, line: Line, unit: Unit, random: Random) -> list[str]:
        """Return sentences that, in place of the line, negate all of a unit, or assert all that it negates, and nothing
        else; empty if none is found."""
        found: dict[frozenset[str], str] = {}
        for text in self._denials(line, unit, random) if unit.asserts else self._assertions(line, unit, random):
            said = sentence(text)
            if _core(said) in found:
                continue
            read = self._findings_in_place(source, line, said)
            turned = all(self.means.turned(finding, read) for finding in unit.findings)
            if turned and not any(f.asserts == unit.asserts for f in read) and len(read) <= max(2, len(unit.findings)):
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
            yield from (f"{subject} {say}" for say in (*self._predicates(unit, normal=True), "normal"))
            yield f"{subject} not {self.words.lower_first(anchor)}" if anchor else ""
        own = [phrase for phrase in [self._phrase(line, unit, bare=True)] if not anchor or not phrase.endswith(anchor)]
        yield from self._frames("denied", [*own, *self._unit_names(unit)], random)

    def _assertions(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        """Yield "the lungs are opacified" for "the lungs are clear", the sentence without its negation, and the finding named."""
        opposites = self._predicates(unit, normal=False)
        yield from (f"{subject} {say}" for subject in self._subjects(line, unit) for say in (*opposites, "abnormal"))
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
        said = line.text[verb.start : verb.end].lower()
        copula = said if said in _BE else "is" if said.endswith("s") else "are"
        first = next(reversed([a for a, b in line.clauses if a < verb.start]), 0)
        return list(dict.fromkeys(f"{line.text[a : verb.start].strip(' ,')} {copula}".strip() for a in (first, 0)))

    def _phrase(self, line: Line, unit: Unit, *, bare: bool) -> str:
        """Return the words of a unit without its negation, and if `bare` without its descriptors except those of age: "no
        infarct" does not negate an old one. A phrase that fills a line is taken whole: "Enlarged right hilar lymph nodes."."""
        start, end = line.at(unit)
        if len(line.units) == 1 and not line.cues_of("cop", end=start):
            start, end = 0, max(end, next(b for a, b in [*line.clauses, (0, len(line.text))] if b >= end))
        after = unit.anchor.end if unit.anchor else unit.first.start - line.start
        end = min([end, *(cue.start for cue in line.cues_of(*_ENDS, start=max(after, start)))])
        gone = [(cue.start, cue.end) for cue in line.cues_of("neg", start=start, end=end)]
        for entity in line.entities if bare else ():
            kept = self.index.is_a(entity.concept, "temporality") or entity is unit.anchor
            gone += [(entity.start, entity.end)] if entity.type == "descriptor" and not kept else []
        out = line.text
        for first, last in sorted(gone, reverse=True):
            if start <= first and last <= end:
                out, end = f"{out[:first]} {out[last:]}", end - (last - first) + 1
        out = out[start:end]
        for detail in unit.first.details if bare else ():
            if not self.index.is_a(detail.value, "temporality"):
                out = re.sub(rf"\b{re.escape(detail.text)}(?![\w-])", "", out, flags=re.IGNORECASE)
        return _ARTICLE.sub("", _DANGLING.sub("", " ".join(out.split()).rstrip(".")).lstrip(" ,-")) or line.words_of(unit)

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

    def _predicates(self, unit: Unit, *, normal: bool) -> list[str]:
        """Return the listed predicates for the site of a unit: normal words that negate it (the polarity axioms), or the
        opposites of the normal words used."""
        index, finding = self.index, unit.first
        site = finding.sites[0] if finding.sites else None
        rows = [row for row in self.means.lists["normals"] if "of" not in row or (site and index.inside_any(site, row["of"]))]
        if normal:
            known = finding.concept in index.concepts
            classes = index.derived(finding.concept or "", finding.sites) if known else frozenset[str]()
            said = ((index.denied_by(ids, site).genus, row["say"]) for row in rows if (ids := self._ids(row["say"])))
            return [say for name, say in said if name in classes and name != index.role("any_abnormality")][:_CHOICES]
        own = {*self._ids(unit.anchor.text), unit.anchor.concept} if unit.anchor else set[str]()
        return list(dict.fromkeys(word for row in rows if own.intersection(self._ids(row["say"])) for word in row["opposites"]))

    def _ids(self, phrase: str) -> list[str]:
        """Return the normal words of the lexicon equal to a phrase."""
        return [entry.id for entry in self.means.lexicon.lookup(phrase_key(phrase)) if entry.type == NORMAL]


def _core(text: str) -> frozenset[str]:
    """Return the words of a sentence without framing words."""
    return frozenset(_CONTENT.findall(text.lower()))
