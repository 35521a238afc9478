"""The exceptions: everything kgscore raises on purpose is a `KgscoreError`."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "did you mean 'X'?" with the nearest known name, or an empty string."""
    from difflib import get_close_matches

    spelt = {one.lower(): one for one in known}
    near = get_close_matches(name.lower(), spelt, 1)
    return f"did you mean '{spelt[near[0]]}'?" if near else ""


def check_keys(names: Iterable[object], known: Iterable[str], where: str, kind: type[KgscoreError]) -> None:
    """Raise an error of this kind if a key of a file is unknown."""
    there = set(known)
    for name in names:
        if name not in there:
            hint = did_you_mean(str(name), there) or f"known keys: {', '.join(sorted(there))}"
            raise kind(f"{where}: unknown key '{name}'; {hint}")


class KgscoreError(Exception):
    """Base class. The message is one clear line that names what is wrong, where, and what to do."""


class InputError(KgscoreError):
    """A file or record given by the user cannot be used."""


class OntologyError(KgscoreError):
    """A table, an OWL file or the compiled index is invalid."""


class ProfileError(KgscoreError):
    """A profile is missing, malformed or names something unknown."""


class MissingExtraError(ProfileError):
    """A feature needs an optional extra that is not installed."""


class RunError(KgscoreError):
    """A run folder cannot be created, opened, resumed or written."""


def write_error(target: object, error: OSError) -> RunError:
    """Return the error that says a file or folder cannot be written."""
    return RunError(f"{target}: cannot be written ({error.strerror or type(error).__name__}); choose another path")


class QueryError(KgscoreError):
    """A SPARQL or SQL query cannot be answered."""


class BusyError(QueryError):
    """Too many requests at the moment; the same request may succeed later."""
