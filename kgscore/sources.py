"""The hash of the sources that decide a score, the same for a checkout, a wheel and a wheel of machine code.

Nothing is imported but the standard library: the build loads this file by its path (`hatch_build.py`) and ships what it finds.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# What a score depends on besides data: files and folders of the package. A test scores a pair with every metric and
# looks whether anything else of the package was loaded.
DECIDING = (
    "engine.py",
    "judged.py",
    "kept.py",
    "knowledge.py",
    "labelling",
    "language",
    "linking",
    "clinical",
    "matching",
    "metrics",
    "model.py",
    "ontology/compile.py",
    "ontology/files.py",
    "ontology/index.py",
    "ontology/load.py",
    "ontology/modules.py",
    "ontology/reach.py",
    "ontology/roles.py",
    "ontology/tables.py",
    "ontology/turtle.py",
    "profile.py",
    "quantities.py",
    "reading",
)
# Beside the data files of a wheel, whose compiled modules may come without their sources.
FROZEN = ("_data", "code.txt")
_SHORT = 16


@cache
def code_hash() -> str:
    """Return the hash (16 hex digits) of this installation's sources; where some are missing, that of the build."""
    package = Path(__file__).resolve().parent
    frozen = package.joinpath(*FROZEN)
    if frozen.is_file() and not _whole(package):
        return frozen.read_text(encoding="ascii").strip()
    return hash_of(package)


def hash_of(package: Path) -> str:
    """Return the hash of the deciding sources of a package folder: names and contents count, the kind of line end does not."""
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


def _whole(package: Path) -> bool:
    """Whether every deciding module has its source: a compiled one may stand alone."""
    named = [package / name for name in DECIDING if name.endswith(".py")]
    folders = [package / name for name in DECIDING if not name.endswith(".py")]
    compiled = [found for folder in folders for kind in ("*.so", "*.pyd") for found in folder.rglob(kind)]
    return all(path.is_file() for path in (*named, *(found.with_name(f"{found.name.split('.')[0]}.py") for found in compiled)))
