"""GREEN and the metrics of RadEval that score single pairs, through the package radeval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from kgscore.studies.peers.base import Pairs, PeerInfo


class _Kind(NamedTuple):
    """A metric of RadEval: its name there, the key of its values, and the weights it loads. All run from 0 to 1."""

    metric: str
    key: str
    weights: str
    summary: str


_KINDS = {
    "radeval-bleu": _Kind("bleu", "bleu", "", "BLEU-4 as RadEval has it"),
    "radeval-rouge-l": _Kind("rouge", "rougeL", "", "ROUGE-L as RadEval has it"),
    "radeval-bertscore": _Kind("bertscore", "bertscore", "distilbert-base-uncased", "BERTScore, fifth layer of DistilBERT"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class GreenOptions:
    """`model_name`: name or folder of the model; `cpu`: use no GPU."""

    model_name: str = "StanfordAIMI/GREEN-radllama2-7b"
    cpu: bool = False


class RadEvalMetric:
    """One metric of RadEval, a value for each pair."""

    def __init__(self, kind: _Kind, options: object) -> None:
        from radeval import RadEval

        self._key = kind.key
        self._program = RadEval(metrics=[kind.metric], per_sample=True, show_progress=False)

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the value of each pair."""
        references, candidates = ([pair[side] for pair in pairs] for side in (0, 1))
        return _numbers(self._program(refs=references, hyps=candidates)[self._key])


class Green:
    """GREEN as RadEval carries it. Its answer must name matched findings: the package gives 0 for one that does not."""

    def __init__(self, options: GreenOptions) -> None:
        from radeval.metrics.green_score.green import GREEN

        self._program = GREEN(options.model_name, output_dir=".", cpu=options.cpu)

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the score of each pair; none where the model's answer lacks the section of matched findings."""
        references, candidates = ([pair[side] for pair in pairs] for side in (0, 1))
        values = _numbers(self._program(references, candidates)[2])
        section = f"[{self._program.categories[-1]}]:"
        return [
            value if section in answer else None for value, answer in zip(values, self._program.completions, strict=True)
        ]


def _numbers(values: Sequence[Any]) -> list[float | None]:
    return [None if value is None else float(value) for value in values]


_SOURCE = "RadEval (Xu et al. 2025), package radeval"
_PACKAGE = {"modules": ("radeval",), "packages": ("radeval",)}
INFOS = (
    PeerInfo(
        "green", Green, 0.0, 1.0, True, "Ostmeier et al. 2024 (arXiv:2405.03595), as package radeval has it",
        "matched findings among these and the significant errors, counted by a language model",
        "an answer without the section of matched findings is no score", **_PACKAGE,  # type: ignore[arg-type]
        weights="GREEN-radllama2-7b", options=GreenOptions,
    ),
    *(
        PeerInfo(
            name, partial(RadEvalMetric, kind), 0.0, 1.0, True, _SOURCE, kind.summary,
            f"metric '{kind.metric}', '{kind.key}'", **_PACKAGE, weights=kind.weights,  # type: ignore[arg-type]
        )
        for name, kind in _KINDS.items()
    ),
)  # fmt: skip
