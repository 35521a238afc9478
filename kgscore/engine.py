"""The scorer: reading, matching and metrics combined for pairs of reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

from kgscore import metrics as registry
from kgscore.clinical.context import UNKNOWN, Context, context_in, context_of
from kgscore.config import AT_ONCE, RECORD_TIMEOUT, USUAL
from kgscore.errors import InputError, KgscoreError
from kgscore.io.in_memory import length_of, pairs_in_memory
from kgscore.io.records import PAIR_FIELDS, BadRecord, Record, clean_texts
from kgscore.knowledge import Knowledge, load_knowledge
from kgscore.labelling.decide import Labeller, Labels
from kgscore.labelling.sets import load_set
from kgscore.language.answers import AnswerError
from kgscore.language.endpoint import Endpoint
from kgscore.matching.alignment import match
from kgscore.matching.relation import relator_of
from kgscore.matching.residues import stems_of, words_of
from kgscore.matching.statements import strongest
from kgscore.matching.weighting import weighting_of
from kgscore.metrics.base import Corrected, Corrector, Detailed, Matched, MetricInfo, Signed
from kgscore.metrics.lines import Line, join_lines, lines_of
from kgscore.model import Contradiction, Contribution, Correction, Entailment, PairResult, Reading, Relation, Score
from kgscore.process import few_collections
from kgscore.profile import Profile, load_profile
from kgscore.reading.protocol import Contextual, Preparing, Reader
from kgscore.reading.readers import DEFAULT, reader_of
from kgscore.report.progress import with_progress
from kgscore.results.outcome import failure
from kgscore.signature import signature_of
from kgscore.time_limit import Limit, TimeLimitError, attempt, place_of
from kgscore.understanding import FOREIGN, UNREAD, Understanding

EMPTY_CANDIDATE = ("score", "skip")
_T = TypeVar("_T")


class Scorer:
    """Scores, reads and relates reports. Build one and use it for many pairs.

    Args:
        profile: the name of a shipped profile, the path of a `.yaml` file, or a profile.
        metrics: names of metrics (`kgscore.metrics.names()`), `all`, and custom metrics: a class with `name` and
            `score(pair)`, a `MetricInfo`, or the text `FILE.py:NAME` of one of these; one, or several.
        modules: paths of further ontology modules (Turtle files, or folders of tables), besides those of the profile.
        remember: number of texts whose reading is cached, for texts that recur (one reference, many candidates).
        empty_candidate: "score" a candidate that says nothing, or is not understood, as all missed, or "skip" it (status
            `empty`).
        reader: the reader of the reports: "default", "parser", the path of a model for the parser, or the
            endpoint of a language model.
        timeout: seconds after which a record is `failed`; None for no limit. Readers that use a language model have no
            limit here, but time limits of their own.
        peers: names of third-party metrics to compute as well ("bleu"; `kgscore metrics --peers` lists them); one, or several.

    Raises:
        ProfileError: the profile, a metric or a peer does not exist.
        InputError: `empty_candidate` or `timeout` is invalid, or the reader is unknown.
        OntologyError: a module is invalid.
    """

    def __init__(
        self, profile: str | Path | Profile = "default", metrics: str | Iterable[str | MetricInfo | type] = USUAL,
        modules: Sequence[str | Path] = (), remember: int = 0, empty_candidate: str = "score",
        reader: str | Path | Endpoint = DEFAULT, timeout: float | None = RECORD_TIMEOUT, peers: str | Iterable[str] = (),
    ) -> None:
        _check_options(timeout, empty_candidate, modules)
        infos = (*registry.resolved(metrics, files=True), *registry.peer_metric_infos(peers))
        self.metrics = tuple(info.name for info in infos)
        self.profile = profile if isinstance(profile, Profile) else load_profile(profile)
        knowledge = load_knowledge((*self.profile.modules, *modules))
        self.index, self.lexicon = knowledge.index, knowledge.lexicon
        self.reader: Reader = _reader(reader, knowledge)
        self._endpoint = reader if isinstance(reader, Endpoint) else None
        self._timeout = timeout if self._endpoint is None else None
        self._read = lru_cache(remember)(self.reader.read) if remember else self.reader.read
        self._together = not remember
        self.relator = relator_of(knowledge.index)
        self._understood = Understanding(knowledge.index)
        self._skip_silence = empty_candidate == "skip"
        self.weighting = weighting_of(self.profile, knowledge.index)
        self._metrics = registry.build(infos, self.profile, knowledge.index)
        detailed = {name: metric for name, metric in self._metrics.items() if isinstance(metric, Detailed)}
        self._detailed = dict(sorted(detailed.items(), key=lambda one: one[0] != "clinical"))
        self._corrector: Corrector | None = None
        self._labellers: dict[str, Labeller] = {}
        signature = {**signature_of(knowledge.hash, self.profile, self.reader.identity, knowledge.modules)}
        signature |= {info.name: info.identity for info in infos if info.identity}
        signature |= {"empty_candidate": empty_candidate} if self._skip_silence else {}
        for metric in self._metrics.values():
            signature |= metric.signature if isinstance(metric, Signed) else {}
        self.signature: Mapping[str, str] = signature

    def ahead(self, records: Iterable[Record | BadRecord]) -> Iterable[Record | BadRecord]:
        """Yield the records in order. With a language model, many are read concurrently in advance, and those that it cannot
        read become bad records."""
        if self._endpoint is None:
            return records
        from kgscore.language.prefetch import prefetch_texts

        return prefetch_texts(records, self._read, self._endpoint.concurrency)

    def prepare(self, records: Iterable[Record | BadRecord]) -> None:
        """Read the texts of the next records in advance, if the reader is faster for many reports at once."""
        texts = (text for record in records if isinstance(record, Record) for text in record.fields.values())
        with suppress(TimeLimitError), self.limit() as limit:
            limit.run(lambda: self._prepare(texts))

    def _prepare(self, reports: Iterable[str]) -> None:
        if isinstance(self.reader, Preparing):
            with suppress(Exception):  # errors are reported when the report itself is read
                self.reader.prepare(report for report in reports if report.strip())

    def label(self, concept: str) -> str:
        """Return the preferred label of a concept."""
        return self.index.label(concept)

    def read(self, report: str) -> Reading:
        """Return the reading of a report."""
        return self._read(*clean_texts(report=report))

    def score(
        self, *, reference: str, candidate: str, id: str = "", context: Context | Mapping[str, Any] = UNKNOWN
    ) -> PairResult:
        """Score a candidate report against its reference; `context` describes the patient (`{"age": 70, "setting": "ICU"}`).

        A candidate that says nothing (it is blank, a refusal, or has no finding), or of which nothing is understood (it is in
        another language, or not text at all), is scored as all missed, and the reason says so. There is a reason and no score
        when the reference is blank or has no finding (`empty`), when it is in another language or not understood at all, or when
        the texts exceed the time, memory or recursion available (`failed`).

        Raises:
            InputError: a key or value of a context that is not known.
        """
        reference, candidate = clean_texts(reference=reference, candidate=candidate)
        patient = context if isinstance(context, Context) else context_of(context)

        def score_read_pair() -> PairResult:
            if self._together:
                self._prepare((reference, candidate))
            return self._score(reference, candidate, id, patient)

        return self._run_limited(score_read_pair, lambda reason: failure(id, reason, self.metrics))

    def limit(self) -> Limit:
        """Return the time limit for a record; consecutive records may share it."""
        return Limit(self._timeout)

    def _run_limited(self, work: Callable[[], _T], failed: Callable[[str], _T]) -> _T:
        with self.limit() as limit:
            return attempt(limit, work, failed)

    def _score(self, reference: str, candidate: str, id: str, context: Context) -> PairResult:
        matched = self._match(reference, candidate, id, context)
        if isinstance(matched, PairResult):
            return matched
        scores, more = self._scores(matched)
        scored = any(score.status == "scored" for score in scores.values())
        reason = self._understood.silence(candidate, matched.candidate)
        reason = reason or ("" if scored else next((score.reason for score in scores.values()), ""))
        missed, invented = matched.unmatched()
        return PairResult(
            id, "scored" if scored else "empty", scores, matched.reference, matched.candidate, tuple(matched.links),
            tuple(matched.contradictions), tuple(missed), tuple(invented), reason, self.signature, **more,
        )  # fmt: skip

    def _scores(self, matched: Matched) -> tuple[dict[str, Score], dict[str, Any]]:
        """Return the score of every metric, and what else some give: these come first, since the others use a verdict."""
        scores: dict[str, Score] = {}
        more: dict[str, Any] = {}
        for name, metric in self._detailed.items():
            scores[name], found = metric.detailed(matched)
            more |= found
            if "verdict" in found:
                matched = replace(matched, verdict=found["verdict"])
        scores |= {name: metric.score(matched) for name, metric in self._metrics.items() if name not in scores}
        return {name: _finite(scores[name]) for name in self._metrics}, more

    def _match(self, reference: str, candidate: str, id: str, context: Context = UNKNOWN) -> Matched | PairResult:
        """Return a pair read and matched, or a result with the reason why it could not be."""
        if not reference.strip():
            return self._empty_result(id, "the reference report is empty")
        if self._understood.is_foreign(reference):
            return failure(id, FOREIGN.format("reference "), self.metrics)
        left, right = self._read(reference), self._understood.read_candidate(candidate, self._read)
        if self._understood.is_unread(reference, left):
            return failure(id, UNREAD.format("reference "), self.metrics)
        if not left.findings:
            return self._empty_result(id, "the reference report holds no finding")
        if self._understood.says_only_unchanged(right) and not self._understood.says_only_unchanged(left):
            right = Reading(())
        if self._skip_silence and (silence := self._understood.silence(candidate, right)):
            return self._empty_result(id, silence)
        lenient = self.weighting.lenient
        matching = match(self.relator, lenient(left.findings), lenient(right.findings), self.profile)
        return Matched(left, right, matching.links, matching.contradictions, reference, candidate, context)

    def correct(
        self, *, reference: str, candidate: str | Sequence[str], id: str = "", context: Context | None = None
    ) -> Corrected:
        """Return the line-by-line corrections that turn a candidate into its reference (FineRadScore 3).

        A candidate given as a list keeps its lines; one given as text is split at full stops. One that says nothing lacks every
        line of the reference. As with `score`, a pair that is `empty` or `failed` has a reason and no corrections."""
        if isinstance(candidate, str):
            reference, text = clean_texts(reference=reference, candidate=candidate)
            lines = lines_of(text)
        else:
            reference, *told = clean_texts(reference=reference, **{f"line {n}": line for n, line in enumerate(candidate, 1)})
            text, lines = join_lines(told)
        return self._run_limited(
            lambda: self._correct(reference, text, lines, id, context), lambda reason: Corrected(id, "failed", (), None, reason)
        )

    def _correct(self, reference: str, text: str, lines: Sequence[Line], id: str, context: Context | None) -> Corrected:
        matched = self._match(reference, text, id)
        if isinstance(matched, PairResult):
            return Corrected(id, matched.status, (), None, matched.reason)
        corrector = self._load_corrector()
        found = corrector.corrections(matched, lines, self._reading_lines(), context)
        return Corrected(id, "scored", tuple(found), corrector.total(found), self._understood.silence(text, matched.candidate))

    def contributions(
        self, result: PairResult, *, reference: str, candidate: str, context: Context = UNKNOWN
    ) -> Mapping[str, Sequence[Contribution]]:
        """Return the items behind each score of a result: matched, missed, invented or contradicted, and their cost."""
        pair = _pair(result, reference, candidate, context)
        return {} if pair is None else {
            name: metric.explain(pair, result.scores[name])
            for name, metric in self._metrics.items()
            if name in result.scores and result.scores[name].value is not None
        }

    def corrections(self, result: PairResult, *, reference: str, candidate: str) -> tuple[Correction, ...]:
        """Return the corrections of a pair already read and matched; none if that failed."""
        pair = _pair(result, reference, candidate, UNKNOWN)
        return () if pair is None else tuple(self._load_corrector().corrections(pair, read=self._reading_lines()))

    def _reading_lines(self) -> Callable[[str], Reading]:
        """Return the reader for parts of a reference when searching the shortest sufficient part; never a language model."""
        return self.reader.read if self._endpoint is None else reader_of(DEFAULT, self.index, self.lexicon).read

    def _load_corrector(self) -> Corrector:
        self._corrector = self._corrector or registry.corrector(self.profile, self.index)
        return self._corrector

    def score_many(
        self, pairs: object = None, *, references: object = None, candidates: object = None, progress: bool | None = None
    ) -> Iterator[PairResult]:
        """Score pairs like `kgscore.score_many`, which distributes them over processes. Pairs are taken in batches, since the
        reader is faster for several together."""
        records = pairs_in_memory(pairs, references, candidates)
        return with_progress(self._score_batches(records), progress, length_of(pairs, references, candidates))

    def _score_batches(self, records: Iterator[Record | BadRecord]) -> Iterator[PairResult]:
        while chunk := [*islice(records, AT_ONCE)]:
            with few_collections():
                self.prepare(chunk)
                results = [self.score_record(record) for record in chunk]
            yield from results

    def score_record(self, record: Record | BadRecord, *, explain: bool = False, limit: Limit | None = None) -> PairResult:
        """Return the result of one record of a batch, with `contributions` if `explain`; errors in a record become a failed
        result. Consecutive records may share an open `limit`."""
        if isinstance(record, BadRecord):
            return failure(record.id, record.reason, self.metrics)
        if limit is None:
            with self.limit() as limit:
                return self.score_record(record, explain=explain, limit=limit)
        try:
            return attempt(limit, lambda: self._record(record, explain), lambda reason: failure(record.id, reason, self.metrics))
        except AnswerError as error:
            return failure(record.id, str(error), self.metrics)
        except KgscoreError:
            raise
        except Exception as error:  # a bug must not end the batch: it becomes a failed result with its location
            return failure(record.id, f"internal error ({place_of(error)}); please report it", self.metrics)

    def _record(self, record: Record, explain: bool) -> PairResult:
        texts = dict(zip(PAIR_FIELDS, clean_texts(**{name: record.fields[name] for name in PAIR_FIELDS}), strict=True))
        context = context_in(record.extra)
        result = self._score(**texts, id=record.id, context=context)
        return replace(result, contributions=self.contributions(result, **texts, context=context)) if explain else result

    def _empty_result(self, id: str, reason: str) -> PairResult:
        scores = {name: Score(name, "empty", None, reason) for name in self.metrics}
        return PairResult(id, "empty", scores, reason=reason, signature=self.signature)

    def relate(self, a: str, b: str) -> Relation:
        """Return the relation of statement b to statement a. If they read as several findings, the strongest verdict counts
        (contradiction before credit), and findings left over on either side make the anatomy part–whole."""
        a, b = clean_texts(a=a, b=b)
        return self.relate_readings(self.reader.read(a), self.reader.read(b), (a, b))

    def relate_readings(self, a: Reading, b: Reading, texts: tuple[str, str] = ("", "")) -> Relation:
        """Return the relation of two readings, as `relate` does of their texts."""
        lenient = self.weighting.lenient
        words = words_of(*(word.text for word in a.unlinked)) ^ words_of(*(word.text for word in b.unlinked))
        residue = frozenset(word for word in words if stems_of(word))
        return strongest(self.relator, self.profile, lenient(a.findings), lenient(b.findings), residue, texts)

    def entails(self, report: str, statement: str) -> Entailment:
        """Return whether the report entails the statement: entailed, contradicted or neutral, with the deciding spans."""
        from kgscore.entailment.decide import entailment

        report, statement = clean_texts(report=report, statement=statement)
        reader = self.reader
        said = reader.read_within(statement, report) if isinstance(reader, Contextual) else self._read(statement)
        residue = [unlinked.text for unlinked in said.unlinked]
        return entailment(self.relator, self._read(report).findings, said.findings, statement.strip(), report, residue)

    def implied_labels(self, label_set: str) -> Mapping[str, frozenset[str]]:
        """Return, for every label of a set, the labels that it implies by the ontology, including itself.

        Raises:
            InputError: the set does not exist, or refers to something missing from the ontology.
        """
        return self._labeller(label_set).implied()

    def _labeller(self, label_set: str) -> Labeller:
        if label_set not in self._labellers:
            self._labellers[label_set] = Labeller(load_set(label_set), self.index, self.relator)
        return self._labellers[label_set]

    def labels(self, report: str, label_set: str = "chexpert14") -> Labels:
        """Return the value of every label of a set for a report: present, absent, uncertain or not mentioned.

        `label_set` is the name of a shipped set, or a `.yaml` or `.sssom.tsv` file. A blank report is `empty`; one in another
        language, or of which no word is understood, is `failed`: both without values.

        Raises:
            InputError: the set does not exist, or refers to something missing from the ontology.
        """
        labeller = self._labeller(label_set)
        name = labeller.set.name
        (report,) = clean_texts(report=report)
        if not report.strip():
            return Labels(name, "empty", reason="the report is empty")
        if self._understood.is_foreign(report):
            return Labels(name, "failed", reason=FOREIGN.format(""))
        return self._run_limited(lambda: self._labels(labeller, report), lambda reason: Labels(name, "failed", reason=reason))

    def _labels(self, labeller: Labeller, report: str) -> Labels:
        name, reading = labeller.set.name, self._read(report)
        if not reading.findings and reading.unlinked:
            return Labels(name, "failed", reason=UNREAD.format(""))
        return Labels(name, "read", labeller.label(reading.findings), reading.findings)

    def consistency(self, report: str) -> tuple[Contradiction, ...]:
        """Return the contradictions inside one report."""
        from kgscore.entailment.consistency import contradictions

        return contradictions(self.relator, self._read(*clean_texts(report=report)).findings)


def _check_options(timeout: float | None, empty_candidate: str, modules: object) -> None:
    if timeout is not None and not timeout > 0:
        raise InputError(f"timeout: {timeout} is not positive; give seconds, or None for no limit")
    if empty_candidate not in EMPTY_CANDIDATE:
        raise InputError(f"empty candidate: '{empty_candidate}' is unknown; use {' or '.join(EMPTY_CANDIDATE)}")
    if isinstance(modules, (str, Path)):
        raise InputError(f"modules: give a list of paths, as in modules=['{modules}']")


def _finite(score: Score) -> Score:
    """Return a score, marked as failed if its value is not a finite number."""
    if score.value is None or isfinite(score.value):
        return score
    return Score(score.metric, "failed", None, f"the metric gave {score.value}, which is not a finite number")


def _reader(reader: str | Path | Endpoint, knowledge: Knowledge) -> Reader:
    if not isinstance(reader, Endpoint):
        return reader_of(str(reader), knowledge.index, knowledge.lexicon)
    from kgscore.language.reader import ModelReader

    return ModelReader(reader, knowledge.index, knowledge.lexicon)


def _pair(result: PairResult, reference: str, candidate: str, context: Context) -> Matched | None:
    """Return a result as a matched pair; None if a report was not read."""
    one, other = result.reference, result.candidate
    if one is None or other is None:
        return None
    reference, candidate = clean_texts(reference=reference, candidate=candidate)
    return Matched(one, other, result.links, result.contradictions, reference, candidate, context, result.verdict)
