"""Statements of a line without a finding that the network finds none in: a bare noun phrase of a structure or quality."""

from __future__ import annotations

from collections.abc import Sequence

from kgscore.linking.lexicon import ANATOMY, DESCRIPTOR, NORMAL, QUALITY
from kgscore.reading.composition.parsed_sentence import LISTING, ParsedSentence, of_whole
from kgscore.reading.structure.values import Parse, Place, Statement

_TERSE = frozenset((ANATOMY, DESCRIPTOR, NORMAL, "sideword", "meas", "num", "stop", "ask"))  # a bare noun phrase
# A structure, or qualities of it, and their change.
_UNCHANGED = LISTING | frozenset((ANATOMY, QUALITY, "cop", "change", "sideword", "stop", "colon", "negpost"))


def terse(scene: ParsedSentence) -> Parse:
    """Return the statements of a line that is a noun phrase of a structure or quality ("stable heart size")."""
    own, qualities = scene.kinds - {"label"}, tuple(scene.all_of(QUALITY))
    sites = tuple(Place((site,), None) for site in scene.all_of(ANATOMY))
    if own <= _UNCHANGED:
        return _unchanged(scene, qualities, sites)
    if not own - _beside_normal(own) <= _TERSE:
        return ()
    if NORMAL in own:  # "Normal mineralization."
        return tuple(Statement(head, "normal", sites, qualities) for head in scene.all_of(NORMAL))
    sizes = scene.flagged("size_values") if sites and "meas" not in own else ()  # "Small orbits."
    return tuple(Statement(n, "present", sites) for n, item in enumerate(scene.items) if item.id in sizes)[:1]


def _beside_normal(kinds: frozenset[str]) -> frozenset[str]:
    """Return the kinds of items that a bare noun phrase with a normal word may also have ("The kidney is benign-appearing.")."""
    return frozenset((QUALITY, "cop") if {ANATOMY, NORMAL} <= kinds else (QUALITY,) if NORMAL in kinds else ())


def _unchanged(scene: ParsedSentence, qualities: Sequence[int], sites: tuple[Place, ...]) -> Parse:
    """Return the statements of a line about a structure or a quality ("Ventricular size is unchanged.")."""
    if not sites:
        changes = tuple(scene.all_of("change"))
        return tuple(Statement(quality, "present", (), changes) for quality in qualities)
    told = (n for n in range(len(scene.items)) if of_whole(scene, n))
    return tuple(Statement(n, "normal" if scene.items[n].id == "stable" else "present", sites) for n in told)
