"""Differences in meaning between two aligned readings: false, omitted, misplaced, misgraded, wrongly compared.

Rewording, order, and the splitting or merging of sentences are no difference. Statements that are only less exact (a detail
or a side omitted, a broader term), and normal statements that one side omits, count only with `exact`, or if the candidate
says nothing at all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from kgscore.matching.axes import sides_meet
from kgscore.matching.details import conflicting, opposite_changes
from kgscore.matching.relatedness import AFAR, Relatedness, same_length
from kgscore.metrics.base import Matched
from kgscore.metrics.comparison import COMPARISON, DEGREE, FALSE, LOCATION, NO_COMPARISON, OMITTED, Comparison
from kgscore.model import Finding, Link
from kgscore.ontology.index import Index


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: its categories (1 to 8), the findings that it concerns (None: that report has none), why, and proof.

    Without a candidate finding, the reference's is to be added; without a reference finding, the candidate's is to be removed.
    """

    categories: frozenset[int]
    reference: int | None
    candidate: int | None
    why: str
    proof: tuple[str, ...] = ()


class Differences:
    """Finds the differences of a matched pair."""

    def __init__(self, index: Index, degrees: Mapping[str, int], *, exact: bool = False) -> None:
        self.index = index
        self.degrees = degrees
        self.kinship = Relatedness(index)
        self.exact = exact

    def between(
        self,
        pair: Matched,
        left: Sequence[Finding],
        right: Sequence[Finding],
        known: tuple[Collection[int], Collection[int]] = ((), ()),
    ) -> list[Difference]:
        """Return the differences between the findings of the reference (`left`) and of the candidate (`right`).

        These are the pair's findings, without the details that are not compared. `known` holds the positions of findings on each
        side that are only reported as already known ("again seen"), which states no change.

        A candidate that says nothing omits everything, normal statements included: its silence about an abnormality does not mean
        that there is none.
        """
        if pair.silent:
            return [Difference(frozenset((OMITTED,)), i, None, "left out") for i in range(len(left))]
        return _Pass(self, pair, left, right, known).found()


