"""The explorer: runs, cases, concepts, a page to try reports on, and SPARQL, in a browser and as a JSON API. Read-only."""
