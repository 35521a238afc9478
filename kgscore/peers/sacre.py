"""BLEU and chrF of sacrebleu, for one pair at a time, as shares of 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from kgscore.peers.base import Pairs, PeerInfo

_ORDERS = (1, 2, 3, 4)


class _Sacre:
    def __init__(self, score: Callable[[str, list[str]], float]) -> None:
        self._score = score

    def score(self, pairs: Pairs) -> list[float | None]:
        return [min(1.0, self._score(candidate, [reference]) / 100) for reference, candidate in pairs]  # rounding apart


def _bleu(order: int, options: object) -> _Sacre:
    from sacrebleu.metrics.bleu import BLEU

    # Effective order: an order that a short text has no n-gram of is left out instead of giving 0 to all of it.
    bleu = BLEU(lowercase=True, tokenize="13a", max_ngram_order=order, smooth_method="exp", effective_order=True)
    return _Sacre(lambda candidate, references: float(bleu.sentence_score(candidate, references).score))


def _chrf(options: object) -> _Sacre:
    from sacrebleu.metrics.chrf import CHRF

    chrf = CHRF(char_order=6, word_order=0, beta=2, lowercase=True)
    return _Sacre(lambda candidate, references: float(chrf.sentence_score(candidate, references).score))


_SACRE = {"modules": ("sacrebleu",), "packages": ("sacrebleu",), "extra": "peers"}
INFOS = (
    *(
        PeerInfo(
            f"bleu-{order}", partial(_bleu, order), 0.0, 1.0, True, "Papineni et al. 2002, as sacrebleu (Post 2018)",
            f"n-gram precision up to {order} words, with a brevity penalty",
            "sentence BLEU: lower case, tokenizer 13a, exponential smoothing, effective order", **_SACRE,  # type: ignore[arg-type]
        )
        for order in _ORDERS
    ),
    PeerInfo(
        "chrf", _chrf, 0.0, 1.0, True, "Popović 2015, as sacrebleu", "F2 of character n-grams up to 6",
        "sentence chrF2: lower case, no word n-grams", **_SACRE,  # type: ignore[arg-type]
    ),
)  # fmt: skip
