"""What a sentence says, said again or turned into its contrary: in the words that the reader found for a finding, else in the
labels of the ontology. Every text is tried by reading the report again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, product
from random import Random

from kgscore.linking.lexicon import NORMAL
from kgscore.model import Finding
from kgscore.reading.tokens import phrase_key
from kgscore.studies.perturbing.edits import Change
from kgscore.studies.perturbing.means import Means
from kgscore.studies.perturbing.source import Draft, Line, Source, Unit
from kgscore.studies.perturbing.words import sentence, upper_first

Findings = Sequence[Finding]
# So many wordings of one contrary, and of a whole line, are tried.
_CHOICES, _TRIES = 3, 24
_VERB = re.compile(r"\b(?:is|are|was|were|appears?|remains?|seems?|looks?)\b", re.IGNORECASE)
_COPULA = {"appears": "is", "remains": "is", "seems": "is", "looks": "is", "appear": "are", "remain": "are", "look": "are"}
_PREDICATE = re.compile(r"\s+(?:is|are|was|were|has|have|terminat\w+|ends?|lies?|measur\w+|projects?|extend\w*)\b")
_OTHER_VERB = re.compile(r"\b(?:shows?|demonstrates?|has|have|with|involv\w+)\b")
_CLAUSE = re.compile(r"(?:[;,]\s+(?:(?:and|but|while|whereas|with)\s+)?|\s+(?:and|but|or|with|without|while|whereas)\s+)")
_NEGATION = re.compile(r"\A(?:there (?:is|are) )?(?:no|without|not)\b(?: (?:evidence|signs?) (?:of|for))?\s*", re.IGNORECASE)
_ARTICLE = re.compile(r"\A(?:an?|the|some|any)\s+", re.IGNORECASE)
_DANGLING = re.compile(r"(?:\s+(?:measuring|with|of|in|to|and|by|from|the|an?|up to|about)|[\s,(;-])+\Z")
_PHRASE = re.compile(r"[^,;:.(]*")
_GRADE = re.compile(r"[A-Za-z]\s?\d\Z|\b(?:grade|stage|score|type)\b")
_CONTENT = re.compile(r"\b(?!(?:no|evidence|of|there|is|are|an?)\b)\w+|\bnot\b")


class Statements:
    """Says units of a report again, or turns them round."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.words = means.words

    # ---- lines ---------------------------------------------------------------------------------------------------
    def turn(
        self, draft: Draft, number: int, units: Sequence[Unit], random: Random, kind: str, *, all_are: bool = False
    ) -> Draft | None:
        """Return a draft in which these units of a line, and nothing else, say the contrary; or None where that fails.

        The line must stand in the draft as it stands in the source. Where not `all_are` turned in the end, no denial put in may
        contradict what stays.
        """
        line = draft.source.lines[number]
        told = [unit for unit in units if not self._is_grade(unit)] or list(units)
        choices = [self.contraries(draft.source, line, unit, random) for unit in told]
        if not all(choices):
            return None
        before = self.means.read(draft.version().text).findings if draft.texts else draft.source.reading.findings
        for rest, said in islice(product(self._kept(line, units), product(*choices)), _TRIES):
            for order in ([*rest, *said], [*said, *rest]) if rest else (said,):
                once = {_core(text): text for text in reversed(order)}
                made = draft.with_line(number, " ".join(reversed(once.values())))
                if self._only(before, units, told, made, all_are):
                    texts = dict(zip(map(id, told), said, strict=True))
                    made.changes += [self._change(draft.source, line, unit, texts.get(id(unit), ""), kind) for unit in units]
                    return made
        return None

    def _only(self, before: Findings, units: Sequence[Unit], told: Sequence[Unit], draft: Draft, all_are: bool) -> bool:
        """Whether a draft, read again, has lost these units, says the contrary of those told, and all else as before."""
        after = self.means.read(draft.version().text).findings
        delta = self.means.delta(before, after)
        gone = [finding for unit in units for finding in unit.findings]
        if {self.means.key(finding) for finding in delta.lost} != {self.means.key(finding) for finding in gone}:
            return False
        if len({f.asserts for f in gone}) == 1 and any(finding.asserts == gone[0].asserts for finding in delta.gained):
            return False
        denials = [finding for finding in delta.gained if not finding.asserts]
        if not all_are and any(self.means.clash(one, f) for one in denials for f in after):
            return False  # "no nodule" beside another nodule
        turned = all(self.means.turned(finding, delta.gained) for unit in told for finding in unit.findings)
        return turned and len(delta.gained) <= 2 * len(gone)

    def _kept(self, line: Line, units: Sequence[Unit]) -> Iterator[list[str]]:
        """Yield ways to say what a line says beside these units: nothing, the clauses without them, or unit by unit."""
        rest = [unit for unit in line.units if unit not in units]
        if not rest:
            yield []
            return
        for text in _clauses(line, units):
            yield [sentence(text)]
        yield from map(list, product(*([*islice(self._again(line, unit), 4)] for unit in rest)))

    def _change(self, source: Source, line: Line, unit: Unit, said: str, kind: str) -> Change:
        first = unit.first
        end = min(first.end, line.end)
        became = next((f.concept for f in self._said_there(source, line, said)), None) if said else None
        before = source.text[first.start : end]
        return Change(kind if said else "omission", (first.start, end), before, said, first.concept, became, unit.numbers)

    # ---- one unit ------------------------------------------------------------------------------------------------
    def contraries(self, source: Source, line: Line, unit: Unit, random: Random) -> list[str]:
        """Return sentences that say the contrary of a unit and nothing else, where the line stands; none where none is found."""
        found: dict[frozenset[str], str] = {}
        texts = self._denials(line, unit, random) if unit.asserts else self._assertions(line, unit, random)
        for text in texts:
            said = sentence(text)
            if _core(said) not in found and self._is_contrary(source, line, unit, said):
                found[_core(said)] = said
                if len(found) == _CHOICES:
                    break
        return list(found.values())

    def _is_contrary(self, source: Source, line: Line, unit: Unit, said: str) -> bool:
        """Whether a sentence, read in the place of the line, denies all of the unit, or asserts all of what it denies."""
        found = self._said_there(source, line, said)
        if not found or any(finding.asserts == unit.asserts for finding in found):
            return False
        return all(self.means.turned(finding, found) for finding in unit.findings) and len(found) <= max(2, len(unit.findings))

    def _said_there(self, source: Source, line: Line, said: str) -> list[Finding]:
        text = source.text[: line.start] + said + source.text[line.end :]
        return [f for f in self.means.read(text).findings if line.start <= f.start < line.start + len(said)]

    def _denials(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        """Yield "the heart is normal in size" or "is not enlarged" for "the heart is enlarged", and denials of the noun."""
        for subject in self._subjects(line, unit):
            yield from (f"{subject} {say}" for say in self._normals(unit.first))
            if unit.anchor is not None and self._adjectival(unit):
                yield f"{subject} not {self.words.lower_first(unit.anchor.text)}"
            yield f"{subject} normal"
        own = self._bare(line, unit)
        adjective = self._adjectival(unit) and unit.anchor is not None and own.endswith(unit.anchor.text)
        for name in (*([] if adjective else [own]), *self._named(unit)):
            frames = self.means.lists["frames"]["denied"]
            yield from (frame.format(np=self.words.lower_first(name)) for frame in random.sample(frames, len(frames)))

    def _assertions(self, line: Line, unit: Unit, random: Random) -> Iterator[str]:
        """Yield "the lungs are opacified" for "the lungs are clear", what a negation stands before, and the finding named."""
        for subject in self._subjects(line, unit):
            said = line.words_of(unit)
            yield from (f"{subject} {opposite}" for opposite in self._opposites(unit))
            yield f"{re.sub(r' not$', '', subject)} {_NEGATION.sub('', said)}"
            if unit.first.status == "normal":
                yield f"{subject} abnormal"
        own = _ARTICLE.sub("", _PREDICATE.split(_NEGATION.sub("", line.words_of(unit)))[0])
        if unit.first.status == "normal":
            yield re.sub(r"\bno\s+(\w)", r"an \1", line.text, flags=re.IGNORECASE)
        names = [own, f"bilateral {own}"][: len(unit.findings)] if unit.first.status == "absent" else []
        for name in (*names, *self._named(unit)):
            frames = self.means.lists["frames"]["asserted"]
            lowered = self.words.lower_first(name)
            yield from (f.format(np=lowered, Np=upper_first(lowered)) for f in random.sample(frames, len(frames)))
        if unit.first.status == "absent":  # "shows no …": without its negation
            yield re.sub(r"\b(?:no|not)\s+", "", line.text, flags=re.IGNORECASE)

    def _again(self, line: Line, unit: Unit) -> Iterator[str]:
        """Yield sentences that may say a unit as it was said, by itself."""
        said, finding = line.words_of(unit), unit.first
        yield from (sentence(f"{subject} {said}") for subject in self._subjects(line, unit))
        denial = "" if finding.asserts or finding.status == "normal" or _NEGATION.match(said) else "No "
        tail = f", {'unchanged' if finding.change == 'stable' else finding.change}" if finding.change else ""
        own = f"{denial}{self.words.lower_first(said) if denial else said}"
        yield from (sentence(f"{own}{end}") for end in dict.fromkeys((tail, "")))
        details = " ".join(dict.fromkeys(d.text for d in finding.details))
        yield from (sentence(f"{denial}{details} {name}{tail}".lstrip()) for name in self._named(unit))

    # ---- words ---------------------------------------------------------------------------------------------------
    def _subjects(self, line: Line, unit: Unit) -> list[str]:
        """Return what a predicate is said of, with its verb ("The heart is"), where the words of a unit are one: all that stands
        before them in the line, and the last clause of it."""
        at = max(unit.first.start - line.start, 0)
        if unit.anchor is not None and unit.anchor.start < unit.first.end:
            at = max(at, unit.anchor.start - line.start)
        inside = _VERB.match(line.text, at)
        verb = inside or next(reversed([*_VERB.finditer(line.text, 0, at)]), None)
        stop = verb.start() if verb else at
        before = line.text[:stop]
        held = any(e.type != "descriptor" and e is not unit.anchor and e.end - line.start <= stop for e in line.entities)
        if before.strip().lower() == "there" or not (held or (line.label and not before.strip())):
            return []
        if not verb and (_OTHER_VERB.search(before) or (line.text[: max(unit.first.start - line.start, 0)].strip() == ""
                         and unit.anchor is not None and unit.anchor.type != "descriptor")):
            return []
        copula = _COPULA.get(verb[0].lower(), verb[0]) if verb else ""
        negated = " not" if re.search(r"\bnot\s*\Z", line.text[:at]) else ""
        cuts = [0, *(m.end() for m in _CLAUSE.finditer(before.rstrip()))]
        return list(dict.fromkeys(f"{before[cut:].strip(' ,')} {copula}{negated}".strip() for cut in (cuts[-1], 0)))

    def _bare(self, line: Line, unit: Unit) -> str:
        """Return the words of a unit without its descriptors but those of age: "no infarct" does not deny an old one."""
        first, last = unit.first.start, unit.first.end
        if len(line.units) == 1 and not _VERB.search(line.text, 0, max(first - line.start, 0)):
            # A phrase alone is all of one finding, whatever words of it the reader took: "Enlarged right hilar lymph nodes."
            first = line.start
            last = last if _VERB.search(line.text) else max(last, line.start + len(_PHRASE.match(line.text)[0]))  # type: ignore[index]
        after = _PREDICATE.search(line.text, max((unit.anchor.end if unit.anchor else first) - line.start, 0))
        last = min(last, line.start + after.start()) if after else last
        out = line.text[max(first - line.start, 0) : last - line.start]
        for entity in reversed(line.entities):
            kept = self.means.index.is_a(entity.concept, "temporality") or entity is unit.anchor
            if first <= entity.start and entity.end <= last and entity.type == "descriptor" and not kept:
                out = out[: entity.start - first] + out[entity.end - first :]
        for detail in unit.first.details:
            if not self.means.index.is_a(detail.value or "", "temporality"):
                out = re.sub(rf"\b{re.escape(detail.text)}(?![\w-])", "", out, flags=re.IGNORECASE)
        said = _ARTICLE.sub("", _DANGLING.sub("", " ".join(out.split())).lstrip(" ,-"))
        return said or line.words_of(unit)

    def _named(self, unit: Unit) -> Iterator[str]:
        """Yield names of a unit by the ontology, with side and site."""
        finding = unit.first
        if finding.concept is None or finding.concept in ("procedure", "device", "finding") or self._is_grade(unit):
            return
        name = self.means.index.label(finding.concept)
        sides = {f.side for f in unit.findings}
        side = finding.side if len(sides) == 1 else "bilateral"
        index = self.means.index
        usual = {*index.sites_implied(finding.concept), *index.soft_sites.get(finding.concept, ())}
        head, of, whole = name.partition(" of ")
        alone = (f"{head} of the {side} {whole.removeprefix('the ')}" if of else f"{side} {name}") if side else name
        placed = [f"{name} in {self.words.place(site, side)}" for site in finding.sites[:1]]
        if len(sides) > 1:
            placed = [f"bilateral {index.label(site)} {name}" for site in finding.sites[:1]]
        yield from (alone, *placed) if set(finding.sites) <= usual else (*placed, alone)

    def _is_grade(self, unit: Unit) -> bool:
        """Whether a unit is a grade of another finding ("LI-RADS 5"), which vanishes with it."""
        return unit.first.concept is not None and _GRADE.search(self.means.index.label(unit.first.concept)) is not None

    def _adjectival(self, unit: Unit) -> bool:
        """Whether the words that name a unit are an adjective or participle ("enlarged"), not a noun."""
        term = self.words.terms.get(unit.anchor.concept) if unit.anchor else None
        return term is not None and unit.anchor is not None and not self.words.is_name(term, unit.anchor.text)

    def _normals(self, finding: Finding) -> list[str]:
        """Return normal predicates that deny a finding and are said of its site (polarity axioms of the ontology)."""
        index, site = self.means.index, finding.sites[0] if finding.sites else None
        classes = index.derived(finding.concept, finding.sites) if finding.concept in index.concepts else frozenset()
        rows = [row["say"] for row in self.means.lists["normals"] if self._said_of(row, site)]
        denied = ((self.means.denied_at(say, site), say) for say in rows)
        return [say for name, say in denied if name in classes and name != index.role("any_abnormality")][:_CHOICES]

    def _opposites(self, unit: Unit) -> list[str]:
        """Return what the lists have for the contrary of normal words."""
        site = unit.first.sites[0] if unit.first.sites else None
        own = self._ids(unit.anchor.text) | {unit.anchor.concept} if unit.anchor else set()
        rows = (row for row in self.means.lists["normals"] if self._said_of(row, site) and own & self._ids(row["say"]))
        return list(dict.fromkeys(word for row in rows for word in row["opposites"]))

    def _said_of(self, row: dict[str, list[str]], site: str | None) -> bool:
        return "of" not in row or (site is not None and self.means.index.inside_any(site, row["of"]))

    def _ids(self, phrase: str) -> set[str]:
        return {entry.id for entry in self.means.lexicon.lookup(phrase_key(phrase)) if entry.type == NORMAL}


def _clauses(line: Line, units: Sequence[Unit]) -> Iterator[str]:
    """Yield what is left of a line without the clauses of some of its units, and the same as a denial if the line begins so."""
    cuts = [0, *(m.end() for m in _CLAUSE.finditer(line.text)), len(line.text)]
    starts = {unit.first.start - line.start for unit in units}
    stays = {unit.first.start - line.start for unit in line.units if unit not in units}
    parts = list(pairwise(cuts))
    gone = [any(a <= at < b for at in starts) for a, b in parts]
    if any(lost and any(a <= at < b for at in stays) for (a, b), lost in zip(parts, gone, strict=True)):
        return
    left = [line.text[a:b] for (a, b), lost in zip(parts, gone, strict=True) if not lost]
    said = re.sub(r"[\s,;.]*(?:\b(?:and|or|but|with|without|while|whereas)\s*)?\Z", "", "".join(left))
    if said:
        if gone[0] and _NEGATION.match(line.text):
            yield f"No {said}"
        yield _ARTICLE.sub("", said)


def _core(text: str) -> frozenset[str]:
    """Return the words of a sentence without those that only frame it."""
    return frozenset(_CONTENT.findall(text.lower()))
