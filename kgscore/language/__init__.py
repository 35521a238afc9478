"""Language models as readers and judges: they propose, the ontology disposes."""
