"""Classification by definitions: the classes of a finding that its sites and descriptors add to its superclasses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kgscore.ontology.index import Index


def derive(index: Index, concept: str, sites: tuple[str, ...], values: tuple[str, ...]) -> frozenset[str]:
    """Return the superclasses of a concept and the classes whose definitions these meet with a site or a descriptor."""
    classes = set(index.ancestors[concept])
    where, bearers = _containers(index, sites), set[str]()
    for site in sites:
        bearers |= index.ancestors.get(site, frozenset((site,)))
    shown = {name for value in values for name in index.ancestors.get(value, ())}
    fresh: Iterable[str] = classes
    while fresh:
        for name in fresh:
            where |= _containers(index, index.hard_sites.get(name, ()))
            bearers |= index.ancestors[index.borne[name]] if name in index.borne else frozenset()
            shown |= index.features.get(name, frozenset())
        fresh = _defined(index, classes, where, bearers) | _differentiated(index, classes, shown, sites)
        classes |= fresh
    return frozenset(classes)


def within_reach(index: Index, concept: str, genus: str, sites: tuple[str, ...]) -> bool:
    """Return whether a concept can be at the sites: each site that it adds to those of its genus contains one of them."""
    implied = index.sites_implied(concept) - index.sites_implied(genus)
    return all(not sites or any(index.inside(site, own) for site in sites) for own in implied)


def _containers(index: Index, sites: Iterable[str]) -> set[str]:
    """Return structures with everything that contains them."""
    return {whole for site in sites for whole in index.within.get(site, (site,))}


def _defined(index: Index, classes: set[str], where: set[str], bearers: set[str]) -> set[str]:
    """Return the new classes, with their superclasses, defined by a class found and a site where it is or that bears it."""
    places = index.defining_sites()
    fresh: set[str] = set()
    for genus in classes & places.keys():
        whole = "whole" in index.concepts[genus].flags
        for site in places[genus].keys() & (where | bearers):
            for defined in places[genus][site]:
                if site in (bearers if whole or (genus, site, defined) in index.itself else where):
                    fresh |= index.ancestors[defined]
    return fresh - classes


def _differentiated(index: Index, classes: set[str], shown: set[str], sites: tuple[str, ...]) -> set[str]:
    """Return the new classes, with their superclasses, defined by a class found and a descriptor that it shows."""
    fresh: set[str] = set()
    for value in shown:
        for genus, defined in index.differentiae.get(value, ()):
            if genus in classes and defined not in classes and within_reach(index, defined, genus, sites):
                fresh |= index.ancestors[defined]
    return fresh - classes
