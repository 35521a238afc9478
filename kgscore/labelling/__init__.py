"""Label sets: labels of a report as used in other work, each defined by class expressions over the ontology."""
