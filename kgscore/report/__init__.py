"""Explanations, tables, plots and pages."""
