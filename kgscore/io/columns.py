"""Column names of a user's file: the field names, the user's names, and common alternatives."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from kgscore.errors import InputError

# Common alternative names of the fields, as normalised by `_normalise`.
USUAL: Mapping[str, tuple[str, ...]] = {
    "id": (
        "case", "case_id", "study", "study_id", "report_id", "pair_id", "sample_id", "example_id", "image_id", "dicom_id", "uid",
        "accession", "accession_number", "key", "index", "", "unnamed:_0",
    ),
    "reference": (
        "references", "ref", "gt", "ground_truth", "groundtruth", "gold", "gold_report", "target", "reference_report",
        "true_report", "original_report",
    ),
    "candidate": (
        "candidates", "cand", "pred", "prediction", "predictions", "predicted", "hyp", "hypothesis", "generated", "generation",
        "output", "model_output", "response", "candidate_report", "generated_report", "predicted_report", "model_report",
    ),
    "report": ("text", "report_text", "full_report", "document"),
}  # fmt: skip
_LISTED = 12  # columns shown in a message


@dataclass(frozen=True, slots=True)
class Columns:
    """Maps the columns of a file to fields. `given` maps fields to columns; without it, a name may differ in case,
    blanks and hyphens, or be a common alternative. `tell` receives the mapping used, once."""

    given: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[str], None] | None = None

    @classmethod
    def parse(cls, text: str, tell: Callable[[str], None] | None = None) -> Columns:
        """Parse a mapping such as `reference=gt,candidate=pred`. Raises InputError if the text is malformed.

        >>> dict(Columns.parse("reference=gt, id = study").given)
        {'reference': 'gt', 'id': 'study'}
        """
        pairs = [[side.strip() for side in one.partition("=")[::2]] for one in text.split(",") if one.strip()]
        for ours, theirs in pairs:
            if not ours or not theirs:
                raise InputError("give OURS=THEIRS, separated by commas, as in reference=gt,candidate=pred,id=study")
        return cls(dict(pairs), tell)

    def resolve(self, source: str, found: Sequence[str], choices: Sequence[Sequence[str]]) -> Mapping[str, str]:
        """Return the field for each column with another name, such that there is an id and all fields of one of `choices`. Raises
        InputError if a column is missing, or ambiguous."""
        self._check_given(source, found, {ours for choice in choices for ours in choice} | {"id"})
        lacking = ""
        for choice in choices:
            taken = {ours: self._match(source, ours, found) for ours in ("id", *choice)}
            missing = next((ours for ours, theirs in taken.items() if theirs is None), None)
            if missing is None:
                return self._renamed_columns(source, taken)
            lacking = lacking or missing
        needs = f"it needs {' or '.join(', '.join(('id', *choice)) for choice in choices)}; it has {list_names(found)}"
        raise InputError(f"{source}: no column '{lacking}' ({needs}); name it: --columns {lacking}=NAME")

    def _check_given(self, source: str, found: Sequence[str], known: Collection[str]) -> None:
        for ours, theirs in self.given.items():
            if ours not in known:
                raise InputError(f"{source}: --columns: '{ours}' is not a field; the fields are {', '.join(sorted(known))}")
            if theirs not in found:
                raise InputError(f"{source}: no column '{theirs}' for the {ours}; it has {list_names(found)}")

    def _renamed_columns(self, source: str, taken: Mapping[str, str | None]) -> Mapping[str, str]:
        """Return our name for each column that has another, and tell which were guessed."""
        renamed = {theirs: ours for ours, theirs in taken.items() if theirs is not None and theirs != ours}
        guessed = [f"'{theirs}' is the {ours}" for theirs, ours in renamed.items() if self.given.get(ours) != theirs]
        if self.tell and guessed:
            self.tell(f"{source}: {', '.join(guessed)}; --columns says otherwise")
        return renamed

    def _match(self, source: str, ours: str, found: Sequence[str]) -> str | None:
        if ours in self.given:
            return self.given[ours]
        free = [name for name in found if name not in self.given.values()]
        if ours in free:
            return ours
        for names in ({ours}, {*USUAL.get(ours, ())} - {"", "unnamed:_0"}, {"", "unnamed:_0"} & {*USUAL.get(ours, ())}):
            near = [name for name in free if _normalise(name) in names]
            if len(near) > 1:
                raise InputError(f"{source}: {list_names(near)} could each be the {ours}; specify: --columns {ours}=NAME")
            if near:
                return near[0]
        return None


AS_THEY_ARE = Columns()


def list_names(names: Sequence[str]) -> str:
    """Return column names formatted for a message.

    >>> list_names(["id", "gt"])
    'id, gt'
    """
    shown = [" ".join(name.split())[:40] or "a column without a name" for name in names[:_LISTED]]
    return ", ".join(shown) + (f" and {len(names) - _LISTED} more" if len(names) > _LISTED else "") or "none"


def _normalise(name: str) -> str:
    return re.sub(r"[\s\-.]+", "_", name.strip().lower())
