"""Errors in a report: word-level errors, and whole statements omitted, reversed, invented or repeated; typing slips."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from random import Random
from typing import Any

from kgscore.lab.perturbing.edits import apply_edits
from kgscore.lab.perturbing.errors import Error, WordErrors
from kgscore.lab.perturbing.means import Delta, Means, sentence
from kgscore.lab.perturbing.rewording import Rewording
from kgscore.lab.perturbing.source import Draft, Source, findings_of
from kgscore.lab.perturbing.statements import Statements
from kgscore.model import Finding
from kgscore.ontology.modules import shipped_names

_TRIES = 8
_WORD = re.compile(r"\b[a-z]{6,}\b")


class Inserter:
    """Inserts errors of known kinds into a report, each in a line of its own that is unchanged in the draft."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.statements, self.rewording = Statements(means), Rewording(means)
        self.kinds: dict[str, Error] = {
            **WordErrors(means).kinds,
            "omission": self._omission,
            "false_negation": partial(self._invert, kind="false_negation", category=2),
            "false_positive": partial(self._invert, kind="false_positive", category=1),
            "false_prediction": partial(self._invent, kind="false_prediction", texts=self._inventions),
            "add_device": partial(self._invent, kind="add_device", texts=partial(self._listed_inventions, rows="false_devices")),
            "contradiction": self._contradiction,
            "repetition": self._repetition,
            "typo": self._typo,
            "homophone": self._homophone,
        }

    def insert(self, draft: Draft, kinds: Sequence[str], wanted: int, seed: str) -> Draft:
        """Return a draft with so many errors, or as many as possible: kinds are drawn evenly, at most one error a line."""
        random = Random(seed)
        left = list(kinds)
        while left and len(draft.changes) < wanted:
            kind = random.choice(left)
            taken = {*draft.texts, *(number for number, _ in draft.added)}
            free = [n for n, line in enumerate(draft.source.lines) if n not in taken and line.units]
            drafts = (self.kinds[kind](draft, number, random) for number in random.sample(free, len(free)))
            made = next((one for one in drafts if one is not None), None)
            if made is None:
                left.remove(kind)
            else:
                draft = made
        return draft

    def _omission(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Omit a line that reports something abnormal, if another line remains."""
        line = draft.source.lines[number]
        others = any(n != number and draft.line(n) and other.units for n, other in enumerate(draft.source.lines))
        findings = findings_of(line.units)
        abnormal = [f for f in findings if f.asserts]
        made = draft.with_line(number, "")
        if not others or not abnormal:
            return None
        delta = self._delta(draft, made)
        if delta.gained or self.means.keys(delta.lost) != self.means.keys(findings):
            return None
        graded: dict[str, Any] = {"categories": (2,), "severity": max(self.means.severity(f, (2,)) for f in abnormal)}
        made.changes.append(line.change("omission", "", concept_before=abnormal[0].concept, findings=line.numbers, **graded))
        return made

    def _invert(self, draft: Draft, number: int, random: Random, kind: str, category: int) -> Draft | None:
        """Make an abnormal finding normal (category 2), or assert a negated one."""
        units = [unit for unit in draft.source.lines[number].units if unit.asserts == (category == 2)]
        for unit in random.sample(units, len(units)):
            made = self.statements.turn(draft, number, [unit], random, kind)
            if made is not None:
                severity = self._severity(unit.findings, category)
                made.changes.append(replace(made.changes.pop(), kind=kind, categories=(category,), severity=severity))
                return made
        return None

    def _severity(self, findings: Sequence[Finding], category: int) -> int:
        """Return the severity of findings missed (category 2), or wrongly asserted: that of the negated class."""
        said = (f if category == 2 else replace(f, status="present", details=()) for f in findings)
        return max(self.means.severity(finding, (category,)) for finding in said)

    # ---- inventions ----------------------------------------------------------------------------------------------
    def _inventions(self, source: Source, random: Random) -> Iterator[str]:
        """Yield findings to invent: in a user's own module relatives of reported ones, and those listed for the region."""
        own = [f for f in source.reading.findings if f.asserts and self._module(f) not in ("", *shipped_names())]
        for finding in random.sample(own, len(own)):
            concept = finding.concept or ""
            kin = self.means.words.siblings(concept, self.means.index.label(concept))
            place = f" in {self.means.words.place(finding.sites[0], finding.side)}" if finding.sites else ""
            yield from (f"{text}{place}" for text in random.sample(kin, len(kin)))
        yield from self._listed_inventions(source, random, "false_findings")

    def _listed_inventions(self, source: Source, random: Random, rows: str) -> Iterator[str]:
        lists = self.means.lists[rows]
        regions = Counter(self._module(f) for f in source.reading.findings if f.concept)
        texts = next((lists[name] for name, _ in regions.most_common() if name in lists), ())
        for text in random.sample(texts, len(texts)):
            yield text.format(side=random.choice(("left", "right")))

    def _module(self, finding: Finding) -> str:
        concept = self.means.index.concepts.get(finding.concept or "")
        return concept.module if concept else ""

    def _invent(
        self, draft: Draft, number: int, random: Random, kind: str, texts: Callable[[Source, Random], Iterator[str]]
    ) -> Draft | None:
        """Return a draft with an invented finding after a line: one that the report neither asserts nor negates."""
        line, known = draft.source.lines[number], draft.source.reading.findings
        for text in islice(texts(draft.source, random), _TRIES if line.section != "silent" else 0):
            made, delta = self._add_sentence(draft, number, sentence(text))
            new = delta.gained
            named = bool(new) and not delta.lost and all(f.asserts and f.concept is not None for f in new)
            if named and not any(self.means.agrees(f, known) or self.means.turned(f, known) for f in new):
                graded: dict[str, Any] = {"categories": (1,), "severity": max(self.means.severity(f, (1,)) for f in new)}
                made.changes.append(line.change(kind, sentence(text), len(line.text), concept_after=new[0].concept, **graded))
                return made
        return None

    def _contradiction(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Add the opposite of a line with one statement after it."""
        line = draft.source.lines[number]
        for unit in line.units if len(line.units) == 1 else ():
            for said in self.statements.inversions(draft.source, line, unit, random)[:1]:
                made, delta = self._add_sentence(draft, number, said)
                if not delta.lost and self.means.all_turned(unit.findings, delta.gained):
                    category = 2 if unit.asserts else 1
                    told: dict[str, Any] = {
                        "concept_before": unit.first.concept, "concept_after": delta.gained[0].concept, "findings": unit.numbers,
                        "categories": (category,), "severity": self._severity(unit.findings, category),
                    }  # fmt: skip
                    made.changes.append(line.change("contradiction", said, len(line.text), **told))
                    return made
        return None

    # ---- slips ---------------------------------------------------------------------------------------------------
    def _repetition(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Repeat a line, in other words if there are any."""
        line = draft.source.lines[number]
        others = frozenset(range(len(draft.source.lines))) - {number}
        said = sentence(self.rewording.reworded(Draft(draft.source), random, frozen=others).line(number))
        made, delta = self._add_sentence(draft, number, said)
        if delta.lost or delta.gained:
            return None
        made.changes.append(line.change("repetition", said, len(line.text), findings=line.numbers))
        return made

    def _typo(self, draft: Draft, number: int, random: Random) -> Draft | None:
        words = list(_WORD.finditer(draft.source.lines[number].text))
        if not words:
            return None
        word = random.choice(words)
        at = random.randrange(1, len(word[0]) - 2)
        return _slip(draft, number, word, word[0][:at] + word[0][at + 1] + word[0][at] + word[0][at + 2 :], "typo")

    def _homophone(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Replace a word by one that sounds like it."""
        alike = self.means.lists["homophones"]
        words = list(re.finditer(rf"\b(?:{'|'.join(alike)})\b", draft.source.lines[number].text))
        word = random.choice(words) if words else None
        return _slip(draft, number, word, alike[word[0]], "homophone") if word else None

    def _add_sentence(self, draft: Draft, number: int, text: str) -> tuple[Draft, Delta]:
        """Return a draft with a sentence added after a line, and the change in its reading."""
        made = draft.copy()
        if not draft.line(number).endswith((".", "!", "?")):
            made.texts[number] = f"{draft.source.lines[number].text.rstrip(' ;,')}."
        made.added.append((number, text))
        return made, self._delta(draft, made)

    def _delta(self, draft: Draft, made: Draft) -> Delta:
        return self.means.delta(self.means.read(draft.text).findings, self.means.read(made.text).findings)


def _slip(draft: Draft, number: int, word: re.Match[str], new: str, kind: str) -> Draft | None:
    line = draft.source.lines[number]
    text = apply_edits(line.text, [line.edit(*word.span(), new)])
    return None if new == word[0] else draft.with_line(number, text, [line.change(kind, new, *word.span())])
