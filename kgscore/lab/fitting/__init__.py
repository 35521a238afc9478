"""Fitting metrics to pairs rated by people, and to pairs made by corrupting texts."""
