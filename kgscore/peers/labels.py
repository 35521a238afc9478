"""F1 of CheXpert's 14 labels, decided by kgscore (`kgscore labels`) and not by a trained labeller."""

from __future__ import annotations

from kgscore.peers.base import Pairs, PeerInfo


class LabelF1:
    """F1 of the labels that both reports affirm; none where neither affirms a label."""

    def __init__(self, options: object = None) -> None:
        from kgscore.engine import Scorer

        self._scorer = Scorer(metrics=("label_f1",), remember=64)

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the F1 of each pair."""
        results = [self._scorer.score(reference=reference, candidate=candidate) for reference, candidate in pairs]
        return [result.scores["label_f1"].value for result in results]


INFOS = (
    PeerInfo(
        "chexpert-f1", LabelF1, 0.0, 1.0, True, "labels of CheXpert (arXiv:1901.07031)",
        "F1 of the 14 labels that both reports affirm", "kgscore's own labels (the metric label_f1), not CheXbert's",
    ),
)  # fmt: skip
