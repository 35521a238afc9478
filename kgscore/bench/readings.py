"""Gold readings: precision and recall of the reader, sentences wholly right, and three wordings that give one reading.

File form: JSON lines with `id`, `modality`, `construct`, `texts` and `findings` (plain words), or with `text` and
`findings` in ids of the ontology (`tests/readings`). Plain words are normalised by the project's own linker before
they are compared: the gold observation and site are linked, folded, and compared as concepts. Errors are counted by
kind (`kgscore.bench._errors` defines them), over all, by modality, by construct and by region.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from kgscore.bench._errors import KINDS, errors
from kgscore.bench._text import may_list
from kgscore.engine import Scorer
from kgscore.linking.lexicon import Entry
from kgscore.model import Finding
from kgscore.ontology.index import Index
from kgscore.reading.tokens import phrase_key


class Key(NamedTuple):
    """What is compared of a finding."""

    concept: str
    sites: frozenset[str]
    side: str | None
    status: str


class Gold(NamedTuple):
    """A gold finding: acceptable concepts and sites after normalisation, and the fields compared as they stand."""

    concepts: frozenset[str]
    sites: frozenset[str]
    side: str | None
    status: str
    certainty: str
    change: str | None
    details: frozenset[str]
    text: str


def run(path: str | Path, *, profile: str = "default", reader: str = "default", show: bool = False) -> dict[str, Any]:
    """Return the figures of the benchmark: F1 of findings, share of texts wholly right, share of groups with one reading."""
    if show:
        may_list(path)
    scorer = Scorer(profile, reader=reader)
    normaliser = Normaliser(scorer)
    total: Counter[str] = Counter()
    by: dict[str, Counter[str]] = {}
    kinds: dict[str, Counter[str]] = {}
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        gold = [normaliser.gold(f) for f in record["findings"]]
        texts = record.get("texts") or [record["text"]]
        readings = []
        for text in texts:
            reading = scorer.read(text)
            found = list(reading.findings)
            hit, pairs = _matched(gold, found, scorer)
            whole = hit == len(gold) == len(found)
            fields = whole and all(g.certainty == f.certainty and g.change == f.change for g, f in pairs)
            counts = {
                "tp": hit,
                "gold": len(gold),
                "found": len(found),
                "texts": 1,
                "whole": whole,
                "fields": fields,
                "certainty": sum(g.certainty == f.certainty for g, f in pairs),
                "change": sum(g.change == f.change for g, f in pairs),
                "details": sum(g.details == frozenset(d.text for d in f.details) for g, f in pairs),
            }
            missed, invented = _left_over(gold, found, pairs)
            wrong = errors(scorer.index, missed, invented, pairs, bool(reading.unlinked))
            for name in ("all", f"construct: {record['construct']}", f"modality: {record['modality']}"):
                by.setdefault(name, Counter()).update(counts)
                kinds.setdefault(name, Counter()).update(kind for kind, _ in wrong)
            for kind, where in wrong:
                kinds.setdefault(f"region: {where}", Counter())[kind] += 1
            readings.append(frozenset(_key(f) for f in found))
            if show and not whole:
                _show(record, text, gold, found, pairs)
        total["groups"] += 1
        total["one"] += len(set(readings)) == 1 and len(texts) > 1
        if len(set(readings)) == 1 and len(texts) > 1:
            by[f"modality: {record['modality']}"]["one"] += 1
        by[f"modality: {record['modality']}"]["groups"] += 1
    figures = {name: _figures(counts) for name, counts in sorted(by.items())}
    figures["all"]["groups with one reading"] = round(total["one"] / max(1, total["groups"]), 3)
    for name, counted in sorted(kinds.items()):
        figures.setdefault(name, {})["errors"] = {kind: counted[kind] for kind in KINDS if counted[kind]}
    return figures


def _left_over(
    gold: list[Gold], found: list[Finding], pairs: list[tuple[Gold, Finding]]
) -> tuple[list[Gold], list[Finding]]:
    """Return the gold findings that were not read, and the findings that are not gold."""
    return (
        [wanted for wanted in gold if all(wanted is not g for g, _ in pairs)],
        [finding for finding in found if all(finding is not f for _, f in pairs)],
    )


def _figures(counts: Counter[str]) -> dict[str, Any]:
    precision = counts["tp"] / counts["found"] if counts["found"] else 1.0
    recall = counts["tp"] / counts["gold"] if counts["gold"] else 1.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    out = {
        "f1": round(f1, 3),
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "texts": counts["texts"],
        "wholly right": round(counts["whole"] / counts["texts"], 3),
        "wholly right with certainty and change": round(counts["fields"] / counts["texts"], 3),
    }
    if counts["tp"]:
        out |= {name: round(counts[name] / counts["tp"], 3) for name in ("certainty", "change", "details")}
    if counts["groups"]:
        out["groups with one reading"] = round(counts["one"] / counts["groups"], 3)
    return out


class Normaliser:
    """Links the plain words of gold findings to the ontology."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer = scorer
        self.index = scorer.index
        self.lexicon = scorer.lexicon

    def gold(self, finding: dict[str, Any]) -> Gold:
        """Return a gold finding in concepts."""
        details = frozenset(d for d in finding.get("details", ()))
        common = (finding["side"], finding["status"], finding["certainty"], finding.get("change"), details)
        if "concept" in finding:
            return Gold(
                frozenset((finding["concept"],)),
                frozenset(finding["sites"]),
                *common,
                f"{finding['concept']} @ {finding['sites']}",
            )
        sites = self._sites(finding["site"])
        concepts: set[str] = set()
        for concept in self._concepts(finding["observation"], finding["status"], sites):
            for site in sites or [""]:
                concepts.add(self.index.fold(concept, (site,) if site else ()))
            concepts.add(concept)
        for detail in details:
            # "fracture" with the detail "comminuted" may be one named concept.
            for entry in self._entries(f"{detail} {finding['observation']}", "F"):
                concepts |= {entry.id, *(self.index.fold(entry.id, (site,)) for site in sites)}
        return Gold(frozenset(concepts), frozenset(sites), *common, f"{finding['observation']} @ {finding['site']}")

    def _entries(self, words: str, kinds: str) -> list[Entry]:
        return [e for e in self.lexicon.lookup(phrase_key(words)) if e.type in kinds]

    def _sites(self, words: str) -> list[str]:
        return [e.id for e in self._entries(words, "A")]

    def _concepts(self, words: str, status: str, sites: list[str]) -> Iterable[str]:
        entries = self._entries(words, "FN")
        if status == "normal":
            normals = [entry.id for entry in entries if entry.type == "N"]
            if normals:
                yield self.index.denied_by(normals, sites[0] if sites else None).genus
            for prefix in ("normal ", "preserved ", "midline ", "maintained "):
                if words.startswith(prefix):
                    for quality in self._entries(words.removeprefix(prefix), "Q"):
                        yield self.index.qualities[quality.id].get("dev", self.index.role("any_abnormality"))
        for entry in entries:
            if entry.type == "F":
                yield entry.id
        if not entries:
            for finding in self.scorer.read(words).findings:
                if finding.concept:
                    yield finding.concept


