"""Pairs with known error counts, made from sentences: a report, and copies with inserted errors (`lab.perturbing`).

An error is something omitted, reversed, moved, or stated with another degree, course or certainty, or taken from
another report. Seeds are texts, so the same input gives the same pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

from kgscore.lab.perturbing.inventions import Inserter
from kgscore.lab.perturbing.sets import CLINICAL
from kgscore.lab.perturbing.source import Draft, Source, parse_source
from kgscore.model import Finding, Reading

KINDS = ("change_certainty", *(kind for kind in CLINICAL if kind != "contradiction"))
# Sentences per report; the severity from which an error counts as significant; the share of errors that are inserted sentences.
SIZES, ACTIONABLE, PUT_IN = (1, 8), 2, 0.2


class Sentence(NamedTuple):
    """A sentence with its reading, and other wordings of the same."""

    text: str
    findings: tuple[Finding, ...]
    others: tuple[str, ...] = ()


def sentences(rows: Sequence[Mapping[str, Any]], read: Callable[[str], Reading]) -> dict[str, list[Sentence]]:
    """Return the sentences of rows with `text` or `texts` (equivalent wordings) by `modality`, without duplicates."""
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


def pairs(by_modality: Mapping[str, Sequence[Sentence]], inserter: Inserter, copies: int = 5) -> Iterator[dict[str, Any]]:
    """Yield, for each report made of the sentences of a modality, the rows for `kgscore fit radot`: itself, a rewording, and
    `copies` with one more error each."""
    for modality, pool in by_modality.items():
        shuffled = list(pool)
        Random(modality).shuffle(shuffled)
        at = number = 0
        while at < len(shuffled):
            number += 1
            study = f"{modality} {number}"
            size = Random(study).randint(*SIZES)
            report = shuffled[at : at + size]
            at += size
            reference = " ".join(sentence.text for sentence in report)
            yield _row(study, "itself", reference, reference)
            random = Random(f"{study} reworded")
            reworded = [random.choice(sentence.others) if sentence.others else sentence.text for sentence in report]
            random.shuffle(reworded)
            yield _row(study, "reworded", reference, " ".join(reworded), made_by=["reword"])
            source = parse_source(reference, inserter.means.read, inserter.means.lexicon)
            others = [sentence for sentence in pool if sentence not in report]
            made = (_corrupted_row(study, source, others, inserter, wanted) for wanted in range(1, copies + 1))
            yield from (row for row in made if row["candidate"].strip() and row["candidate"] != reference)


def _corrupted_row(study: str, source: Source, others: Sequence[Sentence], inserter: Inserter, wanted: int) -> dict[str, Any]:
    """Return a row with so many errors in the candidate, or as many as possible."""
    random = Random(f"{study} {wanted}")
    extra = [random.choice(others) for _ in range(wanted) if others and random.random() < PUT_IN]
    draft = inserter.insert(Draft(source), KINDS, wanted - len(extra), f"{study} {wanted}")
    errors = [(len(set(change.findings)) if change.kind == "omission" else 1, change.severity or 1) for change in draft.changes]
    errors += [(len(sentence.findings), _severity(sentence, inserter)) for sentence in extra]
    candidate = " ".join([draft.text, *(sentence.text for sentence in extra)])
    made_by = [change.kind for change in draft.changes] + ["insert"] * len(extra)
    total, significant = sum(n for n, _ in errors), sum(n for n, severity in errors if severity >= ACTIONABLE)
    return _row(study, str(wanted), source.text, candidate, total, significant, made_by)


def _severity(sentence: Sentence, inserter: Inserter) -> int:
    """Return the severity of a sentence that the reference does not contain: that of its gravest finding."""
    return max((inserter.means.severity(finding, (1,)) for finding in sentence.findings if finding.asserts), default=1)


def _row(
    study: str, name: str, reference: str, candidate: str, total: int = 0, significant: int = 0, made_by: Sequence[str] = ()
) -> dict[str, Any]:
    return {
        "id": f"{study} {name}", "study": study, "reference": reference, "candidate": candidate,
        "total": total, "significant": significant, "made_by": list(made_by),
    }  # fmt: skip
