"""Tools for the author of an ontology module: a new module, its examples, coverage, and the effect of a change."""
