"""Training of the reader on manually marked sentences (see `corpus/GUIDE.md`)."""
