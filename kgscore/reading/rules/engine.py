"""Rules in data that correct the structure of a sentence: where a pattern matches, statements are changed.

A rule (`mappings/reading/rules/*.yaml`) has an `id`, a `reason`, patterns to `match`, the `statements` that names head, their
relations (`where`), patterns that the sentence must have (`when`) or must not (`unless`), what to `do`, `examples` that it
changes, and sentences that it does `not` change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from kgscore.ontology.index import Index
from kgscore.reading.rules.pattern import Bound, Names, Need, Pattern, Test, View, needs_of, pattern_of, test_of
from kgscore.reading.structure.values import STATUSES, Parse, Place, Statement
from kgscore.resources import yaml_of


def _sites(one: Statement) -> set[int]:
    return {at for place in one.places for at in place.items}


def _sites_of(view: View, head: int) -> set[int]:
    return {at for one in view.structure if one.head == head for at in _sites(one)}


def _with(one: Statement, *more: int) -> Statement:
    return one._replace(modifiers=tuple(sorted({*one.modifiers, *more} - {one.head})))


def _at(one: Statement, at: int) -> Statement:
    side = next((place.side for place in one.places if not place.items), None)
    sited = tuple(place for place in one.places if place.items)
    return one if at in _sites(one) else one._replace(places=(*sited, Place((at,), side)))


def _out_of(one: Statement, at: int) -> Statement:
    left = (place._replace(items=tuple(item for item in place.items if item != at)) for place in one.places)
    return one._replace(places=tuple(dict.fromkeys(place for place in left if place.items)))


# What a statement may have.
PARTS: Mapping[str, Callable[[Statement], bool]] = {
    "a joint place": lambda one: any(len(place.items) > 1 for place in one.places),
    "a single place": lambda one: len(one.places) == 1,
    "sites": lambda one: bool(_sites(one)),
    "side": lambda one: any(place.side is not None for place in one.places),
    "modifiers": lambda one: bool(one.modifiers),
    "names": lambda one: bool(one.names),
}
# What may hold of the concepts of two mentions ("within": every site of the one statement is one of the other, or its head).
RELATIONS: Mapping[str, Callable[[Index, str, str], bool]] = {
    "kind": lambda index, one, other: one != other and index.is_a(one, other),
    "kin": lambda index, one, other: index.is_a(one, other) or index.is_a(other, one),
    "inside": lambda index, one, other: index.inside(one, other),
}
# What may hold of two statements: whether they have one status; whether the one is only at some of the sites of the other.
BETWEEN: Mapping[str, Callable[[Statement, Statement], bool]] = {
    "alike": lambda one, other: one.status == other.status,
    "part": lambda one, other: bool(_sites(one)) and _sites(one) < _sites(other),
}
# What a rule does to a statement, with a mention and the statement that it heads ("give S X").
EDITS: Mapping[str, Callable[[Statement, int, Statement], Statement]] = {
    "head": lambda one, at, other: _with(one._replace(head=at)),  # X heads S
    "give": lambda one, at, other: _with(one, at),  # X modifies S
    "take": lambda one, at, other: one._replace(modifiers=tuple(m for m in one.modifiers if m != at)),  # X does not modify S
    "fold": lambda one, at, other: _with(one, at, *other.modifiers),  # X and its modifiers modify S
    "place": lambda one, at, other: _at(one, at),  # X is a place of S
    "side": lambda one, at, other: one._replace(places=(*one.places, Place((), at))),  # X is the side of a place of S
    "leave": lambda one, at, other: _out_of(one, at),  # X is no place of S
    "share": lambda one, at, other: one._replace(places=other.places),  # S is where X is
}
# The places of a statement that a rule adds, by the statement that it is added to ("add X absent at S"); "name": as "like".
ADDED: Mapping[str, Callable[[Statement, Place], tuple[Place, ...]]] = {
    "at": lambda one, head: (head,),
    "there": lambda one, head: tuple(p if p.items else head._replace(side=p.side) for p in one.places) or (head,),
    "like": lambda one, head: one.places,
}


class Condition(NamedTuple):
    """What a statement must be like: its head and status, what it lacks (`PARTS`), the mentions among its modifiers and
    sites by the name that they are bound to, and a test that none of both passes."""

    head: Test
    status: frozenset[str]
    lacks: tuple[str, ...]
    modifiers: Mapping[str, Test]
    sites: Mapping[str, Test]
    without: Test

    def fits(self, view: View, one: Statement, bound: Bound) -> Iterator[Bound]:
        """Yield what the modifiers and sites of a statement bind, if it is as wanted."""
        if one.status not in self.status or not self.head(view, one.head) or any(PARTS[part](one) for part in self.lacks):
            return
        if any(self.without(view, at) for at in (*one.modifiers, *_sites(one))):
            return
        wanted = [(name, test, one.modifiers) for name, test in self.modifiers.items()]
        wanted += [(name, test, tuple(_sites(one))) for name, test in self.sites.items()]
        choices = ([at for at in part if bound.get(name, at) == at and test(view, at)] for name, test, part in wanted)
        for chosen in product(*choices):
            yield {**bound, **dict(zip((name for name, _, _ in wanted), chosen, strict=True))}


class Match(NamedTuple):
    """The positions bound to names, and the numbers of the statements that they head."""

    bound: Bound
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as read from its file."""

    id: str
    match: tuple[Pattern, ...]
    statements: Mapping[str, Condition]
    where: tuple[tuple[str, str, str], ...]
    when: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]
    do: tuple[tuple[str, ...], ...]
    needs: tuple[Need, ...]

    @property
    def asked(self) -> frozenset[tuple[str, str]]:
        """The conditions among what it and its patterns need."""
        return frozenset().union(*self.needs, *(need for one in self.match for need in one.needs))

    def __call__(self, view: View) -> Parse:
        """Return the structure with the changes of all matches, in the order of the heads if statements were added."""
        if not view.meets(self.needs) or not any(view.meets(one.needs) for one in self.match):
            return view.structure
        said, more = dict(enumerate(view.structure)), list[Statement]()
        found = list(self._matches(view))
        for match in found:
            if said.keys() >= {*match.numbers.values()}:
                for action in self.do:
                    _apply(action, match, said, more)
        kept = dict.fromkeys((*said.values(), *more))
        return view.structure if not found else tuple(sorted(kept, key=lambda one: one.head) if more else kept)

    def _matches(self, view: View) -> Iterator[Match]:
        said = {
            name: [one.head for one in view.structure for _ in like.fits(view, one, {})] for name, like in self.statements.items()
        }
        for pattern in self.match if all(said.values()) else ():
            headed = [(name, test) for name, test, _ in pattern.elements if name in said and test is not None]
            if view.meets(pattern.needs) and all(any(test(view, at) for at in said[name]) for name, test in headed):
                for bound in pattern.matches(view, {}):
                    yield from self._said(view, tuple(self.statements), Match(bound, {}))

    def _said(self, view: View, rest: tuple[str, ...], match: Match) -> Iterator[Match]:
        """Yield a match with each choice of statements for the names that are left."""
        if not rest:
            yield from (match,) if self._holds(view, match) else ()
            return
        name, *others = rest
        for number, one in enumerate(view.structure):
            if match.bound.get(name, one.head) == one.head and number not in match.numbers.values():
                for bound in self.statements[name].fits(view, one, {**match.bound, name: one.head}):
                    yield from self._said(view, tuple(others), Match(bound, {**match.numbers, name: number}))

    def _holds(self, view: View, match: Match) -> bool:
        """Whether the relations of a match hold, and its context allows it."""
        related = all(_related(view, match, *relation) for relation in self.where)
        found = (any(True for _ in one.matches(view, match.bound)) for one in (*self.when, *self.unless))
        return related and all(there == (n < len(self.when)) for n, there in enumerate(found))


