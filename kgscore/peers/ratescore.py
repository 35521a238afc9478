"""RaTEScore as released: the package RaTEScore with its two encoders. kgscore's own form is the metric `ratescore`."""

from __future__ import annotations

from dataclasses import dataclass

from kgscore.peers.base import Pairs, PeerInfo


@dataclass(frozen=True, slots=True)
class Options:
    """`bert_model` finds entities, `eval_model` embeds them: names or folders. `affinity_matrix`: long, short, or a file."""

    bert_model: str = "Angelakeke/RaTE-NER-Deberta"
    eval_model: str = "FremyCompany/BioLORD-2023-C"
    affinity_matrix: str = "long"
    use_gpu: bool = False


class RateScore:
    """The released program, a pair at a time: given several, it drops reports without a sentence and shifts the rest."""

    def __init__(self, options: Options) -> None:
        from RaTEScore import RaTEScore

        self._program = RaTEScore(
            bert_model=options.bert_model, eval_model=options.eval_model, use_gpu=options.use_gpu,
            affinity_matrix=options.affinity_matrix,
        )  # fmt: skip

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the score of each pair; a pair with a report that has no sentence has none."""
        return [self._one(reference, candidate) for reference, candidate in pairs]

    def _one(self, reference: str, candidate: str) -> float | None:
        try:
            values = self._program.compute_score([candidate], [reference])
        except (IndexError, ValueError):  # what the tokenizer raises of no sentence at all
            return None
        return float(values[0]) if len(values) == 1 else None


INFOS = (
    PeerInfo(
        "ratescore-released", RateScore, 0.0, 1.0, True, "Zhao et al. 2024 (arXiv:2406.16845), package RaTEScore",
        "similarity of typed entities", "as released: 0.5 where a report has no entity", ("RaTEScore", "medspacy"),
        ("ratescore", "medspacy"), weights="RaTE-NER-Deberta and BioLORD-2023-C", options=Options,
    ),
)  # fmt: skip
