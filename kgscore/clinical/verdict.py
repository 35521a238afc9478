"""The verdict on a pair in one English sentence."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.judged import Aligned, Verdict
from kgscore.model import TIERS

_MOST = 3  # findings that are named of one kind
_ORDER = {"missed": 0, "wrong": 1, "invented": 2, "minor": 3, "correct": 4}


def verdict_of(found: Sequence[Aligned], said: tuple[tuple[int, bool], ...] = (), silent: bool = False) -> Verdict:
    """Return the verdict on findings: the gravest errors first, and a sentence that names them.

    >>> verdict_of([]).sentence
    'No clinical error.'
    """
    ordered = sorted(found, key=lambda one: (one.category in ("correct", "minor"), -one.tier, -one.cost, _ORDER[one.category]))
    return Verdict(_sentence(ordered, silent), tuple(ordered), said)


def _sentence(found: Sequence[Aligned], silent: bool) -> str:
    missed = [one for one in found if one.category == "missed"]
    denied = [one for one in missed if one.candidate]
    left_out = [one for one in missed if not one.candidate]
    wrong = [one for one in found if one.category == "wrong"]
    invented = [one for one in found if one.category == "invented"]
    if silent:
        return f"Says nothing; misses {_list(missed)}." if missed else "Says nothing."
    clauses = [
        f"denies {_list(denied)} that the reference reports" if denied else "",
        f"misses {_list(left_out)}" if left_out else "",
        f"reports {_list(wrong, errors=True)}" if wrong else "",
        f"invents {_list(invented)}" if invented else "",
    ]
    told = "; ".join(clause for clause in clauses if clause)
    if told:
        return f"{told[0].upper()}{told[1:]}."
    minor = [one for one in found if one.category == "minor"]
    if minor:
        return f"Only minor errors: {_list(minor, errors=True)}."
    return "No clinical error."


def _list(found: Sequence[Aligned], *, errors: bool = False) -> str:
    names = [_named(one, errors=errors) for one in found[:_MOST]]
    if len(found) > _MOST:
        names.append(f"{len(found) - _MOST} more")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _named(one: Aligned, *, errors: bool) -> str:
    notes = [TIERS[one.tier]] if one.tier > 1 else []
    if errors:
        gravest = sorted(one.errors, key=lambda error: (not error.major, -error.share))[:1]
        notes += [f"{error.dimension}: {error.because}" for error in gravest]
    name = f"the {one.what}" if one.category != "invented" else one.what
    return f"{name} ({', '.join(notes)})" if notes else name
