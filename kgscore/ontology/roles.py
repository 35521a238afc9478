"""The roles that reading and matching ask the ontology for, so that no id of a concept stands in code.

A table gives a concept a role by `role: NAME; NAME` (`ontologies/tables/FORMAT.md`); `Index.flagged` and `Index.role` find it.
A role holds for the concept that has it: what asks decides whether it also holds for those below.
"""

from __future__ import annotations

from collections.abc import Mapping

# One concept has it, whatever modules are in use.
SINGLE: Mapping[str, str] = {
    "any_abnormality": "the class of all that is abnormal",
    "all_acute": "all that is acute: what is urgent and not said to be old falls under it",
    "removed": "what an operation has taken away",
    "any_malignancy": "the class of all that is malignant",
    "ages": "the category of descriptors that say how old a finding is",
}
# Any number of concepts have it, those of a user's module too.
SHARED: Mapping[str, str] = {
    "lesions": "a circumscribed thing: two of one size at one place are one, under whatever names",
    "absences": "the structure itself is not there and can show nothing",
    "shifts": "a movement as a whole: an unpaired structure cannot have moved to both sides",
    "recent": "an age that makes a finding acute",
    "old": "an age that makes a finding no news",
    "little": "the lowest degree, said as a size or as a severity",
    "suspected": "a descriptor that suspects malignancy",
    "marked_degree": "the highest degree; 'no significant …' denies all of it",
    "restricting": "a category of descriptors that narrows a denial ('no large effusion')",
    "placing": "a category of descriptors that only places a finding and is not compared",
    "excluding": "a category of descriptors of which opposite values contradict each other",
}
ROLES: Mapping[str, str] = {**SINGLE, **SHARED}
