"""A language model as judge, as in two papers: RadSEM's rewriting and labels (3.1, 3.2), FineRadScore's corrections (3.1).

Answers that the ontology refutes are rejected and listed, never scored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kgscore.language.answers import AnswerError
from kgscore.language.client import Client
from kgscore.language.prompts import load_prompt, user_message
from kgscore.metrics.base import Corrected
from kgscore.metrics.lines import Line, lines_of
from kgscore.model import Correction, Reading, Relation, Score

RADSEM, FINERADSCORE = "radsem-llm", "fineradscore-llm"
JUDGES = (RADSEM, FINERADSCORE)
_LABELS = ("anatomy", "asserted_abnormality", "negated_abnormality", "details")


class LabelledPair(NamedTuple):
    """The statements of both reports as a model rewrote them, and its labels."""

    ref: list[str]
    gen: list[str]
    labels: Mapping[str, Any]


def label_pair(client: Client, reference: str, candidate: str) -> LabelledPair:
    """Let a model rewrite and label a pair.

    Raises:
        AnswerError: the model gave no usable answer.
    """
    ref, gen = (_rewrite(client, text) for text in (reference, candidate))
    if not ref and not gen:
        return LabelledPair(ref, gen, {"ref": [], "gen": [], "pairs": []})
    lists = "\n".join(f"{side}\n{_number_lines(said)}" for side, said in (("Ref", ref), ("Gen", gen)))
    answer = client.ask(load_prompt("radsem-labels"), user_message(lists))
    if [len(answer["ref"]), len(answer["gen"])] != [len(ref), len(gen)]:
        raise AnswerError("language model: it labelled a different number of statements than there are")
    if any(one["ref"] > len(ref) or one["gen"] > len(gen) for one in answer["pairs"]):
        raise AnswerError("language model: it paired a statement that does not exist")
    return LabelledPair(ref, gen, answer)


def stage_record(
    said: LabelledPair, name: str, relate: Callable[[str, str], Relation], read: Callable[[str], Reading]
) -> dict[str, Any]:
    """Return the stage record of a pair (`kgscore.metrics.radsem_stages` scores it). `refused` lists the impossible pairs,
    each with the reason; `relate` and `read` use the ontology."""
    ref, gen, answer = said
    record: dict[str, Any] = {
        "name": name, "Examined_Area": "", "Examined_Type": "", "rewritten_report": {"Ref": ref, "Gen": gen},
        "pairs": [], "unmatched": [], "refused": [],
    }  # fmt: skip
    normality = {"Ref": answer["ref"], "Gen": answer["gen"]}
    matched: dict[str, set[int]] = {"Ref": set(), "Gen": set()}
    for one in answer["pairs"]:
        a, b = one["ref"] - 1, one["gen"] - 1
        pair = {"Ref": ref[a], "Gen": gen[b], "normality": normality["Ref"][a], **{n: one.get(n) for n in _LABELS}}
        why = "" if normality["Ref"][a] == normality["Gen"][b] else "one statement is normal, the other abnormal"
        if why := why or _refutation(ref[a], gen[b], relate, read):
            record["refused"].append({**pair, "why": why})
            continue
        record["pairs"].append(pair)
        matched["Ref"].add(a)
        matched["Gen"].add(b)
    for side, statements in (("Ref", ref), ("Gen", gen)):
        record["unmatched"] += [
            {"side": side, "sentence": text, "normality": normality[side][at]}
            for at, text in enumerate(statements) if at not in matched[side]
        ]  # fmt: skip
    return record


def _rewrite(client: Client, text: str) -> list[str]:
    if not text.strip():
        return []
    found = client.ask(load_prompt("radsem-rewrite"), user_message(text))["findings"]
    return list(dict.fromkeys(" ".join(one.split()) for one in found))


def _number_lines(said: Sequence[str]) -> str:
    return "\n".join(f"{number}. {' '.join(one.split())}" for number, one in enumerate(said, 1))


def _refutation(a: str, b: str, relate: Callable[[str, str], Relation], read: Callable[[str], Reading]) -> str:
    """Return why two statements cannot describe one finding, or "": they contradict each other, or have disjoint sides."""
    relation = relate(a, b)
    if relation.relation == "contradiction":
        return "; ".join(relation.proof) or "they contradict each other"
    sides = [{one.side for one in read(text).findings} for text in (a, b)]
    if all(one in ({"left"}, {"right"}) for one in sides) and sides[0] != sides[1]:
        return "left and right are disjoint"
    return ""


def correct_candidate(client: Client, reference: str, candidate: str, id: str) -> tuple[Corrected, list[str]]:
    """Return a model's corrections of a candidate, with their score, and those rejected.

    Raises:
        AnswerError: the model gave no usable answer.
    """
    if not reference.strip():
        return Corrected(id, "empty", (), None, "the reference report is empty"), []
    lines = lines_of(candidate)
    numbered = _number_lines([candidate[line.start : line.end] for line in lines])
    # On one line, so that a reference with a line "Lines:" cannot be taken for lines of the candidate.
    message = user_message(f"Reference:\n{' '.join(reference.split())}\nLines:\n{numbered}")
    found: list[Correction] = []
    refused: list[str] = []
    for one in client.ask(load_prompt("fineradscore"), message)["corrections"]:
        if why := _problem(one, lines, {other.line for other in found}):
            refused.append(why)
        else:
            found.append(_correction(one, lines, candidate))
    found.sort(key=lambda one: (one.line is None, one.line or 0))
    severities = [one.severity for one in found]
    score = Score(FINERADSCORE, "scored", float(sum(severities)), "", {"max_severity": float(max(severities, default=0))})
    return Corrected(id, "scored", tuple(found), score), refused


def _problem(one: Mapping[str, Any], lines: Sequence[Line], taken: set[int | None]) -> str:
    action, line = one["action"], one.get("line")
    if action == "insert":
        return "" if one.get("new_text") else "an insertion of nothing"
    if line is None or line > len(lines):
        return f"{action} of a line that does not exist"
    if line - 1 in taken:
        return f"line {line} is corrected twice"
    return "a substitution by nothing" if action == "substitute" and not one.get("new_text") else ""


def _correction(one: Mapping[str, Any], lines: Sequence[Line], candidate: str) -> Correction:
    at = None if one["action"] == "insert" else one["line"] - 1
    span = None if at is None else (lines[at].start, lines[at].end)
    return Correction(
        at, one["action"], "" if one["action"] == "delete" else one["new_text"], one["severity"],
        tuple(sorted(set(one.get("categories", ())))), one["comment"], (), (),
        candidate[slice(*span)] if span else "", (span, None),
    )  # fmt: skip
