"""RadGraph-F1 of the package radgraph: overlap of the entities and relations that a trained parser finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from kgscore.studies.peers.base import Each, PeerInfo


@dataclass(frozen=True, slots=True)
class Options:
    """`model_type`: radgraph, radgraph-xl, modern-radgraph-xl or echograph; `reward_level`: simple, partial or complete.
    `model_cache_dir` holds a folder of that name with the model, "" for the package's own; `cuda`: which GPU, -1 for none."""

    model_type: str = "radgraph-xl"
    reward_level: str = "partial"
    model_cache_dir: str = ""
    tokenizer_cache_dir: str = ""
    cuda: int = -1


def _radgraph(options: Options) -> Each:
    """Return F1RadGraph of the package, a pair at a time: one report that it cannot parse would end a whole batch."""
    from radgraph import F1RadGraph

    folders = {"model_cache_dir": options.model_cache_dir or None, "tokenizer_cache_dir": options.tokenizer_cache_dir or None}
    program = F1RadGraph(**{**asdict(options), **folders})

    def score(reference: str, candidate: str) -> float | None:
        try:
            return float(program(refs=[reference], hyps=[candidate])[1][0])
        except KeyError:  # the package has printed why, and left the report out
            return None

    return Each(score)


INFOS = (
    PeerInfo(
        "radgraph-f1", _radgraph, 0.0, 1.0, True, "Jain et al. 2021; Delbrouck et al. 2024, package radgraph",
        "F1 of entities and their relations", "reward partial (entities with whether they have a relation)", ("radgraph",),
        ("radgraph",), weights="radgraph-xl", options=Options,
    ),
)  # fmt: skip
