"""ROUGE-1, ROUGE-2 and ROUGE-L of rouge-score: F1 of one pair."""

from __future__ import annotations

from functools import partial

from kgscore.studies.peers.base import Each, PeerInfo

_KINDS = {
    "rouge-1": ("rouge1", "words"), "rouge-2": ("rouge2", "pairs of words"),
    "rouge-l": ("rougeL", "the longest common subsequence"),
}  # fmt: skip


def _rouge(kind: str, options: object) -> Each:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([kind], use_stemmer=True)
    return Each(lambda reference, candidate: float(scorer.score(reference, candidate)[kind].fmeasure))


INFOS = tuple(
    PeerInfo(
        name, partial(_rouge, kind), 0.0, 1.0, True, "Lin 2004, as rouge-score", f"F1 of {what}", "F1, Porter stemmer",
        ("rouge_score",), ("rouge-score",), "peers",
    )
    for name, (kind, what) in _KINDS.items()
)  # fmt: skip
