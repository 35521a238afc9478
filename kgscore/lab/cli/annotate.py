"""`kgscore annotate`: marks that a reader proposes, to be checked by people, in the forms that tools which annotate read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kgscore.cli._common import Failures, reports, say
from kgscore.cli._language import with_model
from kgscore.cli._options import Engine, Modules, ReaderName, knowledge_of, one_of, output_to
from kgscore.errors import InputError, unwritable
from kgscore.private_files import whole

if TYPE_CHECKING:
    from kgscore.lab.annotation.marks import Marked


# What sentences come from or go to: reports, marked text, brat's standoff files, tasks of Label Studio.
Form = Literal["reports", "marks", "brat", "label-studio"]
_SUFFIXES: Mapping[Form, str] = {"marks": ".txt", "brat": ".ann", "label-studio": ".json"}
_CONFIGURATIONS: Mapping[Form, str] = {"brat": "annotation.conf", "label-studio": "label_studio.xml"}


@with_model
def annotate(
    files: Annotated[list[str], typer.Argument(metavar="FILE", help="Reports as for `kgscore read`, or files of --from.")],
    output: Annotated[Path, output_to("FILE", "The file to write: .txt, .ann or .json.")],
    source: Annotated[Form, typer.Option("--from", help="What the files hold.")] = "reports",
    target: Annotated[Form, typer.Option("--to", help="What is written: marks, brat or label-studio.")] = "marks",
    modality: Annotated[str, typer.Option(metavar="M", help="Of sentences that do not say theirs.")] = "chest-xray",
    register: Annotated[str, typer.Option(metavar="R", help="Of sentences that do not say theirs.")] = "dictation",
    reader: ReaderName = "default",
    module: Modules = None,
) -> None:
    """Mark reports as a reader understands them, for people to check, or turn checked marks from one form to another.

    Marks are those of corpus/GUIDE.md, from which `kgscore train` learns: findings with status, places, sides and modifiers. brat
    gets FILE.ann and FILE.txt, Label Studio tasks as JSON; the configuration that each needs is laid beside them.
    """
    from kgscore.lab.annotation.marks import MODALITIES, REGISTERS

    one_of("modality", modality, MODALITIES, "--modality")
    one_of("register", register, REGISTERS, "--register")
    if target == "reports" or output.suffix != _SUFFIXES[target]:
        wanted = ", ".join(f"{form} a {suffix} file" for form, suffix in _SUFFIXES.items())
        raise typer.BadParameter(f"the form and the file do not fit: {wanted}", param_hint="--to")
    written = {output.resolve(), output.with_suffix(".txt").resolve()} if target == "brat" else {output.resolve()}
    if written & {Path(file).resolve() for file in files}:
        raise typer.BadParameter("would be written over what is read; choose another name", param_hint="--output")
    failures = Failures()
    if source == "reports":
        sentences = _proposed(files, reader, module, modality, register, failures)
    else:
        sentences = [marked for file in files for marked in _read(source, Path(file), modality, register)]
    if not sentences:
        raise InputError(f"{', '.join(files)}: no sentence to write")
    _write(target, output, sentences)
    say(f"{output}: {len(sentences)} sentences, {sum(len(one.statements) for one in sentences)} statements")
    failures.finish()


def _proposed(
    files: list[str], reader: str, module: list[str] | None, modality: str, register: str, failures: Failures
) -> list[Marked]:
    """Return the sentences of reports with the marks that a reader proposes."""
    from kgscore.lab.annotation.propose import proposed

    knowledge, scorer = knowledge_of(module), Engine(module=module, reader=reader).scorer()
    sentences: list[Marked] = []
    for record in failures.left(scorer.ahead(reports(files))):
        text = record.fields["report"]
        sentences += proposed(text, scorer.reader, knowledge, modality=modality, register=register, where=record.id)
    return sentences


def _read(form: Form, path: Path, modality: str, register: str) -> list[Marked]:
    if form == "brat":
        from kgscore.lab.annotation.brat import read_brat

        return read_brat(path, modality, register)
    if form == "label-studio":
        from kgscore.lab.annotation.label_studio import read_label_studio

        return read_label_studio(path, modality, register)
    from kgscore.lab.annotation.marks import read_marked

    return read_marked(path)


def _write(form: Form, output: Path, sentences: list[Marked]) -> None:
    """Write the sentences in one form, with the configuration that its tool needs."""
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
            with whole(path) as stream:
                stream.write(content.encode())
    except OSError as error:
        raise unwritable(output, error) from None
