"""Label sets: a report turned into the labels that other work uses, each a class expression over the ontology."""
