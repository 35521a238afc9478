"""The laboratory: benchmarks, public sets, third-party metrics, stress tests, fitting, training."""

# The candidates of a case of SSREE, from the same meaning (L1) to every statement inverted (L5).
LEVELS = ("L1", "L2", "L3", "L4", "L5")
