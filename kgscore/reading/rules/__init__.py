"""Rules in data that correct the structure of a sentence."""
