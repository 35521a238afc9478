"""A drawing of corpus graphs: the references' most frequent findings and sites, coloured by each system's coverage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kgscore.errors import MissingExtraError, RunError, write_error
from kgscore.graph.compare import Kin, node_credits
from kgscore.graph.corpus import RunCorpora
from kgscore.graph.exchange import corpus_network
from kgscore.ontology.index import Index
from kgscore.private_files import atomic_file

_NODES = 40
_SEED = 7
_LABEL = 0.03  # offset of a label above its node, as a fraction of half the height
_COLOURS = "cividis_r"
_SUFFIXES = (".svg", ".png", ".pdf")


def draw(runs: Sequence[RunCorpora], index: Index, file: Path) -> None:
    """Write the drawing: one panel per system, with the first run's layout. Area: number of reports; colour:
    credit of the system, dark if mentioned, light if never; circles are findings, squares sites.

    Raises:
        MissingExtraError: matplotlib is missing.
        RunError: the file cannot be written, or is of another kind than .svg, .png, .pdf.
    """
    if file.suffix.lower() not in _SUFFIXES:
        raise RunError(f"{file}: unknown image type; use {', '.join(_SUFFIXES)}")
    import networkx as nx

    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("the picture needs matplotlib; install it with: pip install 'kgscore[plots]'") from None
    kin = Kin(index)
    network = corpus_network(runs[0].reference, kin.label)
    named = (n for n in network if network.nodes[n]["kind"] != "descriptor")
    chosen = sorted(named, key=lambda n: (-network.nodes[n]["weight"], n))
    graph = network.subgraph(chosen[:_NODES])
    places = nx.spring_layout(graph.to_undirected(), seed=_SEED, weight=None, k=3 / max(1, len(graph)) ** 0.5)
    figure = Figure(figsize=(7.5 * len(runs), 7), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(runs), squeeze=False)[0]
    for panel, run in zip(axes, runs, strict=True):
        credits = node_credits(runs[0].reference, run.candidate, kin)
        _panel(panel, graph, places, {f"{kind}:{id}": credit for (kind, id), (credit, _) in credits.items()})
        panel.set_title(run.name)
    bar: dict[str, Any] = {"label": "credit: 1 said, below 1 broader or narrower, 0 never", "shrink": 0.6}
    figure.colorbar(ScalarMappable(Normalize(0, 1), _COLOURS), ax=list(axes), location="bottom", **bar)
    try:
        with atomic_file(file) as stream:
            kind = file.suffix[1:].lower()
            figure.savefig(stream, format=kind, metadata={"Date": None} if kind == "svg" else None)
    except OSError as error:
        raise write_error(file, error) from None


def _panel(panel: Any, graph: Any, places: Any, credits: dict[str, float]) -> None:
    import networkx as nx

    most = max((data["weight"] for _, data in graph.nodes(data=True)), default=1) or 1
    nx.draw_networkx_edges(graph, places, ax=panel, arrows=False, edge_color="#cccccc", width=0.7)
    for kind, shape in (("finding", "o"), ("site", "s")):
        own = [n for n in graph if graph.nodes[n]["kind"] == kind]
        nx.draw_networkx_nodes(
            graph, places, nodelist=own, ax=panel, node_shape=shape, cmap=_COLOURS, vmin=0, vmax=1, edgecolors="#555555",
            node_size=[40 + 360 * graph.nodes[n]["weight"] / most for n in own], node_color=[credits.get(n, 0.0) for n in own],
        )  # fmt: skip
    labels = {n: graph.nodes[n]["label"] for n in graph}
    above = {n: (x, y + _LABEL) for n, (x, y) in places.items()}
    nx.draw_networkx_labels(graph, above, labels, ax=panel, font_size=6, verticalalignment="bottom")
    panel.axis("off")