def _related(view: View, match: Match, name: str, one: str, other: str) -> bool:
    """Whether two mentions, or the statements that they head, are related."""
    if name in BETWEEN:
        return BETWEEN[name](*(view.structure[match.numbers[which]] for which in (one, other)))
    own, others = match.bound[one], match.bound[other]
    if name == "within":
        return _sites_of(view, own) <= _sites_of(view, others) | {others}
    return RELATIONS[name](view.scene.knowledge.index, view.scene.items[own].id, view.scene.items[others].id)


def _apply(action: tuple[str, ...], match: Match, said: dict[int, Statement], more: list[Statement]) -> None:
    """Change statements by number: one of `EDITS`, "drop S", "status S absent", "part S X absent" (its place with X, or on side
    X, is a statement of its own), or "add X absent", to which one of `ADDED` may be given."""
    verb, name, *rest = action
    at, number = match.bound[name], match.numbers.get(name, -1)
    if verb == "drop":
        for dropped in [n for n, one in said.items() if n == number or (number < 0 and one.head == at)]:
            del said[dropped]
    elif verb == "status":
        said[number] = said[number]._replace(status=rest[0])
    elif verb == "part":
        own = tuple(place for place in said[number].places if match.bound[rest[0]] in (*place.items, place.side))
        if not own:
            return
        said[number] = said[number]._replace(places=tuple(place for place in said[number].places if place not in own))
        more.append(Statement(at, rest[1], own))
    elif verb == "add":
        more.append(_added(at, rest, match, said))
    else:
        other = match.bound[rest[0]]
        said[number] = EDITS[verb](said[number], other, said.get(match.numbers.get(rest[0], -1), Statement(other, "none")))


