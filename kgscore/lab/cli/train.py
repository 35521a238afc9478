"""`kgscore train` and `kgscore evaluate`: train a structure model on marked sentences, and measure its agreement with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgscore.cli._common import say, show, write_json
from kgscore.cli._options import LinesOrTable, Modules, knowledge_of, output_to

if TYPE_CHECKING:
    from rich.table import Table

    from kgscore.lab.training.evaluate import Agreement

Folders = Annotated[list[Path], typer.Argument(metavar="CORPUS…", help="Files of marked sentences, folders of numbered files.")]
# Files 01 to 08, 09 and 10, higher numbers, all but those, all.
Part = Annotated[Literal["train", "development", "test", "open", "all"], typer.Option(help="Part of the folder.")]


def train(
    corpus: Folders,
    output: Annotated[Path, output_to("MODEL", "The model file to write.")],
    part: Part = "train",
    epochs: Annotated[int, typer.Option(metavar="N", min=1, help="Number of passes over the sentences.")] = 20,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed and sentences give the same model.")] = 7,
    members: Annotated[int, typer.Option(metavar="N", min=1, help="Number of networks in the ensemble.")] = 2,
    module: Modules = None,
) -> None:
    """Train a structure model on marked sentences (needs PyTorch: the extra `train`)."""
    from kgscore.errors import KgscoreError
    from kgscore.lab.training.corpus import load_corpus

    try:
        from kgscore.lab.training.make import make_model
    except ModuleNotFoundError as error:
        raise KgscoreError(f"training needs {error.name}: pip install 'kgscore[train]'") from None
    knowledge = knowledge_of(module)
    loaded = load_corpus(corpus, part, knowledge)
    say(f"{len(loaded.sentences)} sentences")

    def report_progress(member: int, epoch: int, loss: float) -> None:
        say(f"network {member} of {members}, epoch {epoch} of {epochs}: loss {loss:.3f}")

    make_model(loaded, knowledge, output, epochs, seed, members, report_progress)
    write_json({"model": str(output), "bytes": output.stat().st_size, "sentences": len(loaded.sentences), "corpus": loaded.hash})


def evaluate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model file, or `default`: the shipped one.")],
    corpus: Folders,
    part: Part = "development",
    format: LinesOrTable = "table",
    module: Modules = None,
) -> None:
    """Measure agreement of a model with marked sentences: heads, status, places, modifiers, statements, whole sentences.

    Then entities and relations by the types of HeadCT-ONE, and the five entity types of RaTEScore.
    """
    from kgscore.lab.training.corpus import load_corpus
    from kgscore.lab.training.evaluate import by_group, by_type
    from kgscore.reading.structure.model import StructureModel

    knowledge = knowledge_of(module)
    found = StructureModel.load(knowledge.index, None if model == "default" else Path(model))
    loaded = load_corpus(corpus, part, knowledge)
    predicted = found.predict_all([one.sentence for one in loaded.sentences])
    groups, types = by_group(loaded.sentences, predicted), by_type(loaded.sentences, predicted, knowledge.index)
    if format == "jsonl":
        for key, figures in (("sentences_of", groups), ("types_of", types)):
            for name, one in figures.items():
                write_json({key: name, "model": found.hash, "corpus": loaded.hash, **one.plain()})
    else:
        show(_groups(groups), 150)
        shares = {name: (one.gold, [one.precision, one.recall, one.f1]) for name, one in types.items()}
        show(_table(("in gold", "P", "R", "F1"), shares), 150)


def _groups(groups: Mapping[str, Agreement]) -> Table:
    rows = {}
    for name, one in groups.items():
        status = one.status / one.heads.found if one.heads.found else None
        relations = [share.f1 for share in one.relations.values()]
        heads = [one.heads.precision, one.heads.recall, one.heads.f1]
        rows[name] = one.sentences, [*heads, status, *relations, one.statements.f1, one.wholly / one.sentences]
    named = ("heads P", "R", "F1", "status", "place F1", "site F1", "side F1", "modifier F1", "name F1", "statements F1", "whole")
    return _table(("sentences", *named), rows)


def _table(columns: Sequence[str], rows: Mapping[str, tuple[int, Sequence[float | None]]]) -> Table:
    """Return shares in percent: a row per name, with its sample size."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    table.add_column("%")
    for name in columns:
        table.add_column(name, justify="right")
    for name, (count, rates) in rows.items():
        table.add_row(name, str(count), *("–" if rate is None else f"{100 * rate:.1f}" for rate in rates))
    return table
