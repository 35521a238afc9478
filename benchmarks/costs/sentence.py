"""What reading a sentence enters: modules and functions of kgscore, and calls of any function, in all and a word.

FILE: sentences, one a line. Each is read once, by a scorer that has read another sentence before: tables are made by then.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import kgscore
from kgscore.engine import Scorer

PACKAGE = str(Path(kgscore.__file__).parent)


def run(path: str | Path, *, profile: str = "default") -> Iterator[dict[str, Any]]:
    """Yield the figures of each sentence."""
    scorer = Scorer(profile)
    scorer.read("There is a large right pneumothorax with severe posterior consolidation in the middle lobe, not seen before.")
    for sentence in filter(None, map(str.strip, Path(path).read_text(encoding="utf-8").splitlines())):
        entered, words = _entered(scorer, sentence), len(sentence.split())
        own = {code for code in entered if code.co_filename.startswith(PACKAGE)}
        modules, calls = {code.co_filename for code in own}, entered.total()
        yield {
            "words": words, "modules": len(modules), "functions": len(own), "calls": calls, "calls a word": round(calls / words),
        }  # fmt: skip


def _entered(scorer: Scorer, sentence: str) -> Counter[CodeType]:
    """Return how often each function is called to read a sentence."""
    entered = Counter[CodeType]()

    def count(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            entered[frame.f_code] += 1

    sys.setprofile(count)
    try:
        scorer.read(sentence)
    finally:
        sys.setprofile(None)
    return entered
