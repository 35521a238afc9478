"""BioScope, clinical part: polarity and certainty compared with manually marked scopes of negation and speculation.

The published form is XML: documents of parts (`DocumentPart`) with `sentence` elements, in which `xcope` elements (with an `id`)
contain text and `cue` elements (`type` negation or speculation, `ref` the id of their scope); scopes may be nested.
For mentions (the head words of a finding; left and right of one statement are one): is it inside a scope exactly if kgscore
reads it as negated, or as uncertain? For sentences, as in task 1 of CoNLL-2010: is there a scope at all?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kgscore.engine import Scorer
from kgscore.errors import InputError
from kgscore.io.records import read_rows
from kgscore.lab.bench._ask import Ask, benchmark
from kgscore.lab.bench._contest import f1, share
from kgscore.lab.published.base import Element, Found, Request, f1_figures, parse, words
from kgscore.model import Finding, Reading
from kgscore.reading.tokens import WORD, tokenize
from kgscore.runs.batch import scorer_for

KINDS = ("negation", "speculation")
JUDGED = {"polarity": "negation", "polarity without statements of change": "negation", "uncertainty": "speculation"}
_READER = "reading"
# "or" is marked as a cue of speculation; kgscore reads it as two findings.
_NO_CUE = "or"
_SAYING = frozenset(("neg", "negpost", "hedge", "infer", "change", "assert", "except"))
_FUNCTION_WORDS = """
a about above after again all also although am an and any are as at be because been before being below between both but
by can could did do does during each either for from further had has have he her here him his how i if in into is it its
just may me might more most must my neither no nor not now of off on once only or other our out over own same shall she
should so some such than that the their them then there these they this those through to too under until up upon us very
was we were what when where which while who whom whose why will with within without would you your
"""


# ---- the sentences -----------------------------------------------------------------------------------------------------
def read_sentences(source: str | Path) -> list[dict[str, Any]]:
    """Return the sentences of an XML file, or of a file of JSON lines: `text` and `annotations` (`type`, `cue`, `cue_span`,
    `scope`, `scope_span` in characters of the text), with `doc_id`, `section` and `sentence_id`."""
    path = Path(source)
    xml = path.suffix.lower() == ".xml"
    found = list(_sentences_of_xml(parse(path), path) if xml else _sentences_of_json(path))
    if not found:
        raise InputError(f"{path}: no <sentence> in the file; take the XML of the clinical part as it was downloaded")
    if xml and not any(record["annotations"] for record in found):
        raise InputError(f"{path}: no cue of negation or speculation in it; take the XML of the clinical part")
    return found


def _sentences_of_json(path: Path) -> Iterator[dict[str, Any]]:
    for where, row in read_rows(str(path)):
        if isinstance(row, str) or not isinstance(row.get("text"), str) or not isinstance(row.get("annotations"), list):
            raise InputError(f"{where}: is not a JSON object with 'text' and a list 'annotations'")
        yield dict(row)


def _sentences_of_xml(root: Element, path: Path) -> Iterator[dict[str, Any]]:
    for document in list(root.iter("Document")) or [root]:
        name = words(document.find(".//DocID"))
        for part in list(document.iter("DocumentPart")) or [document]:
            for number, sentence in enumerate(part.iter("sentence"), 1):
                id = sentence.get("id", str(number))
                where = f"{path}: sentence {id} of document {name}"
                yield {
                    "doc_id": name, "section": part.get("type", ""), "sentence_id": id, "text": "".join(sentence.itertext()),
                    "annotations": _annotations(sentence, where),
                }  # fmt: skip


def _annotations(sentence: Element, where: str) -> list[dict[str, Any]]:
    """Return a row for each scope with its first cue (a cue in several pieces refers to one scope)."""
    placed = list(_text_positions(sentence, 0))
    scopes = {one.get("id", ""): (start, text) for one, start, text in placed if one.tag == "xcope"}
    cues: dict[str, list[tuple[str, int, str]]] = {}
    for one, start, text in placed:
        if one.tag == "cue" and one.get("type") in KINDS:
            cues.setdefault(one.get("ref", ""), []).append((one.get("type", ""), start, text))
    if missing := sorted(cues.keys() - scopes):
        raise InputError(f"{where}: a cue refers to '{missing[0]}', which is not an xcope")
    return [
        {
            "type": pieces[0][0], "cue": " ".join(text for _, _, text in pieces), "cue_span": _span(*pieces[0][1:]),
            "scope": scopes[ref][1], "scope_span": _span(*scopes[ref]),
        }
        for ref, pieces in cues.items()
    ]  # fmt: skip


def _text_positions(element: Element, start: int) -> Iterator[tuple[Element, int, str]]:
    """Yield an element and its descendants, each with the start of its text, and its text."""
    yield element, start, "".join(element.itertext())
    start += len(element.text or "")
    for child in element:
        yield from _text_positions(child, start)
        start += len("".join(child.itertext()) + (child.tail or ""))


def _span(start: int, text: str) -> list[int]:
    return [start, start + len(text)]


# ---- mentions ----------------------------------------------------------------------------------------------------------
class JudgedMention(NamedTuple):
    """A judged mention: polarity or uncertainty, `tp`, `fp`, `fn` or `tn`, its offsets and concept, and the human cue over it."""

    name: str
    outcome: str
    start: int
    end: int
    concept: str
    cue: str


def judge_mentions(reading: Reading, annotations: Sequence[Mapping[str, Any]], scorer: Scorer) -> Iterator[JudgedMention]:
    """Yield the outcomes of polarity and certainty for every mention of a sentence. Polarity excludes normal statements."""
    seen: set[tuple[int, int]] = set()
    for finding in reading.findings:
        span = _head(scorer, finding, reading)
        if finding.concept is None or span in seen:
            continue
        seen.add(span)
        for name, kind in JUDGED.items():
            told = finding.status == "absent" if kind == "negation" else finding.certainty != "definite"
            changed = finding.change in ("stable", "resolved") and name != "polarity"
            if kind == "negation" and (finding.status == "normal" or changed):
                continue
            cue = _cue_over(span, annotations, kind)
            yield JudgedMention(name, _outcome(told, bool(cue)), *span, finding.concept, cue)


def _outcome(told: bool, marked: bool) -> str:
    return f"{'t' if told == marked else 'f'}{'p' if told else 'n'}"


def _head(scorer: Scorer, finding: Finding, reading: Reading) -> tuple[int, int]:
    """Return the offsets of the words that name the finding: the observation in it that gives its concept."""
    inside = [
        entity
        for entity in reading.entities
        if entity.type.startswith(("observation", "device", "procedure")) and finding.start <= entity.start < finding.end
    ]
    named = [entity for entity in inside if scorer.index.is_a(finding.concept, entity.concept)]
    return next(((entity.start, entity.end) for entity in (*named, *inside[-1:])), (finding.start, finding.end))


def _cue_over(span: tuple[int, int], annotations: Sequence[Mapping[str, Any]], kind: str) -> str:
    """Return the human cue of this kind whose scope contains a mention, or None."""
    for annotation in annotations:
        first, last = annotation["scope_span"]
        cue = _cue(annotation)
        if annotation["type"] == kind and cue != _NO_CUE and first <= span[0] and span[1] <= last:
            return cue
    return ""


def _cue(annotation: Mapping[str, Any]) -> str:
    return str(annotation["cue"]).lower().strip()


# ---- figures -----------------------------------------------------------------------------------------------------------
def run(name: str, request: Request) -> Found:
    """Return precision, recall and F1 of mentions and of sentences; intervals draw whole documents."""
    scorer = scorer_for(request.settings)
    counts: Counter[tuple[str, str, str, str]] = Counter()
    documents: dict[str, None] = {}
    sentences = read_sentences(request.source)
    for number, record in enumerate(sentences, 1):
        document = str(record.get("doc_id") or number)
        documents[document] = None
        reading = scorer.read(record["text"])
        told = [("mentions", one.name, one.outcome) for one in judge_mentions(reading, record["annotations"], scorer)]
        told += [("sentences", of, outcome) for of, outcome in _sentence(reading, record["annotations"]).items()]
        counts.update((*one, document) for one in told if one[2] != "tn")
        request.tell(number)
    figures = []
    for task, of in dict.fromkeys(one[:2] for one in counts):
        rows = [[[counts[task, of, outcome, document] for outcome in ("tp", "fp", "fn")]] for document in documents]
        figures += f1_figures(task, of, _READER, np.asarray(rows), request)
    return Found(figures, [], [f"{len(sentences)} sentences of {len(documents)} documents"])


def _sentence(reading: Reading, annotations: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the agreement of kgscore and people about a sentence: whether something in it is negated, or uncertain."""
    kinds = {one["type"] for one in annotations if _cue(one) != _NO_CUE}
    findings = reading.findings
    return {
        "negation": _outcome(any(one.status == "absent" for one in findings), "negation" in kinds),
        "speculation": _outcome(any(f.certainty != "definite" or f.alternatives for f in findings), "speculation" in kinds),
    }


