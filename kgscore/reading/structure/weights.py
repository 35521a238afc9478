"""The file format of a trained model: a header in JSON and arrays of small integers, compressed."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod
from operator import index
from pathlib import Path
from stat import S_ISREG
from typing import Any

import numpy as np

from kgscore.errors import InputError, write_error
from kgscore.private_files import atomic_file

STRUCTURE = "structure"
# The version of each kind of file whose version is not 1.
_VERSIONS = {STRUCTURE: 3}
_TYPES = {name: name for name in ("|i1", "|u1", "<i2", "<u2", "<i4", "<u4")}
_MOST_BYTES, _MOST_HEADER = 256_000_000, 16_000_000  # a current model takes 6 MB, unpacked


@dataclass(frozen=True, slots=True)
class Weights:
    """The contents of a model file: `about` (the training data and settings), the arrays by name, and the hash of the file."""

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
        with atomic_file(path) as stream:
            stream.write(_magic(kind) + len(header).to_bytes(8, "little") + header + body)
    except OSError as error:
        raise write_error(path, error) from None


def read_weights(
    path: Path, kind: str = STRUCTURE, check: Callable[[Mapping[str, np.ndarray]], None] = lambda arrays: None
) -> Weights:
    """Return the contents of a model file; `check` raises a ValueError or KeyError for arrays that do not match its kind.

    Raises:
        InputError: the file cannot be read, or is not a model of this version.
    """
    try:
        found = path.stat()
        if not S_ISREG(found.st_mode) or found.st_size > _MOST_BYTES:
            raise InputError(f"{path}: is no file of up to {_MOST_BYTES:,} bytes, as a model is; check the path")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    magic = _magic(kind)
    if not data.startswith(magic):
        command = "train" if kind == STRUCTURE else f"{kind} train"
        raise InputError(f"{path}: no {kind} model of this version; `kgscore {command}` makes one")
    try:
        about, arrays = _arrays(data[len(magic) :])
        check(arrays)
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error):
        raise InputError(f"{path}: the model file is damaged") from None
    return Weights(about, arrays, hashlib.sha256(data).hexdigest()[:16])


def _arrays(data: bytes) -> tuple[Mapping[str, Any], dict[str, np.ndarray]]:
    """Return the description of a model and its arrays; no more is unpacked than they take.

    Raises:
        ValueError, KeyError, TypeError, RecursionError, zlib.error: the file is damaged.
    """
    end = 8 + int.from_bytes(data[:8], "little")
    if end > min(len(data), _MOST_HEADER):
        raise ValueError("header")
    header = json.loads(data[8:end])
    listed = [(str(one["name"]), np.dtype(_TYPES[one["type"]]), tuple(map(index, one["shape"]))) for one in header["arrays"]]
    sizes = [kind.itemsize * prod(shape) for _, kind, shape in listed]
    if sum(sizes) > _MOST_BYTES or any(number < 0 for _, _, shape in listed for number in shape):
        raise ValueError("shapes")
    packed = zlib.decompressobj()
    body = packed.decompress(data[end:], sum(sizes) + 1)
    if len(body) != sum(sizes) or not packed.eof or not isinstance(header["about"], dict):
        raise ValueError("length")
    arrays, place = {}, 0
    for (name, kind, shape), size in zip(listed, sizes, strict=True):
        arrays[name] = np.frombuffer(body[place : place + size], kind).reshape(shape)
        place += size
    return header["about"], arrays
