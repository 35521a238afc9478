"""Vectors learn what is called alike, the same from the same seed; the measure of them finds what it should."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgscore.knowledge import load_knowledge
from kgscore.lab.vectors.recall import by_letters, by_spelling, by_vectors, recall_of
from kgscore.lab.vectors.wordings import Wordings, near_kin, wordings
from kgscore.linking.vectors import VECTORS, Vectors
from kgscore.reading.structure.weights import write_weights

ORGANS, SAID = ("lung", "liver", "kidney", "spleen"), ("stone", "calculus", "lith", "concrement")
KEPT = {f"{organ} {word}": frozenset((organ,)) for organ in ORGANS for word in SAID[:3]}
SMALL = Wordings(KEPT, {f"{organ} {word}": frozenset((organ,)) for organ in ORGANS for word in SAID[3:]})


def test_what_is_withheld_can_be_found_and_depends_on_letters_alone() -> None:
    knowledge = load_knowledge()
    given = wordings(knowledge)
    assert not given.kept.keys() & given.withheld.keys()
    left = frozenset().union(*given.kept.values())
    assert all(concepts <= left for concepts in given.withheld.values())
    assert 0.02 < len(given.withheld) / len(given.kept) < 0.04
    assert 0 < len(given.apart()) < len(given.withheld) / 10
    kin = near_kin(knowledge.index, sorted(left))
    assert "opacity" not in kin["opacity"]
    assert set(knowledge.index.opposites["enlargement"]) & left <= set(kin["enlargement"])


@pytest.mark.parametrize("method", [by_letters, by_spelling])
def test_methods_that_learn_nothing_find_what_is_spelt_alike(method) -> None:  # type: ignore[no-untyped-def]
    given = Wordings(KEPT, {"lung stones": frozenset(("lung",)), "calcific": frozenset(("spleen",))})
    filler = {f"filler {number}": frozenset((f"f{number}",)) for number in range(60)}
    given = Wordings({**KEPT, **filler}, given.withheld)
    assert recall_of(given, ["lung stones"], method(list(given.kept))).first == 1.0
    assert recall_of(given, ["calcific"], method(list(given.kept))).first == 0.0


def test_learning_finds_more_and_repeats(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from kgscore.lab.vectors.learn import Settings, learn_vectors

    filler = {f"{one}{number}": frozenset((f"f{number}",)) for number in range(60) for one in "pq"}
    given = Wordings({**KEPT, **filler}, SMALL.withheld)
    losses: list[float] = []
    settings = Settings(width=16, groups=512, epochs=30, batch=32)
    made = [learn_vectors(given, {}, {}, settings, lambda epoch, loss: losses.append(loss)) for _ in range(2)]
    assert losses[29] < losses[0] / 2
    assert all((made[0][name] == made[1][name]).all() for name in made[0])
    write_weights(tmp_path / "a", {}, made[0], VECTORS)
    found = recall_of(given, list(given.withheld), by_vectors(list(given.kept), Vectors.load(tmp_path / "a")))
    assert found.first == 1.0
    assert np.abs(made[0]["words"]).max() == 127
