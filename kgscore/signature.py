"""What produced a score: version, hashes of knowledge and profile, reader. A dictionary first; never parsed back."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict

from kgscore.profile import Profile

VERSION = "0.1.0"


def signature_of(knowledge: str, profile: Profile, modules: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the signature of scores made with this knowledge (ontologies and cues, by hash) and profile.

    `modules` gives the hashes of the user's own modules by name; where they lie on disk does not count.
    """
    text = repr(sorted((key, value) for key, value in asdict(profile).items() if key != "modules"))
    named = {"modules": ", ".join(f"{name} {found}" for name, found in modules.items())} if modules else {}
    return {
        "kgscore": VERSION, "knowledge": knowledge, "profile": profile.name,
        "profile_hash": hashlib.sha256(text.encode()).hexdigest()[:12], "reader": "rules",
        **named,
    }