def _added(at: int, rest: Sequence[str], match: Match, said: Mapping[int, Statement]) -> Statement:
    """Return the statement that a rule adds; "same" is the status of the one that it is added to."""
    status, way, of = (*rest, "", "")[:3]
    if not way:
        return Statement(at, status)
    bearer = said.get(match.numbers.get(of, -1), Statement(match.bound[of], status))
    places = ADDED["like" if way == "name" else way](bearer, Place((bearer.head,), None))
    return Statement(at, bearer.status if status == "same" else status, places, (), (bearer.head,) if way == "name" else ())


def _condition(row: Mapping[str, Any], names: Names) -> Condition:
    modifiers, sites = ({name: test_of(one, names) for name, one in row.get(part, {}).items()} for part in ("modifiers", "sites"))
    head, without = test_of(row.get("head", "any"), names), test_of(row.get("without", "!any"), names)
    return Condition(head, frozenset(row.get("status", STATUSES)), tuple(row.get("lacks", ())), modifiers, sites, without)


@cache
def rules_of(name: str) -> tuple[Rule, ...]:
    """Return the rules of a file in `mappings/reading/rules`, in their order; reasons and examples are for people and tests."""
    table = yaml_of("mappings", "reading", "rules", f"{name}.yaml")
    names, made = {"classes": {}, "words": {}, **table}, list[Rule]()
    for row in table["rules"]:
        match, when, unless = (tuple(pattern_of(one, names) for one in row.get(part, ())) for part in ("match", "when", "unless"))
        said = row.get("statements", {})
        statements = {name: _condition(one, names) for name, one in said.items()}
        tests = [test for one in said.values() for part in ("modifiers", "sites") for test in one.get(part, {}).values()]
        tests += [one.get("head", "any") for one in said.values()]
        where = tuple((relation, one, other) for relation, one, other in map(str.split, row.get("where", ())))
        do = tuple(map(tuple, map(str.split, row["do"])))
        match = match or (pattern_of("^", names),)
        made.append(Rule(row["id"], match, statements, where, when, unless, do, needs_of(tests, names)))
    return tuple(made)
