"""Results of runs: the DuckDB database of a run folder, and tables and statistics computed from it."""
