"""The errors of a clinical verdict in the categories counted by public sets."""

from __future__ import annotations

from collections import Counter

from kgscore.model import PairResult

FALSE, OMITTED, LOCATION, SEVERITY, COMPARED, UNCOMPARED, UNCERTAIN, CERTAIN = range(1, 9)
# The category of an error by its dimension; for change and certainty it depends on which report states more.
_DIMENSIONS = {"side": LOCATION, "place": LOCATION, "device": LOCATION, "severity": SEVERITY, "size": SEVERITY}


def category_counts(result: PairResult) -> Counter[int]:
    """Return the number of errors of each category in the verdict of a result: an invented finding is a false one, a missed or
    negated one an omission, one with another place or side, degree or size, course or certainty an error of that kind.
    Vaguer or narrower words and other qualities belong to none of the papers' categories."""
    found: Counter[int] = Counter()
    if result.verdict is None or result.reference is None or result.candidate is None:
        return found
    for one in result.verdict.findings:
        if one.category in ("invented", "missed"):
            found[FALSE if one.category == "invented" else OMITTED] += 1
        elif one.reference and one.candidate:
            said = result.candidate.findings[one.candidate[0]]
            categories = {
                **_DIMENSIONS,
                "change": COMPARED if said.change else UNCOMPARED,
                "certainty": CERTAIN if said.certainty == "definite" else UNCERTAIN,
            }
            found.update({categories[error.dimension] for error in one.errors if error.dimension in categories})
    return found


def error_names(result: PairResult, *, minor: bool = True) -> frozenset[str]:
    """Return the error names in a verdict: missed, invented, and the dimensions of errors in matched findings;
    without `minor`, of major ones only."""
    found: set[str] = set()
    for one in result.verdict.findings if result.verdict is not None else ():
        if one.category in ("missed", "invented"):
            found.add(one.category)
        elif one.category != "correct":
            found |= {error.dimension for error in one.errors if minor or error.major}
    return frozenset(found)


def error_tiers(result: PairResult) -> list[int]:
    """Return the tiers of the errors of a verdict, 1 for minor ones only: the severities of FineRadScore."""
    found = result.verdict.findings if result.verdict is not None else ()
    return [1 if one.category == "minor" else one.tier for one in found if one.category != "correct"]
