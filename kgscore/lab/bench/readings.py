"""Gold readings: precision and recall of the reader, fully correct sentences, and three wordings with the same reading.

File form: JSON lines with `id`, `modality`, `construct`, `texts` and `findings` (plain words), or with `text` and
`findings` in ids of the ontology (`tests/readings`). Plain words are normalised by the lexicon alone, whatever reader is
measured: the gold observation and site are linked, folded, and compared as concepts. A finding at a site does not match a gold
finding without one, unless its concept implies it; a place implied by the concept also matches a broader gold site. Errors are
counted by kind (`kgscore.lab.bench._errors` defines them), over all, by modality, by construct and by region.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kgscore.engine import Scorer
from kgscore.lab.bench._ask import Ask, Figures, benchmark
from kgscore.lab.bench._contest import f1, share
from kgscore.lab.bench._errors import KINDS, Gold, concepts_of, errors
from kgscore.linking.lexicon import ANATOMY, FINDING, NORMAL, QUALITY, Entry, Lexicon
from kgscore.model import Finding, Reading
from kgscore.ontology.index import Index
from kgscore.reading.readers import reader_of
from kgscore.reading.tokens import phrase_key, tokenize
from kgscore.report.grid import Column, Grid

_NORMAL = ("normal ", "preserved ", "midline ", "maintained ")


class JudgedText(NamedTuple):
    """A text of a record, its gold findings, the reading, the matching pairs, the gold findings that were not read,
    and the findings that are not gold."""

    record: dict[str, Any]
    text: str
    gold: list[Gold]
    reading: Reading
    pairs: list[tuple[Gold, Finding]]
    missed: list[Gold]
    invented: list[Finding]

    @property
    def whole(self) -> bool:
        """Whether exactly the gold findings were read."""
        return not self.missed and not self.invented


@benchmark("reader", "show")
def readings(ask: Ask) -> dict[str, Any]:
    """Return the figures of the benchmark: F1 of findings, share of fully correct texts, share of groups with one reading."""
    scorer = ask.scorer()
    by: defaultdict[str, Counter[str]] = defaultdict(Counter)
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for group in judge_texts(ask.records(findings=list), scorer):
        record = group[0].record
        names = ("all", f"construct: {record['construct']}", f"modality: {record['modality']}")
        for one in group:
            wrong = errors(scorer.index, one.missed, one.invented, one.pairs, bool(one.reading.unlinked))
            for name in names:
                by[name].update(_counts(one))
                kinds[name].update(kind for kind, _ in wrong)
            for kind, where in wrong:
                kinds[f"region: {where}"][kind] += 1
            if ask.show and not one.whole:
                _show(one)
        for name in (names[0], names[2]):
            by[name].update(groups=1, one=_have_one_reading(group))
    figures = {name: _figures(counts) for name, counts in sorted(by.items())}
    for name, counted in sorted(kinds.items()):
        figures.setdefault(name, {})["errors"] = {kind: counted[kind] for kind in KINDS if counted[kind]}
    return figures


def _have_one_reading(group: Sequence[JudgedText]) -> bool:
    said = {frozenset((f.concept, frozenset(f.sites), f.side, f.status) for f in one.reading.findings) for one in group}
    return len(group) > 1 and len(said) == 1


def judge_texts(records: Iterable[dict[str, Any]], scorer: Scorer) -> Iterator[list[JudgedText]]:
    """Yield the texts of every record, read and compared with the gold."""
    for record in records:
        gold = [_gold(finding, scorer.index, scorer.lexicon) for finding in record["findings"]]
        group = []
        for text in record.get("texts") or [record["text"]]:
            reading = scorer.read(text)
            group.append(JudgedText(record, text, gold, reading, *_match_findings(gold, reading.findings, scorer.index)))
        yield group


def _counts(one: JudgedText) -> dict[str, int]:
    alike = [(g.certainty == f.certainty, g.change == f.change) for g, f in one.pairs]
    return {
        "tp": len(one.pairs),
        "gold": len(one.gold),
        "found": len(one.reading.findings),
        "texts": 1,
        "whole": one.whole,
        "fields": one.whole and all(map(all, alike)),
        "certainty": sum(certainty for certainty, _ in alike),
        "change": sum(change for _, change in alike),
        "details": sum(g.details == frozenset(d.text for d in f.details) for g, f in one.pairs),
    }


def _figures(counts: Mapping[str, int]) -> dict[str, Any]:
    out: dict[str, Any] = {
        **f1(counts["tp"], counts["found"], counts["gold"]),
        "texts": counts["texts"],
        "wholly right": share(counts["whole"], counts["texts"]),
        "wholly right with certainty and change": share(counts["fields"], counts["texts"]),
    }
    if counts["tp"]:
        out |= {name: share(counts[name], counts["tp"]) for name in ("certainty", "change", "details")}
    return out | ({"groups with one reading": share(counts["one"], counts["groups"])} if counts["groups"] else {})


def _gold(finding: dict[str, Any], index: Index, lexicon: Lexicon) -> Gold:
    """Return a gold finding as concepts; plain words are linked by the lexicon alone."""
    details = frozenset(finding.get("details", ()))
    common = (finding["side"], finding["status"], finding["certainty"], finding.get("change"), details)
    if "concept" in finding:
        said = f"{finding['concept']} @ {finding['sites']}"
        return Gold(frozenset((finding["concept"],)), frozenset(finding["sites"]), *common, said)
    words = finding["site"] or ""
    sites = [e.id for e in _entries(lexicon, words, ANATOMY) or _entries_in(lexicon, words, ANATOMY)]
    concepts: set[str] = set()
    for concept in _concepts(index, lexicon, finding["observation"], finding["status"], sites):
        concepts |= {concept, *(index.fold(concept, (site,) if site else ()) for site in sites or [""])}
    for detail in details:
        # "fracture" with the detail "comminuted" may be one named concept.
        for entry in _entries(lexicon, f"{detail} {finding['observation']}", FINDING):
            concepts |= {entry.id, *(index.fold(entry.id, (site,)) for site in sites)}
    return Gold(frozenset(concepts), frozenset(sites), *common, f"{finding['observation']} @ {finding['site']}")


def _entries(lexicon: Lexicon, words: str, kinds: str) -> list[Entry]:
    return [e for e in lexicon.lookup(phrase_key(words)) if e.type in kinds]


def _entries_in(lexicon: Lexicon, words: str, kind: str) -> list[Entry]:
    """Return the lexicon's matches of a kind inside words that it does not match as a whole."""
    forms = (mention.form for mention in lexicon.scan(tokenize(words)))
    return [form.types[kind] for form in forms if form is not None and kind in form.types]


