"""SSREE from any report (RadSEM 4.2): L1 says the same in other words and another order; in L2, L3 and L4 one, two and all
abnormal findings are made normal; in L5 every statement is inverted. All levels are reworded and reordered."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from kgscore.perturbing.edits import Version
from kgscore.perturbing.means import Means
from kgscore.perturbing.outcome import Unfit
from kgscore.perturbing.rewording import Rewording
from kgscore.perturbing.source import Draft, Source
from kgscore.perturbing.turning import Part, Turner, parts_of

LEVELS = ("L1", "L2", "L3", "L4", "L5")
ABNORMAL, NORMAL = 3, 1
Choice = tuple[int, Part]


class Ssree:
    """Makes the five levels of a report."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.turner = Turner(means)
        self.rewording = Rewording(means)

    def make(self, source: Source, seed: str) -> dict[str, Any]:
        """Return the five levels by name, the notes of what was turned, and the record of every change.

        Raises:
            Unfit: the report says too little, or something in it cannot be turned.
        """
        turned = [f for line in source.lines for unit in line.units for f in unit.findings]
        abnormal = sum(finding.asserts for finding in turned)
        if abnormal < ABNORMAL:
            raise Unfit(f"{abnormal} abnormal findings were read; levels 2 to 4 take {ABNORMAL}")
        if len(turned) - abnormal < NORMAL:
            raise Unfit("no normal or negated statement was read; level 5 takes one")
        drafts = self._drafts(source, seed)
        versions = {level: self._finished(draft, f"{seed} {level}") for level, draft in drafts.items()}
        if len({version.text for version in versions.values()} | {source.text}) <= len(LEVELS):
            raise Unfit("two levels would be the same text; the report has too few words that can be changed")
        return {
            **{level: version.text for level, version in versions.items()},
            "edited": {level: _notes(drafts[level]) for level in ("L2", "L3")},
            "changed": {level: version.as_json() for level, version in versions.items()},
        }

    def _finished(self, draft: Draft, seed: str) -> Version:
        """Return a level in other words and another order."""
        random = Random(seed)
        return self.rewording.reordered(self.rewording.reworded(draft, random), random).version()

    def _drafts(self, source: Source, seed: str) -> dict[str, Draft]:
        plain = Draft(source)
        one, first = self._one(plain, (), seed)
        two, _ = self._one(one, (first,), seed)
        asserted = self._all(plain, f"{seed} L4", inverted=False)
        return {"L1": plain, "L2": one, "L3": two, "L4": asserted, "L5": self._all(plain, f"{seed} L5", inverted=True)}

    def _one(self, draft: Draft, done: Sequence[Choice], seed: str) -> tuple[Draft, Choice]:
        """Return a draft with one abnormal finding more made normal: of a line that stands as it was, else together with the one
        of its own line."""
        random = Random(f"{seed} which")
        choices = [
            (number, part)
            for number, line in enumerate(draft.source.lines) for unit in line.units if unit.asserts for part in parts_of(unit)
        ]  # fmt: skip
        random.shuffle(choices)
        choices.sort(key=lambda choice: len(choice[1].unit.findings))  # whole findings before one of two sides
        for number, part in choices:
            if any(part.numbers == other.numbers for _, other in done):
                continue
            if number not in draft.texts:
                made = self.turner.turn(draft, number, [part], random, "false_negation")
            else:
                both = [other for at, other in done if at == number]
                made = self.turner.turn(Draft(draft.source), number, [*both, part], random, "false_negation")
            if made is not None:
                return made, (number, part)
        raise Unfit(f"{'no' if not done else 'only one'} abnormal finding can be made normal by itself")

    def _all(self, draft: Draft, seed: str, *, inverted: bool) -> Draft:
        """Return a draft with all abnormal findings made normal, and with `inverted` all others abnormal."""
        random = Random(seed)
        for number, line in enumerate(draft.source.lines):
            parts = [Part(unit, unit.findings, unit.numbers) for unit in line.units if unit.asserts or inverted]
            if not parts:
                continue
            made = self.turner.turn(draft, number, parts, random, "inversion" if inverted else "false_negation", all_are=True)
            if made is None:
                what = "a statement cannot be inverted" if inverted else "an abnormal finding cannot be made normal"
                numbers = ", ".join(str(n) for part in parts for n in part.numbers)
                raise Unfit(f"{what} (sentence {number + 1}, findings {numbers})")
            draft = made
        return draft


def _notes(draft: Draft) -> list[str]:
    """Return a note a finding that was turned."""
    return [f"{change.before} -> {change.after}" for change in draft.changes]
