"""Scoring many pairs: their sources, worker processes and clusters, and run folders with the results."""
