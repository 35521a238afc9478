"""Third-party metrics as metrics of a run, together with kgscore's own (`--peers`, `peers=`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

from kgscore.errors import ProfileError
from kgscore.lab import peers
from kgscore.metrics.base import Matched, MetricInfo
from kgscore.model import Contribution, Score
from kgscore.ontology.index import Index
from kgscore.profile import Profile

_OF_SETS = ("cider",)  # scores that depend on all the pairs at once


class PeerMetric:
    """A peer that scores one pair at a time."""

    def __init__(self, name: str, profile: Profile, index: Index) -> None:
        """Load the peer's requirements; it uses neither the profile nor the ontology."""
        self.name = name
        self._made = peers.build((name,))[name]

    def score(self, pair: Matched) -> Score:
        """Return the peer's score; a blank candidate has the lowest."""
        info = peers.peer(self.name)
        if not pair.candidate_text.strip() and info.low is not None:
            return Score(self.name, "scored", info.low)
        (value,) = peers.scores(self.name, self._made, [(pair.reference_text, pair.candidate_text)])
        if value is None:
            return Score(self.name, "failed", None, "the library gives no number")
        return Score(self.name, "scored", value)

    def explain(self, pair: Matched, score: Score) -> Sequence[Contribution]:
        """Return nothing: the peer does not explain its score."""
        return ()


def peer_metrics(names: Sequence[str]) -> tuple[MetricInfo, ...]:
    """Return peers as metrics.

    Raises:
        ProfileError: a peer is unknown, or needs all pairs at once.
    """
    found = []
    for name in peers.resolve_names(names):
        if name not in _OF_SETS:
            found.append(_metric(name))
        elif "all" not in names:
            raise ProfileError(f"peer '{name}': depends on all pairs at once; use `kgscore bench … --peers {name}`")
    return tuple(found)


@cache
def _metric(name: str) -> MetricInfo:
    info = peers.peer(name)
    low = info.low if info.low is not None else float("-inf")
    return MetricInfo(
        name, partial(PeerMetric, name), low, info.high, info.higher_is_better, info.source, info.summary,
        identity=peers.signature(name),
    )  # fmt: skip
