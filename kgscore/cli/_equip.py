"""Applied to every command: -q, deprecated option names, defaults from `kgscore.toml`, and uniform error handling."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import wraps
from typing import Annotated, Any

import typer

from kgscore.cli._options import flatten_groups, with_signature

QUIET: ContextVar[bool] = ContextVar("quiet", default=False)

# Option names of 0.1: accepted with a warning in 0.2, removed in 0.3.
_OLD_COMMANDS: Mapping[str, tuple[str, ...]] = {"export": ("graph", "export"), "coverage": ("ontology", "coverage")}
_OLD_OPTIONS: Mapping[str, str] = {
    "--out": "--output", "--json": "--format=jsonl", "--column": "--columns", "--baselines": "--peers",
}  # fmt: skip

Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Only data and errors: no progress, no notes, no summary.")]


class StoppedError(Exception):
    """Wraps Ctrl-C, because Typer would end the command without a message."""


class UnreadError(Exception):
    """Wraps a closed standard output, for the same reason."""


def upgrade_arguments(args: Iterable[str]) -> list[str]:
    """Return arguments with current option names, and warn about each deprecated one."""
    found = list(args)
    if found and found[0] in _OLD_COMMANDS:
        _warn(found[0], " ".join(_OLD_COMMANDS[found[0]]))
        found[:1] = _OLD_COMMANDS[found[0]]
    ended = found.index("--") if "--" in found else len(found)
    for at, arg in enumerate(found[:ended]):
        name, equals, value = arg.partition("=")
        if name in _OLD_OPTIONS:
            _warn(name, _OLD_OPTIONS[name])
            found[at] = f"{_OLD_OPTIONS[name]}{equals}{value}"
    return found


def _warn(old: str, new: str) -> None:
    print(f"kgscore: {old} is now {new}; the old name will be removed in version 0.3", file=sys.stderr)


def settings_for(commands: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return the option defaults that `kgscore.toml` sets, for each of these commands. Raises InputError if the file cannot be
    read, or has an invalid setting."""
    from kgscore.config import load_settings

    found = load_settings()
    if "modules" in found:
        found["module"] = found.pop("modules")
    if "metrics" in found:
        found["metrics"] = ",".join(found["metrics"])
    if "baselines" in found:
        found["no_baselines"] = not found.pop("baselines")
    return dict.fromkeys(commands, found) if found else {}


def equip(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command function with the shared behaviour added."""
    plain = flatten_groups(command)
    last = inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Quiet)

    @wraps(plain)
    def wrapper(*, quiet: bool = False, **given: Any) -> None:
        token = QUIET.set(quiet)
        try:
            plain(**given)
            sys.stdout.flush()
        except KeyboardInterrupt:
            raise StoppedError from None
        except BrokenPipeError:
            raise UnreadError from None
        finally:
            QUIET.reset(token)

    return with_signature(wrapper, [*inspect.signature(plain).parameters.values(), last])
