"""Reading, matching and metrics wired together for one pair of reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from kgscore import metrics as registry
from kgscore.errors import InputError, KgscoreError
from kgscore.knowledge import load_knowledge
from kgscore.labelling.decide import Labeller, Labels
from kgscore.labelling.sets import load_set, set_hash
from kgscore.matching.links import match
from kgscore.matching.relation import UNRELATED, relator_of
from kgscore.matching.weighting import weighting_of
from kgscore.matching.weights import weigh
from kgscore.metrics.base import Matched
from kgscore.metrics.fineradscore import Corrected, Fineradscore, scored
from kgscore.metrics.lines import joined, lines_of
from kgscore.metrics.severity import Context, rules_hash
from kgscore.model import Contradiction, Contribution, Correction, Entailment, Finding, PairResult, Reading, Relation, Score
from kgscore.profile import Profile, load_profile
from kgscore.reading.language import english_test
from kgscore.reading.protocol import Reader
from kgscore.reading.readers import DEFAULT, reader_of
from kgscore.reading.refusals import Refusals
from kgscore.records import PAIR_FIELDS, BadRecord, Record, check_rows
from kgscore.results.outcome import SAYS_NOTHING, failure
from kgscore.signature import signature_of

LABEL_F1 = "label_f1"
EMPTY_CANDIDATE = ("score", "skip")
_FOREIGN = "the {} report seems to be in another language; reports are read in English"
_UNREAD = "nothing in the {} report was understood; reports are read in English"
_NOTHING = Reading(())
_ORDER = {"contradiction": 3, "equivalent": 2, "part_whole": 1, "unrelated": 0}


class Scorer:
    """Scores, reads and relates reports. Build one and use it for many pairs.

    Args:
        profile: the name of a shipped profile, the path of a `.yaml` file, or a profile.
        metrics: names of metrics (`kgscore.metrics.names()`), or `all`.
        modules: paths of further ontology modules (Turtle files, or folders of tables), besides those of the profile.
        remember: of how many texts to keep the reading, for texts that come again (one reference, many candidates).
        empty_candidate: "score" a candidate that says nothing as having missed everything, or "skip" it: it is `empty`.
        reader: what reads the reports: "default", "parser", or the path of a model for the parser.

    Raises:
        ProfileError: the profile or a metric does not exist.
        InputError: `empty_candidate` is neither, or there is no such reader.
        OntologyError: a module is wrong.
    """

    def __init__(
        self,
        profile: str | Path | Profile = "default",
        metrics: Sequence[str] = ("radsem",),
        modules: Sequence[str | Path] = (),
        remember: int = 0,
        empty_candidate: str = "score",
        reader: str = DEFAULT,
    ) -> None:
        if empty_candidate not in EMPTY_CANDIDATE:
            raise InputError(f"empty candidate: '{empty_candidate}' is none; it is {' or '.join(EMPTY_CANDIDATE)}")
        self.metrics = registry.chosen(tuple(metrics))
        self.profile = profile if isinstance(profile, Profile) else load_profile(profile)
        knowledge = load_knowledge((*self.profile.modules, *modules))
        self.index = knowledge.index
        self.lexicon = knowledge.lexicon
        self.reader: Reader = reader_of(reader, knowledge.index, knowledge.lexicon)
        self._refusals = Refusals()
        self._read = lru_cache(remember)(self.reader.read) if remember else self.reader.read
        self.relator = relator_of(knowledge.index)
        self._language = english_test()
        self._skip_silence = empty_candidate == "skip"
        self.weighting = weighting_of(self.profile, knowledge.index)
        self._metrics = registry.build(self.metrics, self.profile, knowledge.index)
        self._corrector: Fineradscore | None = None
        self._labellers: dict[str, Labeller] = {}
        self.signature: Mapping[str, str] = signature_of(
            knowledge.hash, self.profile, knowledge.modules, self.reader.identity
        )
        if self._skip_silence:
            self.signature = {**self.signature, "empty_candidate": empty_candidate}
        if Fineradscore.name in self.metrics:
            self.signature = {**self.signature, "severity": rules_hash()}
        if LABEL_F1 in self.metrics:
            self.signature = {**self.signature, "labels": set_hash(registry.options(LABEL_F1, self.profile).labels)}

    def label(self, concept: str) -> str:
        """Return the preferred label of a concept."""
        return self.index.label(concept)

    def read(self, report: str) -> Reading:
        """Return what a report says."""
        return self._read(report)

    def score(self, *, reference: str, candidate: str, id: str = "") -> PairResult:
        """Score a candidate report against its reference.

        A candidate that says nothing (it is blank, refuses, or holds no finding) is scored as having missed everything, and the
        reason says so. No number is given, and the reason is, when the reference is blank or holds no finding (`empty`), or
        when a report is in another language or nothing of it was understood (`failed`).
        """
        matched = self._matched(reference, candidate, id)
        if isinstance(matched, PairResult):
            return matched
        scores, corrections = self._scores(matched)
        status = "scored" if any(s.status == "scored" for s in scores.values()) else "empty"
        reason = "" if status == "scored" else next((s.reason for s in scores.values()), "")
        if not matched.candidate.findings:
            reason = SAYS_NOTHING
        missed, invented = matched.unmatched()
        return PairResult(
            id,
            status,  # type: ignore[arg-type]
            scores,
            matched.reference,
            matched.candidate,
            tuple(matched.links),
            tuple(matched.contradictions),
            tuple(missed),
            tuple(invented),
            reason,
            self.signature,
            corrections,
        )

    def _scores(self, matched: Matched) -> tuple[dict[str, Score], tuple[Correction, ...]]:
        """Return the score of every metric, and the corrections of which FineRadScore's is the sum, if it is among them."""
        scores: dict[str, Score] = {}
        corrections: tuple[Correction, ...] = ()
        for name, metric in self._metrics.items():
            if isinstance(metric, Fineradscore):
                corrections = tuple(metric.corrections(matched))
                scores[name] = scored(corrections)
            else:
                scores[name] = metric.score(matched)
        return scores, corrections

    def _matched(self, reference: str, candidate: str, id: str) -> Matched | PairResult:
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
        if self._skip_silence and not right.findings:
            return self._empty(id, SAYS_NOTHING)
        lenient = self.weighting.lenient
        matching = match(self.relator, lenient(left.findings), lenient(right.findings), self.profile)
        return Matched(left, right, matching.links, matching.contradictions, reference, candidate)

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
        found = self._correcting().corrections(matched, lines, self.reader.read, context)
        return Corrected(id, "scored", tuple(found), scored(found), "" if matched.candidate.findings else SAYS_NOTHING)

    def contributions(self, result: PairResult, *, reference: str, candidate: str) -> Mapping[str, Sequence[Contribution]]:
        """Return what each score of a result is made of: what was matched, missed, invented or contradicted, and its cost."""
        if result.reference is None or result.candidate is None:
            return {}
        pair = Matched(result.reference, result.candidate, result.links, result.contradictions, reference, candidate)
        return {
            name: metric.explain(pair, result.scores[name])
            for name, metric in self._metrics.items()
            if name in result.scores and result.scores[name].value is not None
        }

    def corrections(self, result: PairResult, *, reference: str, candidate: str) -> tuple[Correction, ...]:
        """Return the corrections of a pair that was read and matched before; none where it could not be."""
        if result.reference is None or result.candidate is None:
            return ()
        pair = Matched(result.reference, result.candidate, result.links, result.contradictions, reference, candidate)
        return tuple(self._correcting().corrections(pair, read=self.reader.read))

    def _correcting(self) -> Fineradscore:
        if self._corrector is None:
            self._corrector = Fineradscore(self.profile, self.index)
        return self._corrector

    def score_many(self, pairs: Iterable[Mapping[str, object]]) -> Iterator[PairResult]:
        """Score mappings with `id`, `reference` and `candidate`; yield results in the order given. A record that cannot be
        used is yielded as `failed`, with the reason. `kgscore.score_many` shares the work between processes."""
        return map(self.score_record, check_rows(pairs, PAIR_FIELDS))

    def score_record(self, record: Record | BadRecord, *, explain: bool = False) -> PairResult:
        """Return the result of one record of a batch, with `contributions` if `explain`; whatever is wrong with it, the batch
        goes on."""
        if isinstance(record, BadRecord):
            return failure(record.id, record.reason, self.metrics)
        try:
            texts = {name: record.fields[name] for name in PAIR_FIELDS}
            result = self.score(**texts, id=record.id)
            return replace(result, contributions=self.contributions(result, **texts)) if explain else result
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
        return self.relate_readings(self.reader.read(a), self.reader.read(b))

    def relate_readings(self, a: Reading, b: Reading) -> Relation:
        """Return how a statement that was read as b stands to one that was read as a, as `relate` does."""
        left, right = (self.weighting.lenient(reading.findings) for reading in (a, b))
        best, pair = UNRELATED, (-1, -1)
        for i, one in enumerate(left):
            for j, other in enumerate(right):
                found = weigh(self.relator.relate(one, other), one, other, self.profile)
                if (_ORDER[found.relation], found.weight) > (_ORDER[best.relation], best.weight):
                    best, pair = found, (i, j)
        if best.relation in ("equivalent", "part_whole"):
            return self._whole(best, left, right, pair)
        return best

    def _whole(self, best: Relation, left: Sequence[Finding], right: Sequence[Finding], pair: tuple[int, int]) -> Relation:
        """Several findings of one kind on one side only ("both lungs" against "the right lung"): part–whole in anatomy."""
        one, other = left[pair[0]], right[pair[1]]
        if best.anatomy == "equivalent" and _kin(one, left) != _kin(other, right):
            fresh = Relation(
                "part_whole",
                "part_whole",
                best.finding,
                best.detail,
                0.0,
                (*best.proof, "one of the sites said"),
                (1, best.depths[1]),
            )
            return weigh(fresh, one, other, self.profile)
        return best

    def entails(self, report: str, statement: str) -> Entailment:
        """Return whether the report says the statement: entailed, contradicted or neutral, with the spans that decide."""
        from kgscore.matching.entailment import entailment

        return entailment(self.relator, self._read(report).findings, self._read(statement).findings)

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
        if not report.strip():
            return Labels(name, "empty", reason="the report is empty")
        if not self._language(report).possible:
            return Labels(name, "failed", reason="the report seems to be in another language; reports are read in English")
        reading = self._read(report)
        if not reading.findings and reading.unlinked:
            return Labels(name, "failed", reason="nothing in the report was understood; reports are read in English")
        return Labels(name, "read", labeller.label(reading.findings), reading.findings)

    def consistency(self, report: str) -> tuple[Contradiction, ...]:
        """Return the contradictions inside one report."""
        from kgscore.matching.consistency import contradictions

        return contradictions(self.relator, self._read(report).findings)


def _kin(finding: Finding, findings: Sequence[Finding]) -> int:
    return len({(f.sites, f.side) for f in findings if f.concept == finding.concept and f.asserts == finding.asserts})


def _place(error: BaseException) -> str:
    """Return the kind of error and the line of ours that raised it, without the message, which may quote a report."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error).__name__
    return f"{type(error).__name__} at {Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
