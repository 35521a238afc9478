"""`kgscore vectors`: vectors of wordings, learnt from the ontology's own; how well they find concepts, similar concepts, and
how much unlinked text of reports has a similar concept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kgscore.cli._common import Failures, reports, say, write_json
from kgscore.cli._options import ENGINE, ColumnNames, Engine, Modules, Reports, knowledge_of, output_to

if TYPE_CHECKING:
    from kgscore.lab.vectors.recall import Scores

app = typer.Typer(
    help="Vectors of wordings, learnt from the ontology's own: train, evaluate, unlinked, nearest.", no_args_is_help=True
)
Encoder = Annotated[
    Path | None, typer.Option("--encoder", metavar="FOLDER", help="A sentence-transformers model, with its vocab.txt.")
]
OwnVectors = Annotated[Path | None, typer.Option("--vectors", metavar="FILE", help="Vectors of your own.")]


@app.command()
def train(
    output: Annotated[Path, output_to("FILE", "The file to write.")],
    encoder: Encoder = None,
    epochs: Annotated[int, typer.Option(metavar="N", min=1, help="Number of passes over the wordings.")] = 3,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed and wordings give the same vectors.")] = 7,
    module: Modules = None,
) -> None:
    """Learn vectors from the wordings of the ontology, one of 32 withheld (needs PyTorch: the extra `train`).

    With --encoder, words are initialised from a model (needs the extra `embeddings`), so that words missing from the ontology
    have a meaning too; without, from their letters.
    """
    from kgscore import __version__
    from kgscore.errors import KgscoreError
    from kgscore.lab.vectors.wordings import encode_words, near_kin, wordings
    from kgscore.linking.vectors import VECTORS
    from kgscore.reading.structure.weights import write_weights

    try:
        from kgscore.lab.vectors.learn import Settings, learn_vectors
    except ModuleNotFoundError as error:
        raise KgscoreError(f"training needs {error.name}: pip install 'kgscore[train]'") from None
    knowledge = knowledge_of(module)
    given = wordings(knowledge)
    encoded = encode_words(encoder, given) if encoder else {}
    say(f"{len(given.kept)} wordings, {len(given.withheld)} withheld; {len(encoded)} words of an encoder")
    settings = Settings(epochs=epochs, seed=seed)
    kin = near_kin(knowledge.index, sorted(frozenset().union(*given.kept.values())))
    arrays = learn_vectors(given, kin, encoded, settings, lambda epoch, loss: say(f"epoch {epoch} of {epochs}: loss {loss:.3f}"))
    origin = {"version": __version__, "knowledge": knowledge.hash, "encoder": encoder.name if encoder else ""}
    write_weights(output, {**origin, **asdict(settings)}, arrays, VECTORS)
    counts = {"wordings": len(given.kept), "withheld": len(given.withheld)}
    write_json({"vectors": str(output), "bytes": output.stat().st_size, **counts})


@app.command()
def evaluate(
    vectors: Annotated[str, typer.Argument(metavar="FILE", help="A file of vectors, or `default`: the one shipped.")] = "default",
    encoder: Encoder = None,
    module: Modules = None,
) -> None:
    """Report how often a withheld wording finds its concept first, among the first five and eight: by the vectors, by groups of
    letters, by rapidfuzz, and by an untuned encoder if given. `apart` are those that share no word with others."""
    from kgscore.lab.vectors.recall import recall_of
    from kgscore.lab.vectors.wordings import wordings

    given = wordings(knowledge_of(module))
    for name, scores in _methods(None if vectors == "default" else Path(vectors), encoder, list(given.kept)):
        for part, asked in (("all", sorted(given.withheld)), ("apart", sorted(given.apart()))):
            write_json({"method": name, "withheld": part, **asdict(recall_of(given, asked, scores))})


def _methods(vectors: Path | None, encoder: Path | None, texts: list[str]) -> Iterator[tuple[str, Scores]]:
    from kgscore.lab.vectors.recall import by_encoder, by_letters, by_spelling, by_vectors
    from kgscore.linking.vectors import Vectors

    yield "vectors", by_vectors(texts, Vectors.load(vectors))
    yield "letters", by_letters(texts)
    yield "rapidfuzz", by_spelling(texts)
    if encoder:
        from kgscore.metrics.embeddings import Embedder

        yield "encoder", by_encoder(texts, Embedder(str(encoder), "mean", where="--encoder").vectors)


@app.command()
def unlinked(files: Reports, columns: ColumnNames = None, vectors: OwnVectors = None, engine: Engine = ENGINE) -> None:
    """Report how much unlinked text of reports has a similar concept: the shares of distinct phrases and of occurrences, by
    meaning from several cosines up, and by spelling and words; `alone` is the share found only this way.
    """
    from kgscore.lab.vectors.recall import Nearness
    from kgscore.linking.suggest import Suggester, wordings_of
    from kgscore.linking.vectors import Vectors

    scorer, found, failures = engine.scorer(), Nearness(), Failures()
    for record in failures.left(reports(files, columns)):
        text = record.fields["report"]
        found.add(text, scorer.read(text))
    say(f"{found.reports} reports, {len(found.count)} different phrases that are not linked, in {found.count.total()} places")
    for one in found.similar_shares(Suggester(wordings_of(scorer.lexicon), Vectors.load(vectors))):
        write_json(asdict(one))
    failures.finish()


@app.command()
def nearest(
    words: Annotated[str, typer.Argument(metavar="WORDS", help="Any words.")],
    n: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many concepts.")] = 10,
    vectors: OwnVectors = None,
    module: Modules = None,
) -> None:
    """List the concepts with names most similar in meaning to some words."""
    from kgscore.linking.suggest import Suggester, wordings_of
    from kgscore.linking.vectors import Vectors

    forms = wordings_of(knowledge_of(module).lexicon)
    for one in Suggester(forms, Vectors.load(vectors)).nearest(words, n):
        write_json({"concept": one.concept, "kind": one.kind, "called": one.form, "score": one.score})
