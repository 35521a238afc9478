"""Fitting what a metric learns from pairs that people rated, the tables of such pairs, and pairs made by corrupting texts."""
