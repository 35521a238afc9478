"""A model file from a corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

from kgscore import __version__
from kgscore.knowledge import Knowledge
from kgscore.reading.structure.columns import Columns
from kgscore.reading.structure.weights import write_weights
from kgscore.training.corpus import Corpus
from kgscore.training.learn import Settings, known_codes, train, vocabulary
from kgscore.training.samples import sample


def make_model(
    corpus: Corpus, knowledge: Knowledge, path: Path, epochs: int, seed: int, members: int,
    told: Callable[[int, int, float], None],
) -> None:
    """Train the members of a model on the sentences of a corpus, one after the other, each with the next seed, and write it;
    `told` is called after each epoch with the member, the epoch and the loss.

    Raises:
        RunError: the file cannot be written.
    """
    columns = Columns(knowledge.index)
    settings = Settings(epochs=epochs, seed=seed)
    samples = [sample(one, columns) for one in corpus.sentences]
    arrays = vocabulary(known_codes(samples, settings.least))
    for number in range(members):
        own = train(samples, replace(settings, seed=seed + number), partial(told, number + 1))
        arrays |= {f"{number}/{name}": array for name, array in own.items()}
    about = {
        "version": __version__,
        "knowledge": knowledge.hash,
        "corpus": corpus.hash,
        "sentences": len(corpus.sentences),
        "settings": {**asdict(settings), "members": members},
    }
    write_weights(path, about, arrays)
