"""RadSEM's stage files (RadSEM 3.1–3.3): rewritten and matched findings as JSON lines, from kgscore or from any language model.

One record per pair of reports; `null` may also be written "null", and labels and keys in capitals or with spaces are accepted:

    {"name": "case 1", "Examined_Area": "chest", "Examined_Type": "CR",
     "rewritten_report": {"Ref": ["Right lung shows a nodule."], "Gen": ["Right lung shows an 8 mm nodule.", "…"]},
     "pairs": [{"Ref": "Right lung shows a nodule.", "Gen": "Right lung shows an 8 mm nodule.",
                "normality": "abnormal", "anatomy": "equivalent", "asserted_abnormality": "equivalent",
                "negated_abnormality": null, "details": "none"}],
     "unmatched": [{"side": "Gen", "sentence": "…", "normality": "normal"}]}

The score depends on `pairs` and `unmatched` alone (3.4), so `rewritten_report` may be omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kgscore.errors import InputError
from kgscore.matching.flow import max_flow
from kgscore.matching.relation import DETAIL, THIRD
from kgscore.metrics.base import Matched
from kgscore.metrics.radsem import ABNORMAL, NORMAL, Options, Radsem
from kgscore.metrics.radsem_alt import RadsemAlt
from kgscore.model import Finding, Link, PairResult, Reading, Relation, Score

Label = Callable[[str], str]
SIDES = ("Ref", "Gen")
_SAME = ("equivalent", "part-whole")

LABELS: Mapping[str, tuple[str | None, ...]] = {
    "normality": (ABNORMAL, NORMAL), "anatomy": _SAME, "asserted_abnormality": (*_SAME, None),
    "negated_abnormality": (*_SAME, None), "details": ("equivalent", "partial", "none", None),
}  # fmt: skip
_PART_WHOLE = ("anatomy", "asserted_abnormality", "negated_abnormality")


# --- out ---


def stage_record(result: PairResult, label: Label, *, area: str = "", kind: str = "") -> dict[str, Any]:
    """Return the stage record of a scored pair: atomic findings in words, pairs with labels, and unmatched findings.

    Its score is the pair's own under `radsem-published`; the labels cannot express the finer weights of other profiles.
    """
    record: dict[str, Any] = {"name": result.id, "Examined_Area": area, "Examined_Type": kind}
    if result.status == "failed":
        return {**record, "status": "failed", "reason": result.reason}
    left, right = (sentences(findings, label) for findings in result.findings)
    lost = (result.unmatched_reference, result.unmatched_candidate)
    record["rewritten_report"] = {"Ref": left, "Gen": right}
    record["pairs"] = [
        {"Ref": left[k.reference], "Gen": right[k.candidate], **_labels(result.findings[0][k.reference], k.relation)}
        for k in result.links
    ]
    record["unmatched"] = [
        {"side": side, "sentence": said[at], "normality": _normality(findings[at])}
        for side, said, findings, positions in zip(SIDES, (left, right), result.findings, lost, strict=True)
        for at in positions
    ]
    if result.reason:
        record["reason"] = result.reason
    return record


def sentences(findings: Sequence[Finding], label: Label) -> list[str]:
    """Return one sentence per finding, each different: "Left pleural space: no pleural effusion."."""
    found: list[str] = []
    for finding in findings:
        said = _sentence(finding, label)
        again = sum(one == said or one.startswith(f"{said[:-1]} (") for one in found)
        found.append(f"{said[:-1]} ({again + 1})." if again else said)
    return found


def _sentence(finding: Finding, label: Label) -> str:
    name = finding.label if finding.concept is None else label(finding.concept)
    where = " and ".join(label(site) for site in finding.tip or finding.sites)
    if finding.side and finding.side not in where.lower():
        where = f"{finding.side} {where}".strip()
    parts = [name if finding.asserts else f"no {name}", *(f"or {label(other)}" for other in finding.alternatives)]
    parts += [detail.text for detail in finding.details]
    parts += [finding.change or "", "" if finding.certainty == "definite" else finding.certainty]
    words = " ".join(", ".join(part for part in parts if part).split())
    said = f"{where}: {words}." if where else f"{words}."
    return said[:1].upper() + said[1:]


def _normality(finding: Finding) -> str:
    return ABNORMAL if finding.asserts else NORMAL


def _labels(finding: Finding, relation: Relation) -> dict[str, str | None]:
    anatomy, concept = (label and label.replace("_", "-") for label in (relation.anatomy, relation.finding))
    # A normal statement names no abnormality, unless the two deny a broader and a narrower one.
    denied = None if finding.status == "normal" and concept == "equivalent" else concept
    return {
        "normality": _normality(finding),
        "anatomy": anatomy,
        "asserted_abnormality": concept if finding.asserts else None,
        "negated_abnormality": None if finding.asserts else denied,
        "details": relation.detail,
    }


# --- in ---


def score_stages(record: Mapping[str, Any]) -> dict[str, Score]:
    """Return RadSEM and RadSEM-Alt of a stage record, exactly as published (3.4); `empty` if it has no findings.

    Raises:
        InputError: the record cannot be scored; the message says what is wrong with it and how to correct it.
    """
    pair = matched_record(record)
    return {metric.name: metric.score(pair) for metric in (Radsem(Options(denial=0.0)), RadsemAlt())}


def matched_record(record: Mapping[str, Any]) -> Matched:
    """Return a stage record as a matched pair for RadSEM: a sentence is one finding in each class in which it occurs.

    A duplicate pair is one pair with the higher of its weights; every unmatched item counts.

    Raises:
        InputError: a part is missing or invalid.
    """
    if record.get("status") == "failed":
        raise InputError(f"failed when it was made: {record.get('reason') or 'no reason given'}")
    sides: tuple[dict[Finding, int], dict[Finding, int]] = ({}, {})
    links: dict[tuple[int, int], Relation] = {}
    for where, item in _items(record, "pairs", "pair"):
        normality, relation = _relation(item, where)
        texts = [_text(item, names, f"{where}: '{side}'") for side, names in zip(SIDES, _NAMES, strict=True)]
        one, other = (known.setdefault(_finding(text, normality), len(known)) for known, text in zip(sides, texts, strict=True))
        if (one, other) not in links or relation.weight > links[one, other].weight:
            links[one, other] = relation
    lost: tuple[list[Finding], list[Finding]] = ([], [])
    for where, item in _items(record, "unmatched", "unmatched"):
        text = _text(item, ("sentence",), f"{where}: 'sentence'")
        lost[_side(item, where)].append(_finding(text, str(_label(item, "normality", where))))
    flow = max_flow({key: relation.weight for key, relation in links.items()})
    made = [Link(*key, relation, flow[key]) for key, relation in sorted(links.items(), key=lambda item: item[0])]
    left, right = (Reading((*known, *further)) for known, further in zip(sides, lost, strict=True))
    return Matched(left, right, made)


_NAMES = (("ref", "reference"), ("gen", "generated", "candidate"))


def _finding(text: str, normality: str) -> Finding:
    return Finding(text, 0, 0, None, text, status="present" if normality == ABNORMAL else "normal")


def _items(record: Mapping[str, Any], name: str, what: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the items of a list of the record with plain keys, each with its place."""
    found = record.get(name)
    if not isinstance(found, list):
        said = "is missing" if name not in record else "is no list"
        raise InputError(f"'{name}' {said}; give a list, empty where there is none")
    for number, item in enumerate(found, 1):
        if not isinstance(item, Mapping):
            raise InputError(f"{what} {number} is no object; give its sentences and labels by name")
        yield f"{what} {number}", {_plain_key(str(key)).replace("-", "_"): value for key, value in item.items()}


