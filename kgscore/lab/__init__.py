"""The laboratory: benchmarks, public sets, third-party metrics, stress tests, fitting, training."""
