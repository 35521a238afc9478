"""Findings, relations and scores in plain words."""

from __future__ import annotations

from collections.abc import Callable

from kgscore.model import Finding, Relation

Label = Callable[[str], str]

_ANATOMY = {"equivalent": "same place", "part_whole": "one place is part of the other"}
_FINDING = {"equivalent": "same finding", "part_whole": "one finding is a kind of the other"}
_DETAIL = {"equivalent": "details agree", "partial": "details agree in part", "none": "details differ"}


def describe(finding: Finding, label: Label) -> str:
    """Return a one-line description of a finding as understood.

    >>> from kgscore.model import Detail
    >>> shadow = Finding("small effusion", 0, 14, "effusion", "effusion", ("pleura",), "left",
    ...                  details=(Detail("size", "small", "small"),), change="new")
    >>> describe(shadow, str.capitalize)
    'present: Effusion · left Pleura · small · new'
    """
    name = f"“{finding.label}” (not in the ontology)" if finding.concept is None else label(finding.concept)
    kinds = f"or {', '.join(label(concept) for concept in finding.alternatives)}" if finding.alternatives else ""
    return " · ".join(part for part in (f"{finding.status}: {name}", kinds, place_text(finding, label)) if part)


def finding_name(finding: Finding, label: Label) -> str:
    """Return the name of a finding as understood; a negation begins with "no".

    >>> finding_name(Finding("lungs clear", 0, 11, "opacity", "opacity", status="normal"), str.lower)
    'no opacity'
    """
    kinds = [label(concept) for concept in (finding.concept, *finding.alternatives) if concept is not None]
    name = " or ".join(kinds) if finding.concept is not None else f"“{finding.label}”"
    return name if finding.asserts else f"no {name}"


def place_text(finding: Finding, label: Label) -> str:
    """Return the place of a finding and its other attributes, in one line.

    >>> place_text(Finding("left effusion", 0, 13, "effusion", "effusion", ("pleura",), "left", certainty="possible"), str.lower)
    'left pleura · possible'
    """
    sites = [label(site) for site in finding.sites]
    if finding.side:
        joined = " + ".join(sites)
        sites = [joined if finding.side in joined.lower() else f"{finding.side} {joined}".strip()]
    tip = f"tip in {', '.join(label(place) for place in finding.tip)}" if finding.tip else ""
    certainty = "" if finding.certainty == "definite" else finding.certainty
    parts = [" + ".join(sites), *(detail.text for detail in finding.details), tip, finding.change or "", certainty]
    return " · ".join(part for part in parts if part)


def agreement(relation: Relation) -> str:
    """Return in words how far two findings agree.

    >>> agreement(Relation("part_whole", "part_whole", "equivalent", "partial"))
    'one place is part of the other, same finding, details agree in part'
    """
    parts = ((_ANATOMY, relation.anatomy), (_FINDING, relation.finding), (_DETAIL, relation.detail))
    return ", ".join(words[kind] for words, kind in parts if kind in words)


def number(value: float | None, digits: int = 3) -> str:
    """Return a formatted score: three decimals (or `digits`), or a dash if there is none.

    >>> number(0.81375), number(None)
    ('0.814', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"


def interval(low: float | None, high: float | None) -> str:
    """Return a formatted interval."""
    return "–" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def probability(p: float | None) -> str:
    """Return a formatted p-value; never 0."""
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"
