"""Ship the hash of the sources that decide a score: a wheel of machine code may come without them."""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CodeHash(BuildHookInterface[Any]):
    """Writes the hash (`kgscore/sources.py`) into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file to what the wheel holds."""
        package = Path(self.root, "kgscore")
        spec = importlib.util.spec_from_file_location("sources", package / "sources.py")
        assert spec is not None
        assert spec.loader is not None
        sources = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sources)
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name, sources.FROZEN[-1])
        path.write_text(f"{sources.hash_of(package)}\n", encoding="ascii")
        build_data["force_include"][str(path)] = "/".join(("kgscore", *sources.FROZEN))

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was written."""
        self.folder.cleanup()
