"""The former name of `kgscore.runs.dask`, for one version."""

from __future__ import annotations

import warnings
from typing import Any

from kgscore.runs import dask


def __getattr__(name: str) -> Any:
    if not hasattr(dask, name):
        raise AttributeError(name)
    warnings.warn("kgscore.runs.spread is now kgscore.runs.dask", DeprecationWarning, stacklevel=2)
    return getattr(dask, name)
