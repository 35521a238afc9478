"""Model files: the same content gives the same bytes, and what is no model is said to be none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kgscore.errors import InputError, RunError
from kgscore.reading.structure.weights import read_weights, write_weights

ARRAYS = {"table": np.arange(6, dtype="i1").reshape(2, 3), "bias": np.array([-300, 5], "<i2")}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_weights(tmp_path / "a", {"sentences": 3}, ARRAYS)
    write_weights(tmp_path / "b", {"sentences": 3}, ARRAYS)
    found = read_weights(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert found.about == {"sentences": 3}
    assert all(
        np.array_equal(found.arrays[name], array) and found.arrays[name].dtype == array.dtype for name, array in ARRAYS.items()
    )
    assert found.hash == read_weights(tmp_path / "b").hash


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model"
    with pytest.raises(InputError, match="No such file"):
        read_weights(path)
    path.write_bytes(b"something else")
    with pytest.raises(InputError, match="no structure model"):
        read_weights(path)
    write_weights(path, {}, ARRAYS)
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(InputError, match="damaged"):
        read_weights(path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="nowhere"):
        write_weights(tmp_path / "nowhere" / "model", {}, ARRAYS)
