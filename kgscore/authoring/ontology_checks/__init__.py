"""Consistency checks generated from the ontology and run through reader and matcher."""
