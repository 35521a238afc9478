"""Figures that may not fall, on open sets: `kgscore bench floors FOLDER --out tests/floors.json` raises them to what is reached.

The sets stand beside the checkout (`../shared`, or where KGSCORE_SETS says); without them their floors are skipped.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kgscore.lab.bench.standing import Floor, figures_of, floor_rows, load_floors

ROOT = Path(__file__).parents[4]
SETS = Path(os.environ.get("KGSCORE_SETS", ROOT.parent / "shared"))
FLOORS = load_floors(ROOT / "tests" / "floors.json")


@pytest.mark.parametrize("floor", FLOORS, ids=lambda floor: f"{floor.program} {floor.set}")
def test_no_figure_falls_below_its_floor(floor: Floor) -> None:
    if not floor.own and not (SETS / floor.set).is_file():
        pytest.skip(f"no file {floor.set} in the folder of the sets ({SETS.name}); KGSCORE_SETS says where it is")
    rows = list(floor_rows(floor, figures_of(floor.task(SETS))))
    assert rows
    assert [row for row in rows if not row["holds"]] == []
