"""Kinds of reading errors: what went wrong where a gold finding and the findings read do not agree.

Each gold finding that was not read is set against the findings of the same text that no gold finding has, in this order:

* `cue`: right concept, site and side, wrong status (present, absent, normal). A finding that is right but for its certainty
  counts as `cue: certainty`; it is no error of the F1.
* `default site`: right concept and side; the site read is the one the concept has by default, and another was said.
* `attachment`: right concept, wrong site or side.
* `canonicalisation`: a parent, a child, or another concept of the same parent, at a site that is, holds or lies in the right one.
* `vocabulary`: missed altogether, in a text with words that no concept covers.
* `missed`: missed altogether, all words known.
* `spurious`: read, and no gold finding has anything to do with it.

One pair counts once. The region of an error is that of the gold concept (of its site where the concept is general); of a
spurious one, that of what was read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgscore.model import Finding
from kgscore.ontology.index import Index

if TYPE_CHECKING:
    from kgscore.studies.bench.readings import Gold

KINDS = ("attachment", "default site", "cue", "cue: certainty", "canonicalisation", "vocabulary", "missed", "spurious")
# Classes so general that sharing them as a parent says nothing.
_ROOTS = (
    "abnormality", "finding", "device", "procedure", "lesion", "incidental_finding", "congenital_variant", "acute_abnormality",
)  # fmt: skip


def errors(
    index: Index, missed: Sequence[Gold], invented: Sequence[Finding], right: Sequence[tuple[Gold, Finding]], unlinked: bool
) -> list[tuple[str, str]]:
    """Return the kind and region of every error of one text."""
    found = [("cue: certainty", region(index, g.concepts, g.sites)) for g, f in right if g.certainty != f.certainty]
    free = [f for f in invented if f.concept is not None]
    known = len(free)
    left = list(missed)
    for kind, test in (("cue", _cue), ("default site", _default), ("attachment", _same_concept), ("canonicalisation", _kin)):
        for gold in tuple(left):
            other = next((f for f in free if test(index, gold, f)), None)
            if other is not None:
                found.append((kind, region(index, gold.concepts, gold.sites)))
                free.remove(other)
                left.remove(gold)
    words = unlinked or known < len(invented)
    found += [("vocabulary" if words else "missed", region(index, gold.concepts, gold.sites)) for gold in left]
    # Words read as a finding of no concept stand for the finding that was missed.
    loose = max(0, len(invented) - known - len(left))
    return [*found, *(("spurious", region(index, (f.concept or "",), f.sites)) for f in free), *[("spurious", "core")] * loose]


def region(index: Index, concepts: Sequence[str] | frozenset[str], sites: Sequence[str] | frozenset[str]) -> str:
    """Return the module of the first concept or site that is not of the core."""
    for key in (*sorted(concepts), *sorted(sites)):
        concept = index.concepts.get(key)
        if concept is not None and concept.module != "core":
            return concept.module
    return "core"


def _own(index: Index, finding: Finding) -> set[str]:
    concept = finding.concept or ""
    return {concept, index.fold(concept, finding.sites)}


def _same_concept(index: Index, gold: Gold, finding: Finding) -> bool:
    return not gold.concepts.isdisjoint(_own(index, finding))


def _same_place(index: Index, gold: Gold, finding: Finding) -> bool:
    places = {*finding.sites, *index.sites_implied(finding.concept or "")}
    return gold.side == finding.side and (not gold.sites or not gold.sites.isdisjoint(places))


def _cue(index: Index, gold: Gold, finding: Finding) -> bool:
    """Right but for its status; a normal statement has the class that it denies, and denials of kinds of it count as it."""
    one_class = _same_concept(index, gold, finding) or (
        gold.status == "normal" and any(index.is_a(c, g) for c in _own(index, finding) for g in gold.concepts)
    )
    return gold.status != finding.status and one_class and _same_place(index, gold, finding)


def _default(index: Index, gold: Gold, finding: Finding) -> bool:
    usual = index.soft_sites.get(finding.concept or "", ())
    fallen = bool(finding.sites) and set(finding.sites) <= set(usual) and gold.sites.isdisjoint(usual)
    return fallen and gold.side == finding.side and _same_concept(index, gold, finding)


def _kin(index: Index, gold: Gold, finding: Finding) -> bool:
    if not _near(index, gold, finding):
        return False
    for mine in _own(index, finding):
        for theirs in gold.concepts:
            if index.is_a(mine, theirs) or index.is_a(theirs, mine):
                return True
            parents = [set(c.parents) if (c := index.concepts.get(key)) else set() for key in (mine, theirs)]
            if (parents[0] & parents[1]).difference(_ROOTS):
                return True
    return False


def _near(index: Index, gold: Gold, finding: Finding) -> bool:
    if gold.side is not None and finding.side is not None and gold.side != finding.side:
        return False
    if not gold.sites or not finding.sites:
        return True
    return any(index.inside(a, b) or index.inside(b, a) for a in gold.sites for b in finding.sites)
