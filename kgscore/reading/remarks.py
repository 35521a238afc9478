"""Remarks: statements of a report about the examination, its request or recommendations, not about findings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from kgscore.linking.cues import read_cues
from kgscore.linking.lexicon import UNKNOWN
from kgscore.reading.mentions import Mention
from kgscore.reading.sections import Sentence
from kgscore.reading.structure.values import Parse
from kgscore.reading.tokens import normal_form
from kgscore.resources import resource

# The fate of a sentence: it yields findings, only names sites (for the lines below), is a kind of remark, or is lost.
FINDINGS, HEADING, NOT_COMPOSED = "findings", "heading", "not composed"
OVER_BUDGET = f"{NOT_COMPOSED}: budget"
TECHNIQUE, QUALITY, HISTORY, ADVICE, COMPARISON = "technique", "quality", "history", "advice", "comparison"
COMMUNICATION, REFUSAL, REDACTED, THOUGHT = "communication", "refusal", "redacted", "reasoning"

# The start of advice, a question or a request.
_ADVICE = re.compile(
    r"(?:if|should|consider|recommend|suggest|please|advise|correlat\w+|exclude"
    r"|further (?:\w+ )?(?:assess|characteri|clarif|correlat|evaluat|examin|follow|imag|investigat|management|stud|test|work)\w*"
    r"|follow[- ]?up(?! (?:after|following|of|post)\b[^.;]*:)"  # "Follow-up after treatment (…): …" is a title
    r"|to exclude|to assess|to evaluate|to rule out|evaluate|assess|is there|are there|does|question(?!\s+of\b)"
    r"|(?:in|for|with) (?:suspected|case of|cases of|the case of|the event of)"
    r"|(?:re-?check|repeat|obtain|perform|order|arrange|retract|advance|withdraw|pull|push|reposition|replace|remove|adjust|exchange)"
    r" (?:back )?(?:the|this|a|an|it)"
    r"|whether[^.;]* (?:should|must|needs?|ought|requires?|ha[sv]e? to|can) (?:to )?(?:be )?(?:check|clarif|assess|evaluat"
    r"|exclu|confirm|investigat|determin|verif|examin|test|resolv|establish|rule|look|follow)\w*)\b",
    re.IGNORECASE,
)
_OF_CUES: Mapping[str, str] = {
    "recommendation": ADVICE, "technique": TECHNIQUE, "numbering": TECHNIQUE, "quality": QUALITY, "limitation": QUALITY,
    "comparison": COMPARISON, "question": HISTORY, "communication": COMMUNICATION,
}  # fmt: skip
_SHORTEST = 3
# The verb between the name of an examination and what it shows.
_SHOWS = re.compile(r"\s+(?:show|demonstrate|reveal)(?:s|d|ed)?\s+", re.IGNORECASE)
_OPENING = frozenset(("of", "the", "and", "chest"))
# Marks that replace redacted words.
_TAKEN = r"redacted|removed|masked|de-?identified|name|date|phi"
_MARK = rf"(?:X{{3,}}+|_{{2,}}+|█++|[\[<(](?:\*\*[^\]\n]{{0,40}}\*\*|[ _]*(?i:{_TAKEN})[ _]*)[\])>])"
_MARKED = re.compile(_MARK)
# A sentence that consists only of marks.
_ALONE = re.compile(rf"\W*(?:there (?:is|are|was|were) )?(?:{_MARK}[\s.]*)+\W*\Z", re.IGNORECASE)
# A clause whose predicate is a mark.
_UNTOLD = re.compile(
    rf"[^,;]*\b(?:is|are|was|were|appears?|remains?|seems?|measures?)\s+(?:{_MARK}[\s.]*)+(?:\Z|[,;])", re.IGNORECASE
)


def remark_words() -> frozenset[str]:
    """Return the normal forms of `mappings/reading/remarks.txt`; of hyphenated forms also those of their parts."""
    forms = (form for _, _, form in read_cues(resource("mappings", "reading", "remarks.txt")))
    return frozenset(normal_form(word) for form in forms for word in (form, *form.split("-")) if word)


def kind_of(items: Sequence[Mention], structure: Parse) -> str:
    """Return the kind of remark of a sentence without a head, by its cues or statuses; else `NOT_COMPOSED`."""
    for item in items:
        if item.kind == "drop" and item.id in _OF_CUES:
            return _OF_CUES[item.id]
    kinds = {item.kind for item in items}
    statuses = {one.status for one in structure}
    if "history" in kinds or "past" in statuses:
        return HISTORY
    if not kinds.isdisjoint(("past", "ref")):
        return COMPARISON
    return QUALITY if "none" in statuses else NOT_COMPOSED


def only_remarks(items: Sequence[Mention], words: Collection[str]) -> bool:
    """Return whether a sentence has words that no concept covers and all of them are words of remarks."""
    unknown = [item for item in items if item.kind == UNKNOWN and len(item.id) >= _SHORTEST]
    return bool(unknown) and all(item.id in words for item in unknown)


def opening(text: str, start: int, end: int, words: Collection[str]) -> int:
    """Return the offset, in a sentence that begins with an examination of the chest, of what that shows ("Frontal and lateral
    views of the chest demonstrate …"), or the start of the sentence."""
    shows = _SHOWS.search(text, start, end)
    said = [normal_form(word) for word in text[start : shows.start()].split()] if shows else []
    named = all(word in words or word in _OPENING for word in said) and not _OPENING.issuperset(said)
    return shows.end() if shows and named else start


def remark_of(report: str, sentence: Sentence) -> str:
    """Return the kind of remark of a sentence by its section, or as conditional advice, a question or a request; empty if it
    may hold findings."""
    return sentence.remark or (ADVICE if _ADVICE.match(report, sentence.start, sentence.end) else "")


def unmasked_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a sentence whose predicate is not redacted: usually one, the sentence itself."""
    if not _MARKED.search(text, start, end):
        yield start, end
        return
    sentence = text[start:end]
    at = len(sentence) if _ALONE.match(sentence) else 0
    for match in _UNTOLD.finditer(sentence, at):
        if sentence[at : match.start()].strip(" ,;"):
            yield start + at, start + match.start()
        at = match.end()
    if sentence[at:].strip(" .,;"):
        yield start + at, end
