"""The clinical significance of findings, in the context in which the report was made."""
