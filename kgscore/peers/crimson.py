"""CRIMSON of the package crimson-score, by a language model on this machine; reports are never sent to a service."""

from __future__ import annotations

from dataclasses import dataclass

from kgscore.errors import ProfileError
from kgscore.peers.base import Pairs, PeerInfo

_LOCAL = ("hf", "vllm")


@dataclass(frozen=True, slots=True)
class Options:
    """`api`: hf (transformers) or vllm; `model_name`: name or folder; `include_guidelines`: put the guidelines in the prompt."""

    api: str = "hf"
    model_name: str = "rajpurkarlab/medgemma-4b-it-crimson"
    include_guidelines: bool = True


class Crimson:
    """The package's score, a pair at a time.

    Raises:
        ProfileError: another api than a local one is asked for.
    """

    def __init__(self, options: Options) -> None:
        if options.api not in _LOCAL:
            raise ProfileError(f"baseline 'crimson': 'api' is one of {', '.join(_LOCAL)}; no report is sent to a service")
        from CRIMSON import CRIMSONScore

        self._guidelines = options.include_guidelines
        self._program = CRIMSONScore(api=options.api, model_name=options.model_name)

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the score of each pair; none where the model's answer cannot be parsed."""
        return [self._one(reference, candidate) for reference, candidate in pairs]

    def _one(self, reference: str, candidate: str) -> float | None:
        try:
            result = self._program.evaluate(reference, candidate, include_guidelines=self._guidelines)
        except (ValueError, KeyError, TypeError, AttributeError):  # what the package raises of an answer of another form
            return None
        return float(result["crimson_score"])


INFOS = (
    PeerInfo(
        "crimson", Crimson, -1.0, 1.0, True, "Baharoon et al. 2026 (arXiv:2603.06183), package crimson-score",
        "findings and errors that a language model lists, weighed by clinical significance",
        "a model on this machine; an answer that cannot be parsed is no score", ("CRIMSON",), ("crimson-score",),
        weights="medgemma-4b-it-crimson", options=Options,
    ),
)  # fmt: skip
