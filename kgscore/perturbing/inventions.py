"""Errors that are whole statements: left out, turned round, invented, said twice; and slips of the pen."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from random import Random

from kgscore.model import Finding
from kgscore.ontology.modules import shipped_names
from kgscore.perturbing.edits import Change
from kgscore.perturbing.english import sentence, with_article
from kgscore.perturbing.means import Delta, Means
from kgscore.perturbing.rewording import Rewording
from kgscore.perturbing.source import Draft, Source
from kgscore.perturbing.turning import Part, Turner

_TRIES = 8
_WORD = re.compile(r"\b[a-z]{6,}\b")
Error = Callable[[Draft, int, Random], Draft | None]


class StatementErrors:
    """Makes errors of whole statements at one line, which must stand in the draft as in the source."""

    def __init__(self, means: Means, turner: Turner, rewording: Rewording) -> None:
        self.means = means
        self.turner = turner
        self.rewording = rewording
        self.kinds: dict[str, Error] = {
            "omission": self._omission,
            "false_negation": self._negation,
            "false_prediction": self._prediction,
            "false_positive": self._affirmation,
            "add_device": self._device,
            "contradiction": self._contradiction,
            "repetition": self._repetition,
            "typo": self._typo,
            "homophone": self._homophone,
        }

    def _omission(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Leave out a line that reports something abnormal."""
        line = draft.source.lines[number]
        others = [n for n in range(len(draft.source.lines)) if n != number and draft.line(n) and draft.source.lines[n].units]
        if not others or not any(unit.asserts for unit in line.units):
            return None
        findings = [f for unit in line.units for f in unit.findings]
        made = draft.with_line(number, "")
        delta = self._delta(draft, made)
        if delta.gained or {self.means.key(f) for f in delta.lost} != {self.means.key(f) for f in findings}:
            return None
        abnormal = [f for f in findings if f.asserts]
        numbers = tuple(n for unit in line.units for n in unit.numbers)
        severity = max(self.means.severity(f, (2,)) for f in abnormal)
        span = (line.start, line.end)
        made.changes.append(Change("omission", span, line.text, "", abnormal[0].concept, None, numbers, (2,), severity))
        return made

    def _negation(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Make an abnormal finding normal."""
        return self._turned(draft, number, random, "false_negation", (2,), asserted=True)

    def _affirmation(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Assert what is denied."""
        return self._turned(draft, number, random, "false_positive", (1,), asserted=False)

    def _turned(
        self, draft: Draft, number: int, random: Random, kind: str, categories: tuple[int, ...], *, asserted: bool
    ) -> Draft | None:
        units = [unit for unit in draft.source.lines[number].units if unit.asserts == asserted]
        for unit in random.sample(units, len(units)):
            made = self.turner.turn(draft, number, [Part(unit, unit.findings, unit.numbers)], random, kind)
            if made is not None:
                last = made.changes.pop()
                severity = max(self._grave(finding, asserted, categories) for finding in unit.findings)
                made.changes.append(
                    Change(kind, last.span, last.before, last.after, last.was, last.became, last.findings, categories, severity)
                )
                return made
        return None

    def _grave(self, finding: Finding, asserted: bool, categories: tuple[int, ...]) -> int:
        """Return the severity of a finding missed, or of one that is wrongly asserted: the class that the report denies."""
        return self.means.severity(finding if asserted else replace(finding, status="present", details=()), categories)

    # ---- inventions ----------------------------------------------------------------------------------------------
    def _prediction(self, draft: Draft, number: int, random: Random) -> Draft | None:
        lists = self.means.lists.false_findings
        return self._invented(draft, number, self._sayings(draft.source, lists, random), "false_prediction", random)

    def _device(self, draft: Draft, number: int, random: Random) -> Draft | None:
        lists = self.means.lists.false_devices
        return self._invented(draft, number, self._listed(draft.source, lists, random), "add_device", random)

    def _sayings(self, source: Source, lists: Mapping[str, Sequence[str]], random: Random) -> Iterator[str]:
        """Yield what may be invented: what the lists have for the region, and in a user's own module kin of what is reported."""
        own = [f for f in source.reading.findings if f.concept and f.asserts and self._module(f) not in shipped_names()]
        for finding in random.sample(own, len(own)):
            label = self.means.index.label(finding.concept or "")
            kin = self.means.words.siblings(finding.concept or "", label)
            place = f" in {self.means.words.place(finding.sites[0], finding.side)}" if finding.sites else ""
            yield from (f"{text}{place}" for text in random.sample(kin, len(kin)))
        yield from self._listed(source, lists, random)

    def _listed(self, source: Source, lists: Mapping[str, Sequence[str]], random: Random) -> Iterator[str]:
        regions = Counter(self._module(f) for f in source.reading.findings if f.concept)
        region = next((name for name, _ in regions.most_common() if name in lists), None)
        texts = lists[region] if region else ()
        for text in random.sample(texts, len(texts)):
            yield text.format(side=random.choice(("left", "right")))

    def _module(self, finding: Finding) -> str:
        concept = self.means.index.concepts.get(finding.concept or "")
        return concept.module if concept else ""

    def _invented(self, draft: Draft, number: int, texts: Iterator[str], kind: str, random: Random) -> Draft | None:
        """Return a draft with an invented finding after a line: one that the report neither reports nor denies."""
        line = draft.source.lines[number]
        if not line.units or line.section == "silent":
            return None
        known = draft.source.reading.findings
        for tried, text in enumerate(texts):
            if tried >= _TRIES:
                break
            framed = random.choice((f"There is {with_article(text)}", text))
            said = text if text.endswith("s") else framed
            made = self._added(draft, number, sentence(said))
            delta = self._delta(draft, made)
            new = delta.gained
            if delta.lost or not new or any(not f.asserts or f.concept is None for f in new):
                continue
            if any(self.means.agrees(f, known) or self.means.turned(f, known) for f in new):
                continue
            severity = max(self.means.severity(f, (1,)) for f in new)
            made.changes.append(Change(kind, (line.end, line.end), "", sentence(said), None, new[0].concept, (), (1,), severity))
            return made
        return None

    def _contradiction(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Say the contrary of a line after it."""
        line = draft.source.lines[number]
        for unit in random.sample(line.units, len(line.units)):
            said = self.turner.statements.contraries(draft, number, unit, random)[:1]
            if not said or len(unit.findings) != len([f for u in line.units for f in u.findings]):
                continue
            made = self._added(draft, number, said[0])
            delta = self._delta(draft, made)
            if delta.lost or not all(self.means.turned(f, delta.gained) for f in unit.findings):
                continue
            category = 2 if unit.asserts else 1
            severity = max(self._grave(f, unit.asserts, (category,)) for f in unit.findings)
            numbers, was = unit.numbers, unit.first.concept
            span = (line.end, line.end)
            became = delta.gained[0].concept
            made.changes.append(Change("contradiction", span, "", said[0], was, became, numbers, (category,), severity))
            return made
        return None

    # ---- slips ---------------------------------------------------------------------------------------------------
    def _repetition(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Say a line twice, in other words where there are any."""
        line = draft.source.lines[number]
        if not line.units:
            return None
        again = self.rewording.reworded(Draft(draft.source), random, frozen=frozenset(range(len(draft.source.lines))) - {number})
        said = again.line(number)
        made = self._added(draft, number, said if said.endswith(".") else f"{said}.")
        delta = self._delta(draft, made)
        if delta.lost or delta.gained:
            return None
        numbers = tuple(n for unit in line.units for n in unit.numbers)
        made.changes.append(Change("repetition", (line.end, line.end), "", said, findings=numbers))
        return made

    def _typo(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Swap two letters of a word."""
        line = draft.source.lines[number]
        words = list(_WORD.finditer(line.text)) if line.units else []
        if not words:
            return None
        word = random.choice(words)
        at = random.randrange(1, len(word[0]) - 2)
        new = word[0][:at] + word[0][at + 1] + word[0][at] + word[0][at + 2 :]
        return self._slip(draft, number, word, new, "typo")

    def _homophone(self, draft: Draft, number: int, random: Random) -> Draft | None:
        """Write a word for one that sounds like it."""
        line, alike = draft.source.lines[number], self.means.lists.homophones
        words = list(re.finditer(rf"\b(?:{'|'.join(alike)})\b", line.text)) if line.units else []
        word = random.choice(words) if words else None
        return self._slip(draft, number, word, alike[word[0]], "homophone") if word else None

    def _slip(self, draft: Draft, number: int, word: re.Match[str], new: str, kind: str) -> Draft | None:
        line = draft.source.lines[number]
        if new == word[0]:
            return None
        span = (line.start + word.start(), line.start + word.end())
        text = line.text[: word.start()] + new + line.text[word.end() :]
        return draft.with_line(number, text, [Change(kind, span, word[0], new)])

    # ---- the test ------------------------------------------------------------------------------------------------
    def _added(self, draft: Draft, number: int, text: str) -> Draft:
        made = draft.copy()
        line = draft.source.lines[number]
        if not draft.line(number).endswith((".", "!", "?")):
            made.texts[number] = f"{line.text.rstrip(' ;,')}."
        made.added.append((number, text))
        return made

    def _delta(self, draft: Draft, made: Draft) -> Delta:
        return self.means.delta(self.means.read(draft.version().text).findings, self.means.read(made.version().text).findings)
