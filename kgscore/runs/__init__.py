"""Many pairs: where they come from, processes and clusters that score them, and the run folders that hold what they found."""
