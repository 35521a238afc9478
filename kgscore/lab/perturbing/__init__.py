"""Deliberately corrupted reports, made from any reports, for testing metrics, with a record of every change.

A generator that shares the scorer's ontology is biased in its favour (docs/published.md): use these sets together with sets
written by people or language models.
"""
