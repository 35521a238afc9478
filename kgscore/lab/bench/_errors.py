"""Kinds of reading errors: how gold findings and the findings read disagree.

Each gold finding that was not read is compared with the findings of the same text that match no gold finding, in this order:

* `cue`: right concept, site and side, wrong status (present, absent, normal). A finding that is right except for its certainty
  counts as `cue: certainty`; it does not affect the F1.
* `default site`: right concept and side; the site read is the concept's default, and another was stated.
* `attachment`: right concept, wrong site or side.
* `canonicalisation`: a parent, a child, or a sibling, at a site that equals, contains or lies in the right one.
* `vocabulary`: missed, in a text with words that no concept covers.
* `missed`: missed, all words known.
* `spurious`: read, and related to no gold finding.

One pair counts once. The region of an error is that of the gold concept (of its site if the concept is general); for a
spurious one, that of the finding read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

from kgscore.model import Finding
from kgscore.ontology.index import Index

KINDS = ("attachment", "default site", "cue", "cue: certainty", "canonicalisation", "vocabulary", "missed", "spurious")
# Classes so general that sharing them as a parent carries no information.
_ROOTS = (
    "abnormality", "finding", "device", "procedure", "lesion", "incidental_finding", "congenital_variant", "acute_abnormality",
)  # fmt: skip


class Gold(NamedTuple):
    """A gold finding: acceptable concepts and sites after normalisation, and the fields compared literally."""

    concepts: frozenset[str]
    sites: frozenset[str]
    side: str | None
    status: str
    certainty: str
    change: str | None
    details: frozenset[str]
    text: str


def errors(
    index: Index, missed: Sequence[Gold], invented: Sequence[Finding], right: Sequence[tuple[Gold, Finding]], unlinked: bool
) -> list[tuple[str, str]]:
    """Return the kind and region of every error of one text."""
    found = [("cue: certainty", region(index, g.concepts, g.sites)) for g, f in right if g.certainty != f.certainty]
    free = [f for f in invented if f.concept is not None]
    known, left = len(free), list(missed)
    tests: dict[str, Callable[[Index, Gold, Finding], bool]] = {
        "cue": _is_cue_error, "default site": _is_default_site, "attachment": _same_concept, "canonicalisation": _is_related
    }  # fmt: skip
    for kind, test in tests.items():
        for gold in tuple(left):
            other = next((f for f in free if test(index, gold, f)), None)
            if other is not None:
                found.append((kind, region(index, gold.concepts, gold.sites)))
                free.remove(other)
                left.remove(gold)
    words = unlinked or known < len(invented)
    found += [("vocabulary" if words else "missed", region(index, gold.concepts, gold.sites)) for gold in left]
    # Words read as a finding without a concept count as the missed finding.
    loose = max(0, len(invented) - known - len(left))
    return [*found, *(("spurious", region(index, (f.concept or "",), f.sites)) for f in free), *[("spurious", "core")] * loose]


def region(index: Index, concepts: Collection[str], sites: Collection[str]) -> str:
    """Return the module of the first concept or site that is not in the core."""
    modules = (index.concepts[key].module for key in (*sorted(concepts), *sorted(sites)) if key in index.concepts)
    return next((module for module in modules if module != "core"), "core")


def concepts_of(index: Index, finding: Finding) -> set[str]:
    """Return the concept of a finding, and the one that it is at its sites."""
    concept = finding.concept or ""
    return {concept, index.fold(concept, finding.sites)}


def _same_concept(index: Index, gold: Gold, finding: Finding) -> bool:
    return not gold.concepts.isdisjoint(concepts_of(index, finding))


def _is_cue_error(index: Index, gold: Gold, finding: Finding) -> bool:
    """Whether only its status differs; a normal statement counts as a negation of its class, as do negations of subclasses."""
    one_class = _same_concept(index, gold, finding) or (
        gold.status == "normal" and any(index.is_a(c, g) for c in concepts_of(index, finding) for g in gold.concepts)
    )
    places = {*finding.sites, *index.sites_implied(finding.concept or "")}
    one_place = gold.side == finding.side and (not gold.sites or not gold.sites.isdisjoint(places))
    return gold.status != finding.status and one_class and one_place


def _is_default_site(index: Index, gold: Gold, finding: Finding) -> bool:
    usual = index.soft_sites.get(finding.concept or "", ())
    fallen = bool(finding.sites) and set(finding.sites) <= set(usual) and gold.sites.isdisjoint(usual)
    return fallen and gold.side == finding.side and _same_concept(index, gold, finding)


def _is_related(index: Index, gold: Gold, finding: Finding) -> bool:
    """Return whether it is a parent, a child or a sibling, at a related place."""
    if gold.side is not None and finding.side is not None and gold.side != finding.side:
        return False
    places = [(a, b) for a in gold.sites for b in finding.sites]
    if places and not any(index.inside(a, b) or index.inside(b, a) for a, b in places):
        return False

    def parents(key: str) -> set[str]:
        return set(index.concepts[key].parents).difference(_ROOTS) if key in index.concepts else set()

    pairs = [(mine, theirs) for mine in concepts_of(index, finding) for theirs in gold.concepts]
    return any(index.is_a(a, b) or index.is_a(b, a) or parents(a) & parents(b) for a, b in pairs)
