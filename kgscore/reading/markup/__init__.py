"""Conversion of markup in reports to plain lines: headings, lists, tables, JSON and check boxes."""
