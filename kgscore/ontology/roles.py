"""The roles that reading and matching look up in the ontology, so that no concept id is hard-coded.

`ontologies/tables/roles.tbl` lists them with their purposes; a table assigns a concept a role by `role: NAME; NAME`, and
`Index.flagged` and `Index.role` find it.
"""

from __future__ import annotations

from functools import cache

from kgscore.ontology.files import table
from kgscore.resources import resource


@cache
def roles() -> dict[str, bool]:
    """Return the roles by name, each with whether it is unique to one concept, whatever modules are in use."""
    return {name: held == "one" for name, held, _ in table(resource("ontologies", "tables", "roles.tbl"))}
