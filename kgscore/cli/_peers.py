"""`--peers`: metrics of others as metrics of a run, beside kgscore's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from kgscore.errors import ProfileError
from kgscore.metrics.base import Matched, MetricInfo
from kgscore.model import Contribution, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile
from kgscore.studies import peers

# What people call them, and which they mean.
_USUAL: Mapping[str, str] = {"bleu": "bleu-4", "rouge": "rouge-l", "radgraph": "radgraph-f1", "chexpert": "chexpert-f1"}
_OF_SETS = ("cider",)  # scores that depend on all the pairs at once


class PeerMetric:
    """A peer that scores one pair at a time."""

    def __init__(self, name: str, profile: Profile, index: Index) -> None:
        """Load what the peer needs; it looks neither at the profile nor at the ontology."""
        self.name = name
        self._made = peers.build((name,))[name]

    def score(self, pair: Matched) -> Score:
        """Return the peer's score; a candidate that is blank has its lowest."""
        info = peers.peer(self.name)
        if not pair.candidate_text.strip() and info.low is not None:
            return Score(self.name, "scored", info.low)
        (value,) = peers.scores(self.name, self._made, [(pair.reference_text, pair.candidate_text)])
        if value is None:
            return Score(self.name, "failed", None, "the library gives no number")
        return Score(self.name, "scored", value)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return nothing: what such a score is made of, it does not say."""
        return ()


def peer_metrics(names: Sequence[str]) -> tuple[MetricInfo, ...]:
    """Return peers as metrics.

    Raises:
        ProfileError: there is none of a name, or it needs all pairs at once.
    """
    found = []
    for name in peers.chosen([_USUAL.get(one, one) for one in names]):
        if name in _OF_SETS and "all" not in names:
            raise ProfileError(f"peer '{name}': depends on all pairs at once; `kgscore bench … --peers {name}` has it")
        info = peers.peer(name)
        if name not in _OF_SETS:
            low = info.low if info.low is not None else float("-inf")
            made = MetricInfo(
                name, partial(PeerMetric, name), low, info.high, info.higher_is_better, info.source, info.summary,
                identity=peers.signature(name),
            )  # fmt: skip
            found.append(made)
    return tuple(found)
