"""BLEU and chrF of sacrebleu, for one pair at a time, as shares of 1."""

from __future__ import annotations

from functools import partial
from typing import Any

from kgscore.studies.peers.base import Each, PeerInfo


def _shares(metric: Any) -> Each:
    # Rounding apart, 100 is the most.
    return Each(lambda reference, candidate: min(1.0, float(metric.sentence_score(candidate, [reference]).score) / 100))


def _bleu(order: int, options: object) -> Each:
    from sacrebleu.metrics.bleu import BLEU

    # Effective order: an order that a short text has no n-gram of is left out instead of giving 0 to all of it.
    return _shares(BLEU(lowercase=True, tokenize="13a", max_ngram_order=order, smooth_method="exp", effective_order=True))


def _chrf(options: object) -> Each:
    from sacrebleu.metrics.chrf import CHRF

    return _shares(CHRF(char_order=6, word_order=0, beta=2, lowercase=True))


_SACRE = {"modules": ("sacrebleu",), "packages": ("sacrebleu",), "extra": "peers"}
INFOS = (
    *(
        PeerInfo(
            f"bleu-{order}", partial(_bleu, order), 0.0, 1.0, True, "Papineni et al. 2002, as sacrebleu (Post 2018)",
            f"n-gram precision up to {order} words, with a brevity penalty",
            "sentence BLEU: lower case, tokenizer 13a, exponential smoothing, effective order", **_SACRE,  # type: ignore[arg-type]
        )
        for order in (1, 2, 3, 4)
    ),
    PeerInfo(
        "chrf", _chrf, 0.0, 1.0, True, "Popović 2015, as sacrebleu", "F2 of character n-grams up to 6",
        "sentence chrF2: lower case, no word n-grams", **_SACRE,  # type: ignore[arg-type]
    ),
)  # fmt: skip
