"""The file of a trained model: a header in JSON and arrays of small integers, compressed."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kgscore.errors import InputError, unwritable
from kgscore.private import whole

STRUCTURE = "structure"
# The version of each kind of file that is not the first.
_VERSIONS = {STRUCTURE: 3}


@dataclass(frozen=True, slots=True)
class Weights:
    """What a model file holds: `about` (what it was trained on and how), the arrays by name, and the hash of the file."""

    about: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]
    hash: str


def _magic(kind: str) -> bytes:
    return f"kgscore-{kind} {_VERSIONS.get(kind, 1)}\n".encode()


def write_weights(path: Path, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray], kind: str = STRUCTURE) -> None:
    """Write a model file of a kind; the same content gives the same bytes.

    Raises:
        RunError: the file cannot be written.
    """
    listed = [{"name": name, "type": array.dtype.str, "shape": array.shape} for name, array in arrays.items()]
    header = json.dumps({"about": about, "arrays": listed}, sort_keys=True).encode()
    body = zlib.compress(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays.values()), 9)
    try:
        with whole(path) as stream:
            stream.write(_magic(kind) + len(header).to_bytes(8, "little") + header + body)
    except OSError as error:
        raise unwritable(path, error) from None


def read_weights(path: Path, kind: str = STRUCTURE) -> Weights:
    """Return what a model file holds.

    Raises:
        InputError: the file cannot be read, or is no model of this version.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    magic = _magic(kind)
    if not data.startswith(magic):
        command = "train" if kind == STRUCTURE else f"{kind} train"
        raise InputError(f"{path}: no {kind} model of this version; `kgscore {command}` makes one")
    at = len(magic) + 8
    end = at + int.from_bytes(data[len(magic) : at], "little")
    try:
        header = json.loads(data[at:end])
        body = zlib.decompress(data[end:])
        arrays, place = {}, 0
        for one in header["arrays"]:
            held, shape = np.dtype(one["type"]), tuple(one["shape"])
            size = int(np.prod(shape)) * held.itemsize
            arrays[one["name"]] = np.frombuffer(body[place : place + size], held).reshape(shape)
            place += size
    except (ValueError, KeyError, TypeError, zlib.error):
        raise InputError(f"{path}: the model file is damaged") from None
    return Weights(header["about"], arrays, hashlib.sha256(data).hexdigest()[:16])
