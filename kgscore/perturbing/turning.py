"""Findings turned into their contrary: one of a sentence that says several, or all that a sentence says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from random import Random

from kgscore.model import Finding
from kgscore.perturbing.edits import Change
from kgscore.perturbing.english import sentence
from kgscore.perturbing.means import Means
from kgscore.perturbing.phrases import without
from kgscore.perturbing.source import Draft, Line, Source, Unit
from kgscore.perturbing.statements import Statements, core

Findings = Sequence[Finding]
# So many ways to word what a sentence keeps are tried.
_TRIES = 12


@dataclass(frozen=True, slots=True)
class Part:
    """The findings of a unit that are turned: all, or those of one side."""

    unit: Unit
    findings: tuple[Finding, ...]
    numbers: tuple[int, ...]

    def alone(self) -> Unit:
        """Return the part as a unit of its own."""
        return Unit(self.findings, self.numbers, self.unit.anchor)


def parts_of(unit: Unit) -> list[Part]:
    """Return each finding of a unit by itself."""
    return [Part(unit, (f,), (n,)) for f, n in zip(unit.findings, unit.numbers, strict=True)]


class Turner:
    """Turns findings round and tests the outcome by reading the report again."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.statements = Statements(means)

    def turn(
        self, draft: Draft, number: int, parts: Sequence[Part], random: Random, kind: str, *, all_are: bool = False
    ) -> Draft | None:
        """Return a draft in which these parts of a line, and nothing else, say the contrary; or None where that fails.

        The line must stand in the draft as it stands in the source. Where not `all_are` turned in the end, no denial put in may
        contradict what stays.
        """
        line = draft.source.lines[number]
        grades = [part for part in parts if self.statements.is_grade(part.unit)]
        told = [part for part in parts if part not in grades] or list(parts)
        grades = [part for part in grades if part not in told]
        choices = [self.statements.contraries(draft, number, part.alone(), random) for part in told]
        if not all(choices):
            return None
        before = self.means.read(draft.version().text).findings if draft.texts else draft.source.reading.findings
        gone = [finding for part in parts for finding in part.findings]
        kept = list(islice(self._kept(line, parts), _TRIES))
        for rest, said in islice(product(kept, product(*choices)), _TRIES * 2):
            for order in ([*rest, *said], [*said, *rest]) if rest else (said,):
                made = draft.with_line(number, " ".join(_once(order)))
                if self._only(before, gone, [f for part in told for f in part.findings], made, all_are):
                    changed = [(part, text, kind) for part, text in zip(told, said, strict=True)]
                    changed += [(part, "", "omission") for part in grades]
                    made.changes += [self._change(draft.source, line, *one) for one in changed]
                    return made
        return None

    def _only(self, before: Findings, gone: Findings, told: Findings, draft: Draft, all_are: bool) -> bool:
        """Whether a draft, read again, has lost these findings, says the contrary of those told, and all else as before."""
        after = self.means.read(draft.version().text).findings
        delta = self.means.delta(before, after)
        if {self.means.key(finding) for finding in delta.lost} != {self.means.key(finding) for finding in gone}:
            return False
        if any(finding.asserts == gone[0].asserts for finding in delta.gained) and len({f.asserts for f in gone}) == 1:
            return False
        denials = [finding for finding in delta.gained if not finding.asserts]
        if all_are or not any(self.means.clash(one, f) for one in denials for f in after):
            return all(self.means.turned(finding, delta.gained) for finding in told) and len(delta.gained) <= 2 * len(gone)
        return False  # "no nodule" beside another nodule

    def _kept(self, line: Line, parts: Sequence[Part]) -> Iterator[list[str]]:
        """Yield ways to say what a line says beside these parts: nothing, its own words without theirs, or statement by
        statement."""
        touched = [part.unit for part in parts]
        rest: list[tuple[Unit, tuple[Finding, ...]]] = []
        for unit in line.units:
            numbers = {n for part in parts if part.unit is unit for n in part.numbers}
            left = tuple(f for f, n in zip(unit.findings, unit.numbers, strict=True) if n not in numbers)
            if left:
                rest.append((unit, left))
        if not rest:
            yield []
            return
        if not any(unit in touched for unit, _ in rest):
            for text in without(line, tuple(touched)):
                yield [sentence(text)]
        ways = [list(dict.fromkeys(self.statements.again(line, unit, left)))[:4] for unit, left in rest]
        if all(ways):
            yield from (list(chosen) for chosen in product(*ways))

    def _change(self, source: Source, line: Line, part: Part, said: str, kind: str) -> Change:
        first, anchor = part.findings[0], part.unit.anchor
        start, end = first.start, min(max(first.end, anchor.end if anchor else 0), line.end)
        became = next((f.concept for f in self.statements.said_there(source, line, said)), None)
        return Change(kind, (start, end), source.text[start:end], said, first.concept, became, part.numbers)


def _once(texts: Sequence[str]) -> list[str]:
    """Return sentences without those that only frame again what an earlier one says."""
    kept: dict[frozenset[str], str] = {}
    for text in texts:
        kept.setdefault(core(text), text)
    return list(kept.values())
