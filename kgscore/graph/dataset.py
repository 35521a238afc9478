"""The graph of a run as an rdflib dataset."""

from __future__ import annotations

from pathlib import Path

from oxrdflib import OxigraphStore
from rdflib import Dataset

from kgscore.graph.endpoint import is_endpoint
from kgscore.graph.store import open_for_reading
from kgscore.graph.vocabulary import PREFIXES


def open_dataset(source: Path | str) -> Dataset:
    """Return the graph of a run folder, read-only, or of an endpoint by URL; its default graph is the union of all graphs
    (for an endpoint: as the server defines it).

    Raises:
        RunError: the folder has no graph, or it cannot be opened.
    """
    if is_endpoint(source):
        from rdflib.plugins.stores.sparqlstore import SPARQLStore

        dataset = Dataset(store=SPARQLStore(query_endpoint=str(source), method="POST"), default_union=True)
    else:
        dataset = Dataset(store=OxigraphStore(store=open_for_reading(Path(source))), default_union=True)
    for prefix, iri in PREFIXES.items():
        # Bound in the dataset only, since the store may be read-only.
        dataset.namespace_manager.bind(prefix, iri, override=False, replace=False)
    return dataset
