"""What findings mean for the patient: how much they matter, in the context in which the report was made."""
