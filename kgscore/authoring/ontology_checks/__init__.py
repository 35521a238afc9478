"""The ontology as its own oracle: what follows from the terms, asked of reader and matcher."""
