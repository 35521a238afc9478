"""FineRadScore (3, 4): the line-by-line corrections that turn a candidate report into its reference, each with a severity.

The score is the sum of the severities: 0 if there is nothing to correct, no upper bound, lower is better. The paper asks a
language model for the corrections; here they are derived from the alignment of findings, each with its proof. Unless
`published`, they correct the errors that the clinical verdict lists, with its tiers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from kgscore.clinical.context import Context, context_from_report
from kgscore.clinical.rules import HIGH, LOW, rules_hash
from kgscore.clinical.significance import Significances
from kgscore.matching.axes import sides_meet
from kgscore.matching.weighting import weighting_of
from kgscore.metrics import options
from kgscore.metrics.agreed import Agreed
from kgscore.metrics.base import Matched, MetricInfo
from kgscore.metrics.clinical import Clinical
from kgscore.metrics.comparison import DEGREE, OMITTED
from kgscore.metrics.differences import Difference, Differences
from kgscore.metrics.doubt import content_words
from kgscore.metrics.known import PriorFindings
from kgscore.metrics.lines import Line, Read, edits, line_at, lines_of, passages, wording
from kgscore.metrics.misstated import misstated
from kgscore.model import Contribution, Correction, Finding, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.reading.sections import IMPRESSION

Action = Literal["delete", "substitute", "insert"]
_ACTIONS: tuple[Action, ...] = ("delete", "substitute", "insert")
_REXVAL = range(1, 7)
# A deleted line was invented, an inserted one was missed.
_KIND: dict[Action, Literal["invented", "wrong", "missed"]] = {
    "delete": "invented", "substitute": "wrong", "insert": "missed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """`exact`: also correct findings that are only less exact, and normal statements that one side omits.
    `setting`: where the patients were seen, for records without a setting (the paper: "icu").
    `published`: derive and grade corrections by the rules of the paper alone, not by the clinical verdict."""

    exact: bool = False
    setting: str = ""
    published: bool = False


@dataclass(frozen=True, slots=True)
class _Graded:
    difference: Difference
    severity: int


class Fineradscore:
    """FineRadScore under a profile. Findings of weight 0 are excluded; other weights multiply the severity, clipped to 1 to 4."""

    name = "fineradscore"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.options: Options = options(self.name, profile)
        self.weighting = weighting_of(profile, index)
        self.significances = Significances(index)
        self.verdicts = None if self.options.published else Clinical(profile, index)
        self.known = PriorFindings()
        self.differences = Differences(index, self.known.degrees, exact=self.options.exact)

    def score(self, pair: Matched) -> Score:
        """Return the sum of severities; `parts` holds the maximum and the number of corrections of each action."""
        return self.detailed(pair)[0]

    def detailed(self, pair: Matched) -> tuple[Score, Mapping[str, Any]]:
        """Return the score, and the `corrections` whose severities add up to it."""
        found = tuple(self.corrections(pair))
        return self.total(found), {"corrections": found}

    @property
    def signature(self) -> Mapping[str, str]:
        """Return the hash of the significance rules, and that of the constants of the verdict if it is used."""
        return {"significance": rules_hash()} if self.verdicts is None else self.verdicts.signature

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return one contribution per correction. Lower is better and 0 the best, so their costs add up to the score."""
        return [
            Contribution(
                _KIND[one.action], f"{one.action}: {one.comment}", one.spans[1], one.spans[0], 0.0, float(one.severity), one.proof
            )
            for one in self.corrections(pair)
        ]  # fmt: skip

    def corrections(
        self, pair: Matched, lines: Sequence[Line] | None = None, read: Read | None = None, context: Context | None = None
    ) -> list[Correction]:
        """Return the corrections in the order of the lines, then insertions.

        `lines` are the positions of the candidate's lines (by default they end at full stops); `read` allows new text to be
        trimmed to the part needed; `context` is the patient's context, which the reference's own sections supplement.
        """
        places = lines_of(pair.candidate_text) if lines is None else lines
        known = (context or pair.context).over(context_from_report(pair.reference_text))
        if not known.setting:
            known = replace(known, setting=self.options.setting)
        return _Draft(self, pair, places, read, known).corrections()

    def total(self, corrections: Sequence[Correction]) -> Score:
        """Return the score of a report with these corrections: the sum of severities, 0 or more, lower is better."""
        count = Counter(one.action for one in corrections)
        parts = {"max_severity": float(max((one.severity for one in corrections), default=0))}
        parts |= {f"{action}s": float(count[action]) for action in _ACTIONS}
        return Score(self.name, "scored", float(sum(one.severity for one in corrections)), "", parts)

    def differing(
        self, pair: Matched, left: Sequence[Finding], right: Sequence[Finding], lines: Sequence[Line], context: Context
    ) -> list[_Graded]:
        """Return the differences of a pair with their severities, without those of weight 0 under the profile."""
        known = (
            self.known.only(left, pair.reference_text, lines_of(pair.reference_text)),
            self.known.only(right, pair.candidate_text, lines),
        )
        found: list[tuple[Difference, int | None]] = [(one, None) for one in self.differences.between(pair, left, right, known)]
        others = list(misstated(self.differences.index, pair, left, right))
        if self.verdicts is None:
            found += [(one, None) for one in others if DEGREE in one.categories]
        else:
            verdict = pair.verdict or self.verdicts.judge(replace(pair, context=context))[0]
            agreed = Agreed(verdict, left, right)
            found = agreed.differences([one for one, _ in found], exact=self.options.exact)
            found += agreed.misstated(others, {one.reference for one, _ in found})
        graded = (self._graded(one, tier, left, right, context) for one, tier in found)
        return [one for one in graded if one is not None]

    def _graded(
        self, found: Difference, tier: int | None, left: Sequence[Finding], right: Sequence[Finding], context: Context
    ) -> _Graded | None:
        """Return a difference with its severity, determined by rules if it has no tier; None if its finding has weight 0 under
        the profile."""
        a, b = _at(left, found.reference), _at(right, found.candidate)
        finding = a if a is not None and (a.asserts or b is None or not b.asserts) else b
        assert finding is not None
        weight = self.weighting.finding(finding)
        if weight <= 0:
            return None
        severity = tier or self.significances.of(finding, context, found.categories, b if finding is a else a).tier
        return _Graded(found, min(HIGH, max(LOW, int(severity * weight + 0.5))))


