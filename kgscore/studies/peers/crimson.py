"""CRIMSON of the package crimson-score, by a language model on this machine; reports are never sent to a service."""

from __future__ import annotations

from dataclasses import dataclass

from kgscore.errors import ProfileError
from kgscore.studies.peers.base import Each, PeerInfo

_LOCAL = ("hf", "vllm")


@dataclass(frozen=True, slots=True)
class Options:
    """`api`: hf (transformers) or vllm; `model_name`: name or folder; `include_guidelines`: put the guidelines in the prompt."""

    api: str = "hf"
    model_name: str = "rajpurkarlab/medgemma-4b-it-crimson"
    include_guidelines: bool = True


def _crimson(options: Options) -> Each:
    """Return the package's score, a pair at a time; none where the model's answer cannot be parsed.

    Raises:
        ProfileError: another api than a local one is asked for.
    """
    if options.api not in _LOCAL:
        raise ProfileError(f"baseline 'crimson': 'api' is one of {', '.join(_LOCAL)}; no report is sent to a service")
    from CRIMSON import CRIMSONScore

    program = CRIMSONScore(api=options.api, model_name=options.model_name)

    def score(reference: str, candidate: str) -> float | None:
        try:
            found = program.evaluate(reference, candidate, include_guidelines=options.include_guidelines)
        except (ValueError, KeyError, TypeError, AttributeError):  # what the package raises of an answer of another form
            return None
        return float(found["crimson_score"])

    return Each(score)


INFOS = (
    PeerInfo(
        "crimson", _crimson, -1.0, 1.0, True, "Baharoon et al. 2026 (arXiv:2603.06183), package crimson-score",
        "findings and errors that a language model lists, weighed by clinical significance",
        "a model on this machine; an answer that cannot be parsed is no score", ("CRIMSON",), ("crimson-score",),
        weights="medgemma-4b-it-crimson", options=Options,
    ),
)  # fmt: skip
