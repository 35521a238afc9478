"""Why a report could not be changed in the way wanted."""

from __future__ import annotations

from kgscore.errors import KgscoreError


class Unfit(KgscoreError):
    """A report cannot be perturbed as wanted; the message says why and quotes nothing of it."""


class Broken(KgscoreError):
    """A defect of ours met one report; the others go on. The message quotes nothing of it."""
