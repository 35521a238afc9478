"""The former name of `kgscore.runs.case_index`, for one version."""

from __future__ import annotations

import warnings
from typing import Any

from kgscore.runs import case_index


def __getattr__(name: str) -> Any:
    if not hasattr(case_index, name):
        raise AttributeError(name)
    warnings.warn("kgscore.runs.casebook is now kgscore.runs.case_index", DeprecationWarning, stacklevel=2)
    return getattr(case_index, name)
