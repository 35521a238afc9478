"""Scoring on a cluster: partitions of the input, shards of the results, and the run folder that they make together."""
