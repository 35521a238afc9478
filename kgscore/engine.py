"""Reading, matching and metrics wired together for one pair of reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from kgscore import metrics as registry
from kgscore.clinical.context import UNKNOWN, Context, context_in
from kgscore.config import AT_ONCE, PLAIN
from kgscore.errors import InputError, KgscoreError
from kgscore.knowledge import Knowledge, load_knowledge
from kgscore.labelling.decide import Labeller, Labels
from kgscore.labelling.sets import load_set
from kgscore.language.answers import AnswerError
from kgscore.language.endpoint import Endpoint
from kgscore.matching.links import match
from kgscore.matching.relation import relator_of
from kgscore.matching.statements import strongest
from kgscore.matching.weighting import weighting_of
from kgscore.metrics.base import Corrected, Corrector, Detailed, Matched, MetricInfo, Signed
from kgscore.metrics.lines import joined, lines_of
from kgscore.model import Contradiction, Contribution, Correction, Entailment, PairResult, Reading, Relation, Score
from kgscore.profile import Profile, load_profile
from kgscore.reading.language import english_test
from kgscore.reading.protocol import Contextual, Preparing, Reader
from kgscore.reading.readers import DEFAULT, reader_of
from kgscore.reading.refusals import Refusals
from kgscore.records import PAIR_FIELDS, BadRecord, Record, given_pairs, need_texts
from kgscore.results.outcome import SAYS_NOTHING, failure
from kgscore.signature import signature_of

EMPTY_CANDIDATE = ("score", "skip")
_FOREIGN = "the {} report seems to be in another language; reports are read in English"
_UNREAD = "nothing in the {} report was understood; reports are read in English"
_NOTHING = Reading(())


class Scorer:
    """Scores, reads and relates reports. Build one and use it for many pairs.

    Args:
        profile: the name of a shipped profile, the path of a `.yaml` file, or a profile.
        metrics: names of metrics (`kgscore.metrics.names()`), `all`, and metrics of your own: a class with `name` and
            `score(pair)`, a `MetricInfo`, or the text `FILE.py:NAME` of one of these.
        modules: paths of further ontology modules (Turtle files, or folders of tables), besides those of the profile.
        remember: of how many texts to keep the reading, for texts that come again (one reference, many candidates).
        empty_candidate: "score" a candidate that says nothing as having missed everything, or "skip" it: it is `empty`.
        reader: what reads the reports: "default", "parser", the path of a model for the parser, or the
            endpoint of a language model.

    Raises:
        ProfileError: the profile or a metric does not exist.
        InputError: `empty_candidate` is neither, or there is no such reader.
        OntologyError: a module is wrong.
    """

    def __init__(
        self,
        profile: str | Path | Profile = "default",
        metrics: Iterable[str | MetricInfo | type] = (PLAIN,),
        modules: Sequence[str | Path] = (),
        remember: int = 0,
        empty_candidate: str = "score",
        reader: str | Path | Endpoint = DEFAULT,
    ) -> None:
        if empty_candidate not in EMPTY_CANDIDATE:
            raise InputError(f"empty candidate: '{empty_candidate}' is none; it is {' or '.join(EMPTY_CANDIDATE)}")
        if isinstance(modules, (str, Path)):
            raise InputError(f"modules: give a list of paths, as in modules=['{modules}']")
        infos = registry.resolved(metrics)
        self.metrics = tuple(info.name for info in infos)
        self.profile = profile if isinstance(profile, Profile) else load_profile(profile)
        knowledge = load_knowledge((*self.profile.modules, *modules))
        self.index = knowledge.index
        self.lexicon = knowledge.lexicon
        self.reader: Reader = _reader(reader, knowledge)
        self._endpoint = reader if isinstance(reader, Endpoint) else None
        self._refusals = Refusals()
        self._read = lru_cache(remember)(self.reader.read) if remember else self.reader.read
        self._together = not remember
        self.relator = relator_of(knowledge.index)
        self._language = english_test()
        self._skip_silence = empty_candidate == "skip"
        self.weighting = weighting_of(self.profile, knowledge.index)
        self._metrics = registry.build(infos, self.profile, knowledge.index)
        self._detailed = {name: metric for name, metric in self._metrics.items() if isinstance(metric, Detailed)}
        self._corrector: Corrector | None = None
        self._labellers: dict[str, Labeller] = {}
        signature = {**signature_of(knowledge.hash, self.profile, self.reader.identity, knowledge.modules)}
        signature |= {info.name: info.identity for info in infos if info.identity}
        if self._skip_silence:
            signature["empty_candidate"] = empty_candidate
        for metric in self._metrics.values():
            if isinstance(metric, Signed):
                signature |= metric.signature
        self.signature: Mapping[str, str] = signature

    def ahead(self, records: Iterable[Record | BadRecord]) -> Iterable[Record | BadRecord]:
        """Return the records in order; where a language model reads, many are read at once before they are asked for, and those
        that it cannot read are bad."""
        if self._endpoint is None:
            return records
        from kgscore.language.ahead import read_ahead

        return read_ahead(records, self._read, self._endpoint.concurrency)

    def prepare(self, records: Iterable[Record | BadRecord]) -> None:
        """Make ready for records that will be scored next, where the reader takes less time for many reports at once."""
        self._prepare(text for record in records if isinstance(record, Record) for text in record.fields.values())

    def _prepare(self, reports: Iterable[str]) -> None:
        if isinstance(self.reader, Preparing):
            with suppress(Exception):  # what is wrong with a report is told when it is read
                self.reader.prepare(report for report in reports if report.strip())

    def label(self, concept: str) -> str:
        """Return the preferred label of a concept."""
        return self.index.label(concept)

    def read(self, report: str) -> Reading:
        """Return what a report says."""
        need_texts(report=report)
        return self._read(report)

    def score(self, *, reference: str, candidate: str, id: str = "", context: Context = UNKNOWN) -> PairResult:
        """Score a candidate report against its reference; `context` is what is known of the patient.

        A candidate that says nothing (it is blank, refuses, or holds no finding) is scored as having missed everything, and the
        reason says so. No number is given, and the reason is, when the reference is blank or holds no finding (`empty`), or
        when a report is in another language or nothing of it was understood (`failed`).
        """
        need_texts(reference=reference, candidate=candidate)
        if self._together:
            self._prepare((reference, candidate))
        return self._score(reference, candidate, id, context)

    def _score(self, reference: str, candidate: str, id: str, context: Context) -> PairResult:
        """Score a pair of reports that were prepared, or that may be remembered."""
        matched = self._matched(reference, candidate, id, context)
        if isinstance(matched, PairResult):
            return matched
        scores, more = self._scores(matched)
        status = "scored" if any(s.status == "scored" for s in scores.values()) else "empty"
        reason = "" if status == "scored" else next((s.reason for s in scores.values()), "")
        if not matched.candidate.findings:
            reason = SAYS_NOTHING
        missed, invented = matched.unmatched()
        return PairResult(
            id, status, scores, matched.reference, matched.candidate,  # type: ignore[arg-type]
            tuple(matched.links), tuple(matched.contradictions), tuple(missed), tuple(invented), reason, self.signature, **more,
        )  # fmt: skip

    def _scores(self, matched: Matched) -> tuple[dict[str, Score], dict[str, Any]]:
        """Return the score of every metric, and what else metrics put into the result of the pair: those that do so come first,
        and a verdict that one of them gives is there for the others."""
        scores: dict[str, Score] = {}
        more: dict[str, Any] = {}
        for name, metric in self._detailed.items():
            scores[name], found = metric.detailed(matched)
            more |= found
        if "verdict" in more:
            matched = replace(matched, verdict=more["verdict"])
        scores |= {name: metric.score(matched) for name, metric in self._metrics.items() if name not in scores}
        return {name: scores[name] for name in self._metrics}, more

    def _matched(self, reference: str, candidate: str, id: str, context: Context = UNKNOWN) -> Matched | PairResult:
        """Return a pair read and matched, or the result that says why it cannot be."""
        if not reference.strip():
            return self._empty(id, "the reference report is empty")
        for name, text in (("reference", reference), ("candidate", candidate)):
            if not self._language(text).possible:
                return failure(id, _FOREIGN.format(name), self.metrics)
        left, right = self._read(reference), self._read(candidate) if candidate.strip() else _NOTHING
        for name, text, reading in (("reference", reference, left), ("candidate", candidate, right)):
            if self._unread(text, reading):
                return failure(id, _UNREAD.format(name), self.metrics)
        if not left.findings:
            return self._empty(id, "the reference report holds no finding")
        if self._only_unchanged(right) and not self._only_unchanged(left):
            right = _NOTHING
        if self._skip_silence and not right.findings:
            return self._empty(id, SAYS_NOTHING)
        lenient = self.weighting.lenient
        matching = match(self.relator, lenient(left.findings), lenient(right.findings), self.profile)
        return Matched(left, right, matching.links, matching.contradictions, reference, candidate, context)

    def _only_unchanged(self, reading: Reading) -> bool:
        """Whether a report says no more than that nothing changed ("Stable."): a candidate has then missed everything."""
        altered = self.index.role("altered")
        return bool(reading.findings) and all(one.concept == altered and not one.sites for one in reading.findings)

    def _unread(self, text: str, reading: Reading) -> bool:
        """Whether nothing of a text was understood, so that it may be of any language: it holds no finding, but unknown words,
        and nothing that only English says."""
        if reading.findings or not reading.unlinked:
            return False
        refusals = self._refusals
        return not (self._language(text).certain or refusals.bare(text) or refusals.refuse(text))

    def correct(
        self, *, reference: str, candidate: str | Sequence[str], id: str = "", context: Context | None = None
    ) -> Corrected:
        """Return the line-by-line corrections that turn a candidate into its reference (FineRadScore 3).

        A candidate given as a list keeps its lines; one given as text is cut at full stops. One that says nothing lacks every
        line of the reference. As with `score`, a pair that is `empty` or `failed` has a reason and no corrections.
        """
        text, lines = (candidate, lines_of(candidate)) if isinstance(candidate, str) else joined(candidate)
        matched = self._matched(reference, text, id)
        if isinstance(matched, PairResult):
            return Corrected(id, matched.status, (), None, matched.reason)
        corrector = self._correcting()
        found = corrector.corrections(matched, lines, self._reading_lines(), context)
        return Corrected(id, "scored", tuple(found), corrector.total(found), "" if matched.candidate.findings else SAYS_NOTHING)

    def contributions(
        self, result: PairResult, *, reference: str, candidate: str, context: Context = UNKNOWN
    ) -> Mapping[str, Sequence[Contribution]]:
        """Return what each score of a result is made of: what was matched, missed, invented or contradicted, and its cost."""
        pair = _pair(result, reference, candidate, context)
        return {} if pair is None else {
            name: metric.explain(pair, result.scores[name])
            for name, metric in self._metrics.items()
            if name in result.scores and result.scores[name].value is not None
        }

    def corrections(self, result: PairResult, *, reference: str, candidate: str) -> tuple[Correction, ...]:
        """Return the corrections of a pair that was read and matched before; none where it could not be."""
        pair = _pair(result, reference, candidate, UNKNOWN)
        return () if pair is None else tuple(self._correcting().corrections(pair, read=self._reading_lines()))

    def _reading_lines(self) -> Callable[[str], Reading]:
        """Return what reads parts of a reference to find the shortest that says enough: no language model is asked for that."""
        return self.reader.read if self._endpoint is None else reader_of(DEFAULT, self.index, self.lexicon).read

    def _correcting(self) -> Corrector:
        if self._corrector is None:
            self._corrector = registry.corrector(self.profile, self.index)
        return self._corrector

    def score_many(
        self, pairs: Iterable[Mapping[str, object]] | None = None, *, references: Sequence[str] | None = None,
        candidates: Sequence[str] | None = None,
    ) -> Iterator[PairResult]:
        """Score pairs as `kgscore.score_many` does, which shares the work between processes; some are taken in at once, since the
        reader takes less time for them together."""
        return self._scored(given_pairs(pairs, references, candidates))

    def _scored(self, records: Iterator[Record | BadRecord]) -> Iterator[PairResult]:
        while chunk := [*islice(records, AT_ONCE)]:
            self.prepare(chunk)
            yield from map(self.score_record, chunk)

    def score_record(self, record: Record | BadRecord, *, explain: bool = False) -> PairResult:
        """Return the result of one record of a batch, with `contributions` if `explain`; whatever is wrong with it, the batch
        goes on."""
        if isinstance(record, BadRecord):
            return failure(record.id, record.reason, self.metrics)
        try:
            texts = {name: record.fields[name] for name in PAIR_FIELDS}
            context = context_in(record.extra)
            need_texts(**texts)
            result = self._score(**texts, id=record.id, context=context)
            return replace(result, contributions=self.contributions(result, **texts, context=context)) if explain else result
        except AnswerError as error:
            return failure(record.id, str(error), self.metrics)
        except KgscoreError:
            raise
        except Exception as error:  # a defect of ours must not end the batch; it becomes a failure with its place
            return failure(record.id, f"internal error ({_place(error)}); please report it", self.metrics)

    def _empty(self, id: str, reason: str) -> PairResult:
        scores = {name: Score(name, "empty", None, reason) for name in self.metrics}
        return PairResult(id, "empty", scores, reason=reason, signature=self.signature)

    def relate(self, a: str, b: str) -> Relation:
        """Return how statement b stands to statement a. If they read as several findings, the strongest verdict counts
        (contradiction before credit), and findings left over on either side make the anatomy part–whole."""
        need_texts(a=a, b=b)
        return self.relate_readings(self.reader.read(a), self.reader.read(b))

    def relate_readings(self, a: Reading, b: Reading) -> Relation:
        """Return how a statement that was read as b stands to one that was read as a, as `relate` does."""
        lenient = self.weighting.lenient
        return strongest(self.relator, self.profile, lenient(a.findings), lenient(b.findings))

    def entails(self, report: str, statement: str) -> Entailment:
        """Return whether the report says the statement: entailed, contradicted or neutral, with the spans that decide."""
        from kgscore.matching.entailment import entailment

        need_texts(report=report, statement=statement)
        reader = self.reader
        said = reader.read_within(statement, report) if isinstance(reader, Contextual) else self._read(statement)
        return entailment(self.relator, self._read(report).findings, said.findings, statement.strip(), report)

    def implied_labels(self, label_set: str) -> Mapping[str, frozenset[str]]:
        """Return for every label of a set those that go with it by the ontology, itself too.

        Raises:
            InputError: there is no such set, or it names something that the ontology does not have.
        """
        return self._labeller(label_set).implied()

    def _labeller(self, label_set: str) -> Labeller:
        if label_set not in self._labellers:
            self._labellers[label_set] = Labeller(load_set(label_set), self.index, self.relator)
        return self._labellers[label_set]

    def labels(self, report: str, label_set: str = "chexpert14") -> Labels:
        """Return what a report says of every label of a set: present, absent, uncertain or not mentioned.

        `label_set` is the name of a shipped set, or a `.yaml` or `.sssom.tsv` file. A blank report is `empty`; one in another
        language, or of which no word is understood, is `failed`: neither has values.

        Raises:
            InputError: there is no such set, or it names something that the ontology does not have.
        """
        labeller = self._labeller(label_set)
        name = labeller.set.name
        need_texts(report=report)
        if not report.strip():
            return Labels(name, "empty", reason="the report is empty")
        if not self._language(report).possible:
            return Labels(name, "failed", reason=_FOREIGN.replace("{} ", ""))
        reading = self._read(report)
        if not reading.findings and reading.unlinked:
            return Labels(name, "failed", reason=_UNREAD.replace("{} ", ""))
        return Labels(name, "read", labeller.label(reading.findings), reading.findings)

    def consistency(self, report: str) -> tuple[Contradiction, ...]:
        """Return the contradictions inside one report."""
        from kgscore.matching.consistency import contradictions

        need_texts(report=report)
        return contradictions(self.relator, self._read(report).findings)


def _reader(reader: str | Path | Endpoint, knowledge: Knowledge) -> Reader:
    if not isinstance(reader, Endpoint):
        return reader_of(str(reader), knowledge.index, knowledge.lexicon)
    from kgscore.language.reader import ModelReader

    return ModelReader(reader, knowledge.index, knowledge.lexicon)


def _pair(result: PairResult, reference: str, candidate: str, context: Context) -> Matched | None:
    """Return a result as the pair that it is of; None where a report was not read."""
    one, other = result.reference, result.candidate
    if one is None or other is None:
        return None
    return Matched(one, other, result.links, result.contradictions, reference, candidate, context, result.verdict)


def _place(error: BaseException) -> str:
    """Return the kind of error and the line of ours that raised it, without the message, which may quote a report."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return f"{type(error).__name__} at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
