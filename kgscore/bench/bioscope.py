"""BioScope: polarity and certainty of linked mentions against the negation and speculation scopes that people marked.

File form: BioScope's XML, or JSON lines, one sentence each, with `text` and `annotations` (`type` negation or speculation, `cue`,
`scope_span` …).
A mention is the head words of a finding whose concept is linked; left and right of one statement are one mention.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgscore.bench._text import may_list
from kgscore.engine import Scorer
from kgscore.layouts.bioscope import read_sentences
from kgscore.model import Finding, Reading
from kgscore.reading.tokens import WORD, tokenize

_KINDS = {"polarity": "negation", "polarity without statements of change": "negation", "uncertainty": "speculation"}
_SAYING = frozenset(("neg", "negpost", "hedge", "infer", "change", "assert", "except"))
_FUNCTION_WORDS = """
a about above after again all also although am an and any are as at be because been before being below between both but
by can could did do does during each either for from further had has have he her here him his how i if in into is it its
just may me might more most must my neither no nor not now of off on once only or other our out over own same shall she
should so some such than that the their them then there these they this those through to too under until up upon us very
was we were what when where which while who whom whose why will with within without would you your
"""


class Mention(NamedTuple):
    """One mention: its offsets, what kgscore takes it for, and whether its finding is a normal statement or one of change."""

    start: int
    end: int
    concept: str
    negated: bool
    uncertain: bool
    normal: bool
    changed: bool


def run(path: str | Path, *, profile: str = "default", reader: str = "default", show: bool = False) -> dict[str, Any]:
    """Return precision, recall and F1 of polarity and uncertainty, the number of mentions, the share of content words
    understood, and the most frequent kinds of disagreement (by the cue that people marked, or the one that misled).

    In "no change in X" people marked X as negated, in "resolution of X" they did not; kgscore reads the first as present and
    the second as absent. So polarity is given with and without statements of change."""
    if show:
        may_list(path)
    scorer = Scorer(profile, reader=reader)
    counts = {name: Counter[str]() for name in _KINDS}
    words: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for record in read_sentences(path):
        text = record["text"]
        words.update(_understood(scorer, text))
        for one in judged(scorer.read(text), record["annotations"], scorer):
            counts[one.name][one.outcome] += 1
            if one.outcome in ("fp", "fn") and one.name != "polarity without statements of change":
                mention = one.mention
                said = one.cue or _cue_near(scorer, text, mention)
                wrong[f"{one.name} {'missed' if one.outcome == 'fn' else 'invented'}: {said}"] += 1
                if show:
                    print(f"{one.name} {one.outcome} | {said} | {mention.concept} | {text[mention.start : mention.end]} | {text}")
    return {
        **{name: _figures(outcomes) for name, outcomes in counts.items()},
        "content words understood": round(words["known"] / max(1, words["all"]), 3),
        "disagreements": dict(wrong.most_common(20)),
    }


class Judged(NamedTuple):
    """A mention judged: polarity or uncertainty, `tp`, `fp`, `fn` or `tn`, and the human cue over it, if any."""

    name: str
    outcome: str
    mention: Mention
    cue: str


def judged(reading: Reading, annotations: Sequence[dict[str, Any]], scorer: Scorer) -> Iterator[Judged]:
    """Yield what is right and wrong of the polarity and the certainty of every mention of a sentence."""
    for mention in _mentions(scorer, reading):
        for name, marked in _KINDS.items():
            predicted = mention.uncertain if marked == "speculation" else mention.negated
            if marked == "negation" and (mention.normal or (mention.changed and name != "polarity")):
                continue
            cue = _cue_over(mention, annotations, marked)
            yield Judged(name, "tp" if predicted and cue else "fp" if predicted else "fn" if cue else "tn", mention, cue)


def _mentions(scorer: Scorer, reading: Reading) -> Iterator[Mention]:
    seen: set[tuple[int, int]] = set()
    for finding in reading.findings:
        if finding.concept is None:
            continue
        span = _head(scorer, finding, reading)
        if span not in seen:
            seen.add(span)
            yield Mention(
                *span,
                finding.concept,
                finding.status == "absent",
                finding.certainty != "definite",
                finding.status == "normal",
                finding.change in ("stable", "resolved"),
            )


def _head(scorer: Scorer, finding: Finding, reading: Reading) -> tuple[int, int]:
    """Return the offsets of the words that name the finding: the observation inside it that its concept comes from."""
    assert finding.concept is not None
    inside = [
        entity
        for entity in reading.entities
        if entity.type.startswith(("observation", "device", "procedure")) and finding.start <= entity.start < finding.end
    ]
    named = [entity for entity in inside if scorer.index.is_a(finding.concept, entity.concept)]
    for entity in (*named, *inside[-1:]):
        return entity.start, entity.end
    return finding.start, finding.end


def _cue_over(mention: Mention, annotations: Iterable[dict[str, Any]], kind: str) -> str:
    """Return the human cue of this kind whose scope holds the mention, or nothing. "Or" is no speculation here."""
    for annotation in annotations:
        first, last = annotation["scope_span"]
        cue = str(annotation["cue"]).lower().strip()
        if annotation["type"] == kind and cue != "or" and first <= mention.start and mention.end <= last:
            return cue
    return ""


def _cue_near(scorer: Scorer, text: str, mention: Mention) -> str:
    """Return the cue nearest to a mention that the reader may have gone by."""
    tokens = tokenize(text)
    found = []
    for form, first, last, _ in scorer.lexicon.scan(tokens):
        if form is not None and _SAYING & form.types.keys():
            start, end = tokens[first].start, tokens[last].end
            found.append((min(abs(start - mention.end), abs(mention.start - end)), text[start:end]))
    return min(found)[1].lower() if found else "(no cue)"


def _understood(scorer: Scorer, text: str) -> Counter[str]:
    """Return how many content words there are, and how many of them a form of the lexicon covers."""
    tokens = tokenize(text)
    covered = {at for m in scorer.lexicon.scan(tokens) if m.form is not None for at in range(m.first, m.last + 1)}
    function_words = frozenset(_FUNCTION_WORDS.split())
    content = [at for at, token in enumerate(tokens) if token.kind == WORD and token.norm not in function_words]
    return Counter({"all": len(content), "known": sum(at in covered for at in content)})


def _figures(counts: Counter[str]) -> dict[str, Any]:
    hit, predicted, gold = counts["tp"], counts["tp"] + counts["fp"], counts["tp"] + counts["fn"]
    precision, recall = hit / predicted if predicted else 1.0, hit / gold if gold else 1.0
    return {
        "f1": round(2 * hit / (predicted + gold), 3) if predicted + gold else 1.0,
        "precision": round(precision, 3),
        "recall": round(recall, 3),
        "mentions": counts.total(),
        "marked by people": gold,
    }
