"""Fitting what a metric learns: readouts from pairs with error counts, and such pairs made by corrupting texts."""