@benchmark("reader", "show")
def bioscope(ask: Ask) -> dict[str, Any]:
    """Return precision, recall and F1 of polarity and uncertainty, the number of mentions, the share of content words
    understood, and the most frequent kinds of disagreement (by the cue that people marked, or the misleading one).

    In "no change in X" people marked X as negated, in "resolution of X" they did not; kgscore reads the first as present and
    the second as absent. So polarity is given with and without statements of change."""
    scorer = ask.scorer()
    counts = {name: Counter[str]() for name in JUDGED}
    content: Counter[bool] = Counter()
    wrong: Counter[str] = Counter()
    for record in read_sentences(ask.path):
        text = record["text"]
        content.update(_covered_words(scorer, text))
        for one in judge_mentions(scorer.read(text), record["annotations"], scorer):
            counts[one.name][one.outcome] += 1
            if one.outcome in ("fp", "fn") and one.name != "polarity without statements of change":
                said = one.cue or _cue_near(scorer, text, one)
                wrong[f"{one.name} {'missed' if one.outcome == 'fn' else 'invented'}: {said}"] += 1
                if ask.show:
                    print(f"{one.name} {one.outcome} | {said} | {one.concept} | {text[one.start : one.end]} | {text}")
    gold = {name: outcomes["tp"] + outcomes["fn"] for name, outcomes in counts.items()}
    return {
        **{
            name: {
                **f1(found["tp"], found["tp"] + found["fp"], gold[name]), "mentions": found.total(),
                "marked by people": gold[name],
            }
            for name, found in counts.items()
        },
        "content words understood": share(content[True], content.total(), 0.0),
        "disagreements": dict(wrong.most_common(20)),
    }  # fmt: skip


def _cue_near(scorer: Scorer, text: str, mention: JudgedMention) -> str:
    tokens = tokenize(text)
    found = []
    for form, first, last, _ in scorer.lexicon.scan(tokens):
        if form is not None and _SAYING & form.types.keys():
            start, end = tokens[first].start, tokens[last].end
            found.append((min(abs(start - mention.end), abs(mention.start - end)), text[start:end]))
    return min(found)[1].lower() if found else "(no cue)"


def _covered_words(scorer: Scorer, text: str) -> Iterator[bool]:
    """Return for each content word whether a form of the lexicon covers it."""
    tokens = tokenize(text)
    covered = {at for m in scorer.lexicon.scan(tokens) if m.form is not None for at in range(m.first, m.last + 1)}
    function_words = frozenset(_FUNCTION_WORDS.split())
    return (at in covered for at, token in enumerate(tokens) if token.kind == WORD and token.norm not in function_words)
