"""Pairs with known error counts, made from sentences: a report, and copies of it with errors put in.

Each error changes one sentence in a way that readers of reports know: it is left out, turned round, put on the other side, or
said with another degree, change or certainty; or a sentence of another report is put in. Seeds are texts, so the same input
gives the same pairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from kgscore.model import Finding, Reading
from kgscore.ontology.index import Index

SIZES = (1, 8)
ACTIONABLE = 2
# Shares of errors that put a sentence in, and, where a sentence can be changed, that leave it out nevertheless.
PUT_IN, LEFT_OUT = 0.2, 0.25


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with what it says, and other wordings of the same."""

    text: str
    findings: tuple[Finding, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Errors:
    """How many errors there are, and how many of them are clinically significant."""

    total: int = 0
    significant: int = 0

    def __add__(self, other: Errors) -> Errors:
        return Errors(self.total + other.total, self.significant + other.significant)


@dataclass(frozen=True, slots=True)
class Pair:
    """A report and its copy with errors."""

    id: str
    study: str
    reference: str
    candidate: str
    errors: Errors
    made_by: tuple[str, ...] = field(default=())

    def as_row(self) -> dict[str, Any]:
        """Return the row that `kgscore fit radot` reads."""
        return {
            "id": self.id, "study": self.study, "reference": self.reference, "candidate": self.candidate,
            "total": self.errors.total, "significant": self.errors.significant, "made_by": list(self.made_by),
        }  # fmt: skip


Change = tuple[str, Errors] | None


class Corruptor:
    """Puts errors into sentences and counts them: one for each thing said (both sides are one). An error is significant where
    it is about an asserted or wrongly asserted finding that calls for action (severity of the ontology 2 or more)."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.ways: dict[str, Callable[[Sentence], Change]] = {
            "drop": self._drop, "negate": self._negate, "side": self._side, "degree": self._degree,
            "change": self._change, "certainty": self._certainty, "comparison": self._comparison,
        }  # fmt: skip

    def counted(self, findings: Sequence[Finding]) -> Errors:
        """Return what leaving out or inventing these findings comes to."""
        said = {(f.concept or f.label, f.asserts): f for f in findings}
        return Errors(len(said), sum(self._acute(f) for f in said.values() if f.asserts))

    def _acute(self, finding: Finding) -> bool:
        return self.index.severity(finding.concept) >= ACTIONABLE

    def _single(self, sentence: Sentence) -> Finding | None:
        said = {(f.concept, f.status): f for f in sentence.findings}
        return next(iter(said.values())) if len(said) == 1 else None

    def _one(self, sentence: Sentence, significant: bool) -> Errors:
        return Errors(1, int(significant and any(f.asserts and self._acute(f) for f in sentence.findings)))

    def _drop(self, sentence: Sentence) -> Change:
        return "", self.counted(sentence.findings)

    def _negate(self, sentence: Sentence) -> Change:
        finding = self._single(sentence)
        general = self.index.role("any_abnormality")
        if finding is None or finding.concept is None or finding.status == "normal" or finding.concept == general:
            return None
        sides = {f.side for f in sentence.findings}
        side = f"{finding.side} " if len(sides) == 1 and finding.side else ""
        name = f"{side}{self.index.label(finding.concept)}"
        return (f"No {name}." if finding.asserts else f"There is {name}."), Errors(1, int(self._acute(finding)))

    def _side(self, sentence: Sentence) -> Change:
        if not any(f.side and not f.both for f in sentence.findings):
            return None
        return self._swapped(sentence, _SIDES, significant=True)

    def _degree(self, sentence: Sentence) -> Change:
        return self._swapped(sentence, _DEGREES, significant="moderate" not in sentence.text.lower())

    def _change(self, sentence: Sentence) -> Change:
        return self._swapped(sentence, _CHANGES, significant=True) if any(f.change for f in sentence.findings) else None

    def _certainty(self, sentence: Sentence) -> Change:
        return self._swapped(sentence, _HEDGES, significant=False)

    def _comparison(self, sentence: Sentence) -> Change:
        finding = self._single(sentence)
        if finding is None or not finding.asserts or finding.change or not sentence.text.endswith("."):
            return None
        return f"{sentence.text[:-1]}, unchanged.", Errors(1, 0)

    def _swapped(self, sentence: Sentence, swaps: Mapping[str, str], significant: bool) -> Change:
        pattern = re.compile(rf"\b({'|'.join(map(re.escape, swaps))})\b", re.IGNORECASE)

        def other(found: re.Match[str]) -> str:
            new = swaps[found[0].lower()]
            return new.capitalize() if found[0][0].isupper() else new

        text = pattern.sub(other, sentence.text)
        return (" ".join(text.split()), self._one(sentence, significant)) if text != sentence.text else None


_SIDES = {"left": "right", "right": "left"}
_DEGREES = {
    "mild": "severe", "mildly": "severely", "severe": "mild", "severely": "mildly", "moderate": "mild", "small": "large",
    "large": "small", "tiny": "large", "minimal": "marked", "marked": "minimal",
}  # fmt: skip
_CHANGES = {
    "unchanged": "new", "stable": "increased", "increased": "decreased", "decreased": "increased", "larger": "smaller",
    "smaller": "larger", "new": "unchanged", "improved": "worsened", "worsened": "improved",
}  # fmt: skip
_HEDGES = {
    "there is": "there may be", "there are": "there may be", "likely": "", "probable": "", "probably": "", "possible": "",
    "suspected": "",
}  # fmt: skip


def sentences(rows: Sequence[Mapping[str, Any]], read: Callable[[str], Reading]) -> dict[str, list[Sentence]]:
    """Return the sentences of rows with `text` or `texts` (wordings of one thing) by `modality`, each text once."""
    found: dict[str, list[Sentence]] = {}
    seen: set[str] = set()
    for row in rows:
        texts = [text for text in row.get("texts") or [row.get("text", "")] if "\n" not in text and text.endswith(".")]
        if not texts or texts[0] in seen:
            continue
        seen.update(texts)
        findings = read(texts[0]).findings
        if findings:
            found.setdefault(str(row.get("modality", "")), []).append(Sentence(texts[0], findings, tuple(texts[1:])))
    return found


def pairs(by_modality: Mapping[str, Sequence[Sentence]], corruptor: Corruptor, copies: int = 5) -> Iterator[Pair]:
    """Yield for each report made of the sentences of a modality: itself, a rewording, and `copies` with one error more each."""
    for modality, pool in by_modality.items():
        shuffled = list(pool)
        Random(modality).shuffle(shuffled)
        at = number = 0
        while len(shuffled) - at >= SIZES[0]:
            number += 1
            name = f"{modality} {number}"
            size = Random(name).randint(*SIZES)
            yield from _of_report(name, shuffled[at : at + size], pool, corruptor, copies)
            at += size


def _of_report(
    study: str, report: Sequence[Sentence], pool: Sequence[Sentence], corruptor: Corruptor, copies: int
) -> Iterator[Pair]:
    reference = " ".join(sentence.text for sentence in report)
    yield Pair(f"{study} itself", study, reference, reference, Errors())
    random = Random(f"{study} reworded")
    reworded = [random.choice(sentence.others) if sentence.others else sentence.text for sentence in report]
    random.shuffle(reworded)
    yield Pair(f"{study} reworded", study, reference, " ".join(reworded), Errors(), ("reword",))
    for wanted in range(1, copies + 1):
        random = Random(f"{study} {wanted}")
        texts, errors, ways = _corrupted(report, pool, corruptor, wanted, random)
        candidate = " ".join(texts)
        if candidate.strip() and candidate != reference:
            yield Pair(f"{study} {wanted}", study, reference, candidate, errors, tuple(ways))


def _corrupted(
    report: Sequence[Sentence], pool: Sequence[Sentence], corruptor: Corruptor, wanted: int, random: Random
) -> tuple[list[str], Errors, list[str]]:
    """Return the sentences with so many of them made wrong, or put in, the errors and the ways."""
    texts = [sentence.text for sentence in report]
    others = [sentence for sentence in pool if sentence not in report]
    errors = Errors()
    ways: list[str] = []
    added: list[str] = []
    order = random.sample(range(len(report)), len(report))
    for _ in range(wanted):
        if others and (not order or random.random() < PUT_IN):
            extra = others.pop(random.randrange(len(others)))
            added.append(extra.text)
            errors, ways = errors + corruptor.counted(extra.findings), [*ways, "insert"]
        elif order:
            at = order.pop()
            possible = {way: found for way, change in corruptor.ways.items() if (found := change(report[at]))}
            if len(possible) > 1 and random.random() > LEFT_OUT:
                del possible["drop"]
            way = random.choice(sorted(possible))
            texts[at] = possible[way][0]
            errors, ways = errors + possible[way][1], [*ways, way]
    for text in added:
        texts.insert(random.randint(0, len(texts)), text)
    return [text for text in texts if text], errors, ways
