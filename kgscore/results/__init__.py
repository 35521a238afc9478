"""Results of runs: the DuckDB database of a run folder, and what is printed of it."""
