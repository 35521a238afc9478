"""Word overlap, the floor of all comparisons: needs nothing."""

from __future__ import annotations

import math
import re
from collections import Counter

from kgscore.studies.peers.base import Each, PeerInfo


def overlap(reference: str, candidate: str) -> float:
    """Return the word overlap of two texts, 0 to 1: precision of words with clipped counts and a brevity penalty (BLEU-1 over
    words alone, lower case, no punctuation).

    >>> overlap("no effusion", "no large effusion")
    0.6666666666666666
    """
    ref, cand = words(reference), words(candidate)
    if not cand or not ref:
        return 0.0
    shared = sum((Counter(ref) & Counter(cand)).values()) / len(cand)
    return shared * min(1.0, math.exp(1 - len(ref) / len(cand)))


def words(text: str) -> list[str]:
    """Return the words and numbers of a text in lower case, without punctuation."""
    return re.findall(r"[a-z0-9]+", text.lower())


INFOS = (
    PeerInfo(
        "overlap", lambda options: Each(overlap), 0.0, 1.0, True, "BLEU (Papineni et al. 2002), unigrams only",
        "share of the candidate's words that the reference has, with a brevity penalty",
        "own code: lower case, words and numbers only",
    ),
)  # fmt: skip
