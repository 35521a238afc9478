"""The verdict on a pair as one English sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from kgscore.model import TIERS
from kgscore.verdict import Aligned, Verdict

Where = Callable[[Aligned], tuple[str, ...]]
_MOST_WORDS = 35
_MOST_PLACES = 3  # named per finding
_ORDER = {"missed": 0, "wrong": 1, "invented": 2, "minor": 3, "correct": 4}
_SIDES = ("left", "right")
_VERBS = {"denied": "denies", "missed": "misses", "wrong": "reports", "invented": "invents"}


def _no_place(one: Aligned) -> tuple[str, ...]:
    return ()


def verdict_of(
    found: Sequence[Aligned], said: tuple[tuple[int, bool], ...] = (), silent: bool = False, where: Where = _no_place
) -> Verdict:
    """Return the verdict on findings: the most severe errors first, within a tier the certain before the doubtful, and a sentence
    of at most 35 words that names them. `where` gives the places to be named with a finding: those that its name does not imply.

    >>> verdict_of([]).sentence
    'No clinical error.'
    """
    ordered = sorted(found, key=_rank)
    return Verdict(_sentence(ordered, silent, where), tuple(ordered), said)


def _rank(one: Aligned) -> tuple[object, ...]:
    return one.category in ("correct", "minor"), -one.tier, bool(one.doubts), -one.cost, _ORDER[one.category]


def _sentence(found: Sequence[Aligned], silent: bool, where: Where) -> str:
    major = [one for one in found if one.is_error]
    minor = [one for one in found if one.category == "minor"]
    if silent:
        return f"Says nothing; {_list_findings(major, where)}." if major else "Says nothing."
    if major:
        told = _list_findings(major, where)
        return f"{told[0].upper()}{told[1:]}."
    return f"Only minor errors: {_list_findings(minor, where)}." if minor else "No clinical error."


def _list_findings(found: Sequence[Aligned], where: Where) -> str:
    """Return findings in words, in clauses by outcome, the most severe first; then the number of those left out by the word
    limit."""
    clauses: dict[str, list[str]] = {}
    words = named = 0
    for kind, group in _groups(found):
        phrase = _phrase(group, where, article=kind != "invented")
        words += len(phrase.split()) + (kind not in clauses)
        if named and words > _MOST_WORDS:
            break
        clauses.setdefault(kind, []).append(phrase)
        named += len(group)
    told = [f"{_VERBS[kind]} {_join_names(names)}" if kind in _VERBS else _join_names(names) for kind, names in clauses.items()]
    more = len(found) - named
    return "; ".join([*told, *([f"and {more} more"] if more else [])])


def _groups(found: Sequence[Aligned]) -> Iterator[tuple[str, list[Aligned]]]:
    """Yield findings that differ only in side or place as groups, with their outcome, ordered by the first of each."""
    keys = [(_kind(one), one.unsided, *_notes(one)) for one in found]
    first = {key: at for at, key in reversed([*enumerate(keys)])}
    ordered = sorted(zip(keys, found, strict=True), key=lambda one: first[one[0]])
    for key, group in groupby(ordered, key=lambda one: one[0]):
        yield key[0], [one for _, one in group]


def _kind(one: Aligned) -> str:
    return "denied" if one.category == "missed" and one.candidate else one.category


def _phrase(group: Sequence[Aligned], where: Where, *, article: bool) -> str:
    """Return findings of one name in words: "the fracture of the left fibula (urgent)"."""
    name, places = group[0].unsided, [_places(one, where(one)) for one in group]
    named = dict.fromkeys(place for each in places for place in each)
    sides = [side for side in _SIDES if any(one.what.startswith(f"{side} ") for one in group)]
    notes = _notes(group[0])
    if named and len(named) <= _MOST_PLACES:
        name = f"{name} of {_join_names([*named])}"
    elif len(sides) == 1:
        name = f"{sides[0]} {name}"
    elif sides:
        name = f"bilateral {name}"
    if len(named) > _MOST_PLACES:
        notes = (f"{len(named)} places", *notes)
    elif len(group) > max(len(named), len(sides), 1):
        notes = (f"{len(group)} times", *notes)
    told = f" ({', '.join(notes)})" if notes else ""
    return f"{'the ' if article else ''}{name}{told}"


def _places(one: Aligned, places: Sequence[str]) -> list[str]:
    """Return the places of a finding in words, with its side."""
    side = one.what.split(" ", 1)[0]
    sided = f"{side} " if side in _SIDES else ""
    return [f"the {place if place.startswith(_SIDES) else sided + place}" for place in places]


def _join_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _notes(one: Aligned) -> tuple[str, ...]:
    """Return the tier of a finding above routine, whether its error is doubtful, and the most severe error if it is reported."""
    tier = (*((TIERS[one.tier],) if one.tier > 1 else ()), *(("doubtful",) if one.doubts else ()))
    if one.category not in ("wrong", "minor"):
        return tier
    gravest = sorted(one.errors, key=lambda error: (not error.major, -error.share))[:1]
    return (*tier, *(f"{error.dimension}: {error.because.partition(': ')[0]}" for error in gravest))
