"""A model file from a corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np
import torch

from kgscore import __version__
from kgscore.errors import RunError
from kgscore.knowledge import Knowledge
from kgscore.lab.training.corpus import Corpus
from kgscore.lab.training.learn import Settings, known_codes, train, vocabulary
from kgscore.lab.training.samples import Samples, make_samples
from kgscore.process import end_with_parent
from kgscore.reading.structure.columns import Columns
from kgscore.reading.structure.weights import write_weights


def make_model(
    corpus: Corpus,
    knowledge: Knowledge,
    path: Path,
    epochs: int,
    seed: int,
    members: int,
    told: Callable[[int, int, float], None],
) -> None:
    """Train the members of a model concurrently, with consecutive seeds, and write it; `told` gets member, epoch and loss."""
    columns = Columns(knowledge.index)
    settings = Settings(epochs=epochs, seed=seed)
    samples = make_samples(corpus.sentences, columns)
    arrays = vocabulary(known_codes(samples, settings.least))
    own = [replace(settings, seed=seed + number) for number in range(members)]
    for number, weights in enumerate(_train_members(samples, own, told)):
        arrays |= {f"{number}/{name}": array for name, array in weights.items()}
    about = {
        "version": __version__,
        "knowledge": knowledge.hash,
        "corpus": corpus.hash,
        "sentences": len(corpus.sentences),
        "settings": {**asdict(settings), "members": members},
    }
    write_weights(path, about, arrays)


def _train_members(
    samples: Samples, settings: Sequence[Settings], told: Callable[[int, int, float], None]
) -> list[dict[str, np.ndarray]]:
    """Return the weights of members, each trained in a process of its own with one thread."""
    context = get_context("spawn")
    pipes: dict[Any, int] = {}
    for number, own in enumerate(settings, start=1):
        here, there = context.Pipe(duplex=False)
        context.Process(target=_train, args=(samples, own, there), daemon=True).start()
        there.close()
        pipes[here] = number
    found: dict[int, dict[str, np.ndarray]] = {}
    while pipes:
        ready: list[Any] = wait([*pipes])
        for pipe in ready:
            try:
                said = pipe.recv()
            except EOFError:
                raise RunError(f"network {pipes[pipe]}: its process was killed, perhaps for lack of memory") from None
            if isinstance(said, dict):
                found[pipes.pop(pipe)] = said
            else:
                told(pipes[pipe], *said)
    return [found[number] for number in sorted(found)]


def _train(samples: Samples, settings: Settings, pipe: Connection) -> None:
    end_with_parent()
    torch.set_num_threads(1)
    pipe.send(train(samples, settings, lambda epoch, loss: pipe.send((epoch, loss))))
