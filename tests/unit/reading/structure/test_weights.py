"""Model files: the same content gives the same bytes, and what is no model is said to be none."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest

from kgscore.engine import Scorer
from kgscore.errors import InputError, RunError
from kgscore.linking.vectors import VECTORS, Vectors
from kgscore.reading.structure.model import StructureModel
from kgscore.reading.structure.weights import read_weights, write_weights
from kgscore.resources import resource

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


def crafted(path: Path, header: object, body: bytes = zlib.compress(b"\0" * 8), length: int | None = None) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes(b"kgscore-structure 3\n" + (len(text) if length is None else length).to_bytes(8, "little") + text + body)
    return path


def one(shape: object, kind: str = "|i1") -> object:
    return {"about": {}, "arrays": [{"name": "a", "type": kind, "shape": shape}]}


@pytest.mark.parametrize(
    ("header", "length"),
    [
        (one([2**62, 4]), None), (one([-1, -8]), None), (one([10**9, 10**9]), None), (one([300_000_000]), None), (one([9]), None),
        (one([7]), None), (one([1.5]), None), (one("8"), None), (one([1], "O"), None), (one([1], "V1000000000"), None),
        (one([1], "(8,)i1"), None), (one(None), None), (one([8]), 2**63), (one([8]), 10), (b"[" * 100_000, None), (b"[]", None),
        ({"about": 1, "arrays": []}, None), ({"about": {}}, None), ({"about": {}, "arrays": [1]}, None), (b"\xff", None),
    ],
)  # fmt: skip
def test_a_crafted_header_is_damage(tmp_path: Path, header: object, length: int | None) -> None:
    with pytest.raises(InputError, match="the model file is damaged"):
        read_weights(crafted(tmp_path / "model", header, length=length))


def test_no_more_is_unpacked_than_the_arrays_take(tmp_path: Path) -> None:
    bomb = crafted(tmp_path / "model", one([8]), zlib.compress(b"\0" * 300_000_000, 1))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="damaged"):
            read_weights(bomb)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    with (tmp_path / "large").open("wb") as stream:
        stream.truncate(10**12)
    for path in (tmp_path / "large", tmp_path):
        with pytest.raises(InputError, match="is no file of up to"):
            read_weights(path)


def test_arrays_of_other_shapes_than_the_network_has_are_damage(tmp_path: Path, scorer: Scorer) -> None:
    whole = read_weights(resource("models", "structure.model"))
    for name in ("0/item.bias", "codes.3", "first", "0/table", "0/memory.recurrent"):
        for arrays in (
            {**whole.arrays, name: whole.arrays[name][:-1]},
            {key: array for key, array in whole.arrays.items() if key != name},
            {**whole.arrays, name: whole.arrays[name].reshape(-1, 1)},
        ):
            write_weights(tmp_path / "model", {}, arrays)
            with pytest.raises(InputError, match="damaged"):
                StructureModel.load(scorer.index, tmp_path / "model")


def test_vectors_that_do_not_fit_their_names_are_damage(tmp_path: Path) -> None:
    names, table = np.frombuffer(b"a\nb", "u1"), np.zeros((2, 4), "i1")
    good = {"names": names, "words": table, "groups": table}
    write_weights(tmp_path / "good", {}, good, VECTORS)
    assert set(Vectors.load(tmp_path / "good").rows) == {"a", "b"}
    wrong = {"words": table[:1], "groups": table[:0], "names": np.frombuffer(b"\xff\n\xff", "u1")}
    for name, array in (*wrong.items(), ("words", table.ravel()), ("groups", table[:, :2])):
        write_weights(tmp_path / "wrong", {}, {**good, name: array}, VECTORS)
        with pytest.raises(InputError, match="damaged"):
            Vectors.load(tmp_path / "wrong")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="nowhere"):
        write_weights(tmp_path / "nowhere" / "model", {}, ARRAYS)