def _plain_key(text: str) -> str:
    return "-".join(text.lower().replace("_", " ").replace("–", " ").replace("-", " ").split())


def _text(item: Mapping[str, Any], names: Sequence[str], where: str) -> str:
    value = next((item[name] for name in names if name in item), None)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where} is {'missing' if value is None else 'no sentence'}; give the sentence as text")
    return " ".join(value.split())


def _label(item: Mapping[str, Any], name: str, where: str) -> str | None:
    allowed = LABELS[name]
    known = " or ".join("null" if one is None else one for one in allowed)
    if name not in item:
        raise InputError(f"{where}: '{name}' is missing; give {known}")
    value = item[name]
    label = _plain_key(value) if isinstance(value, str) else value
    label = None if label == "null" else label
    if (label is not None and not isinstance(label, str)) or label not in allowed:
        raise InputError(f"{where}: '{name}' is {value!r:.60}; give {known}")
    return label


def _side(item: Mapping[str, Any], where: str) -> int:
    value = str(item.get("side", "")).strip().lower()
    if not any(value in names for names in _NAMES):
        raise InputError(f"{where}: 'side' is {'missing' if not value else repr(value)[:60]}; give Ref or Gen")
    return int(value in _NAMES[1])


def _relation(item: Mapping[str, Any], where: str) -> tuple[str, Relation]:
    """Return the class of a pair and its relation, with its weight (1/3)^k × {1, 0.75, 0.5}."""
    label = {name: _label(item, name, where) for name in LABELS}
    parts = sum(label[name] == "part-whole" for name in _PART_WHOLE)
    finding = "part_whole" if "part-whole" in (label["asserted_abnormality"], label["negated_abnormality"]) else "equivalent"
    relation = Relation(
        "part_whole" if parts else "equivalent", str(label["anatomy"]).replace("-", "_"), finding, label["details"],
        THIRD**parts * DETAIL[label["details"]],
    )  # fmt: skip
    return str(label["normality"]), relation
