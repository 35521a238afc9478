"""The verdict on a pair in one English sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from kgscore.model import TIERS
from kgscore.verdict import Aligned, Verdict

Where = Callable[[Aligned], str]
_MOST = 3  # findings that are named of one kind
_ORDER = {"missed": 0, "wrong": 1, "invented": 2, "minor": 3, "correct": 4}
_SIDES = ("left ", "right ")


def _nowhere(one: Aligned) -> str:
    return ""


def verdict_of(
    found: Sequence[Aligned], said: tuple[tuple[int, bool], ...] = (), silent: bool = False, where: Where = _nowhere
) -> Verdict:
    """Return the verdict on findings: the gravest errors first, and a sentence that names them. `where` says the place of a
    finding; it tells apart those that have one name.

    >>> verdict_of([]).sentence
    'No clinical error.'
    """
    ordered = sorted(found, key=lambda one: (one.category in ("correct", "minor"), -one.tier, -one.cost, _ORDER[one.category]))
    return Verdict(_sentence(ordered, silent, where), tuple(ordered), said)


def _sentence(found: Sequence[Aligned], silent: bool, where: Where) -> str:
    def kind(category: str) -> list[Aligned]:
        return [one for one in found if one.category == category]

    missed, wrong, invented = kind("missed"), kind("wrong"), kind("invented")
    denied = [one for one in missed if one.candidate]
    left_out = [one for one in missed if not one.candidate]
    names = _Names([*missed, *wrong, *invented], where)
    if silent:
        return f"Says nothing; misses {names.listed(missed)}." if missed else "Says nothing."
    clauses = [
        f"denies {names.listed(denied)} that the reference reports" if denied else "",
        f"misses {names.listed(left_out)}" if left_out else "",
        f"reports {names.listed(wrong, errors=True)}" if wrong else "",
        f"invents {names.listed(invented)}" if invented else "",
    ]
    told = "; ".join(clause for clause in clauses if clause)
    if told:
        return f"{told[0].upper()}{told[1:]}."
    minor = kind("minor")
    if minor:
        return f"Only minor errors: {_Names(minor, where).listed(minor, errors=True)}."
    return "No clinical error."


class _Names:
    """What the findings of a sentence are called, so that no two are called the same."""

    def __init__(self, told: Sequence[Aligned], where: Where) -> None:
        self.where = where
        self.several = {name for name, count in Counter(one.what for one in told).items() if count > 1}

    def listed(self, found: Sequence[Aligned], *, errors: bool = False) -> str:
        """Return findings in words, those that only a side or a place tells apart as one."""
        groups: dict[tuple[str, ...], list[Aligned]] = {}
        for one in found:
            groups.setdefault((_bare(one.what), *_notes(one, errors=errors)), []).append(one)
        named = list(groups.items())[:_MOST]
        names = [self._named(group, notes) for (_, *notes), group in named]
        if more := len(found) - sum(len(group) for _, group in named):
            names.append(f"{more} more")
        return _joined(names)

    def _named(self, group: Sequence[Aligned], notes: Sequence[str]) -> str:
        name = group[0].what
        if len(names := {one.what for one in group}) > 1:
            both = names == {f"{side}{_bare(name)}" for side in _SIDES}
            name = f"bilateral {_bare(name)}" if both else _bare(name)
        places = [place for place in dict.fromkeys(map(self.where, group)) if place]
        alike = len(group) > len(names)
        notes = [
            *([_joined(places)] if (alike or names & self.several) and 0 < len(places) <= _MOST else []),
            *([f"{len(group)} times"] if alike and len(places) < len(group) else []),
            *([f"{len(places)} places"] if alike and len(places) == len(group) > _MOST else []),
            *notes,
        ]
        article = "the " if group[0].category != "invented" else ""
        return f"{article}{name} ({', '.join(notes)})" if notes else f"{article}{name}"


def _joined(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _bare(name: str) -> str:
    return next((name.removeprefix(side) for side in _SIDES if name.startswith(side)), name)


def _notes(one: Aligned, *, errors: bool) -> list[str]:
    notes = [TIERS[one.tier]] if one.tier > 1 else []
    if errors:
        gravest = sorted(one.errors, key=lambda error: (not error.major, -error.share))[:1]
        notes += [f"{error.dimension}: {error.because}" for error in gravest]
    return notes
