"""`kgscore vectors` and the terms near one that `ontology show` names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kgscore.resources import resource


def test_nearest_concepts_of_words_and_of_a_term(kgscore: Callable[..., Any], tmp_path: Path) -> None:
    own = tmp_path / "own.vectors"
    own.write_bytes(resource("mappings", "reading", "words.vectors").read_bytes())
    shipped, mine = (kgscore("vectors", "nearest", "stone in the kidney", "-n", 4, *more) for more in ((), ("--vectors", own)))
    lines = [json.loads(line) for line in shipped.out.splitlines()]
    assert lines[0] == {"concept": "nephrolithiasis", "kind": "finding", "called": "stone in kidney", "score": 1.0}
    assert len(lines) == 4
    assert mine.out == shipped.out
    damaged = kgscore("vectors", "nearest", "heart", "--vectors", resource("mappings", "reading", "structure.model"))
    assert (damaged.code, "kgscore vectors train" in damaged.err) == (1, True)
    near = kgscore("ontology", "show", "nephrolithiasis", "--near", 3).out
    plain = kgscore("ontology", "show", "nephrolithiasis").out
    added = near.partition("  near ")[2]
    assert len(re.findall(r"[01]\.\d\d\b", added)) == 3
    assert "nephrolithiasis" not in added
    assert "  near " not in plain