def _concepts(index: Index, lexicon: Lexicon, words: str, status: str, sites: Sequence[str]) -> Iterable[str]:
    entries = _entries(lexicon, words, "FN")
    if status == "normal":
        normals = [entry.id for entry in entries if entry.type == NORMAL]
        if normals:
            yield index.denied_by(normals, sites[0] if sites else None).genus
        for prefix in _NORMAL:
            for quality in _entries(lexicon, words.removeprefix(prefix), QUALITY) if words.startswith(prefix) else ():
                yield index.qualities[quality.id].get("dev", index.role("any_abnormality"))
    yield from (entry.id for entry in entries or _entries_in(lexicon, words, FINDING) if entry.type == FINDING)


def _match_findings(
    gold: Sequence[Gold], found: Sequence[Finding], index: Index
) -> tuple[list[tuple[Gold, Finding]], list[Gold], list[Finding]]:
    """Return the matching pairs, and the rest of either side."""
    pairs, missed, free = [], [], list(found)
    for wanted in gold:
        finding = next((one for one in free if _same(wanted, one, index)), None)
        if finding is None:
            missed.append(wanted)
        else:
            pairs.append((wanted, finding))
            free.remove(finding)
    return pairs, missed, free


def _same(gold: Gold, finding: Finding, index: Index) -> bool:
    if gold.side != finding.side or gold.status != finding.status or finding.concept is None:
        return False
    own = concepts_of(index, finding)
    named = own & gold.concepts or any(_site_only(index, c, w, gold.sites) for c in own for w in gold.concepts)
    return bool(named) and _same_place(gold, finding, index)


