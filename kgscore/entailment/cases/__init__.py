"""The cases in which the findings of a report decide about one finding of a statement."""
