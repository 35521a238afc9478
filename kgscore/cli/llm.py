"""`kgscore llm`: language-model requests, and recorded answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from kgscore.cli._common import names, say
from kgscore.cli._options import output_to
from kgscore.errors import InputError
from kgscore.io.records import clean, read_rows

app = typer.Typer(help="Requests to a language model, and recorded answers.", no_args_is_help=True)


@app.command()
def requests(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="JSON lines, CSV or Parquet with texts; '-': JSON lines.")],
    output: Annotated[Path, output_to("FOLDER", "For PROMPT.md and requests.jsonl.")],
    fields: Annotated[
        str, typer.Option(metavar="F,…", help="The fields that hold texts, or lists of texts.")
    ] = "report,reference,candidate",
) -> None:
    """Write the requests for some texts, to be answered by a person or a model: the prompt and one line a text.

    Answers go into any other .jsonl file of the folder: per line, the request's key and the findings. See serve-recorded."""
    from kgscore.language.recorded import write_requests

    chosen = names(fields)
    texts = [text for file in files for text in _texts(file, chosen)]
    count = write_requests(texts, output)
    say(f"{count} distinct texts to answer in {output / 'requests.jsonl'}; see {output / 'PROMPT.md'}")


@app.command("serve-recorded")
def serve_recorded(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Files of recorded answers, at any depth.")],
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65_535, help="Port; 0 takes a free one.")] = 8_077,
) -> None:
    """Serve recorded answers at http://127.0.0.1:PORT/v1 like a model server: pass that as --base-url. Ctrl-C ends it."""
    from kgscore.language.recorded import read_answers, server_of

    answers = read_answers(folder)
    with server_of(answers, port) as server:
        say(f"{len(answers)} recorded answers at http://127.0.0.1:{server.server_address[1]}/v1")
        server.serve_forever()


def _texts(file: str, fields: tuple[str, ...]) -> Iterator[str]:
    for where, row in read_rows(file):
        if isinstance(row, str):
            raise InputError(f"{where}: {row}")
        for field in fields:
            found = row.get(field)
            yield from (clean(one) for one in (found if isinstance(found, list) else [found]) if isinstance(one, str))
