"""ROUGE-1, ROUGE-2 and ROUGE-L of rouge-score: F1 of one pair."""

from __future__ import annotations

from functools import partial

from kgscore.peers.base import Pairs, PeerInfo

_KINDS = {
    "rouge-1": ("rouge1", "words"), "rouge-2": ("rouge2", "pairs of words"),
    "rouge-l": ("rougeL", "the longest common subsequence"),
}  # fmt: skip


class _Rouge:
    def __init__(self, kind: str, options: object) -> None:
        from rouge_score.rouge_scorer import RougeScorer

        self.kind = kind
        self._scorer = RougeScorer([kind], use_stemmer=True)

    def score(self, pairs: Pairs) -> list[float | None]:
        return [float(self._scorer.score(reference, candidate)[self.kind].fmeasure) for reference, candidate in pairs]


INFOS = tuple(
    PeerInfo(
        name, partial(_Rouge, kind), 0.0, 1.0, True, "Lin 2004, as rouge-score", f"F1 of {what}", "F1, Porter stemmer",
        ("rouge_score",), ("rouge-score",), "peers",
    )
    for name, (kind, what) in _KINDS.items()
)  # fmt: skip
