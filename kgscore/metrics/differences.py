"""What differs in meaning between two readings that are aligned: false, omitted, misplaced, misgraded, wrongly compared.

Rewording, order, and the splitting or merging of sentences are no difference. What is only said less exactly (a detail or
a side left out, a broader term), and normal statements that one side leaves out, count only where `exact` asks for it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kgscore.matching.details import compare_details, conflicting
from kgscore.matching.relation import Relator
from kgscore.metrics.base import Matched
from kgscore.model import Finding, Link, Relation
from kgscore.ontology.index import Index

# The categories of ReXVal; RadEvalX adds two for uncertainty.
FALSE, OMITTED, LOCATION, DEGREE, COMPARISON, NO_COMPARISON, UNCERTAIN, CERTAIN = range(1, 9)
_UP, _DOWN = ("increased", "new"), ("decreased", "resolved")
# Two findings with a common class at most so many steps above both are one finding under a wrong name.
_SIBLING = 1
_AFAR = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference: its categories (1 to 8), the findings it is between (None: the side does not have it), why, and proof.

    Without a candidate finding the reference's is to be added; without a reference finding the candidate's is to go.
    """

    categories: frozenset[int]
    reference: int | None
    candidate: int | None
    why: str
    proof: tuple[str, ...] = ()


class Differences:
    """Finds the differences of a matched pair."""

    def __init__(self, index: Index, *, exact: bool = False) -> None:
        self.index = index
        self.relator = Relator(index)
        self.exact = exact

    def between(self, pair: Matched, left: Sequence[Finding], right: Sequence[Finding]) -> list[Difference]:
        """Return the differences between the findings of the reference (`left`) and of the candidate (`right`).

        These are the pair's findings, those details left out that are not to be compared.
        """
        return _Pass(self, pair, left, right).found()

    def related(self, a: Finding, b: Finding) -> Relation | None:
        """Return the relation of two findings that agree, at least in part; None for others."""
        relation = self.relator.relate(a, b)
        return relation if relation.relation in ("equivalent", "part_whole") else None

    def implies(self, one: Finding, other: Finding) -> bool:
        """Whether a finding implies another class by definition (clips at the gallbladder: it was removed)."""
        index = self.index
        if one.concept is None or other.concept is None or not (one.side is None or other.side in (None, one.side)):
            return False
        classes = index.derived(one.concept, one.sites)
        return any(index.is_a(i, other.concept) for name in classes for i in index.implied.get(name, ()))

    def kinship(self, a: Finding, b: Finding) -> int | None:
        """Return how near two asserted concepts are (0: the same), None where one cannot be taken for the other."""
        if a.concept is None or b.concept is None:
            return None
        if a.concept == b.concept:
            return 0
        index = self.index
        for one, other in ((a, b), (b, a)):
            assert one.concept is not None
            assert other.concept is not None
            if other.concept in index.derived(one.concept, one.sites):
                steps = index.distance(one.concept, other.concept)
                return steps if steps <= _AFAR else None
        return _AFAR + 1 if self._siblings(a, b) else None

    def _siblings(self, a: Finding, b: Finding) -> bool:
        """Whether two findings on one side fall under one near class that says what they are (subdural, epidural haematoma)."""
        index = self.index
        assert a.concept is not None
        assert b.concept is not None
        if not (a.side is None or b.side is None or a.side == b.side):
            return False
        shared = set(index.concepts[a.concept].parents) & set(index.concepts[b.concept].parents)
        return any(name not in index.generic and len(index.ancestors[name]) > _AFAR for name in shared)