def _key(finding: Finding) -> tuple[object, ...]:
    return (finding.concept, frozenset(finding.sites), finding.side, finding.status)


def _matched(gold: list[Gold], found: list[Finding], scorer: Scorer) -> tuple[int, list[tuple[Gold, Finding]]]:
    free = list(found)
    pairs = []
    for wanted in gold:
        for finding in free:
            if _same(wanted, finding, scorer):
                pairs.append((wanted, finding))
                free.remove(finding)
                break
    return len(pairs), pairs


def _same(gold: Gold, finding: Finding, scorer: Scorer) -> bool:
    if gold.side != finding.side or gold.status != finding.status or finding.concept is None:
        return False
    index = scorer.index
    own = {finding.concept, index.fold(finding.concept, finding.sites)}
    wanted = set(gold.concepts)
    if not own & wanted and not any(_site_only(index, c, w, gold.sites) for c in own for w in wanted):
        return False
    if not gold.sites:
        return not finding.sites or True
    sites = (
        set(finding.sites)
        | set(index.sites_implied(finding.concept))
        | {index.wall_of[s] for s in finding.sites if s in index.wall_of}
    )
    for kind in index.soft_sites.get(finding.concept, ()):
        # "cartilage defect @ hip joint" is at the cartilage of the hip
        sites |= {g for g in gold.sites if index.specific(kind, g) in finding.sites}
    return bool(gold.sites & sites)


def _site_only(index: Index, found: str, wanted: str, sites: frozenset[str]) -> bool:
    """Whether one concept is the other at the site said, and nothing more ("venous thrombosis" of the leg: leg DVT)."""
    for narrow, broad in ((found, wanted), (wanted, found)):
        own = index.sites_implied(narrow) or frozenset(index.soft_sites.get(narrow, ()))
        if (
            narrow in index.defined
            and index.is_a(narrow, broad)
            and own
            and all(any(index.inside(s, o) for s in sites) for o in own)
        ):
            return True
    return False


def _show(record: dict[str, Any], text: str, gold: list[Gold], found: list[Finding], pairs: list[tuple[Gold, Finding]]) -> None:
    print(f"{record['id']} | {record['modality']} | {record['construct']}\n   {text!r}")
    missed, invented = _left_over(gold, found, pairs)
    for wanted in missed:
        print(f"     - {wanted.text} {wanted.side} {wanted.status} {sorted(wanted.concepts)} {sorted(wanted.sites)}")
    for finding in invented:
        print(f"     + {finding.concept} {finding.sites} {finding.side} {finding.status}")
