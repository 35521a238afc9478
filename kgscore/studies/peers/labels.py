"""F1 of CheXpert's 14 labels, decided by kgscore (`kgscore labels`) and not by a trained labeller."""

from __future__ import annotations

from kgscore.studies.peers.base import Each, PeerInfo


def _label_f1(options: object) -> Each:
    """Return F1 of the labels that both reports affirm; none where neither affirms a label."""
    from kgscore.engine import Scorer

    scorer = Scorer(metrics=("label_f1",), remember=64)
    return Each(lambda reference, candidate: scorer.score(reference=reference, candidate=candidate).scores["label_f1"].value)


INFOS = (
    PeerInfo(
        "chexpert-f1", _label_f1, 0.0, 1.0, True, "labels of CheXpert (arXiv:1901.07031)",
        "F1 of the 14 labels that both reports affirm", "kgscore's own labels (the metric label_f1), not CheXbert's",
    ),
)  # fmt: skip
