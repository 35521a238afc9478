"""The terms of another vocabulary resolved in the ontology, by name, by synonym or by reading them, as SSSOM mappings."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from kgscore.errors import InputError
from kgscore.labelling.sets import Expression
from kgscore.linking.lexicon import FINDING, Lexicon
from kgscore.model import Finding, Reading
from kgscore.ontology import sssom
from kgscore.ontology.index import Index
from kgscore.reading.tokens import phrase_key, tokenize

How = Literal["name", "synonym", "composed", "reviewed", "partly", "none"]
# The order of a summary; all but the last two express the term as a class of the ontology.
HOWS: tuple[How, ...] = ("name", "synonym", "composed", "reviewed", "partly", "none")
RESOLVED = HOWS[:4]
_SMALL = frozenset(("of", "in", "at", "on", "and", "or", "with", "the", "a", "an", "to", "by", "for", "is", "are", "abnormal"))


@dataclass(frozen=True, slots=True)
class Foreign:
    """A term of another vocabulary; `synonyms` and `tags` as in its table."""

    id: str
    name: str
    synonyms: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """A term with its mappings and how they were found. `partly`: only a broader concept was found."""

    term: Foreign
    how: How
    mappings: tuple[sssom.Mapping, ...] = ()


def read_vocabulary(path: Path) -> list[Foreign]:
    """Return the terms of a tab-separated table: first the id, then `name`, and `synonyms` and `tags` with "|" in their cells.
    Raises InputError if the file cannot be read, or has no `name`."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({type(error).__name__}); give a tab-separated UTF-8 table") from None
    table = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    names = list(table.fieldnames or ())
    if "name" not in names[1:]:
        raise InputError(f"{path}: no column 'name' after the id; the columns are: id, name, synonyms, tags")
    return [
        Foreign(row[names[0]] or "", row["name"] or "", _split(row.get("synonyms")), _split(row.get("tags"))) for row in table
    ]


def _split(cell: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (cell or "").split("|") if part.strip())


