"""HeadCT-ONE's variants of any report (its 3.5 and appendix B): the same in other words, and with one to three errors of
observation, anatomy, descriptor, or of any of these kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from kgscore.perturbing.inserting import Inserter
from kgscore.perturbing.outcome import Unfit
from kgscore.perturbing.source import Draft, Source

KINDS: Mapping[str, tuple[str, ...]] = {
    "obs_error": ("omission", "false_prediction", "false_negation"),
    "anat_error": ("change_side", "change_location"),
    "desc_error": ("change_severity", "change_descriptor", "change_measurement", "change_comparison", "change_certainty"),
}
ERRORS = (*KINDS, "any_error")
MOST = 3


class HeadCt:
    """Makes the five variants of a report."""

    def __init__(self, inserter: Inserter) -> None:
        self.inserter = inserter

    def make(self, source: Source, seed: str) -> dict[str, Any]:
        """Return the variants by name, notes on their errors, and the record of every change.

        Raises:
            Unfit: no error of a kind can be put in, or the report cannot be reworded.
        """
        random = Random(f"{seed} rephrased")
        plain = Draft(source)
        rewording = self.inserter.rewording
        drafts = {"rephrased": rewording.reordered(rewording.reworded(plain, random), random)}
        if drafts["rephrased"].version().text == source.text:
            raise Unfit("the report cannot be put in other words or another order")
        for name in ERRORS:
            drafts[name] = self._with_errors(plain, KINDS.get(name) or _any(), f"{seed} {name}", name)
        versions = {name: draft.version() for name, draft in drafts.items()}
        return {
            **{name: version.text for name, version in versions.items()},
            "errors": {name: [f"{c.kind}: {c.before} -> {c.after}" for c in versions[name].changes] for name in ERRORS},
            "changed": {name: version.as_json() for name, version in versions.items()},
        }

    def _with_errors(self, draft: Draft, kinds: Sequence[str], seed: str, name: str) -> Draft:
        made = self.inserter.insert(draft, kinds, Random(f"{seed} number").randint(1, MOST), seed)
        if not made.changes:
            raise Unfit(f"{name}: nothing in the report can be changed in such a way ({', '.join(kinds)})")
        return made


def _any() -> tuple[str, ...]:
    return tuple(kind for kinds in KINDS.values() for kind in kinds)
