"""`kgscore annotate`: marks proposed by a reader, for manual review, in the formats of annotation tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgscore.cli._common import Failures, reports, say
from kgscore.cli._language import with_model
from kgscore.cli._options import Engine, Modules, ReaderName, check_known, knowledge_of, output_to
from kgscore.errors import InputError, write_error
from kgscore.private_files import atomic_file

if TYPE_CHECKING:
    from kgscore.lab.annotation.marks import Marked
    from kgscore.reading.protocol import Reader


# Formats of sentences: records of reports, plain texts under headings, marked text, brat's standoff files, tasks of
# Label Studio.
Form = Literal["reports", "texts", "marks", "brat", "label-studio"]
_SUFFIXES: Mapping[Form, str] = {"marks": ".txt", "brat": ".ann", "label-studio": ".json"}
_CONFIGURATIONS: Mapping[Form, str] = {"brat": "annotation.conf", "label-studio": "label_studio.xml"}


@with_model
def annotate(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Reports as for `kgscore read`, or files of --from.")],
    output: Annotated[Path, output_to("FILE", "The file to write: .txt, .ann or .json.")],
    source: Annotated[Form, typer.Option("--from", help="Input format.")] = "reports",
    target: Annotated[Form, typer.Option("--to", help="Output format: marks, brat or label-studio.")] = "marks",
    modality: Annotated[str, typer.Option(metavar="M", help="Of sentences without one.")] = "chest-xray",
    register: Annotated[str, typer.Option(metavar="R", help="Of sentences without one.")] = "dictation",
    sure: Annotated[bool, typer.Option("--sure", help="Only sentences whose every word the reader knows.")] = False,
    reader: ReaderName = "default",
    module: Modules = None,
) -> None:
    """Mark reports as a reader understands them, for manual review, or convert checked marks between formats.

    The marks are described in corpus/GUIDE.md; `kgscore train` learns from them: findings with status, places, sides and
    modifiers. brat gets FILE.ann and FILE.txt, Label Studio tasks as JSON, each with the tool's configuration. Files
    for `--from texts` hold reports as plain text, each under a line `## MODALITY REGISTER`.
    """
    from kgscore.lab.annotation.marks import MODALITIES, REGISTERS, Marked, read_texts

    check_known("modality", modality, MODALITIES, "--modality")
    check_known("register", register, REGISTERS, "--register")
    if target in ("reports", "texts") or output.suffix != _SUFFIXES[target]:
        wanted = ", ".join(f"{form} a {suffix} file" for form, suffix in _SUFFIXES.items())
        raise typer.BadParameter(f"format and file name do not match: {wanted}", param_hint="--to")
    written = {output.resolve(), output.with_suffix(".txt").resolve()} if target == "brat" else {output.resolve()}
    if written & {Path(file).resolve() for file in files}:
        raise typer.BadParameter("would overwrite an input file; choose another name", param_hint="--output")
    failures = Failures()
    if source in ("reports", "texts"):
        scorer = Engine(module=module, reader=reader).scorer()
        if source == "texts":
            texts: Iterable[Marked] = list(chain.from_iterable(map(read_texts, map(Path, files))))
        else:
            records = failures.left(scorer.ahead(reports(files)))
            texts = (Marked(one.fields["report"], modality, register, (), (), one.id) for one in records)
        sentences = _propose(texts, scorer.reader, module, sure)
    else:
        sentences = [marked for file in files for marked in _read(source, Path(file), modality, register)]
    if not sentences:
        raise InputError(f"{', '.join(files)}: no sentence to write")
    _write(target, output, sentences)
    say(f"{output}: {len(sentences)} sentences, {sum(len(one.statements) for one in sentences)} statements")
    failures.finish()


def _propose(texts: Iterable[Marked], reader: Reader, module: list[str] | None, sure: bool) -> list[Marked]:
    """Return the sentences of texts with proposed marks; the reliable ones without duplicates."""
    from kgscore.lab.annotation.propose import propose_marks

    knowledge = knowledge_of(module)
    made = [marked for text in texts for marked in propose_marks(text, reader, knowledge, sure=sure)]
    return list({one.text: one for one in made}.values()) if sure else made


def _read(form: Form, path: Path, modality: str, register: str) -> list[Marked]:
    from kgscore.lab.annotation import brat, label_studio, marks

    if form == "marks":
        return marks.read_marked(path)
    read = brat.read_brat if form == "brat" else label_studio.read_label_studio
    return read(path, modality, register)


def _write(form: Form, output: Path, sentences: list[Marked]) -> None:
    """Write the sentences in one format, with the configuration of its tool."""
    from kgscore.lab.annotation.brat import write_brat
    from kgscore.lab.annotation.label_studio import write_label_studio
    from kgscore.lab.annotation.marks import as_text
    from kgscore.resources import resource

    if form == "brat":
        text, annotations = write_brat(sentences)
        made = {output.with_suffix(".txt"): text, output: annotations}
    elif form == "label-studio":
        made = {output: write_label_studio(sentences)}
    else:
        made = {output: "".join(f"{as_text(one)}\n\n" for one in sentences)}
    if name := _CONFIGURATIONS.get(form):
        made[output.with_name(name)] = resource("mappings", "annotation", name).read_text(encoding="utf-8")
    try:
        for path, content in made.items():
            with atomic_file(path) as stream:
                stream.write(content.encode())
    except OSError as error:
        raise write_error(output, error) from None