def _same_place(gold: Gold, finding: Finding, index: Index) -> bool:
    concept = finding.concept or ""
    implied, usual = set(index.sites_implied(concept)), index.soft_sites.get(concept, ())
    if not gold.sites:
        return set(finding.sites) <= implied | set(usual)
    sites = set(finding.sites) | implied | {index.wall_of[s] for s in finding.sites if s in index.wall_of}
    # "hydronephrosis @ kidney" is at the collecting system, as its name says
    sites |= {g for g in gold.sites for site in finding.sites if site in usual and index.inside(site, g)}
    for kind in usual:
        # "cartilage defect @ hip joint" is at the cartilage of the hip
        sites |= {g for g in gold.sites if index.specific(kind, g) in finding.sites}
    return bool(gold.sites & sites)


def _site_only(index: Index, found: str, wanted: str, sites: frozenset[str]) -> bool:
    """Return whether one concept equals the other at its stated site ("venous thrombosis" of the leg: leg DVT)."""
    for narrow, broad in ((found, wanted), (wanted, found)):
        own = index.sites_implied(narrow) or frozenset(index.soft_sites.get(narrow, ()))
        held = bool(own) and all(any(index.inside(s, o) for s in sites) for o in own)
        if held and narrow in index.defined and index.is_a(narrow, broad):
            return True
    return False


def _show(one: JudgedText) -> None:
    print(f"{one.record['id']} | {one.record['modality']} | {one.record['construct']}\n   {one.text!r}")
    for wanted in one.missed:
        print(f"     - {wanted.text} {wanted.side} {wanted.status} {sorted(wanted.concepts)} {sorted(wanted.sites)}")
    for finding in one.invented:
        print(f"     + {finding.concept} {finding.sites} {finding.side} {finding.status}")


_TOLD = ("corrected", "read otherwise without")


def _grid(figures: Figures) -> Grid:
    rows = [[name, *(str(counts[told]) for told in _TOLD)] for name, counts in figures["rules"].items()]
    columns = (Column("rule", words=True), *map(Column, _TOLD))
    return Grid("", columns, rows, notes=(f"{figures['texts']} texts, {figures['sentences']} sentences",))


@benchmark("reader", "sample", "show", table=_grid)
def rules(ask: Ask) -> dict[str, Any]:
    """Return by rule, in order of application, how many sentences it changes, and in how many the findings would
    differ without it (in the sentence itself, or in a later one). FILE: any records with texts."""
    scorer = ask.scorer()
    reader = reader_of(ask.reader, scorer.index, scorer.lexicon, remembered=0)
    composition, every = reader.composition, reader.composition.rules
    texts = list(dict.fromkeys(text for row in ask.records() for text in _texts(row)))
    sentences, corrected, otherwise = 0, Counter[str](), Counter[str]()
    for text in texts:
        steps = reader.trace(text)
        sentences += sum(bool(step.items) for step in steps)
        fired = Counter(name for step in steps for name in step.rules)
        corrected += fired
        for name in fired:
            composition.rules = {other: rule for other, rule in every.items() if other != name}
            changed = [one for one, other in zip(steps, reader.trace(text), strict=True) if one.findings != other.findings]
            otherwise[name] += len(changed)
            for step in changed if ask.show else ():
                print(name, step.sentence.strip(), sep="\t")
        composition.rules = every
    counts = {name: dict(zip(_TOLD, (corrected[name], otherwise[name]), strict=True)) for name in every}
    return {"texts": len(texts), "sentences": sentences, "rules": counts}


def _texts(row: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts of a record: values of more than one word, and those in lists."""
    for value in row.values():
        yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str) and " " in one.strip())
