"""RaTEScore (2.4): each entity is matched to its nearest; weighted mean similarity, harmonic mean of both directions.

Range 0 to 1, higher is better. As published (profiles `ratescore-published-long`, `ratescore-published-short`): entities of the
words, cosines of embeddings, the learnt matrices. In the ontology form (default): entities of findings, similarity by the
ontology, assertions weighted twice as much as places and denials, 0 for a contradiction. A candidate without entities scores 0,
a reference without any is `empty`; as published, both are one half.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import fsum
from typing import TYPE_CHECKING, Any

from kgscore.errors import ProfileError
from kgscore.matching.weighting import weighting_of
from kgscore.metrics import options
from kgscore.metrics.base import Matched, MetricInfo, check_choices
from kgscore.metrics.ratescore_entities import (
    TYPES,
    Diseases,
    RateEntity,
    differ_in_polarity,
    entities_of_findings,
    entities_of_words,
)  # fmt: skip
from kgscore.metrics.ratescore_similarity import Likeness, OntologySimilarity
from kgscore.model import Contribution, Reading, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.resources import yaml_of

if TYPE_CHECKING:
    from kgscore.metrics.embeddings import EmbeddingSimilarity
_FILE = ("mappings", "ratescore.yaml")
_KNOWN = {"entities": ("findings", "words"), "similarity": ("ontology", "embedding", "vectors"), "empty": ("empty", "half")}


@dataclass(frozen=True, slots=True)
class Options:
    """`entities`: of the "findings", or of the "words" (published). `matrix`: "graded", or "long" or "short" (published);
    `floor`: the minimum of its weights. `weights`: a custom matrix, in the form of `mappings/ratescore.yaml`. `similarity`: by
    the "ontology", by the "vectors" that kgscore ships, or by "embedding" (published) with the sentence-transformers `model` of a
    name or path, its vector `pooling` ("cls", published, or "mean") and at most `tokens` tokens. `empty`: without an entity in
    the reference the score is "empty", without one in the candidate 0; or "half": 0.5 (published)."""

    entities: str = "findings"
    matrix: str = "graded"
    floor: float = 0.0
    weights: Mapping[str, Any] = field(default_factory=dict, hash=False)
    similarity: str = "ontology"
    model: str = "FremyCompany/BioLORD-2023-C"
    pooling: str = "cls"
    tokens: int = 30
    empty: str = "empty"


@dataclass(frozen=True, slots=True)
class Matrix:
    """W, rows by own type and columns by matched type, and the penalty p of pairs that cross polarity."""

    penalty: float
    rows: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Nearest:
    """An entity with its match on the other side: W, similarity, and the penalty (1 if there is none). `own_weight` is its weight
    under the profile, a factor of W; `against`: the two cross polarity or contradict each other."""

    own: RateEntity
    matched: RateEntity
    weight: float
    similarity: float
    penalty: float = 1.0
    own_weight: float = 1.0
    against: bool = False

    @property
    def credit(self) -> float:
        """Its contribution to the numerator, divided by its weight."""
        return self.similarity * self.penalty


def direction(found: Sequence[Nearest]) -> float:
    """Return Σ W·p·cos / Σ W of the entities of one side; 0 if all weights are 0 (RaTEScore 2.4)."""
    whole = fsum(near.weight for near in found)
    return fsum(near.weight * near.credit for near in found) / whole if whole else 0.0


def harmonic(one: float, other: float) -> float:
    """Return the harmonic mean of both directions, 0 if one is 0 (RaTEScore, formula 3).

    >>> round(harmonic(0.5, 1.0), 3), harmonic(0.0, 1.0)
    (0.667, 0.0)
    """
    return 2.0 * one * other / (one + other) if one > 0.0 and other > 0.0 else 0.0


class Ratescore:
    """RaTEScore under a profile. The weights of a profile multiply those of the matrix; weight 0 excludes an entity."""

    name = "ratescore"

    def __init__(self, profile: Profile, index: Index) -> None:
        self.index = index
        self.options: Options = options(self.name, profile)
        where = f"profile '{profile.name}': metrics: {self.name}"
        check_choices(self.options, _KNOWN, where)
        self.matrix = _matrix(self.options, where)
        self.weighting = weighting_of(profile, index)
        self.diseases = Diseases(index)
        self.similarity = _similarity(self.options, index, where)

    @property
    def signature(self) -> Mapping[str, str]:
        """The hash of the vectors that kgscore ships, if the similarity uses them."""
        shipped = getattr(getattr(self.similarity, "embedder", None), "hash", "")
        return {"ratescore_vectors": shipped} if shipped else {}

    def entities(self, reading: Reading, text: str) -> list[RateEntity]:
        """Return the entities of a report with a positive weight."""
        if self.options.entities == "words":
            found = entities_of_words(reading, text, self.index, self.diseases)
        else:
            found = entities_of_findings(reading.findings, self.index, self.diseases)
        return [entity for entity in found if self._entity_weight(entity, reading) > 0.0]

    def score(self, pair: Matched) -> Score:
        """Return the score; `parts` holds both directions (`recall`: of the reference's entities) and the numbers of entities."""
        left, right = self._entities_of_pair(pair)
        parts = {"reference_entities": float(len(left)), "candidate_entities": float(len(right))}
        reason = "" if left and right else f"the {'candidate' if left else 'reference'} holds no entity that counts"
        if reason and self.options.empty == "half":
            return Score(self.name, "scored", 0.5, f"{reason}: 0.5 as published", parts)
        if not left:
            return Score(self.name, "empty", None, reason, parts)
        recall, precision = map(direction, self._nearest_entities(pair, left, right)) if right else (0.0, 0.0)
        parts |= {"recall": recall, "precision": precision}
        return Score(self.name, "scored", harmonic(recall, precision), reason, parts)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return the credit and cost of every entity with its match. Credits add up to the score, costs to 1 minus the score."""
        left, right = self._entities_of_pair(pair)
        if score.value is None or not left or (not right and self.options.empty == "half"):
            return []
        if not right:
            return self._missed_contributions(pair.reference, left)
        sides = self._nearest_entities(pair, left, right)
        lacks = [fsum(near.weight * (1.0 - near.credit) for near in found) for found in sides]
        shares = 2 if all(lacks) else 1
        pieces: list[Contribution] = []
        for found, lack in zip(sides, lacks, strict=True):
            gained = fsum(near.weight * near.credit for near in found)
            credit = score.value / 2.0 / gained if score.value else 0.0
            pieces += self._pieces(found, credit, (1.0 - score.value) / shares / lack if lack else 0.0, found is sides[0])
        return pieces

    def _missed_contributions(self, reading: Reading, left: Sequence[RateEntity]) -> list[Contribution]:
        """Return the costs for a candidate without an entity: the share of every entity of the reference."""
        weights = [self._entity_weight(entity, reading) for entity in left]
        return [
            Contribution("missed", _entity_text(own), (own.said.start, own.said.end), None, 0.0, weight / fsum(weights))
            for own, weight in zip(left, weights, strict=True)
        ]

    def _pieces(self, found: Sequence[Nearest], credit: float, cost: float, first: bool) -> Iterator[Contribution]:
        for near in found:
            own, other = ((e.said.start, e.said.end) for e in (near.own, near.matched))
            what = _entity_text(near.own)
            kind = "missed" if first else "invented"
            if near.penalty < 1.0 and near.similarity > 0.0:
                kind = "missed" if near.own.denied != first else "invented"  # one asserts it, the other denies it
            elif near.credit > 0.0:
                kind = "correct" if near.credit > 1.0 - 1e-9 else "minor"
            why = f"nearest: {near.matched.type.replace('_', '-')} {near.matched.name}, alike {near.similarity:.2f}"
            because = (why, f"weight {near.weight:.3g}", *((f"penalty {near.penalty:.3g}",) if near.penalty < 1.0 else ()))
            gain, loss = near.weight * near.credit * credit, near.weight * (1.0 - near.credit) * cost
            yield Contribution(kind, what, *((own, other) if first else (other, own)), gain, loss, because)  # type: ignore[arg-type]

    def nearest(self, pair: Matched) -> tuple[Sequence[Nearest], Sequence[Nearest]] | None:
        """Return the matches of the entities of the reference, and of the candidate; None if a side has none."""
        left, right = self._entities_of_pair(pair)
        return self._nearest_entities(pair, left, right) if left and right else None

    def _entities_of_pair(self, pair: Matched) -> tuple[list[RateEntity], list[RateEntity]]:
        return self.entities(pair.reference, pair.reference_text), self.entities(pair.candidate, pair.candidate_text)

    def _entity_weight(self, entity: RateEntity, reading: Reading) -> float:
        """Return the weight of an entity under the profile, 1 by default."""
        if entity.finding >= 0:
            return self.weighting.finding(reading.findings[entity.finding])
        return self.weighting.entity(entity.concept, entity.kind) * (1.0 if entity.linked else self.weighting.unlinked)

    def _nearest_entities(
        self, pair: Matched, left: Sequence[RateEntity], right: Sequence[RateEntity]
    ) -> tuple[list[Nearest], list[Nearest]]:
        table = self.similarity.table(left, right, (pair.reference.findings, pair.candidate.findings))
        clashes = {(k.reference, k.candidate) for k in pair.contradictions} if self.options.entities == "findings" else set()
        return (
            self._match_entities(left, right, table, clashes, pair.reference),
            self._match_entities(right, left, list(zip(*table, strict=True)), {(j, i) for i, j in clashes}, pair.candidate),
        )

    def _match_entities(
        self,
        mine: Sequence[RateEntity],
        theirs: Sequence[RateEntity],
        table: Sequence[Sequence[float]],
        clashes: set[tuple[int, int]],
        reading: Reading,
    ) -> list[Nearest]:
        """Match each entity with the most similar one; of equals, without contradiction, then of its type, of its polarity."""
        found = []
        for own, row in zip(mine, table, strict=True):
            similarity = max(row)
            agrees, _, level, place = max(
                ((own.finding, e.finding) not in clashes, own.type == e.type, not differ_in_polarity(own.type, e.type), -n)
                for n, e in ((n, theirs[n]) for n, alike in enumerate(row) if alike == similarity)
            )
            matched = theirs[-place]
            weight, against = self._entity_weight(own, reading), not (agrees and level)
            penalty = self.matrix.penalty if against else 1.0
            full = self.matrix.rows[own.type][matched.type] * weight
            found.append(Nearest(own, matched, full, similarity, penalty, weight, against))
        return found


def _entity_text(entity: RateEntity) -> str:
    return f"{entity.type.replace('_', '-')} {entity.name}: “{entity.said.text}”"


def load_matrix(name: str) -> Matrix:
    """Return a shipped matrix: graded, long or short."""
    return _matrix(Options(matrix=name), "ratescore")


def _matrix(options: Options, where: str) -> Matrix:
    """Return the matrix that the options name or contain.

    Raises:
        ProfileError: the name is unknown, or the custom matrix is not five rows of five weights and a penalty.
    """
    shipped = yaml_of(*_FILE)
    table, columns = shipped["matrices"], shipped["columns"]
    if not options.weights and options.matrix not in table:
        raise ProfileError(f"{where}: 'matrix' is one of {', '.join(table)}")
    values = options.weights or table[options.matrix]
    rows = {name: row for name, row in values.items() if isinstance(row, list) and len(row) == len(columns)}
    complete = set(rows) == set(TYPES) and set(values) == {"penalty", *TYPES}
    if not complete or not all(map(_is_weight, [*chain.from_iterable(rows.values()), values["penalty"]])):
        named = f"'penalty' and for each of {', '.join(columns)} a list of five weights, none below 0"
        raise ProfileError(f"{where}: 'weights' holds {named}")
    return Matrix(
        float(values["penalty"]),
        {name: {c: max(options.floor, float(w)) for c, w in zip(columns, rows[name], strict=True)} for name in TYPES},
    )


def _is_weight(cell: object) -> bool:
    return isinstance(cell, (int, float)) and not isinstance(cell, bool) and 0 <= cell < float("inf")


def _similarity(options: Options, index: Index, where: str) -> OntologySimilarity | EmbeddingSimilarity:
    if options.similarity == "ontology":
        return OntologySimilarity(index, Likeness(**yaml_of(*_FILE)["likeness"]))
    from kgscore.metrics.embeddings import Embedder, EmbeddingSimilarity, ShippedVectors

    if options.similarity == "vectors":
        return EmbeddingSimilarity(ShippedVectors())
    return EmbeddingSimilarity(Embedder(options.model, options.pooling, options.tokens, where))


INFO = MetricInfo(
    "ratescore", Ratescore, 0.0, 1.0, True, "RaTEScore, EMNLP 2024, section 2.4",
    "weighted similarity of typed entities, each with its nearest",
    needs="nothing; similarity: embedding needs the extra 'embeddings' and a model",
    good_for="agreement with the paper; long reports whose words matter more than their findings",
    blind_to="how often a thing is said, and to which of two like findings the match belongs",
    options=Options,
)
