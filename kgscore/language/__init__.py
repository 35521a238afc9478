"""Language models as readers and judges: they propose, and the ontology decides."""
