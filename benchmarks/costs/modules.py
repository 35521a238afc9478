"""What a module of the user costs: processor seconds to check, compile (no cache) and load (from the cache). FILE: the module."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from costs import timed
from kgscore.knowledge import load_knowledge
from kgscore.ontology.author import check_module
from kgscore.ontology.modules import find_module

_TIMES = 3


def run(path: str | Path, *, profile: str = "default") -> dict[str, Any]:
    """Return processor seconds and sizes for the shipped ontologies alone and with the module; a load is the median of three."""
    module = find_module(path)
    seconds, checked = timed(lambda: check_module(module))
    return {
        "concepts of the module": len(checked.terms),
        "check of the tables (s)": round(seconds, 2),
        "shipped": _figures(()),
        "with the module": _figures((path,)),
    }


def _figures(modules: Sequence[str | Path]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, {"KGSCORE_CACHE": folder}):
        compiling, knowledge = timed(lambda: load_knowledge(modules))
        loads = sorted(timed(lambda: load_knowledge(modules))[0] for _ in range(_TIMES))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*.index"))
    return {
        "concepts": len(knowledge.index.concepts), "forms": knowledge.lexicon.size, "compile (s)": round(compiling, 2),
        "load (s)": round(loads[_TIMES // 2], 3), "index (MB)": round(size / 1e6, 2),
    }
