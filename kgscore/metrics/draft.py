"""The corrections of one pair, line by line, from its graded differences: where each belongs, and the new text.

Lines that the reference has word for word are left alone, and so are its sentences that the candidate has word for word.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kgscore.clinical.rules import LOW
from kgscore.matching.axes import sides_meet
from kgscore.matching.relatedness import Relatedness
from kgscore.metrics.base import Matched
from kgscore.metrics.comparison import OMITTED
from kgscore.metrics.differences import Difference
from kgscore.metrics.doubt import content_words
from kgscore.metrics.lines import Line, Read, edits, line_at, lines_of, passages, wording
from kgscore.model import Correction, Finding
from kgscore.reading.sections import IMPRESSION

_REXVAL = range(1, 7)


@dataclass(frozen=True, slots=True)
class Graded:
    """A difference with its severity, 1 to 4."""

    difference: Difference
    severity: int


_ByLine = Mapping[int, Sequence[Graded]]


class Draft:
    """The corrections of one pair; `findings` are those of the reference and the candidate that are compared, and `links` the
    positions of those that agree."""

    def __init__(
        self, kinship: Relatedness, pair: Matched, lines: Sequence[Line], read: Read | None,
        findings: tuple[Sequence[Finding], Sequence[Finding]], links: Collection[tuple[int, int]],
    ) -> None:  # fmt: skip
        self.kinship, self.pair, self.lines, self.read = kinship, pair, lines, read
        self.left, self.right = findings
        self.reference_lines = lines_of(pair.reference_text)
        self.sentences = [line_at(self.reference_lines, one.start) for one in self.left]
        self.ours, self.theirs = _texts(pair.reference_text, self.reference_lines), _texts(pair.candidate_text, lines)
        self.kept, self.origins = edits(self.theirs, self.ours, content_words)
        self.settled = frozenset(self.kept.values())
        self.saying = {*self.kept, *(line_at(lines, one.start) for one in self.right if lines)}
        self.partners: dict[int, list[int]] = defaultdict(list)
        for i, j in sorted(links):
            self.partners[j].append(i)
        self.placed: set[str] = set()  # what earlier corrections write

    def corrections(self, graded: Iterable[Graded]) -> list[Correction]:
        """Return one correction per line that differs, and one per omitted sentence of the reference."""
        by_line: dict[int, list[Graded]] = defaultdict(list)
        left_out: dict[int, list[Graded]] = defaultdict(list)
        used: dict[int | None, int] = {}
        for one in graded:
            sentence, number = self._sentence(one.difference.reference), self._line(one.difference.candidate)
            if number is not None:
                by_line[number].append(one)
                used.setdefault(sentence, number)
            elif sentence is not None:
                left_out[sentence].append(one)
        # Omitted parts of a sentence go to the line with the rest of it: one that is rewritten anyway, or that states it.
        used |= {sentence: number for number, sentence in self.origins.items() if number in by_line}
        for sentence, those in sorted(left_out.items()):
            place = used.get(sentence, self._line_that_says(sentence, those))
            place = self._line_instead(those, by_line) if place is None else place
            if place is not None:
                by_line[place] += left_out.pop(sentence)
        found = [self._changed(number, by_line) for number in sorted(by_line)]
        found = sorted((*found, *self._repeated(found)), key=lambda one: one.line or 0)
        return found + [self._inserted(those) for _, those in sorted(left_out.items())]

    # ---- where a difference belongs ------------------------------------------------------------------------------
    def _sentence(self, reference: int | None) -> int | None:
        """Return the line of a finding of the reference, None if the candidate has it word for word."""
        number = None if reference is None else self.sentences[reference]
        return None if number in self.settled else number

    def _line(self, candidate: int | None) -> int | None:
        """Return the line of a finding of the candidate: of one that the reference has word for word the next, if that only says
        more of it ("Increased since then."), or else None."""
        if candidate is None:
            return None
        number = line_at(self.lines, self.right[candidate].start)
        if number not in self.kept:
            return number
        return number + 1 if number + 1 < len(self.lines) and number + 1 not in self.saying else None

    def _line_that_says(self, sentence: int, graded: Sequence[Graded]) -> int | None:
        """Return the line of the candidate that states the rest of a sentence, if both are assertions."""
        if not any(self.left[i].asserts for i in _references(graded)):
            return None
        for j, partners in sorted(self.partners.items()):
            if self.right[j].asserts and any(self._sentence(i) == sentence for i in partners):
                return self._line(j)
        return None

    def _line_instead(self, graded: Sequence[Graded], by_line: _ByLine) -> int | None:
        """Return the line to be deleted that asserts something else of the same place and side as a finding left out, or of the
        same side if one of them has no place."""
        missed = [self.left[i] for i in _references(graded) if self.left[i].asserts]
        for number, others in sorted(by_line.items()):
            invented = [self.right[j] for one in others if (j := one.difference.candidate) is not None]
            if not _references(others) and any(self._same_place(a, b) for a in missed for b in invented if b.asserts):
                return number
        return None

    def _same_place(self, a: Finding, b: Finding) -> bool:
        return sides_meet(a, b) and not (a.sites and b.sites and self.kinship.relator.axes.sites(a.sites, b.sites) is None)

    def _line_before(self, graded: Sequence[Graded]) -> int | None:
        """Return the line that an omitted sentence follows: the last one about what shares the most enclosing structures with it,
        outside the impression if there is one; None if the candidate has no finding."""
        index = self.kinship.index
        body, within = index.role("whole_body"), index.within
        around = {place for i in _references(graded) for site in self.left[i].sites for place in within.get(site, ())}
        around = {place for place in around if place != body and index.inside(place, body)}
        told = [one for one in self.right if one.section != IMPRESSION] or self.right
        shared = [(max((len(around & within.get(site, set())) for site in one.sites), default=0), one.start) for one in told]
        return line_at(self.lines, max(shared)[1]) if shared else None

    # ---- what is written -----------------------------------------------------------------------------------------
    def _changed(self, number: int, by_line: _ByLine) -> Correction:
        """Return the correction of a line: the reference's findings in place of its wrong ones, and those of its correct ones,
        from the line that it stands for if possible, and not from one for which another corrected line stands."""
        graded = by_line[number]
        elsewhere = {k for line, k in self.origins.items() if line != number and line in by_line}
        wanted = {i for i in self._wanted(number, graded) if self._sentence(i) not in elsewhere}
        text = self._text(number, wanted or self._normal_instead(graded, elsewhere))
        return self._correction(number, text, graded, wanted)

    def _inserted(self, graded: Sequence[Graded]) -> Correction:
        wanted = set(_references(graded))
        made = self._correction(None, self._text(None, wanted), graded, wanted)
        return replace(made, line=self._line_before(graded), action="insert")

    def _wanted(self, number: int, graded: Sequence[Graded]) -> set[int]:
        """Return the reference's findings for a line: those of its differences, and those of its correct findings, from other
        sentences only what these do not name."""
        wanted, wrong = set(_references(graded)), {one.difference.candidate for one in graded}
        sentences = {self._sentence(i) for i in wanted} | {self.origins.get(number)}
        told = {self._named(i) for i in range(len(self.left)) if self._sentence(i) in sentences}
        for i in (i for j, partners in self.partners.items() if j not in wrong and self._line(j) == number for i in partners):
            if self._sentence(i) in sentences or self._named(i) not in told:
                wanted.add(i)
                told.add(self._named(i))
        return wanted

    def _named(self, reference: int) -> tuple[str | None, str | None]:
        return self.left[reference].concept, self.left[reference].side

    def _normal_instead(self, graded: Sequence[Graded], elsewhere: Collection[int]) -> set[int]:
        """Return the findings of the normal sentence of the reference that the candidate does not say and that shares most words
        with the names and places of invented findings, if any."""
        invented = [self.right[j] for one in graded if (j := one.difference.candidate) is not None]
        names = content_words(" ".join(word for one in invented for word in (one.text, one.label, *one.sites)).replace("_", " "))
        said = {i for partners in self.partners.values() for i in partners}
        taken = {*elsewhere, *self.settled, *(self.sentences[i] for i, one in enumerate(self.left) if one.asserts or i in said)}
        shared = [(len(names & content_words(self.ours[k])), -i) for i, k in enumerate(self.sentences) if k not in taken]
        most, best = max(shared, default=(0, 0))
        return {-best} if most else set()

    def _text(self, number: int | None, wanted: Collection[int]) -> str:
        """Return the words of the reference for a line (None: an insertion), without those of earlier corrections. Its origin is
        taken whole; other sentences are cut down to the wanted findings if another line of the candidate has the rest."""
        origin = None if number is None else self.origins.get(number)
        rest = {i for j, partners in self.partners.items() if self._line(j) != number for i in partners}.difference(wanted)
        apart = {self._sentence(i) for i in rest} - {origin}
        parts: dict[int | None, list[Finding]] = {origin: []}
        for i in sorted(wanted):
            sentence = self._sentence(i)
            parts.setdefault(sentence, []).extend([self.left[i]] if sentence in apart else [])
        whole = {sentence: findings for sentence, findings in parts.items() if sentence is not None}
        texts = passages(self.pair.reference_text, self.reference_lines, whole, self.read)
        new = [text for text in texts if text not in self.placed]
        self.placed.update(new)
        return ". ".join(new)

    def _repeated(self, found: Sequence[Correction]) -> list[Correction]:
        """Return the deletions of lines that repeat, in the same words, a line that is corrected."""
        wrong = {wording(one.old_text): one for one in found}
        taken = {one.line for one in found}
        return [
            replace(
                wrong[said], line=number, action="delete", new_text="", severity=LOW, spans=((line.start, line.end), None),
                comment=f"repeats line {wrong[said].line}",
            )
            for number, line in enumerate(self.lines)
            if number not in taken and (said := wording(self.theirs[number])) in wrong
        ]  # fmt: skip

    def _correction(self, line: int | None, text: str, graded: Sequence[Graded], wanted: Collection[int]) -> Correction:
        categories = tuple(sorted(set().union(*(one.difference.categories for one in graded))))
        old = "" if line is None else self.theirs[line]
        place = None if line is None else (self.lines[line].start, self.lines[line].end)
        return Correction(
            line, "substitute" if text else "delete", text, max(one.severity for one in graded),
            tuple(filter(_REXVAL.__contains__, categories)),
            "; ".join(dict.fromkeys(self._comment(one.difference) for one in graded)),
            tuple(dict.fromkeys(proof for one in graded for proof in one.difference.proof if proof)),
            categories, old, (place, _span([self.left[i] for i in wanted])),
        )  # fmt: skip

    def _comment(self, found: Difference) -> str:
        meant = None if found.reference is None else self.left[found.reference]
        shown = None if found.candidate is None else self.right[found.candidate]
        about = meant if meant is not None and (shown is None or OMITTED in found.categories) else shown
        assert about is not None
        return f"{f'{about.side} ' if about.side else ''}{about.label}: {found.why}"


def _references(graded: Sequence[Graded]) -> list[int]:
    return [one.difference.reference for one in graded if one.difference.reference is not None]


def _texts(text: str, lines: Sequence[Line]) -> list[str]:
    return [text[start:end] for start, end in lines]


def _span(findings: Sequence[Finding]) -> tuple[int, int] | None:
    return (min(f.start for f in findings), max(f.end for f in findings)) if findings else None
