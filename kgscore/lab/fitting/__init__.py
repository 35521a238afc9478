"""Fitting what a metric learns from pairs that people rated, and pairs made by corrupting texts."""
