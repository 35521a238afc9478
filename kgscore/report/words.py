"""Plain words for findings, relations and scores."""

from __future__ import annotations

from collections.abc import Callable

from kgscore.model import Finding, Relation

Label = Callable[[str], str]

_ANATOMY = {"equivalent": "same place", "part_whole": "one place is part of the other"}
_FINDING = {"equivalent": "same finding", "part_whole": "one finding is a kind of the other"}
_DETAIL = {"equivalent": "details agree", "partial": "details agree in part", "none": "details differ"}


def describe(finding: Finding, label: Label) -> str:
    """Return one line that says how a finding was understood.

    >>> from kgscore.model import Detail
    >>> shadow = Finding("small effusion", 0, 14, "effusion", "effusion", ("pleura",), "left",
    ...                  details=(Detail("size", "small", "small"),), change="new")
    >>> describe(shadow, str.capitalize)
    'present: Effusion · left Pleura · small · new'
    """
    name = f"“{finding.label}” (not in the ontology)" if finding.concept is None else label(finding.concept)
    sites = [label(site) for site in finding.sites]
    if finding.side:
        placed = " + ".join(sites)
        sites = [placed if finding.side in placed.lower() else f"{finding.side} {placed}".strip()]
    tip = f"tip in {', '.join(label(place) for place in finding.tip)}" if finding.tip else ""
    kinds = f"or {', '.join(label(concept) for concept in finding.alternatives)}" if finding.alternatives else ""
    certainty = "" if finding.certainty == "definite" else finding.certainty
    parts = [
        f"{finding.status}: {name}", kinds, " + ".join(sites), *(detail.text for detail in finding.details),
        tip, finding.change or "", certainty,
    ]
    return " · ".join(part for part in parts if part)


def agreement(relation: Relation) -> str:
    """Return in words how far two findings agree.

    >>> agreement(Relation("part_whole", "part_whole", "equivalent", "partial"))
    'one place is part of the other, same finding, details agree in part'
    """
    said = [
        _ANATOMY.get(relation.anatomy or "", ""),
        _FINDING.get(relation.finding or "", ""),
        _DETAIL.get(relation.detail or "", ""),
    ]
    return ", ".join(part for part in said if part)


def number(value: float | None, digits: int = 3) -> str:
    """Return a score for people: three decimals (or `digits`), or a dash where there is none.

    >>> number(0.81375), number(None)
    ('0.814', '–')
    """
    return "–" if value is None else f"{value:.{digits}f}"
