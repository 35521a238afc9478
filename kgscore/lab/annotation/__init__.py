"""Marked sentences, written by hand (`corpus/GUIDE.md` says how), and their files in other forms."""
