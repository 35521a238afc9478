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
    own.write_bytes(resource("models", "words.vectors").read_bytes())
    shipped, mine = (kgscore("vectors", "nearest", "stone in the kidney", "-n", 4, *more) for more in ((), ("--vectors", own)))
    lines = [json.loads(line) for line in shipped.out.splitlines()]
    assert lines[0] == {"concept": "nephrolithiasis", "kind": "finding", "called": "stone in kidney", "score": 1.0}
    assert len(lines) == 4
    assert mine.out == shipped.out
    damaged = kgscore("vectors", "nearest", "heart", "--vectors", resource("models", "structure.model"))
    assert (damaged.code, "kgscore vectors train" in damaged.err) == (1, True)
    near = kgscore("ontology", "show", "nephrolithiasis", "--near", 3).out
    plain = kgscore("ontology", "show", "nephrolithiasis").out
    added = near.partition("  near ")[2]
    assert len(re.findall(r"[01]\.\d\d\b", added)) == 3
    assert "nephrolithiasis" not in added
    assert "  near " not in plain


def test_what_is_near_to_words_that_are_not_linked_is_counted(kgscore: Callable[..., Any], tmp_path: Path) -> None:
    reports = tmp_path / "reports.jsonl"
    texts = ("A flobby thing. No effusin.", "Zzyzx. A flobby thing.", "No pneumothorax.")
    reports.write_text("".join(f"{json.dumps({'id': id, 'report': text})}\n" for id, text in enumerate(texts)), encoding="utf-8")
    ran = kgscore("vectors", "unlinked", reports)
    said = re.search(r"3 reports, (\d+) different phrases that are not linked, in (\d+) places", ran.err)
    assert said
    assert int(said[1]) < int(said[2])
    meant, spelt = ran.lines[:-1], ran.lines[-1]
    assert (spelt["by"], spelt["cosine"]) == ("spelling", None)
    assert [one["cosine"] for one in meant] == sorted(one["cosine"] for one in meant)
    assert [one["phrases"] for one in meant] == sorted((one["phrases"] for one in meant), reverse=True)
    assert all(0 <= one["alone"] <= one["phrases"] <= 1 >= one["places"] for one in ran.lines)
    assert spelt["phrases"] > 0
    reports.write_text(json.dumps({"id": "a", "report": "No pneumothorax."}), encoding="utf-8")
    assert kgscore("vectors", "unlinked", reports).out == ""
