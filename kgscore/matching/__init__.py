"""Relations between findings, what they weigh, and how credit flows."""
