"""What an author of an ontology module works with: a first module, its examples, what is not covered, what a change does."""
