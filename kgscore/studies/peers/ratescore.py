"""RaTEScore as released: the package RaTEScore with its two encoders. kgscore's own form is the metric `ratescore`."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from kgscore.studies.peers.base import Each, PeerInfo


@dataclass(frozen=True, slots=True)
class Options:
    """`bert_model` finds entities, `eval_model` embeds them: names or folders. `affinity_matrix`: long, short, or a file."""

    bert_model: str = "Angelakeke/RaTE-NER-Deberta"
    eval_model: str = "FremyCompany/BioLORD-2023-C"
    affinity_matrix: str = "long"
    use_gpu: bool = False


def _ratescore(options: Options) -> Each:
    """Return the released program, a pair at a time: given several, it drops reports without a sentence and shifts the rest. A
    pair with a report that has no sentence has no score."""
    from RaTEScore import RaTEScore

    program = RaTEScore(**asdict(options))

    def score(reference: str, candidate: str) -> float | None:
        try:
            values = program.compute_score([candidate], [reference])
        except (IndexError, ValueError):  # what the tokenizer raises of no sentence at all
            return None
        return float(values[0]) if len(values) == 1 else None

    return Each(score)


INFOS = (
    PeerInfo(
        "ratescore-released", _ratescore, 0.0, 1.0, True, "Zhao et al. 2024 (arXiv:2406.16845), package RaTEScore",
        "similarity of typed entities", "as released: 0.5 where a report has no entity", ("RaTEScore", "medspacy"),
        ("ratescore", "medspacy"), weights="RaTE-NER-Deberta and BioLORD-2023-C", options=Options,
    ),
)  # fmt: skip
