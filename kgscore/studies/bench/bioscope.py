"""BioScope: polarity and certainty of linked mentions against the negation and speculation scopes that people marked.

File form: BioScope's XML, or JSON lines, one sentence each, with `text` and `annotations` (`type` negation or speculation, `cue`,
`scope_span` …).
A mention is the head words of a finding whose concept is linked; left and right of one statement are one mention.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from kgscore.engine import Scorer
from kgscore.reading.tokens import WORD, tokenize
from kgscore.studies.bench._ask import Ask, benchmark
from kgscore.studies.bench._contest import f1
from kgscore.studies.published.bioscope import JUDGED, Mention, judged, read_sentences

_SAYING = frozenset(("neg", "negpost", "hedge", "infer", "change", "assert", "except"))
_FUNCTION_WORDS = """
a about above after again all also although am an and any are as at be because been before being below between both but
by can could did do does during each either for from further had has have he her here him his how i if in into is it its
just may me might more most must my neither no nor not now of off on once only or other our out over own same shall she
should so some such than that the their them then there these they this those through to too under until up upon us very
was we were what when where which while who whom whose why will with within without would you your
"""


@benchmark("reader", "show")
def run(ask: Ask) -> dict[str, Any]:
    """Return precision, recall and F1 of polarity and uncertainty, the number of mentions, the share of content words
    understood, and the most frequent kinds of disagreement (by the cue that people marked, or the one that misled).

    In "no change in X" people marked X as negated, in "resolution of X" they did not; kgscore reads the first as present and
    the second as absent. So polarity is given with and without statements of change."""
    scorer = ask.scorer()
    counts = {name: Counter[str]() for name in JUDGED}
    words: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for record in read_sentences(ask.path):
        text = record["text"]
        words.update(_understood(scorer, text))
        for one in judged(scorer.read(text), record["annotations"], scorer):
            counts[one.name][one.outcome] += 1
            if one.outcome in ("fp", "fn") and one.name != "polarity without statements of change":
                mention = one.mention
                said = one.cue or _cue_near(scorer, text, mention)
                wrong[f"{one.name} {'missed' if one.outcome == 'fn' else 'invented'}: {said}"] += 1
                if ask.show:
                    print(f"{one.name} {one.outcome} | {said} | {mention.concept} | {text[mention.start : mention.end]} | {text}")
    return {
        **{name: _figures(outcomes) for name, outcomes in counts.items()},
        "content words understood": round(words["known"] / max(1, words["all"]), 3),
        "disagreements": dict(wrong.most_common(20)),
    }


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
    gold = counts["tp"] + counts["fn"]
    return {**f1(counts["tp"], counts["tp"] + counts["fp"], gold), "mentions": counts.total(), "marked by people": gold}
