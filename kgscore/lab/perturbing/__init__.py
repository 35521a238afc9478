"""Reports made wrong on purpose, from any reports: what a metric is to notice, with a record of every change.

A generator that shares the scorer's ontology flatters the scorer (docs/published.md): use these sets beside sets that people or
language models wrote.
"""