class _Pass:
    """One pass over a pair."""

    def __init__(self, rules: Differences, pair: Matched, left: Sequence[Finding], right: Sequence[Finding]) -> None:
        self.rules, self.left, self.right = rules, left, right
        self.by_left: dict[int, list[Link]] = defaultdict(list)
        self.by_right: dict[int, list[Link]] = defaultdict(list)
        for link in pair.links:
            self.by_left[link.reference].append(link)
            self.by_right[link.candidate].append(link)
        self.clashes: dict[int, list[Link]] = defaultdict(list)
        self.clashes_left: dict[int, list[Link]] = defaultdict(list)
        for clash in pair.contradictions:
            self.clashes[clash.candidate].append(clash)
            self.clashes_left[clash.reference].append(clash)
        self.lone_left = [i for i in range(len(left)) if i not in self.by_left]
        self.lone_right = [j for j in range(len(right)) if j not in self.by_right]

    def found(self) -> list[Difference]:
        """Return all differences, those of linked findings first."""
        found = list(self._linked())
        for step in (self._rivals, self._misplaced, self._invented, self._omitted, self._normals):
            found += step()
        return found

    # ---- findings that are linked --------------------------------------------------------------------------------
    def _linked(self) -> Iterator[Difference]:
        for j, links in sorted(self.by_right.items()):
            link = max(links, key=lambda k: (k.relation.weight, k.flow, -k.reference))
            a, b = self.left[link.reference], self.right[j]
            categories, why = self._compared(a, b)
            if self.rules.exact and not categories and link.relation.weight < 1.0 and a.asserts:
                categories, why = {LOCATION if link.relation.anatomy == "part_whole" else DEGREE}, ["less or more exact"]
            if categories:
                yield Difference(frozenset(categories), link.reference, j, "; ".join(why), link.relation.proof)

    def _compared(self, a: Finding, b: Finding) -> tuple[set[int], list[str]]:
        """Return the categories of what two linked findings say differently, and why."""
        if not a.asserts:
            return set(), []
        categories: set[int] = set()
        why = []
        for one, other in conflicting(a, b):
            categories.add(LOCATION if self._is_device(a) else DEGREE)
            why.append(f"{one.text}, not {other.text}")
        if a.change != b.change:
            if b.change is not None and not (a.change in _UP and b.change in _UP):
                categories.add(COMPARISON)
                why.append(f"“{b.change}” is not in the reference")
            if a.change is not None:
                categories.add(NO_COMPARISON)
                why.append(f"“{a.change}” is left out")
        if a.certainty != b.certainty and "definite" in (a.certainty, b.certainty):
            categories.add(UNCERTAIN if a.certainty == "definite" else CERTAIN)
            why.append(f"{a.certainty}, not {b.certainty}")
        if self.rules.exact and not categories and compare_details(a, b) != "equivalent":
            categories.add(DEGREE)
            why.append("details left out or added")
        return categories, why

    def _is_device(self, finding: Finding) -> bool:
        concept = self.rules.index.concepts.get(finding.concept or "")
        return concept is not None and concept.kind == "devices"

    # ---- findings that are not -----------------------------------------------------------------------------------
    def _rivals(self) -> Iterator[Difference]:
        """Assertions that exclude each other: a tip in two places, opposite changes, opposite values."""
        for j in list(self.lone_right):
            for clash in self.clashes[j]:
                i = clash.reference
                a, b = self.left[i], self.right[j]
                if a.asserts and b.asserts and i in self.lone_left:
                    self._take(i, j)
                    yield Difference(self._rivalry(a, b), i, j, "; ".join(clash.relation.proof[:1]), clash.relation.proof)
                    break

    def _rivalry(self, a: Finding, b: Finding) -> frozenset[int]:
        if a.concept != b.concept and self.rules.kinship(a, b) is None:
            return frozenset((FALSE, OMITTED))
        if (a.change in _UP and b.change in _DOWN) or (a.change in _DOWN and b.change in _UP):
            return frozenset((COMPARISON, NO_COMPARISON)) | self._compared(a, b)[0]
        return frozenset((LOCATION,))

    def _misplaced(self) -> Iterator[Difference]:
        """The same finding at another place, or under the name of its sibling: nearest concept first."""
        ranked = []
        for i in self.lone_left:
            for j in self.lone_right:
                a, b = self.left[i], self.right[j]
                if a.asserts and b.asserts and (near := self.rules.kinship(a, b)) is not None:
                    apart = len({d.value for d in a.details} ^ {d.value for d in b.details})
                    ranked.append((near, self.rules.related(a, b) is None, apart, abs(i - j), i, j))
        for near, elsewhere, _, _, i, j in sorted(ranked):
            if i not in self.lone_left or j not in self.lone_right:
                continue
            a, b = self.left[i], self.right[j]
            self._take(i, j)
            categories, why = self._compared(a, b)
            if near > _AFAR:
                if not _one_length(a, b):
                    categories |= {FALSE, OMITTED}
                    why.insert(0, f"{a.label}, not {b.label}")
            elif elsewhere and not (self._is_device(a) and a.side == b.side and not (a.tip and b.tip)):
                categories.add(LOCATION)
                why.insert(0, f"{self._place(a)}, not {self._place(b)}")
            if categories:
                yield Difference(frozenset(categories), i, j, "; ".join(why), tuple(w for w in why[:1]))

    def _invented(self) -> Iterator[Difference]:
        for j in list(self.lone_right):
            b = self.right[j]
            if not b.asserts or b.concept is None:
                continue
            if not self.rules.exact and self._backed(b, self.left, self.by_left, first=False):
                continue
            denied = [k for k in self.clashes[j] if not self.left[k.reference].asserts]
            half = b.both and self._other_half(b, self.right, self.by_right)
            proof = denied[0].relation.proof if denied else ()
            # What the reference denies stands in its place, unless the candidate says that elsewhere.
            instead = next((k.reference for k in denied if k.reference in self.lone_left), None)
            why = "only the other side in the reference" if half else "denied in the reference" if denied else "not in the reference"
            self._take(instead, j)
            yield Difference(frozenset((LOCATION if half else FALSE,)), instead, j, why, proof)

    def _omitted(self) -> Iterator[Difference]:
        for i in list(self.lone_left):
            a = self.left[i]
            if not a.asserts or a.concept is None:
                continue
            denials = [k for k in self.clashes_left[i] if not self.right[k.candidate].asserts]
            if not denials and not self.rules.exact and self._backed(a, self.right, self.by_right, first=True):
                continue
            self._take(i, None)
            half = next((k for k in self._halves(a, self.left) if k in self.by_left), None) if a.both else None
            if denials:
                for at, clash in enumerate(sorted(denials, key=lambda k: self._breadth(a, self.right[k.candidate]))):
                    self._take(None, clash.candidate)
                    why = "the reference reports it" if at == 0 else "the reference reports the contrary"
                    yield Difference(frozenset((OMITTED,)), i if at == 0 else None, clash.candidate, why, clash.relation.proof)
            elif half is not None:
                yield Difference(frozenset((LOCATION,)), i, self.by_left[half][0].candidate, "both sides in the reference")
            else:
                yield Difference(frozenset((OMITTED,)), i, None, "left out")

    def _normals(self) -> Iterator[Difference]:
        """A normal statement about the wrong side; where exactness is asked for, all that one side leaves out."""
        right = [j for j in self.lone_right if not self.right[j].asserts]
        left = [i for i in self.lone_left if not self.left[i].asserts]
        for j in list(right):
            b = self.right[j]
            for i in list(left):
                a = self.left[i]
                if not a.both and not b.both and a.concept == b.concept and a.side and b.side and a.side != b.side:
                    left.remove(i)
                    right.remove(j)
                    yield Difference(frozenset((LOCATION,)), i, j, f"{self._place(a)}, not {self._place(b)}")
                    break
        if self.rules.exact:
            yield from (Difference(frozenset((FALSE,)), None, j, "not in the reference") for j in right)
            yield from (Difference(frozenset((OMITTED,)), i, None, "left out") for i in left)

    # ---- helpers -------------------------------------------------------------------------------------------------
    def _take(self, i: int | None, j: int | None) -> None:
        if i in self.lone_left:
            self.lone_left.remove(i)
        if j in self.lone_right:
            self.lone_right.remove(j)

    def _backed(self, one: Finding, others: Sequence[Finding], linked: dict[int, list[Link]], *, first: bool) -> bool:
        """Whether the other report says a finding in other words that were linked to something else, or implies it."""
        for at, other in enumerate(others):
            if not other.asserts:
                continue
            a, b = (one, other) if first else (other, one)
            if at in linked and self.rules.related(a, b) is not None and not conflicting(a, b):
                return True
            if self.rules.implies(other, one):
                return True
        return False

    def _halves(self, finding: Finding, findings: Sequence[Finding]) -> list[int]:
        """Return the positions of the other half of a statement about both sides."""
        return [
            at for at, other in enumerate(findings)
            if other.both and other.concept == finding.concept and other.side != finding.side and other.sites == finding.sites
            and other.asserts == finding.asserts
        ]  # fmt: skip

    def _other_half(self, finding: Finding, findings: Sequence[Finding], linked: dict[int, list[Link]]) -> bool:
        return any(at in linked for at in self._halves(finding, findings))

    def _breadth(self, yes: Finding, no: Finding) -> int:
        """How far above an assertion the class denied lies: its nearest denial is the line to correct."""
        assert yes.concept is not None
        return self.rules.index.distance(yes.concept, no.concept or "")

    def _place(self, finding: Finding) -> str:
        index = self.rules.index
        sites = ", ".join(index.label(site) for site in finding.tip or finding.sites) or "no site"
        return f"{finding.side} {sites}" if finding.side else sites


def _one_length(a: Finding, b: Finding) -> bool:
    """Whether two findings have a length in common: then they are one lesion under two names."""
    return bool({d.value for d in a.details if d.category == "length"} & {d.value for d in b.details if d.category == "length"})