class _Draft:
    """The corrections of one pair."""

    def __init__(self, metric: Fineradscore, pair: Matched, lines: Sequence[Line], read: Read | None, context: Context) -> None:
        lenient = metric.weighting.lenient
        self.metric, self.pair, self.lines, self.read = metric, pair, lines, read
        self.reference_lines = lines_of(pair.reference_text)
        self.left, self.right = lenient(pair.reference.findings), lenient(pair.candidate.findings)
        self.graded = metric.differing(pair, self.left, self.right, lines, context)
        self.partners: dict[int, list[int]] = defaultdict(list)
        for link in pair.links:
            self.partners[link.candidate].append(link.reference)
        ours, theirs = _texts(pair.reference_text, self.reference_lines), _texts(pair.candidate_text, lines)
        self.kept, self.origins = edits(theirs, ours, content_words)
        self.settled = frozenset(self.kept.values())
        self.placed: set[str] = set()  # what earlier corrections write

    def corrections(self) -> list[Correction]:
        """Return one correction per line that differs, and one per omitted sentence of the reference."""
        by_line: dict[int, list[_Graded]] = defaultdict(list)
        left_out: dict[int, list[_Graded]] = defaultdict(list)
        used: dict[int, int] = {}
        for one in self.graded:
            sentence, number = self._sentence(one.difference.reference), self._line(one.difference.candidate)
            if number is not None:
                by_line[number].append(one)
                if sentence is not None:
                    used.setdefault(sentence, number)
            elif sentence is not None:
                left_out[sentence].append(one)
        # Omitted parts of a sentence go to the line with the rest of it: one that is rewritten anyway, or that states it.
        used |= {sentence: number for number, sentence in self.origins.items() if number in by_line}
        for sentence in sorted(left_out):
            place = used.get(sentence, self._line_that_says(sentence, left_out[sentence]))
            if place is None:
                place = self._line_instead(left_out[sentence], by_line)
            if place is not None:
                by_line[place] += left_out.pop(sentence)
        found = [self._changed(number, by_line) for number in sorted(by_line)]
        found = sorted((*found, *self._repeated(found)), key=lambda one: one.line or 0)
        rest = [one for _, one in sorted(left_out.items())]
        return found + [self._correction(self._line_before(one), "insert", one, _references(one)) for one in rest]

    def _line_that_says(self, sentence: int, graded: Sequence[_Graded]) -> int | None:
        """Return the line of the candidate that states the rest of a sentence, if both are assertions."""
        if not any(self.left[i].asserts for i in _references(graded)):
            return None
        for j, partners in sorted(self.partners.items()):
            if self.right[j].asserts and any(self._sentence(i) == sentence for i in partners):
                return self._line(j)
        return None

    def _line_instead(self, graded: Sequence[_Graded], by_line: Mapping[int, Sequence[_Graded]]) -> int | None:
        """Return the line to be deleted that asserts something else of the same place and side as a finding left out."""
        missed = [self.left[i] for i in _references(graded) if self.left[i].asserts and self.left[i].sites]
        for number, others in sorted(by_line.items()):
            invented = [self.right[j] for one in others if (j := one.difference.candidate) is not None]
            if not _references(others) and any(self._same_place(a, b) for a in missed for b in invented if b.asserts and b.sites):
                return number
        return None

    def _line_before(self, graded: Sequence[_Graded]) -> int | None:
        """Return the line that an omitted sentence follows: the last one about what shares the most enclosing structures with it,
        outside the impression if there is one; None if the candidate has no finding."""
        index = self.metric.differences.index
        body, within = index.role("whole_body"), index.within
        around = {place for i in _references(graded) for site in self.left[i].sites for place in within.get(site, ())}
        around = {place for place in around if place != body and index.inside(place, body)}
        told = [one for one in self.right if one.section != IMPRESSION] or self.right
        shared = [(max((len(around & within.get(site, set())) for site in one.sites), default=0), one.start) for one in told]
        return line_at(self.lines, max(shared)[1]) if shared else None

    def _same_place(self, a: Finding, b: Finding) -> bool:
        return sides_meet(a, b) and self.metric.differences.kinship.relator.axes.sites(a.sites, b.sites) is not None

    def _sentence(self, reference: int | None) -> int | None:
        """Return the line of a finding of the reference, None if the candidate has it word for word."""
        number = None if reference is None else line_at(self.reference_lines, self.left[reference].start)
        return None if number in self.settled else number

    def _line(self, candidate: int | None) -> int | None:
        """Return the line of a finding of the candidate, None if the reference has it word for word."""
        number = None if candidate is None else line_at(self.lines, self.right[candidate].start)
        return None if number in self.kept else number

    def _repeated(self, found: Sequence[Correction]) -> list[Correction]:
        """Return the deletions of lines that repeat, in the same words, a line that is corrected."""
        wrong = {wording(one.old_text): one for one in found}
        taken = {one.line for one in found}
        return [
            replace(
                wrong[said], line=number, action="delete", new_text="", severity=LOW, spans=((line.start, line.end), None),
                comment=f"repeats line {wrong[said].line}",
            )
            for number, line in enumerate(self.lines)
            if number not in taken and (said := wording(self.pair.candidate_text[line.start : line.end])) in wrong
        ]  # fmt: skip

    def _changed(self, number: int, by_line: Mapping[int, Sequence[_Graded]]) -> Correction:
        """Return the correction of a line: the reference's findings in place of its wrong ones, and those of its correct ones,
        from the line that it stands for if possible, and not from one for which another corrected line stands."""
        graded, origin = by_line[number], self.origins.get(number)
        wrong = {one.difference.candidate for one in graded}
        wanted = set(_references(graded))
        sentences = {self._sentence(i) for i in wanted} | {origin}
        for j in range(len(self.right)):
            if j not in wrong and self._line(j) == number:
                partners = self.partners[j]
                wanted.update([i for i in partners if self._sentence(i) in sentences] or partners[:1])
        elsewhere = {k for line, k in self.origins.items() if line != number and line in by_line}
        return self._correction(number, "substitute", graded, {i for i in wanted if self._sentence(i) not in elsewhere})

    def _correction(self, line: int | None, action: Action, graded: Sequence[_Graded], wanted: Collection[int]) -> Correction:
        origin = None if action == "insert" or line is None else self.origins.get(line)
        parts = passages(self.pair.reference_text, self.reference_lines, self._parts(line, wanted, origin), self.read)
        text = ". ".join(part for part in parts if part not in self.placed)
        self.placed.update(parts)
        every, proofs = _categories(graded), (p for one in graded for p in one.difference.proof if p)
        place = self.lines[line] if line is not None and action != "insert" and self.lines else None
        return Correction(
            line, action if text else "delete", text, max(one.severity for one in graded),
            tuple(filter(_REXVAL.__contains__, every)),
            "; ".join(dict.fromkeys(self._comment(one.difference) for one in graded)),
            tuple(dict.fromkeys(proofs)),
            every,
            self.pair.candidate_text[place.start : place.end] if place else "",
            ((place.start, place.end) if place else None, _span([self.left[i] for i in wanted])),
        )  # fmt: skip

    def _parts(self, line: int | None, wanted: Collection[int], origin: int | None) -> dict[int, list[Finding]]:
        """Return the lines of the reference that hold wanted findings, each with those to which it may be cut down: none for the
        `origin`, and if no other line of the candidate has the rest."""
        parts: dict[int, list[Finding]] = {} if origin is None else {origin: []}
        rest = {i for j, partners in self.partners.items() if self._line(j) != line for i in partners}.difference(wanted)
        apart = {self._sentence(i) for i in rest} - {origin}
        for i in sorted(wanted):
            if (sentence := self._sentence(i)) is not None:
                parts.setdefault(sentence, []).extend([self.left[i]] if sentence in apart else [])
        return parts

    def _comment(self, found: Difference) -> str:
        meant, shown = _at(self.left, found.reference), _at(self.right, found.candidate)
        about = meant if meant is not None and (shown is None or OMITTED in found.categories) else shown
        assert about is not None
        return f"{f'{about.side} ' if about.side else ''}{about.label}: {found.why}"


def _categories(graded: Sequence[_Graded]) -> tuple[int, ...]:
    return tuple(sorted(set().union(*(one.difference.categories for one in graded))))


def _references(graded: Sequence[_Graded]) -> list[int]:
    return [one.difference.reference for one in graded if one.difference.reference is not None]


def _at(findings: Sequence[Finding], number: int | None) -> Finding | None:
    return None if number is None else findings[number]


def _texts(text: str, lines: Sequence[Line]) -> list[str]:
    return [text[start:end] for start, end in lines]


def _span(findings: Sequence[Finding]) -> tuple[int, int] | None:
    return (min(f.start for f in findings), max(f.end for f in findings)) if findings else None


INFO = MetricInfo(
    "fineradscore", Fineradscore, 0.0, None, False, "FineRadScore, arXiv:2405.20613, sections 3 and 8, appendix A",
    "sum of the severities of the line-by-line corrections; 0: nothing to correct",
    good_for="which lines to correct, and how many errors of which severity there are",
    blind_to="normal statements and details left out (unless `exact`), wording, order, images", options=Options,
)  # fmt: skip
