"""The hash of the sources that determine a score; the same for a checkout and a wheel."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# Files and folders of the package that scores depend on, besides data. A test scores a pair with every metric and
# checks that nothing else of the package was loaded.
DECIDING = (
    "caches.py", "engine.py", "entailment", "knowledge.py", "labelling", "language", "linking", "clinical", "matching",
    "metrics", "model.py", "ontology/alike.py", "ontology/compile.py", "ontology/definitions.py", "ontology/files.py",
    "ontology/frames.py", "ontology/index.py", "ontology/load.py", "ontology/modules.py", "ontology/tables.py",
    "ontology/turtle.py", "profile.py", "quantities.py", "reading", "understanding.py", "verdict.py",
)  # fmt: skip
_SHORT = 16


@cache
def code_hash() -> str:
    """Return the hash (16 hex digits) of this installation's sources."""
    return hash_of(Path(__file__).resolve().parent)


def hash_of(package: Path) -> str:
    """Return the hash of the score-determining sources of a package folder: names and contents count, line endings do not."""
    digest = hashlib.sha256()
    for path in _sources(package):
        content = path.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path.relative_to(package).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:_SHORT]


def _sources(package: Path) -> Iterator[Path]:
    for name in DECIDING:
        path = package / name
        yield from [path] if name.endswith(".py") else sorted(path.rglob("*.py"), key=lambda found: found.as_posix())
