"""The graph of a run as an rdflib dataset, for those who work with rdflib."""

from __future__ import annotations

from pathlib import Path

from oxrdflib import OxigraphStore
from rdflib import Dataset

from kgscore.graph.store import open_for_reading
from kgscore.graph.vocabulary import PREFIXES


def open_dataset(folder: Path) -> Dataset:
    """Return the graph of a run folder, read-only; its default graph is the union of all graphs.

    Raises:
        RunError: the folder has no graph, or it cannot be opened.
    """
    dataset = Dataset(store=OxigraphStore(store=open_for_reading(folder)), default_union=True)
    for prefix, iri in PREFIXES.items():
        # Bound in the dataset only: the store is read-only.
        dataset.namespace_manager.bind(prefix, iri, override=False, replace=False)
    return dataset
