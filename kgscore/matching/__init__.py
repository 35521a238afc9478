"""Relations between findings, their weights, and the flow of credit."""
