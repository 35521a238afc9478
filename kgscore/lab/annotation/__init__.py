"""Manually marked sentences (see `corpus/GUIDE.md`), and conversion to other formats."""
