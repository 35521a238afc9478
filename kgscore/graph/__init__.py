"""The graph of a run: reports, findings and matches as RDF, in an embedded store that answers SPARQL."""
