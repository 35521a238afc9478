"""Whether a denial concerns exactly the asserted finding, rather than a broader class with an exception."""

from __future__ import annotations

from kgscore.matching.relation import Relator
from kgscore.model import Finding
from kgscore.ontology.index import Index, shared

# From this severity on (urgent), a finding is not a mere exception to a broader denial.
_GRAVE = 3
# A bilateral denial concerns a finding without a side only if it is hardly broader.
_NEAR = 1


def head_on(relator: Relator, yes: Finding, no: Finding) -> bool:
    """Whether a denial concerns exactly the asserted finding: the finding itself, or a quality of the same structure."""
    index = relator.index
    if not _is_plain(yes, no):
        return False
    if no.concept in index.flagged("leaves_room"):
        return yes.concept == no.concept
    if _is_grave(index, yes, no):
        return True
    if _of_other_arteries(index, yes, no):
        return False
    same, placed = yes.concept == no.concept, set(yes.sites) == set(no.sites)
    if no.both and (yes.side is not None or no.status != "normal"):
        # Bilateral denials of wide classes leave room for an individual finding ("no focal opacity").
        return same and placed and not index.is_any(no.concept, index.flagged("lesions"))
    return same or (placed and (yes.side == no.side or no.both) and _is_quality(relator, yes, no))


def _is_plain(yes: Finding, no: Finding) -> bool:
    """Whether the assertion is definite, and neither it nor the denial concerns a change or a remainder."""
    changed = "decreased" in (yes.change, no.change) or no.change == "resolved"
    return yes.certainty == "definite" and not changed and "otherwise" not in no.values()


def _is_grave(index: Index, yes: Finding, no: Finding) -> bool:
    """Whether a finding is too grave for an exception: nobody leaves a burst fracture out of "no fracture"."""
    grave = index.severity(yes.concept) >= _GRAVE and yes.change is None
    return grave and not no.both and no.concept not in _general(index)


def _is_quality(relator: Relator, yes: Finding, no: Finding) -> bool:
    """Whether a denial concerns the chief deviation that an assertion states of a structure, or one hardly broader."""
    index = relator.index
    if not index.principal.get(no.concept or "", frozenset()).isdisjoint(relator.axes.unfold(yes).classes):
        return True
    near = not no.both or index.distance(yes.concept, no.concept) <= _NEAR
    return near and no.concept not in _general(index)


def _of_other_arteries(index: Index, yes: Finding, no: Finding) -> bool:
    """Whether a denial concerns arteries of which one in particular has the finding: it then concerns the others."""
    artery = index.role("any_artery")
    kinds = [place for place in no.sites if index.is_a(place, artery)]
    return bool(yes.sites) and all(any(one != kind and index.is_a(one, kind) for kind in kinds) for one in yes.sites)


@shared
def _general(index: Index) -> frozenset[str]:
    """Return the classes whose denial leaves room for a finding of a particular structure, including everything acute."""
    acute = index.role("all_acute")
    kinds = frozenset(name for name, above in index.ancestors.items() if acute and acute in above)
    return index.marked("bare") | kinds | {index.role("any_abnormality")}
