"""Options of the language-model readers, for every command that takes a reader."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kgscore.cli._common import say
from kgscore.cli._options import flatten_groups, options_of, with_signature
from kgscore.io.records import BadRecord, Record
from kgscore.language.endpoint import HYBRID, READERS, Endpoint

if TYPE_CHECKING:
    from kgscore.engine import Scorer


@dataclass(frozen=True, slots=True)
class Model:
    """Options of a language-model reader."""

    base_url: Annotated[str, typer.Option(metavar="URL", help="llm, hybrid: the server, such as http://127.0.0.1:8000/v1.")] = ""
    model: Annotated[str, typer.Option(metavar="M", help="llm, hybrid: the model's name on the server.")] = ""
    allow_remote: Annotated[bool, typer.Option("--allow-remote", help="llm, hybrid: reports may leave this machine.")] = False
    concurrency: Annotated[int, typer.Option(metavar="N", min=1, help="llm, hybrid: calls at once.")] = 8
    timeout: Annotated[float, typer.Option(metavar="S", help="llm, hybrid: seconds to wait.")] = 120.0
    max_calls: Annotated[int, typer.Option(metavar="N", min=0, help="llm, hybrid: at most N calls; 0: no limit.")] = 0
    max_tokens: Annotated[int, typer.Option(metavar="N", min=0, help="llm, hybrid: no call after N tokens; 0: no limit.")] = 0
    prices: Annotated[str, typer.Option(metavar="IN,OUT", help="llm, hybrid: prices per million tokens, for the cost.")] = "0,0"


def with_model(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a language model to a command with a `reader`; its `reader` is then a name or an endpoint. Model
    usage is reported at the end."""
    plain, added = flatten_groups(command), options_of(Model())

    @wraps(plain)
    def run(**given: Any) -> None:
        model = Model(**{one.name: given.pop(one.name) for one in added})
        given["reader"] = reader = endpoint_of(given["reader"], model)
        if not isinstance(reader, Endpoint):
            plain(**given)
            return
        from kgscore.language.client import client_of

        tally = client_of(reader).tally
        try:
            plain(**given)
        finally:
            say(f"language model: {tally}")

    del run.__wrapped__  # its options differ from those of the wrapped command
    return with_signature(run, [*inspect.signature(plain).parameters.values(), *added])


def endpoint_of(reader: str, model: Model) -> str | Endpoint:
    """Return the endpoint described by the options of a command, or the name of another reader. Raises InputError if the endpoint
    is invalid, typer.BadParameter if options are missing, or do not apply to this reader."""
    if reader not in READERS:
        if model.base_url or model.model:
            raise typer.BadParameter(f"only valid with --reader llm or hybrid, not {reader}", param_hint="--base-url, --model")
        return reader
    if not model.base_url or not model.model:
        raise typer.BadParameter(f"--reader {reader} needs both", param_hint="--base-url, --model")
    try:
        price_in, price_out = map(float, model.prices.split(","))
    except ValueError:
        raise typer.BadParameter("give two numbers: IN,OUT", param_hint="--prices") from None
    return Endpoint(**{**asdict(model), "prices": (price_in, price_out)}, hybrid=reader == HYBRID)


def estimate(reader: str | Endpoint, engine: Scorer, records: Iterable[Record | BadRecord]) -> None:
    """Report the estimated calls, tokens and cost of reading some records. No call is made, and the second question about
    unlinked words is not included. Raises typer.BadParameter if the reader uses no model."""
    from kgscore.language.reader import ModelReader

    if not isinstance(reader, Endpoint) or not isinstance(engine.reader, ModelReader):
        raise typer.BadParameter(f"--reader {reader} makes no calls", param_hint="--dry-run")
    texts = {text for record in records if isinstance(record, Record) for text in record.fields.values()}
    costs = [cost for cost in map(engine.reader.estimate_tokens, texts) if cost is not None]
    given, taken = (sum(one[at] for one in costs) for at in (0, 1))
    money = (given * reader.prices[0] + taken * reader.prices[1]) / 1e6
    price = f", {money:,.4f} in money" if money else ""
    say(f"dry run: {len(texts):,} texts, {len(costs):,} calls to make, about {given:,} tokens in and {taken:,} out{price}")


def usage_reporter(reader: str | Endpoint, records: Iterable[Record | BadRecord]) -> Callable[[int, float], str]:
    """Return a function of records done and seconds elapsed that formats the model usage and remaining time; empty for readers
    that use no model."""
    if not isinstance(reader, Endpoint):
        return lambda done, seconds: ""
    from kgscore.language.client import client_of

    tally, total = client_of(reader).tally, sum(1 for _ in records)

    def tell(done: int, seconds: float) -> str:
        cost = f", {tally.cost:,.2f} in money" if tally.cost else ""
        left = f", {(total - done) * seconds / done / 60:,.0f} min left" if done and total > done else ""
        return f"; {tally.calls:,} calls, {tally.tokens_in + tally.tokens_out:,} tokens{cost}{left}"

    return tell