class Resolver:
    """Resolves terms by the lexicon, and by reading them as statements.

    `kept` holds manually curated mappings by object id: they take precedence over those found here, and one with the modifier
    "Not" excludes its subject. `names` includes the names of the terms in the mappings (their licence may not allow that)."""

    def __init__(
        self, index: Index, lexicon: Lexicon, read: Callable[[str], Reading], prefix: str, kept: Iterable[sssom.Mapping] = (),
        *, names: bool = False,
    ) -> None:
        self.index, self.lexicon, self.read, self.prefix, self.names = index, lexicon, read, prefix, names
        self.kept: dict[str, list[sssom.Mapping]] = {}
        for row in kept:
            if row.mapping_justification == sssom.MANUAL:
                self.kept.setdefault(row.object_id, []).append(replace(row, where=""))

    def resolve(self, term: Foreign) -> Resolved:
        """Return the resolution of a term."""
        kept = self.kept.get(f"{self.prefix}:{term.id}", [])
        if not all(row.predicate_modifier for row in kept):
            return Resolved(term, "partly" if all(row.loose for row in kept) else "reviewed", tuple(kept))
        forbidden, names = {row.key for row in kept}, (term.name, *term.synonyms)
        for name in names:
            if concept := self._finding_with_name(name, term, forbidden):
                how: How = "name" if name == term.name else "synonym"
                return Resolved(term, how, (*kept, self._mapping(concept, term, sssom.LEXICAL)))
        partly: list[sssom.Mapping] = []
        for row in filter(None, (self._compose_mapping(name, term, forbidden) for name in names)):
            if not row.loose:
                return Resolved(term, "composed", (*kept, row))
            partly.append(row)
        return Resolved(term, "partly" if partly else "none", (*kept, *partly[:1]))

    def _finding_with_name(self, name: str, term: Foreign, forbidden: set[str]) -> str | None:
        """Return the finding with exactly this name; if there are several, the one whose region is in the tags."""
        entries = (e for e in self.lexicon.lookup(phrase_key(name)) if e.type == FINDING and e.side is None)
        found = (entry for entry in entries if entry.id not in forbidden)
        best = min(found, key=lambda entry: entry.module not in term.tags, default=None)
        return best.id if best else None

    def _mapping(self, concept: str, term: Foreign, why: str, **slots: str) -> sssom.Mapping:
        name = term.name if self.names else ""
        return sssom.Mapping(
            f"kgs:{concept}", self.index.label(concept), object_id=f"{self.prefix}:{term.id}", object_label=name,
            mapping_justification=why, **slots,
        )  # fmt: skip

    def _compose_mapping(self, name: str, term: Foreign, forbidden: set[str]) -> sssom.Mapping | None:
        """Return the mapping of a name that reads as one finding: a loose one if that leaves something of it out."""
        reading = self.read(name)
        finding = self._main_finding(reading.findings)
        if finding is None or finding.concept in (None, *forbidden) or not finding.asserts or finding.certainty != "definite":
            return None
        concept = str(finding.concept)
        stated = Expression(concept, self._stated_sites(finding), tuple(one.value for one in finding.details), finding.side)
        if concept in (self.index.role("any_abnormality"), self.index.role("any_finding")) and not stated.sites:
            return None
        if reading.unlinked or not self._uses_every_word(name, reading) or not self._is_simple(finding):
            return self._mapping(concept, term, sssom.COMPOSED, predicate_id=sssom.NARROW)
        predicate = sssom.NARROW if stated.sites or stated.details else sssom.EXACT
        return self._mapping(concept, term, sssom.COMPOSED, predicate_id=predicate, **stated.slots)

    def _is_simple(self, finding: Finding) -> bool:
        """Whether the concept, the place and details of known classes are all that a finding states."""
        known = self.index.of_kind("descriptors") | self.index.of_kind("findings")
        return finding.change is None and not finding.alternatives and all(d.value in known for d in finding.details)

    def _main_finding(self, findings: Sequence[Finding]) -> Finding | None:
        """Return the only finding of a reading; of a lesion and its signal or enhancement, read separately, the latter."""
        if len(findings) == 1:
            return findings[0]
        if len(findings) == 2 and len({f.place for f in findings}) == 1:
            marked = [f for f in findings if f.concept and self.index.is_any(f.concept, self.index.flagged("marks"))]
            lesions = [f for f in findings if f.concept and self.index.is_a(f.concept, self.index.role("any_lesion"))]
            if len(marked) == len(lesions) == 1 and marked[0].sites:
                return replace(marked[0], details=tuple(dict.fromkeys((*marked[0].details, *lesions[0].details))))
        return None

    def _stated_sites(self, finding: Finding) -> tuple[str, ...]:
        """Return the sites not implied by the concept alone."""
        index = self.index
        usual = {*index.default_sites(finding.concept), *index.sites_implied(finding.concept)}
        return () if usual.issuperset(finding.sites) and finding.side is None else finding.sites

    def _uses_every_word(self, name: str, reading: Reading) -> bool:
        """Return whether every word is in an entity or a finding of the reading."""
        spans = [(e.start, e.end) for e in reading.entities] + [(f.start, f.end) for f in reading.findings]
        words = (t for t in tokenize(name) if t.norm not in _SMALL and any(map(str.isalnum, t.norm)))
        return all(any(start <= word.start and word.end <= end for start, end in spans) for word in words)


def unresolved(found: Iterable[Resolved]) -> Iterator[dict[str, object]]:
    """Yield the terms that do not resolve, with how far each does and the broader concepts found."""
    for one in found:
        if one.how not in RESOLVED:
            yield {"id": one.term.id, "name": one.term.name, "how": one.how, "broader": [row.key for row in one.mappings]}


def shares(found: Iterable[Resolved]) -> dict[str, Mapping[str, float | int]]:
    """Return, for all terms and for each tag, most frequent first, the number of terms and the share that resolves."""
    counts: dict[str, Counter[str]] = {}
    for one in found:
        for tag in ("all", *(one.term.tags or ("(no tag)",))):
            counts.setdefault(tag, Counter())[one.how] += 1
    ordered = sorted(counts.items(), key=lambda item: (item[0] != "all", -item[1].total(), item[0]))
    return {
        tag: {"terms": count.total(), "resolved": round(sum(count[how] for how in RESOLVED) / count.total(), 3)}
        | {how: count[how] for how in HOWS}
        for tag, count in ordered
    }
