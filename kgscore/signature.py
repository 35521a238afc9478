"""What produced a score: version, hashes of code, knowledge and profile, reader. A dictionary first; the text is never parsed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from kgscore.code_hash import code_hash
from kgscore.profile import Profile
from kgscore.version import __version__


def signature_of(
    knowledge: str, profile: Profile, reader: Mapping[str, str], modules: Mapping[str, str] | None = None
) -> Mapping[str, str]:
    """Return the signature of scores made with this knowledge (ontologies and cues, by hash), profile, code and
    reader identity (`kgscore.reading.protocol`).

    `modules` gives the hashes of the user's modules by name; their paths do not count."""
    text = repr(sorted((key, value) for key, value in asdict(profile).items() if key != "modules"))
    named = {"modules": ", ".join(f"{name} {found}" for name, found in modules.items())} if modules else {}
    return {
        "kgscore": __version__, "code": code_hash(), "knowledge": knowledge, "profile": profile.name,
        "profile_hash": hashlib.sha256(text.encode()).hexdigest()[:12], **reader, **named,
    }


def signature_line(signature: Mapping[str, str], metrics: Sequence[str] = ()) -> str:
    """Return a signature as one line for a paper or a table; programs should use the dictionary.

    >>> signature_line({"kgscore": "1.0", "code": "ab12", "reader": "parser"}, ["radsem"])
    'radsem | kgscore 1.0 | code ab12 | reader parser'
    """
    return " | ".join(([", ".join(metrics)] if metrics else []) + [f"{key} {value}" for key, value in signature.items()])