class _Pass:
    """One pass over a pair."""

    def __init__(
        self,
        rules: Differences,
        pair: Matched,
        left: Sequence[Finding],
        right: Sequence[Finding],
        known: tuple[Collection[int], Collection[int]],
    ) -> None:
        self.rules, self.left, self.right = rules, left, right
        self.comparison = Comparison(rules.kinship, rules.degrees, left, right, known, exact=rules.exact)
        self.by_left, self.by_right = _by_ends(pair.links)
        self.clashes_left, self.clashes = _by_ends(pair.contradictions)
        self.lone_left = [i for i in range(len(left)) if i not in self.by_left]
        self.lone_right = [j for j in range(len(right)) if j not in self.by_right]

    def found(self) -> list[Difference]:
        """Return all differences, those of linked findings first."""
        found = list(self._linked())
        for step in (self._rivals, self._misplaced, self._invented, self._omitted, self._false_normals, self._normals):
            found += step()
        return found + list(self._inexact(found)) if self.rules.exact else found

    # ---- findings that are linked --------------------------------------------------------------------------------
    def _linked(self) -> Iterator[Difference]:
        for j, links in sorted(self.by_right.items()):
            link = max(links, key=lambda k: (k.relation.weight, k.flow, -k.reference))
            categories, why = self.comparison.compared(link.reference, j)
            if self.rules.exact and not categories and link.relation.weight < 1.0:
                categories, why = {LOCATION if link.relation.anatomy == "part_whole" else DEGREE}, ["less or more exact"]
            if categories:
                yield Difference(frozenset(categories), link.reference, j, "; ".join(why), link.relation.proof)

    # ---- findings that are not -----------------------------------------------------------------------------------
    def _rivals(self) -> Iterator[Difference]:
        """Assertions that exclude each other: a tip in two places, opposite changes, opposite values."""
        for j in list(self.lone_right):
            for clash in self.clashes[j]:
                i = clash.reference
                a, b = self.left[i], self.right[j]
                if a.asserts and b.asserts and i in self.lone_left:
                    self._take(i, j)
                    yield Difference(self._rivalry(i, j), i, j, "; ".join(clash.relation.proof[:1]), clash.relation.proof)
                    break

    def _rivalry(self, i: int, j: int) -> frozenset[int]:
        a, b = self.left[i], self.right[j]
        if a.concept != b.concept and self.rules.kinship.nearness(a, b) is None:
            return frozenset((FALSE, OMITTED))
        if opposite_changes(a, b):
            return frozenset((COMPARISON, NO_COMPARISON)) | self.comparison.compared(i, j)[0]
        return frozenset((LOCATION,))

    def _misplaced(self) -> Iterator[Difference]:
        """The same finding at another location, or a sibling concept: nearest concept first."""
        for near, elsewhere, _, _, i, j in sorted(self._pairs_by_nearness()):
            if i not in self.lone_left or j not in self.lone_right:
                continue
            self._take(i, j)
            categories, why = self.comparison.compared(i, j)
            further = self._mistaken(self.left[i], self.right[j], near, elsewhere, bool(categories))
            categories |= {category for category, _ in further}
            why[:0] = [reason for _, reason in further[:1]]
            if self.rules.exact and not categories:
                categories, why = {LOCATION if elsewhere else DEGREE}, ["less or more exact"]
            if categories:
                yield Difference(frozenset(categories), i, j, "; ".join(why), tuple(w for w in why[:1]))

    def _pairs_by_nearness(self) -> Iterator[tuple[int, bool, int, int, int, int]]:
        """Yield the unlinked assertions that may be mistaken for each other: the nearness of their concepts, whether they are
        unrelated, the number of details that differ, their distance, and their positions."""
        kinship = self.rules.kinship
        for i, j in product(self.lone_left, self.lone_right):
            a, b = self.left[i], self.right[j]
            near = kinship.nearness(a, b) if a.asserts and b.asserts else None
            if near is not None:
                apart = len({d.value for d in a.details} ^ {d.value for d in b.details})
                yield near, kinship.related(a, b) is None, apart, abs(i - j), i, j

    def _mistaken(self, a: Finding, b: Finding, near: int, elsewhere: bool, differs: bool) -> list[tuple[int, str]]:
        """Return the categories of one finding in place of another, beyond those of its details, and why."""
        what = f"{a.label}, not {b.label}"
        if near > AFAR:
            return [] if same_length(a, b) else [(FALSE, what), (OMITTED, what)]
        if not elsewhere:
            return []
        if self.comparison.one_place(a, b):
            return [] if differs else [(DEGREE, what)]
        where = f"{self.comparison.place(a)}, not {self.comparison.place(b)}"
        return [(LOCATION, where)] if self.comparison.places_said(a, b) else []

    def _invented(self) -> Iterator[Difference]:
        for j in list(self.lone_right):
            b = self.right[j]
            if not self._counts(b) or self._other_wording(j, self.right, self.by_right, self.left, self.by_left):
                continue
            denied = [k for k in self.clashes[j] if not self.left[k.reference].asserts]
            half = any(at in self.by_right for at in self._halves(b, self.right))
            proof = denied[0].relation.proof if denied else ()
            # The denial in the reference replaces it, unless the candidate makes that statement elsewhere.
            lone = (k.reference for k in denied if k.reference in self.lone_left)
            instead = next(lone, None)
            why = f"{'only the other side' if half else 'denied' if denied else 'not'} in the reference"
            self._take(instead, j)
            yield Difference(frozenset((LOCATION if half else FALSE,)), instead, j, why, proof)

    def _counts(self, finding: Finding) -> bool:
        return finding.asserts and (finding.concept is not None or self.rules.exact)

    def _omitted(self) -> Iterator[Difference]:
        for i in list(self.lone_left):
            a = self.left[i]
            denials = [k for k in self.clashes_left[i] if not self.right[k.candidate].asserts]
            if not self._counts(a):
                continue
            if not denials and self._other_wording(i, self.left, self.by_left, self.right, self.by_right):
                continue
            self._take(i, None)
            yield from self._denied(i, denials) if denials else [self._left_out(i)]

    def _denied(self, i: int, denials: Sequence[Link]) -> Iterator[Difference]:
        """Yield the denials of an omitted finding, the nearest one first, which it replaces."""
        nearest = sorted(denials, key=lambda k: self.rules.index.distance(self.left[i].concept, self.right[k.candidate].concept))
        for at, clash in enumerate(nearest):
            self._take(None, clash.candidate)
            why = "the reference reports it" if at == 0 else "the reference reports the contrary"
            yield Difference(frozenset((OMITTED,)), i if at == 0 else None, clash.candidate, why, clash.relation.proof)

    def _left_out(self, i: int) -> Difference:
        if (place := self._in_place_of(self.left[i])) is not None:
            self._take(None, place)
            return Difference(frozenset((OMITTED,)), i, place, "the reference reports it in place of a normal statement")
        half = next((k for k in self._halves(self.left[i], self.left) if k in self.by_left), None)
        if half is not None:
            return Difference(frozenset((LOCATION,)), i, self.by_left[half][0].candidate, "both sides in the reference")
        return Difference(frozenset((OMITTED,)), i, None, "left out")

    def _false_normals(self) -> Iterator[Difference]:
        """A normal statement that contradicts a finding which the candidate reports too: it denies that very finding or concerns
        the same structure, or its wording does not contradict the candidate's own finding."""
        for j in range(len(self.right)):
            full = any(link.relation.weight >= 1.0 for link in self.by_right.get(j, ()))
            for clash in self.clashes[j] if not self.right[j].asserts and not full else ():
                i = clash.reference
                said = [link.candidate for link in self.by_left.get(i, ())]
                clashing = any(self._clash(k, j) for k in said)
                yes, no = self.left[i], self.right[j]
                if said and (not clashing or yes.concept == no.concept or set(yes.sites) == set(no.sites)):
                    self._take(None, j)
                    # Where the candidate contradicts itself, the replacement is already stated elsewhere.
                    instead = None if clashing else i
                    yield Difference(frozenset((OMITTED,)), instead, j, "the reference reports it", clash.relation.proof)
                    break

    def _clash(self, yes: int, no: int) -> bool:
        return self.rules.kinship.relator.relate(self.right[yes], self.right[no]).relation == "contradiction"

    def _normals(self) -> Iterator[Difference]:
        """Normal statements about the wrong side; with `exact`, also all that one report omits."""
        right = [j for j in self.lone_right if not self.right[j].asserts]
        left = [i for i in self.lone_left if not self.left[i].asserts]
        for j in list(right):
            i = next((i for i in left if self._other_side(self.left[i], self.right[j])), None)
            if i is not None:
                left.remove(i)
                right.remove(j)
                where = f"{self.comparison.place(self.left[i])}, not {self.comparison.place(self.right[j])}"
                yield Difference(frozenset((LOCATION,)), i, j, where)
        if self.rules.exact:
            yield from (Difference(frozenset((FALSE,)), None, j, "not in the reference") for j in right)
            yield from (Difference(frozenset((OMITTED,)), i, None, "left out") for i in left)

    def _other_side(self, a: Finding, b: Finding) -> bool:
        return a.concept == b.concept and not sides_meet(a, b) and not (a.both or b.both)

    def _inexact(self, found: Sequence[Difference]) -> Iterator[Difference]:
        """Findings that the candidate only states in part, in words that fully state another finding."""
        written = {one.reference for one in found}
        for i, links in sorted(self.by_left.items()):
            if i not in written and max(link.relation.weight for link in links) < 1.0:
                yield Difference(frozenset((OMITTED,)), i, None, "said in part only")

    # ---- helpers -------------------------------------------------------------------------------------------------
    def _take(self, i: int | None, j: int | None) -> None:
        if i in self.lone_left:
            self.lone_left.remove(i)
        if j in self.lone_right:
            self.lone_right.remove(j)

    def _other_wording(
        self,
        at: int,
        own: Sequence[Finding],
        own_links: dict[int, list[Link]],
        others: Sequence[Finding],
        other_links: dict[int, list[Link]],
    ) -> bool:
        """Whether an unlinked finding is only a rewording, unless wording counts: the other report states it in words linked to
        another finding, or implies it, or it was read from the words of a finding that agrees."""
        one = own[at]
        if self.rules.exact:
            return False
        if one.concept == self.rules.index.role("any_abnormality") or self._read_twice(one, [own[i] for i in own_links]):
            return True
        for number, other in enumerate(others):
            if not other.asserts:
                continue
            if number in other_links and self.rules.kinship.covers(other, one) and not conflicting(one, other):
                return True
            if self.rules.kinship.implies(other, one):
                return True
        return False

    def _read_twice(self, one: Finding, agreeing: Sequence[Finding]) -> bool:
        """Whether a finding that agrees was read from the same words as another concept ("deviated septum": a displacement)."""
        return any(
            other.asserts and other.concept != one.concept and other.start < one.end and one.start < other.end
            for other in agreeing
        )

    def _halves(self, finding: Finding, findings: Sequence[Finding]) -> list[int]:
        """Return the positions of the other half of a bilateral statement: read from the same words."""
        return [
            at for at, other in enumerate(findings)
            if other.start == finding.start and other.end == finding.end and other.concept == finding.concept
            and other.asserts == finding.asserts and {other.side, finding.side} == {"left", "right"}
        ]  # fmt: skip

    def _in_place_of(self, yes: Finding) -> int | None:
        """Return a normal statement of the candidate, absent from the reference, in place of which the finding belongs."""
        alone = (j for j in self.lone_right if not self.right[j].asserts and not self._shares_words(j))
        return next((j for j in alone if self.rules.kinship.neighbours(yes, self.right[j])), None)

    def _shares_words(self, j: int) -> bool:
        """Whether the words of a finding contain others that the reference does state ("no mass or effusion")."""
        own = self.right[j]
        return any(own.start <= self.right[k].start < own.end for k in self.by_right)

def _by_ends(links: Sequence[Link]) -> tuple[dict[int, list[Link]], dict[int, list[Link]]]:
    """Return links by their finding of the reference, and by that of the candidate."""
    left: dict[int, list[Link]] = defaultdict(list)
    right: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        left[link.reference].append(link)
        right[link.candidate].append(link)
    return left, right
