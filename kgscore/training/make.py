"""A model file from a corpus."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kgscore import __version__
from kgscore.knowledge import Knowledge
from kgscore.reading.structure.columns import Columns
from kgscore.reading.structure.weights import write_weights
from kgscore.training.corpus import Corpus
from kgscore.training.learn import Settings, described, train
from kgscore.training.samples import sample


def make_model(
    corpus: Corpus, knowledge: Knowledge, path: Path, epochs: int, seed: int, told: Callable[[int, float], None]
) -> None:
    """Train a model on the sentences of a corpus and write it; `told` is called after each epoch with its number and loss.

    Raises:
        RunError: the file cannot be written.
    """
    columns = Columns(knowledge.index)
    settings = Settings(epochs=epochs, seed=seed)
    arrays = train([sample(one, columns) for one in corpus.sentences], settings, told)
    about = {
        "version": __version__,
        "knowledge": knowledge.hash,
        "corpus": corpus.hash,
        "sentences": len(corpus.sentences),
        "settings": described(settings),
    }
    write_weights(path, about, arrays)
