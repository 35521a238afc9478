"""The roles that reading and matching ask the ontology for, so that no id of a concept stands in code.

`ontologies/tables/roles.tbl` says which there are and what each is for; a table gives a concept a role by `role: NAME; NAME`, and
`Index.flagged` and `Index.role` find it.
"""

from __future__ import annotations

from functools import cache

from kgscore.ontology.files import table
from kgscore.resources import resource


@cache
def roles() -> dict[str, bool]:
    """Return the roles by name, each with whether it is that of one concept, whatever modules are in use."""
    return {name: held == "one" for name, held, _ in table(resource("ontologies", "tables", "roles.tbl"))}
