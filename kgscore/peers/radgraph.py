"""RadGraph-F1 of the package radgraph: overlap of the entities and relations that a trained parser finds."""

from __future__ import annotations

from dataclasses import dataclass

from kgscore.peers.base import Pairs, PeerInfo


@dataclass(frozen=True, slots=True)
class Options:
    """`model_type`: radgraph, radgraph-xl, modern-radgraph-xl or echograph; `reward_level`: simple, partial or complete.
    `model_cache_dir` holds a folder of that name with the model, "" for the package's own; `cuda`: which GPU, -1 for none."""

    model_type: str = "radgraph-xl"
    reward_level: str = "partial"
    model_cache_dir: str = ""
    tokenizer_cache_dir: str = ""
    cuda: int = -1


class RadGraphF1:
    """F1RadGraph of the package, a pair at a time: one report that it cannot parse would end a whole batch."""

    def __init__(self, options: Options) -> None:
        from radgraph import F1RadGraph

        self._program = F1RadGraph(
            reward_level=options.reward_level, model_type=options.model_type, cuda=options.cuda,
            model_cache_dir=options.model_cache_dir or None, tokenizer_cache_dir=options.tokenizer_cache_dir or None,
        )  # fmt: skip

    def score(self, pairs: Pairs) -> list[float | None]:
        """Return the F1 of each pair; none where the package cannot parse a report."""
        return [self._one(reference, candidate) for reference, candidate in pairs]

    def _one(self, reference: str, candidate: str) -> float | None:
        try:
            return float(self._program(refs=[reference], hyps=[candidate])[1][0])
        except KeyError:  # the package has printed why, and left the report out
            return None


INFOS = (
    PeerInfo(
        "radgraph-f1", RadGraphF1, 0.0, 1.0, True, "Jain et al. 2021; Delbrouck et al. 2024, package radgraph",
        "F1 of entities and their relations", "reward partial (entities with whether they have a relation)", ("radgraph",),
        ("radgraph",), weights="radgraph-xl", options=Options,
    ),
)  # fmt: skip
