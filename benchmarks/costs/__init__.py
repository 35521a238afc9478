"""What parts of kgscore cost, one program each: `python benchmarks/cost.py NAME FILE`."""
