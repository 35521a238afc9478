"""What measures and fits: benchmarks, public sets, the scores of others, stress tests, fitting."""
